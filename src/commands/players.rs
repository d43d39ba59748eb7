//! `gauntlet players`: lists algorithms and players.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::config::time::MoveTime;
use gauntlet_analysis::results::tables::settings;
use gauntlet_core::arena::{AlgorithmManual, Arena};
use gauntlet_core::diagnostic::nearest_name;
use gauntlet_core::settings::{SettingsTable, tree};
use gauntlet_core::text::{display_path, quote_path};

use super::player_toml::{player_to_toml, toml_value};
use super::{trial, within};
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::{prose, screen};
use gauntlet_cli::target::load_without_files;
use gauntlet_cli::terminal::format_table;

/// List algorithms or players, and their settings
#[derive(clap::Args)]
#[command(after_long_help = "\
For an experiment, the list shows the settings in which its players differ. With NAME, it shows all settings of one player as a \
`[[player]]` for use in an experiment.

With --within, each player is timed with other limits of its search: nodes, depth or random games. The largest limit \
whose mean CPU time per move is at most TIME is printed as a `[[player]]`, with the time as a comment. Such limits are reproducible, \
unlike `millis`. Players that differ only in their limits are printed once. Comments list players without a limit and those that \
are too slow. If a game takes more than a second, a faster limit makes most of its moves.

Example:
  gauntlet players greedy
  gauntlet players --try -- python3 examples/players/first.py
  gauntlet players quick \"expectimax nodes=30\"
  gauntlet players quick --within 10us")]
pub(super) struct Args {
    /// Algorithm to describe; or an experiment or its results folder
    #[arg(value_name = "ALGORITHM|EXPERIMENT")]
    of: Option<String>,

    /// Player of the experiment to describe
    #[arg(value_name = "NAME", requires = "of", allow_hyphen_values = true)]
    name: Option<String>,

    /// Find the largest search limit of each player with at most this time per move, such as 5us,
    /// 0.1ms or 2s
    #[arg(long, value_name = "TIME", requires = "of", conflicts_with = "name")]
    within: Option<MoveTime>,

    /// Test an external program as a player
    #[arg(long = "try", requires = "command", conflicts_with = "of")]
    attempt: bool,

    /// With --try: game to test
    #[arg(long, value_name = "GAME", default_value = "2048", requires = "attempt")]
    game: String,

    /// With --try: setting for the program, as in `options`; can be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", requires = "attempt")]
    options: Vec<String>,

