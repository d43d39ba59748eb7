//! `--export TABLE=FILE`: also writes a table to a file of the user's choice.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use gauntlet_analysis::results::store::files::write_document_by;
use gauntlet_analysis::results::store::snapshot::ResultsSnapshot;
use gauntlet_analysis::results::tables::{SETTINGS, printed_tables};
use gauntlet_core::arena::Arenas;
use gauntlet_core::disk::{folder_of, system_disk};
use gauntlet_core::text::display_path;
use gauntlet_run::early_stop::EarlyStop;

use super::given_experiments::GivenExperiment;
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::print_data;
use gauntlet_cli::target::Target;

/// A table and its target file.
#[derive(Clone)]
pub(super) struct Export {
    table: String,
    file: PathBuf,
}

impl Export {
    /// Parses the value of the option.
    pub(super) fn parse(arenas: Arenas, text: &str) -> Result<Export, String> {
        let (table, file) = text.split_once('=').ok_or("expected TABLE=FILE, such as win-rate=-")?;
        let files: Vec<&str> =
            ["games"].into_iter().chain(printed_tables(arenas)).chain([SETTINGS]).collect();
        if !files.contains(&table) {
            return Err(format!("no file of a table `{table}`: expected {}", files.join(", ")));
        }
        if file.is_empty() {
            return Err(format!("missing file: expected {table}=FILE, or {table}=- for standard output"));
        }
        Ok(Export { table: table.to_owned(), file: file.into() })
    }
}

impl Export {
    pub(super) fn is_to_stdout(&self) -> bool {
        ["-", "/dev/stdout"].iter().any(|name| self.file.as_os_str() == *name)
    }

    /// Copies the table from the tables that were made. The target may be the table itself or a
    /// table that stays.
    pub(super) fn write(&self, snapshot: &ResultsSnapshot, folder: &Path) -> anyhow::Result<()> {
        let name = format!("{}.csv", self.table);
        ensure!(
            snapshot.partial().is_none() || snapshot.has_entry(&name),
            "table `{}` is only available after the run has finished",
            self.table
        );
        if self.is_to_stdout() {
            return print_data(&snapshot.bytes(&name)?);
        }
        // Copying a file onto itself would empty it.
        if [snapshot.folder(), folder]
            .iter()
            .any(|folder| resolve_target(&self.file) == resolve_target(&folder.join(&name)))
        {
            return Ok(());
        }
        let copy = |writer: &mut dyn Write| {
            snapshot.stream(&name, |csv| {
                io::copy(csv, writer)
                    .with_context(|| format!("cannot write {}", display_path(&self.file)))?;
                Ok(())
            })
        };
        // A pipe or a device cannot be replaced.
        if fs::metadata(&self.file).is_ok_and(|metadata| !metadata.is_file()) {
            let file = fs::File::create(&self.file);
            return copy(&mut file.with_context(|| format!("cannot write {}", display_path(&self.file)))?);
        }
        write_document_by(&system_disk(), &self.file, copy)
    }
}

/// Resolves the file that would be written, following links.
fn resolve_target(file: &Path) -> PathBuf {
    let in_folder = || Some(fs::canonicalize(folder_of(file)).ok()?.join(file.file_name()?));
    fs::canonicalize(file).ok().or_else(in_folder).unwrap_or_else(|| file.to_owned())
}

/// Returns true if a file may be replaced: it does not exist, or is an empty file, a pipe, a device
/// or a table.
fn is_replaceable(path: &Path) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return true };
    let is_table = || {
        let mut start = Vec::new();
        fs::File::open(path)?.take(MAX_START_BYTES).read_to_end(&mut start)?;
        io::Result::Ok(TABLE_STARTS.iter().any(|table| start.starts_with(table)))
    };
    !metadata.is_file() || metadata.len() == 0 || is_table().unwrap_or(false)
}

/// The first columns of every table: the player; or in `games.csv` of a duel the two players.
const TABLE_STARTS: [&[u8]; 2] = [b"player,", b"first,second,"];

/// Length of the longest of these beginnings, in bytes.
const MAX_START_BYTES: u64 = TABLE_STARTS[1].len() as u64;

/// Refuses, before the first game, exports that would overwrite each other or files of the
/// experiment.
pub(super) fn check(exports: &[Export], experiments: &[GivenExperiment]) -> Result<(), Usage> {
    let [given_experiment] = experiments else {
        return match exports {
            [] => Ok(()),
            _ => Err(Usage(format!(
                "--export would be overwritten by each of {} experiments: run them one by one",
                experiments.len()
            ))),
        };
    };
    // If the folder does not exist yet, the export can overwrite nothing in it. The export itself
    // detects later if its target is the table.
    let (file, Target { experiment, folder }) = (given_experiment.file(), &given_experiment.target);
    let results = fs::canonicalize(folder).unwrap_or_else(|_| resolve_target(folder));
    for (i, export) in exports.iter().enumerate() {
        let shown_path = display_path(&export.file);
        let missing_section = |header: &str| format!("has no `{header}`");
        let (problem, has_table) = match &*export.table {
            "published" => (missing_section("[[published]]"), !experiment.sections().published.is_empty()),
            "claims" => (missing_section("[[claim]]"), !experiment.sections().claims.is_empty()),
            "stop" => match &experiment.sections().stop {
                Some(EarlyStop::Precision(_)) => {
                    ("does not compare two players in `[stop]`".to_owned(), false)
                }
                stop => (missing_section("[stop]"), stop.is_some()),
            },
            "precision" => (
                "has no `precision` in `[stop]`".to_owned(),
                matches!(experiment.sections().stop, Some(EarlyStop::Precision(_))),
            ),
            table => {
                let own_tables = printed_tables(std::slice::from_ref(experiment.arena()));
                let is_of_game = ["games", SETTINGS].contains(&table) || own_tables.contains(&table);
                (format!("has the game {}", experiment.arena().name), is_of_game)
            }
        };
        if !has_table {
            return Err(Usage(format!(
                "{} {problem}: no table `{}` to export",
                display_path(file),
                export.table
            )));
        }
        if exports[..i].iter().any(|earlier| {
            resolve_target(&earlier.file) == resolve_target(&export.file)
                || (earlier.is_to_stdout() && export.is_to_stdout())
        }) {
            let target_name =
                if export.is_to_stdout() { "standard output".to_owned() } else { shown_path.to_string() };
            return Err(Usage(format!("only one table can be written to {target_name}")));
        }
        if export.is_to_stdout() {
            continue;
        }
        let target = resolve_target(&export.file);
        let table_path = results.join(format!("{}.csv", export.table));
        if target.parent() == Some(&results) && target != table_path {
            return Err(Usage(format!(
                "{shown_path} is inside the results folder and could overwrite results"
            )));
        }
        if target == resolve_target(file) {
            return Err(Usage(format!("{shown_path} is the file of the experiment")));
        }
        if !is_replaceable(&target) {
            return Err(Usage(format!("{shown_path} already exists and is not a table")));
        }
        if target.is_dir() || !target.parent().is_some_and(Path::is_dir) {
            return Err(Usage(format!(
                "cannot write {shown_path}: {}",
                match target.is_dir() {
                    true => "it is a folder",
                    false => "no such folder",
                }
            )));
        }
    }
    Ok(())
}
