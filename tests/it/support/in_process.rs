//! Experiments played in this process, step by step.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

use gauntlet::arena::Arena;
use gauntlet::config::{self, Experiment};
use gauntlet::plan::Plan;
use gauntlet::run::RunOptions;
use gauntlet::run::bar::ProgressMode;
use gauntlet::run::journal::Journal;
use gauntlet::run::keyed_plan::KeyedPlan;

use super::bench::{Row, parse_csv_rows};

/// Reads an experiment with these games.
pub(crate) fn parse_experiment(games: &'static [Arena], text: &str) -> Experiment {
    config::parse(gauntlet::catalog(games), "x.toml", text).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Returns the options of a silent run that plays to its end.
pub(crate) fn quiet_options(threads: usize) -> RunOptions<'static> {
    RunOptions {
        threads,
        memory: u64::MAX,
        shard: None,
        game_share: None,
        time_limit: None,
        progress: ProgressMode::Quiet,
        progress_line: None,
        experiment_digest: "",
        claims: None,
        is_within_session: false,
    }
}

/// Returns a plan whose players have their names as keys.
pub(crate) fn key_by_name(plan: Plan<'_>) -> KeyedPlan<'_> {
    let keys = plan.players.iter().map(|player| player.name.to_owned()).collect();
    KeyedPlan::with_keys(plan, keys)
}

/// Opens a journal that no other writer has open. Other tests start programs, and a starting
/// program briefly inherits open files with their locks.
pub(crate) fn open_journal(path: &Path) -> Journal {
    retry_open(|| Journal::open(path))
}

pub(crate) fn retry_open(open: impl Fn() -> anyhow::Result<Journal>) -> Journal {
    let start = Instant::now();
    loop {
        match open() {
            Ok(journal) => return journal,
            Err(error) if start.elapsed() > Duration::from_secs(10) => panic!("{error:#}"),
            Err(_) => thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Reads the rows of a table in results.
pub(crate) fn read_table(results: &Path, name: &str) -> Vec<Row> {
    parse_csv_rows(&fs::read_to_string(results.join(format!("{name}.csv"))).expect("a table"))
}
