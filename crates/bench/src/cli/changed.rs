//! Experiments as a command is given them: files, folders of results, standard input, and what the command line changes.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;

use super::say::{complain, tell_of_waiting};
use super::target::{Results, Target, bytes_at, told};
use crate::arena::Arenas;
use crate::config::changes::{Changes, Setting};
use crate::config::time::Time;
use crate::config::{self, MOST_BYTES};
use crate::num::Points;
use crate::results::store::manifest;
use crate::text::{quoted, quoted_path};

/// What is to be changed in the experiments.
#[derive(Clone, clap::Args)]
pub(super) struct Options {
    /// Let each player play N games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,

    /// Change a setting of a player, or with `*` of all that have it
    #[arg(long, value_name = "NAME:KEY=VALUE")]
    set: Vec<Setting>,

    /// Leave all other players out; may be said several times
    #[arg(long, value_name = "PLAYER")]
    only: Vec<String>,

    /// End once every win rate is known to this many points
    #[arg(long, value_name = "POINTS")]
    precision: Option<Points>,

    /// Ask for no new games after this time, as in 90s, 5m or 2h
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Time>,

    /// Call the experiment so, and with it the folder of its results
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

impl Options {
    fn changes(&self) -> Changes {
        let Options { games, set, only, precision, time, name } = self.clone();
        Changes { games, settings: set, only, precision, time, name }
    }

    /// The options as they can be typed again, each behind a blank.
    fn typed(&self) -> String {
        let Options { games, set, only, precision, time, name } = self;
        let games = games.iter().map(|games| format!(" --games {games}"));
        let set = set.iter().map(|set| format!(" --set {}", quoted(&set.to_string())));
        let only = only.iter().map(|only| format!(" --only {}", quoted(only)));
        let precision = precision.iter().map(|points| format!(" --precision {points}"));
        let time = time.iter().map(|time| format!(" --for {time}"));
        let name = name.iter().map(|name| format!(" --name {}", quoted(name)));
        games.chain(set).chain(only).chain(precision).chain(time).chain(name).collect()
    }

    /// Time for which games are asked for, if not until all are played.
    pub(super) fn time(&self) -> Option<Duration> {
        self.time.as_ref().map(Time::get)
    }
}

/// An experiment, as it was given.
pub(super) struct Given<'a> {
    /// Path as typed.
    path: &'a Path,
    /// The experiment, and the folder of its results.
    pub(super) target: Target,
    options: &'a Options,
}

impl Given<'_> {
    /// Name in messages.
    pub(super) fn file(&self) -> &Path {
        if is_stdin(self.path) { Path::new(STDIN) } else { self.path }
    }

    /// Command that a reader would type to get the same results.
    pub(super) fn command(&self) -> String {
        let path = if is_stdin(self.path) { &self.target.copy() } else { self.path };
        let typed = if is_stdin(self.path) { String::new() } else { self.options.typed() };
        manifest::command("run", path) + &typed
    }

    /// Words with which other commands find the same results.
    pub(super) fn said_again(&self, results: &Results) -> String {
        if self.is_in_file() { results.said_again(self.path) } else { quoted_path(&self.target.folder) }
    }

    /// Command to go on with a run, where the typed one cannot be typed again: the experiment came from standard
    /// input.
    pub(super) fn to_go_on(&self, results: &Results) -> Option<String> {
        is_stdin(self.path).then(|| format!("gauntlet run {}", results.said_again(&self.target.copy())))
    }

    /// True if the file that was named asks for just this.
    fn is_in_file(&self) -> bool {
        !is_stdin(self.path) && self.options.changes().is_empty()
    }
}

const STDIN: &str = "standard input";

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads experiments. What is wrong with each is told, before the last of them fails the command; and so is what was left out
/// of them.
pub(super) fn load_all<'a>(
    arenas: Arenas,
    paths: &'a [PathBuf],
    results: &Results,
    options: &'a Options,
    is_quiet: bool,
) -> (Vec<Given<'a>>, Option<anyhow::Error>) {
    let mut all = Vec::new();
    let mut failure = None;
    for path in paths {
        match load(arenas, path, results, options) {
            Ok((target, dropped)) => {
                for dropped in dropped.iter().filter(|_| !is_quiet) {
                    complain(format_args!("gauntlet: left out of {}: {dropped}", target.experiment.name()));
                }
                all.push(Given { path, target, options });
            }
            Err(error) => {
                if let Some(earlier) = failure.replace(error) {
                    complain(format_args!("{earlier:#}"));
                }
            }
        }
    }
    (all, failure)
}

fn load(
    arenas: Arenas,
    path: &Path,
    results: &Results,
    options: &Options,
) -> anyhow::Result<(Target, Vec<String>)> {
    let changes = options.changes();
    if path.is_dir() && changes.is_empty() {
        return Ok((Target::find(arenas, path, results)?, Vec::new()));
    }
    let (shown_as, bytes) = if is_stdin(path) {
        tell_of_waiting("an experiment", "");
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes);
        read.context("cannot read standard input")?;
        (PathBuf::from(STDIN), bytes)
    } else {
        bytes_at(arenas, path)?
    };
    let (experiment, dropped) = config::changed(arenas, &shown_as, bytes, &changes).map_err(told)?;
    let folder = results.folder(&experiment);
    Ok((Target { experiment, folder }, dropped))
}