    /// With --try: time limit for each reply, in milliseconds
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "attempt", value_parser = clap::value_parser!(u32).range(1..=86_400_000))]
    move_millis: u32,

    /// With --try: show every line sent and received
    #[arg(long, requires = "attempt")]
    verbose: bool,

    /// Program to test, with its arguments
    #[arg(value_name = "COMMAND", last = true, requires = "attempt")]
    command: Vec<String>,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    if args.attempt {
        return trial::run(
            catalog.games,
            &trial::TrialOptions {
                game: &args.game,
                command: &args.command,
                options: &args.options,
                timeout: Duration::from_millis(args.move_millis.into()),
                is_verbose: args.verbose,
            },
        );
    }
    let with_arena =
        |arena: &'static Arena| arena.manual().into_iter().map(move |algorithm| (arena, algorithm));
    let algorithms: Vec<(&Arena, AlgorithmManual)> = catalog.games.iter().flat_map(with_arena).collect();
    let Some(name) = &args.of else { return list_algorithms(catalog, &algorithms) };
    let mut matches = algorithms.iter().filter(|(_, algorithm)| algorithm.name == name).peekable();
    let path = Path::new(name);
    let is_experiment = catalog.built_in_experiment(path).is_some()
        || path.exists()
        || name.contains(['/', '\\'])
        || name.ends_with(".toml");
    if matches.peek().is_none() && is_experiment {
        if let Some(time) = &args.within {
            return within::run(catalog, path, time);
        }
        write!(screen(), "{}", format_experiment_players(catalog, path, args.name.as_deref())?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if matches.peek().is_none() {
        let experiments = catalog.built_in.iter().map(|experiment| experiment.name);
        let names = algorithms.iter().map(|(_, algorithm)| algorithm.name).chain(experiments);
        let suggestion = nearest_name(name, names);
        let help = suggestion.map_or("`gauntlet players` lists them".to_owned(), |suggestion| {
            format!("did you mean `{suggestion}`?")
        });
        return Err(Usage(format!("unknown algorithm or experiment `{name}`; {help}")).into());
    }
    let experiment_use = args.name.as_ref().map(|player| format!("to show the player {player:?}"));
    let experiment_use = experiment_use.or(args.within.as_ref().map(|_| "for --within".to_owned()));
    if let Some(experiment_use) = experiment_use {
        let message =
            format!("`{name}` is an algorithm: {experiment_use}, give its experiment or results folder");
        return Err(Usage(message).into());
    }
    print_manuals(&matches.collect::<Vec<_>>())
}

/// Lists the algorithms of each game.
fn list_algorithms(catalog: Catalog, algorithms: &[(&Arena, AlgorithmManual)]) -> anyhow::Result<ExitCode> {
    let mut out = prose();
    let width = algorithms.iter().map(|(_, algorithm)| algorithm.name.len()).max().unwrap_or(0);
    for arena in catalog.games {
        writeln!(out, "{}", arena.name)?;
        for algorithm in arena.manual() {
            let origin = if algorithm.package.is_foreign() {
                format!(" ({})", algorithm.package)
            } else {
                String::new()
            };
            writeln!(out, "  {:width$}  {}{origin}", algorithm.name, algorithm.summary)?;
        }
    }
    writeln!(out, "\n`gauntlet players ALGORITHM` shows its settings.")?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual of an algorithm, for each game that it has another manual for.
fn print_manuals(matches: &[&(&Arena, AlgorithmManual)]) -> anyhow::Result<ExitCode> {
    let mut out = prose();
    for (index, (arena, algorithm)) in matches.iter().enumerate() {
        // A player for any game has only one manual.
        if matches[..index].iter().any(|(_, earlier)| earlier.example == algorithm.example) {
            continue;
        }
        let same_manual = matches.iter().filter(|(_, other)| other.example == algorithm.example);
        let games: Vec<&str> = same_manual.map(|(arena, _)| arena.name).collect();
        writeln!(out, "{} ({})\n  {}\n", algorithm.name, games.join(", "), algorithm.summary)?;
        if algorithm.settings.is_empty() {
            writeln!(out, "No settings.\n")?;
        } else {
            writeln!(out, "Settings and their defaults:")?;
        }
        let width = algorithm.settings.iter().map(|setting| setting.len()).max().unwrap_or(0);
        for setting in algorithm.settings {
            writeln!(out, "  {setting:width$}  {}", default_value(arena, algorithm, setting))?;
        }
        if !algorithm.settings.is_empty() {
            writeln!(out)?;
        }
        writeln!(out, "Example:\n\n  [[player]]\n  name = \"{}\"", algorithm.name)?;
        // The first line is the summary. The other lines can be copied, so they are not wrapped.
        for line in algorithm.example.lines().skip(1) {
            writeln!(screen(), "  {line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the players of an experiment with differing settings, or all settings of one player.
fn format_experiment_players(catalog: Catalog, path: &Path, name: Option<&str>) -> anyhow::Result<String> {
    let experiment = load_without_files(catalog, path)?;
    let Some(name) = name else {
        let table = settings::keep_differing(&settings::settings_table(&experiment));
        let hint =
            format!("\n`gauntlet players {} NAME` shows all settings of one player.\n", quote_path(path));
        return Ok(format_table(&table, "NAME") + &hint);
    };
    let players = experiment.players();
    if let Some(player) = players.iter().find(|player| player.name == name) {
        return Ok(player_to_toml(&player.name, &player.entry));
    }
    let suggestion = nearest_name(name, players.iter().map(|player| player.name.as_str()));
    let help = suggestion.map_or_else(
        || format!("`gauntlet players {}` lists them", quote_path(path)),
        |suggestion| format!("did you mean {suggestion:?}?"),
    );
    Err(Usage(format!("{} has no player {name:?}; {help}", display_path(path))).into())
}

/// Returns the default value of a setting; in words if it has none.
fn default_value(arena: &Arena, algorithm: &AlgorithmManual, setting: &str) -> String {
    let mut example = tree::parse_table(algorithm.example);
    example.remove("algorithm");
    example.remove(setting);
    let (rules, _) = arena.read_rules(&SettingsTable::default());
    let read_entry = |table| arena.read_entry(&rules, algorithm.name, &SettingsTable { table, header: 0..0 });
    // A default may depend on other settings. So the settings of the example are used only if the
    // player needs some.
    match read_entry(tree::TomlTable::default()).or_else(|_| read_entry(example)) {
        Err(_) => "(required, or an alternative)".to_owned(),
        Ok(entry) => match entry.settings.get(setting) {
            Some(value) if !value.is_null() => toml_value(value),
            _ => "(not set)".to_owned(),
        },
    }
}
