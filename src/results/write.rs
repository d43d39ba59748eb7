//! From a journal to a folder of tables.

use std::io::{self, Write};
use std::path::Path;

use super::files::{Fresh, clear_half_written};
use super::folder::GAMES;
use super::manifest::Manifest;
use super::replacement::Replacement;
use super::verdicts::verdicts;
use super::{doubts, tables, times};
use crate::compare::claims::Samples;
use crate::config::Experiment;
use crate::run::broken::{Broken, broken};
use crate::run::coverage::Coverage;
use crate::run::journal::Journal;
use crate::run::judge::{self, Judge};
use crate::run::keyed::Keyed;
use crate::run::threads;
use crate::table::Table;
use crate::tally;

/// What a finished experiment says.
#[derive(Debug)]
pub struct Report {
    /// The tables, in the order in which they are printed.
    pub tables: Vec<Table>,
    /// What gives reason to doubt them.
    pub doubts: Vec<String>,
    /// Blocks that broke a player's program.
    pub broken: Vec<Broken>,
    /// Blocks of line-ups that are not played.
    pub missing: u64,
}

/// Writes all tables of a plan into the folder of its results, each whole or not at all; none if games are
/// missing. `command` is what a reader would type to get the same; `at_most` is how many threads may work.
pub fn write(
    experiment: &Experiment,
    plan: &Keyed,
    journal: &Journal,
    folder: &Path,
    command: &str,
    at_most: usize,
) -> anyhow::Result<Report> {
    let coverage = Coverage::of(plan, journal)?;
    // What lies behind the end of a run that stopped itself was played before that was known, and counts no more than
    // what was not played.
    let ruling = judge::heard(plan, journal, &coverage)?.map(Judge::close);
    let end = ruling.and_then(|ruling| ruling.end());
    let plan = &end.map_or_else(|| plan.clone(), |end| plan.first(end));
    let coverage = if end.is_some() { Coverage::of(plan, journal)? } else { coverage };
    let (broken, missing) = broken(plan, &coverage, journal, &(0..plan.blocks.len()));
    if missing > 0 {
        return Ok(Report { tables: Vec::new(), doubts: Vec::new(), broken, missing });
    }

    clear_half_written(folder);
    let mut games = Fresh::new(folder, GAMES)?;
    let mut hasher = blake3::Hasher::new();
    let pool = threads::pool(at_most)?;
    let mut csv = Tee(&mut games.writer, &mut hasher);
    let mut samples = Samples::of(plan, experiment.claims());
    let tallies = pool.install(|| tally::tally(plan, journal, &coverage, &broken, &mut csv, &mut samples))?;
    let mut tables = tables::tables(plan, &tallies);
    let players = plan.players.iter().zip(&tallies);
    let times = times::table(players.map(|(player, tally)| (player.name, &tally.clock)));
    let verdicts = verdicts(experiment, plan, &tallies, &samples, ruling.as_ref());
    let mut files = Replacement::of(folder);
    files.add_games(games, hasher.finalize());
    files.add_tables(&tables, tables::of_sums())?;
    files.add_tables(&[times], [])?;
    files.add_tables(&verdicts, tables::VERDICTS)?;
    tables.extend(verdicts);
    let manifest = Manifest::of(experiment, plan, journal, files.digests(None), command);
    files.replace(experiment, &manifest.to_toml())?;

    let doubts = doubts::of_run(plan, &tallies, experiment.published(), end.is_some());
    Ok(Report { doubts, tables, broken, missing })
}

/// Writes to a file and into its digest.
struct Tee<'a, W>(&'a mut W, &'a mut blake3::Hasher);

impl<W: Write + Send> Write for Tee<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Both take as long, and what comes is a megabyte at a time.
        let (written, ()) = rayon::join(|| self.0.write_all(bytes), || _ = self.1.update(bytes));
        written.map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
