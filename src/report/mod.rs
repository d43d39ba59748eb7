//! From a journal to tables: sorted, complete, each with its uncertainty.
//!
//! - [`tally`](mod@tally): the journal read once, in order; `games`: the rows of `games.csv`
//! - [`tables`]: the other tables, from sums; `published`: the one that compares them with what others say
//! - `claims`: those that answer what the experiment announced; [`comparison`]: two players by one measure;
//!   [`answer`](mod@answer): that in words
//! - [`power`]: how many games it takes
//! - [`compare`](mod@compare): players of any results beside each other
//! - [`table`]: a table and its forms
//! - [`manifest`]: where, when and by what it was made
//! - [`results`]: all of these read back
//! - [`splice`](mod@splice): tables into documents; [`page`](mod@page): a report for a browser, with `plots`

pub mod answer;
pub mod compare;
pub mod comparison;
pub mod games;
pub mod manifest;
pub mod page;
pub mod power;
pub mod results;
pub mod splice;
pub mod table;
pub mod tables;
pub mod tally;

mod claims;
mod plots;
mod published;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::NamedTempFile;

use crate::config::Experiment;
use crate::plan::Plan;
use crate::run::Broken;
use crate::run::coverage::Coverage;
use crate::run::journal::Journal;
use crate::run::stop;
use manifest::Manifest;
use table::Table;

/// The copy of an experiment's file beside its tables.
pub const EXPERIMENT: &str = "experiment.toml";

/// Written with the tables: where it is not, there are none.
const MANIFEST: &str = "manifest.toml";

/// Whether the tables in a folder are of this very experiment; none if there are none.
pub fn is_current(experiment: &Experiment, folder: &Path) -> Option<bool> {
    let manifest = std::fs::read_to_string(folder.join(MANIFEST)).ok()?;
    let manifest: toml::Table = manifest.parse().ok()?;
    Some(manifest.get("experiment_digest")?.as_str()? == manifest::digest(experiment))
}

/// Whether tables lie in a folder, of whatever version of the experiment.
pub fn has_tables(folder: &Path) -> bool {
    folder.join(MANIFEST).exists()
}

/// What a finished experiment says.
#[derive(Debug)]
pub struct Report {
    /// The tables, in the order in which they are printed.
    pub tables: Vec<Table>,
    /// What the clocks give reason to doubt.
    pub doubts: Vec<String>,
    /// Games that broke their player's program.
    pub broken: Vec<Broken>,
    /// Games that nobody has played.
    pub missing: u64,
}

/// Writes all tables of a plan into the folder of its results, each whole or not at all; none if games are
/// missing. `command` is what a reader would type to get the same; `jobs` is how many threads may work.
pub fn write(
    experiment: &Experiment,
    plan: &Plan,
    journal: &Journal,
    folder: &Path,
    command: &str,
    jobs: usize,
) -> anyhow::Result<Report> {
    let coverage = Coverage::of(plan, journal)?;
    // What lies behind the end of a run that stopped itself was played before that was known, and counts no more than
    // what was not played.
    let ruling = stop::ruling(plan, journal, &coverage)?;
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
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("cannot start threads")?;
    let mut csv = Tee(&mut games.writer, &mut hasher);
    let tallies = pool.install(|| tally::tally(plan, journal, &coverage, &broken, &mut csv))?;
    let mut digests = vec![("games.csv".to_owned(), hasher.finalize().to_hex().to_string())];

    let mut tables = tables::tables(plan, &tallies, experiment.published());
    if !experiment.claims().is_empty() {
        games.writer.flush().context("cannot write games.csv")?;
        let played = games::read(File::open(games.writer.get_ref().path())?)?;
        tables.push(claims::claims(experiment, &played, &tallies, ruling.as_ref()));
    }
    if let (Some(stop), Some(ruling)) = (plan.stop, ruling) {
        tables.push(claims::stop(plan, stop, &ruling, at_most));
    }
    let mut files = vec![games];
    for table in &tables {
        let (name, csv) = (format!("{}.csv", table.name), table.to_csv());
        digests.push((name.clone(), blake3::hash(&csv).to_hex().to_string()));
        files.push(Fresh::with(folder, &name, &csv)?);
    }
    let manifest = Manifest::of(experiment, plan, journal, digests, command);
    files.push(Fresh::with(folder, EXPERIMENT, experiment.text().as_bytes())?);
    // The last: whoever is killed in between leaves tables that are known to be of another version.
    files.push(Fresh::with(folder, MANIFEST, manifest.to_toml().as_bytes())?);
    // Nothing has replaced anything until here.
    files.into_iter().try_for_each(Fresh::replace)?;
    // A table that an earlier version of the experiment had says nothing about this one.
    for stale in tables::PRINTED.iter().filter(|&&name| tables.iter().all(|table| table.name != name)) {
        remove_file(folder, &format!("{stale}.csv"))?;
    }

    let doubts = tables::doubts(plan, &tallies, experiment.published(), end.is_some());
    Ok(Report { doubts, tables, broken, missing })
}

