//! Compares tables with games that were played again. Such games never replace the tables.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gauntlet_core::disk::Disk;

use super::set::{GAMES_CSV, ResultsSnapshot};
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
    let kept = ResultsSnapshot::read_for_repair(catalog, disk, folder)?;
    let again = ResultsSnapshot::read(catalog, disk, &replay_folder(folder))?;
    if kept.manifest().file_digest(GAMES_CSV) == again.manifest().file_digest(GAMES_CSV) {
        return Ok(ReplayResult::Identical);
    }
    if [&kept, &again].iter().any(|set| set.manifest().run_keys().is_some_and(|run| !run.reproducible)) {
        return Ok(ReplayResult::NotReproducible);
    }
    let rows = if kept.has_file(GAMES_CSV) { Some(count_different_rows(&kept, &again)?) } else { None };
    Ok(ReplayResult::Different { rows })
}

/// Counts the rows of games that differ, and describes the first.
fn count_different_rows(kept: &ResultsSnapshot, again: &ResultsSnapshot) -> anyhow::Result<(u64, String)> {
    kept.stream(GAMES_CSV, |kept| {
        again.stream(GAMES_CSV, |again| {
            let (mut kept, mut again) = (BufReader::new(kept).lines(), BufReader::new(again).lines());
            let (mut count, mut first) = (0, String::new());
            loop {
                let (kept, again) = (kept.next().transpose()?, again.next().transpose()?);
                if kept.is_none() && again.is_none() {
                    return Ok((count, first));
                }
                if kept != again {
                    if count == 0 {
                        let row = |row: Option<String>| row.unwrap_or_else(|| "nothing".to_owned());
                        first = format!("{} there, {} here", row(kept), row(again));
                    }
                    count += 1;
                }
            }
        })
    })
}
