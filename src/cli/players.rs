//! `gauntlet players`: the registry.

use std::io::Write;
use std::process::ExitCode;

use toml::de::DeTable;

use super::exit::Usage;
use super::say::screen;
use crate::arena::{Arena, GAMES, Manual};
use crate::diagnostic::nearest_name;
use crate::settings::Written;

/// List the algorithms, or tell the settings of one
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet players greedy")]
pub(super) struct Args {
    /// The algorithm to tell about
    #[arg(value_name = "ALGORITHM")]
    name: Option<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut out = screen();
    let all: Vec<(&Arena, Manual)> =
        GAMES.iter().flat_map(|arena| arena.manual().into_iter().map(move |known| (arena, known))).collect();
    let Some(name) = &args.name else {
        let width = all.iter().map(|(_, known)| known.name.len()).max().unwrap_or(0);
        for arena in GAMES {
            writeln!(out, "{}", arena.name)?;
            for known in arena.manual() {
                writeln!(out, "  {:width$}  {}", known.name, known.summary)?;
            }
        }
        writeln!(out, "\n`gauntlet players ALGORITHM` tells its settings.")?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut found = all.iter().filter(|(_, known)| known.name == name).peekable();
    if found.peek().is_none() {
        let near = nearest_name(name, all.iter().map(|(_, known)| known.name));
        let help =
            near.map_or("`gauntlet players` lists them".to_owned(), |near| format!("did you mean `{near}`?"));
        return Err(Usage(format!("there is no algorithm `{name}`; {help}")).into());
    }
    for (arena, known) in found {
        writeln!(out, "{} ({})\n  {}\n", known.name, arena.name, known.summary)?;
        if known.settings.is_empty() {
            writeln!(out, "It has no settings.\n")?;
        } else {
            writeln!(out, "Settings and their defaults:")?;
        }
        let width = known.settings.iter().map(|setting| setting.len()).max().unwrap_or(0);
        for setting in known.settings {
            writeln!(out, "  {setting:width$}  {}", default_of(arena, known, setting))?;
        }
        if !known.settings.is_empty() {
            writeln!(out)?;
        }
        writeln!(out, "Example:\n\n  [[player]]\n  name = \"{}\"", known.name)?;
        // Its first line is the summary.
        for line in known.example.lines().skip(1) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The default value of a setting, in words where it has none.
fn default_of(arena: &Arena, known: &Manual, setting: &str) -> String {
    let mut table = DeTable::parse(known.example).expect("examples are valid TOML").into_inner();
    table.remove("algorithm");
    table.remove(setting);
    let (rules, _) = arena.rules(&Written { table: DeTable::new(), header: 0..0 });
    match arena.enter(&rules, known.name, &Written { table, header: 0..0 }) {
        Err(_) => "(must be given, or another in its place)".to_owned(),
        Ok(entrant) => match entrant.settings.get(setting) {
            Some(value) if !value.is_null() => value.to_string(),
            _ => "(not set)".to_owned(),
        },
    }
}
