//! `gauntlet serve`: a player for tournament managers of other projects.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use gauntlet_analysis::config::Catalog;
use gauntlet_core::diagnostic::nearest;
use gauntlet_core::disk::read_line;
use gauntlet_core::player::{Reply, Stop};
use gauntlet_core::text::{escape, listed};

use super::exit::Usage;
use super::say::{screen, tell_of_waiting};
use super::target::{Results, Target};

/// Answer another program that asks a player for its moves
///
/// The player has every setting that the experiment gives it. It answers the lines of
/// docs/PROTOCOL.md on standard input, on standard output, for as many games as asked, until a line
/// `quit` or the end of the input. In Gomoku it also answers managers of Gomocup: a first line that
/// begins with a word in capitals, as `START 15`, is theirs.
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet serve configs/quick.toml --player greedy")]
pub(super) struct Args {
    /// An experiment, or a folder of its results
    #[arg(value_name = "FILE")]
    of: PathBuf,

    /// The player; may be left out where there is one
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    player: Option<String>,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let Target { experiment, .. } = Target::find(catalog, &args.of, &Results::of(".".as_ref()))?;
    let entries = experiment.entries();
    let names: Vec<&str> = entries.iter().map(|entry| &*entry.name).collect();
    let entry = match &args.player {
        Some(name) => entries.iter().find(|entry| entry.name == *name).ok_or_else(|| {
            let near = nearest(name, entries.iter().map(|entry| &*entry.name));
            let help = match near {
                Some(near) => format!("; did you mean `{near}`?"),
                None => format!("; there are {}", listed(&names, 10)),
            };
            Usage(format!("the experiment has no player `{name}`{help}"))
        })?,
        None if entries.len() == 1 => &entries[0],
        None => {
            return Err(Usage(format!("which player? --player is one of: {}", listed(&names, 10))).into());
        }
    };
    if entry.entrant.facts().command.is_some() {
        return Err(Usage(format!("`serve` starts no other programs, and `{}` is one", entry.name)).into());
    }
    let kit = experiment.plan().kit(&Stop::default());
    let mut served = entry.entrant.served(&entry.name, &kit);
    let (arena, mut is_begun) = (experiment.arena(), false);
    tell_of_waiting("lines of the protocol", ", such as `gauntlet 1 2048`");
    let (mut input, mut out, mut line) = (io::stdin().lock(), screen(), Vec::new());
    for number in 1.. {
        read_line(&mut input, &mut line).context("cannot read standard input")?;
        let text = str::from_utf8(&line).with_context(|| format!("line {number} is no text in UTF-8"))?;
        if text.is_empty() {
            break;
        }
        if !is_begun && !text.trim().is_empty() {
            is_begun = true;
            let is_theirs = text.trim().starts_with(|first: char| first.is_ascii_uppercase());
            if let Some(translated) = arena.translated.filter(|_| is_theirs) {
                served = translated(&entry.name, &experiment.rules().settings, served);
            }
        }
        match served.hear(text) {
            Ok(Reply::None) => {}
            Ok(Reply::Line(answer)) => {
                writeln!(out, "{answer}")?;
                out.flush()?;
            }
            Ok(Reply::Quit) => break,
            Err(mistake) => bail!("line {number}: {}", escape::line(&mistake)),
        }
    }
    Ok(ExitCode::SUCCESS)
}