/// Keeps a copy of an experiment in the folder of its results, so that the folder can be named for it. Beside tables
/// of an earlier version their own copy stays, until they are replaced together.
pub fn keep_experiment(experiment: &Experiment, folder: &Path) -> anyhow::Result<()> {
    let text = experiment.text().as_bytes();
    let is_there = || std::fs::read(folder.join(EXPERIMENT)).is_ok_and(|there| there == text);
    if has_tables(folder) || is_there() { Ok(()) } else { Fresh::with(folder, EXPERIMENT, text)?.replace() }
}

/// Writes a document whole or not at all, through a link if it is one.
pub fn write_document(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut fresh = Fresh::at(path, ".gauntlet-")?;
    fresh.write(content)?;
    fresh.replace()
}

/// Removes a file of the results, if there is one.
fn remove_file(folder: &Path, name: &str) -> anyhow::Result<()> {
    let path = folder.join(name);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// The games among these blocks that are not in the journal: those that broke their player's program, and how many
/// others.
pub fn broken(plan: &Plan, coverage: &Coverage, journal: &Journal, among: &Range<u64>) -> (Vec<Broken>, u64) {
    let mut broken = Vec::new();
    let mut missing = 0;
    for (player, entry) in plan.entries.iter().enumerate() {
        let blocks = coverage.missing(player, among);
        missing += blocks.iter().map(|range| range.end - range.start).sum::<u64>();
        let known = journal.panics_of(&entry.key);
        // A block's number does not follow from its seed, so blocks are gone through until all are found.
        let blocks = if known > 0 { blocks } else { Vec::new() };
        let blocks = blocks.into_iter().flatten().filter_map(|block| {
            let seed = plan.blocks.seed(block);
            let message = journal.panic(&entry.key, seed)?.to_owned();
            Some(Broken { player, block, seed, message })
        });
        broken.extend(blocks.take(known));
    }
    missing -= broken.len() as u64;
    (broken, missing)
}

/// A file that will replace another of its name, or none.
struct Fresh {
    path: PathBuf,
    writer: BufWriter<NamedTempFile>,
}

/// How the names of half-written files of results begin.
const HALF_WRITTEN: &str = ".gauntlet-results-";

impl Fresh {
    fn new(folder: &Path, name: &str) -> anyhow::Result<Fresh> {
        Fresh::at(folder.join(name), HALF_WRITTEN)
    }

    fn at(path: PathBuf, prefix: &str) -> anyhow::Result<Fresh> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::Builder::new().prefix(prefix).suffix(".tmp").tempfile_in(folder);
        let file = file.with_context(|| format!("cannot write to the folder {}", folder.display()))?;
        Ok(Fresh { path, writer: BufWriter::with_capacity(1 << 18, file) })
    }

    fn with(folder: &Path, name: &str, content: &[u8]) -> anyhow::Result<Fresh> {
        let mut fresh = Fresh::new(folder, name)?;
        fresh.write(content)?;
        Ok(fresh)
    }

    fn write(&mut self, content: &[u8]) -> anyhow::Result<()> {
        self.writer.write_all(content).with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn replace(self) -> anyhow::Result<()> {
        let context = || format!("cannot write {}", self.path.display());
        let file = self.writer.into_inner().map_err(io::IntoInnerError::into_error).with_context(context)?;
        // Temporary files are private; results are for everybody who may read the folder, and what is replaced keeps
        // its mode.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&self.path).map_or(0o644, |old| old.permissions().mode());
            let mode = std::fs::Permissions::from_mode(mode);
            file.as_file().set_permissions(mode).with_context(context)?;
        }
        // Not forced to the disk: the journal is, and whatever a power cut takes of the tables, the next run makes
        // again from it. Waiting for 600 MB of games.csv took half of the time of ten million random games.
        file.persist(&self.path).map_err(|error| error.error).with_context(context)?;
        Ok(())
    }
}

/// Removes what a process that died left half written. Only for whoever has the journal of the folder open: nobody
/// else writes results there.
fn clear_half_written(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(HALF_WRITTEN) {
            // If it cannot be removed it is in nobody's way.
            let _ = std::fs::remove_file(entry.path());
        }
    }
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
