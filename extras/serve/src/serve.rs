//! `gauntlet serve`: a player for tournament managers of other projects.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use gauntlet_analysis::config::Catalog;
use gauntlet_core::diagnostic::nearest;
use gauntlet_core::disk::read_line;
use gauntlet_core::player::{Reply, Stop};
use gauntlet_core::text::{escape, list_names};

use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::{print_waiting, screen};
use gauntlet_cli::target::{Results, Target};

/// Serve a player's moves to another program
///
/// The player has the settings from the experiment. The protocol of docs/PROTOCOL.md is used on
/// standard input and output. The command exits at a line `quit` or at the end of the input. For
/// Gomoku, it also supports Gomocup managers, whose first line is in capitals, such as `START 15`.
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet serve quick --player greedy")]
pub(crate) struct Args {
    /// Experiment or results folder
    #[arg(value_name = "FILE")]
    of: PathBuf,

    /// Player to serve; optional if there is only one
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    player: Option<String>,
}

pub(crate) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let Target { experiment, .. } = Target::find(catalog, &args.of, &Results::new(".".as_ref()))?;
    let entries = experiment.players();
    let names: Vec<&str> = entries.iter().map(|entry| &*entry.name).collect();
    let entry = match &args.player {
        Some(name) => entries.iter().find(|entry| entry.name == *name).ok_or_else(|| {
            let suggestion = nearest(name, entries.iter().map(|entry| &*entry.name));
            let help = match suggestion {
                Some(suggestion) => format!("; did you mean `{suggestion}`?"),
                None => format!("; expected one of {}", list_names(&names, 10)),
            };
            Usage(format!("the experiment has no player `{name}`{help}"))
        })?,
        None if entries.len() == 1 => &entries[0],
        None => {
            return Err(
                Usage(format!("--player is required: choose one of {}", list_names(&names, 10))).into()
            );
        }
    };
    if entry.entry.facts().command.is_some() {
        return Err(Usage(format!("`serve` cannot start the external program of `{}`", entry.name)).into());
    }
    let context = experiment.plan().build_context(&Stop::default());
    let mut server = entry.entry.build_server(&entry.name, &context);
    let (arena, mut has_started) = (experiment.arena(), false);
    print_waiting("lines of the protocol", ", such as `gauntlet 1 2048`");
    let (mut input, mut out, mut line) = (io::stdin().lock(), screen(), Vec::new());
    for number in 1.. {
        read_line(&mut input, &mut line).context("cannot read standard input")?;
        let text = str::from_utf8(&line).with_context(|| format!("line {number} is not UTF-8"))?;
        if text.is_empty() {
            break;
        }
        if !has_started && !text.trim().is_empty() {
            has_started = true;
            let is_gomocup = text.trim().starts_with(|first: char| first.is_ascii_uppercase());
            if let Some(translate) = arena.adapter.filter(|_| is_gomocup) {
                server = translate(&entry.name, &experiment.rules().settings, server);
            }
        }
        match server.handle_line(text) {
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
