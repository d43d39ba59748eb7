//! Compares tables with games that were played again. Such games never replace the tables.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gauntlet_core::disk::Disk;

use super::snapshot::{GAMES_CSV, ResultsSnapshot};
use crate::config::Catalog;

/// Folder of the tables of games that were played again. It is inside the results with which they
/// are compared.
const REPLAY_FOLDER: &str = "replayed";

/// Returns the folder for the tables of games that were played again.
pub fn replay_folder(folder: &Path) -> PathBuf {
    folder.join(REPLAY_FOLDER)
}

/// Result of playing the games of some tables again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayResult {
    /// Every game is equal.
    Identical,
    /// Games differ, which is possible with time limits.
    NotReproducible,
    /// Games differ, although they should be equal.
    Different {
        /// Number of rows that differ and a description of the first, if the earlier games are
        /// kept.
        rows: Option<(u64, String)>,
    },
}

/// Compares the games of the tables in a folder with those played again.
pub fn replay(catalog: Catalog, disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<ReplayResult> {
    let original = ResultsSnapshot::read_for_repair(catalog, disk, folder)?;
    let replayed = ResultsSnapshot::read(catalog, disk, &replay_folder(folder))?;
    if original.manifest().file_digest(GAMES_CSV) == replayed.manifest().file_digest(GAMES_CSV) {
        return Ok(ReplayResult::Identical);
    }
    if [&original, &replayed]
        .iter()
        .any(|snapshot| snapshot.manifest().run_keys().is_some_and(|run| !run.reproducible))
    {
        return Ok(ReplayResult::NotReproducible);
    }
    let rows =
        if original.has_file(GAMES_CSV) { Some(count_different_rows(&original, &replayed)?) } else { None };
    Ok(ReplayResult::Different { rows })
}

/// Counts the rows of games that differ, and describes the first.
fn count_different_rows(
    original: &ResultsSnapshot,
    replayed: &ResultsSnapshot,
) -> anyhow::Result<(u64, String)> {
    original.stream(GAMES_CSV, |original_csv| {
        replayed.stream(GAMES_CSV, |replayed_csv| {
            let (mut original_lines, mut replayed_lines) =
                (BufReader::new(original_csv).lines(), BufReader::new(replayed_csv).lines());
            let (mut count, mut first) = (0, String::new());
            loop {
                let (original_line, replayed_line) =
                    (original_lines.next().transpose()?, replayed_lines.next().transpose()?);
                if original_line.is_none() && replayed_line.is_none() {
                    return Ok((count, first));
                }
                if original_line != replayed_line {
                    if count == 0 {
                        let row = |row: Option<String>| row.unwrap_or_else(|| "nothing".to_owned());
                        first = format!("{} there, {} here", row(original_line), row(replayed_line));
                    }
                    count += 1;
                }
            }
        })
    })
}
