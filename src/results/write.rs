//! From a journal to a folder of tables.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;

use super::files::{Fresh, clear_half_written, remove_file};
use super::folder::{EXPERIMENT, MANIFEST};
use super::manifest::Manifest;
use super::{doubts, tables, times};
use crate::compare::claims::{self, Samples};
use crate::compare::stop;
use crate::config::Experiment;
use crate::run::broken::{Broken, broken};
use crate::run::coverage::Coverage;
use crate::run::journal::Journal;
use crate::run::judge;
use crate::run::keyed::Keyed;
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
/// missing. `command` is what a reader would type to get the same; `threads` is how many threads may work.
pub fn write(
    experiment: &Experiment,
    plan: &Keyed,
    journal: &Journal,
    folder: &Path,
    command: &str,
    threads: usize,
) -> anyhow::Result<Report> {
    let coverage = Coverage::of(plan, journal)?;
    // What lies behind the end of a run that stopped itself was played before that was known, and counts no more than
    // what was not played.
    let ruling = judge::ruling(plan, journal, &coverage)?;
    let end = ruling.and_then(|ruling| ruling.end());
    let at_most = plan.blocks.len();
    let plan = &end.map_or_else(|| plan.clone(), |end| plan.first(end));
    let coverage = if end.is_some() { Coverage::of(plan, journal)? } else { coverage };
    let (broken, missing) = broken(plan, &coverage, journal, &(0..plan.blocks.len()));
    if missing > 0 {
        return Ok(Report { tables: Vec::new(), doubts: Vec::new(), broken, missing });
    }

    clear_half_written(folder);
    let mut games = Fresh::new(folder, "games.csv")?;
    let mut hasher = blake3::Hasher::new();
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
    let mut csv = Tee(&mut games.writer, &mut hasher);
    let mut samples = Samples::of(plan, experiment.claims());
    let tallies = pool.install(|| tally::tally(plan, journal, &coverage, &broken, &mut csv, &mut samples))?;
    let mut digests = vec![("games.csv".to_owned(), hasher.finalize().to_hex().to_string())];

    let mut tables = tables::tables(plan, &tallies, experiment.published());
    if !experiment.claims().is_empty() {
        tables.push(claims::table(experiment, &samples, &tallies, ruling.as_ref()));
    }
    if let (Some(asked), Some(ruling)) = (plan.stop, ruling) {
        tables.push(stop::table(plan, asked, &ruling, at_most));
    }
    let mut files = vec![games];
    let players = plan.players.iter().zip(&tallies);
    let times = times::table(players.map(|(player, tally)| (player.name, &tally.clock)));
    for table in tables.iter().chain([&times]) {
        let (name, csv) = (format!("{}.csv", table.name), table.to_csv());
        digests.push((name.clone(), blake3::hash(&csv).to_hex().to_string()));
        files.push(Fresh::with(folder, &name, &csv)?);
    }
    let manifest = Manifest::of(experiment, plan, journal, digests, command);
    files.push(Fresh::with(folder, EXPERIMENT, experiment.text().as_bytes())?);
    // Last: a process that is killed in between leaves tables that are known to be of another version.
    files.push(Fresh::with(folder, MANIFEST, manifest.to_toml().as_bytes())?);
    // Nothing has replaced anything until here.
    files.into_iter().try_for_each(Fresh::replace)?;
    // A table that an earlier version of the experiment had says nothing about this one.
    for stale in tables::printed().into_iter().filter(|&name| tables.iter().all(|table| table.name != name)) {
        remove_file(folder, &format!("{stale}.csv"))?;
    }

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
