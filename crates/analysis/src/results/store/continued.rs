//! Results never overwrite tables that they do not continue: decides what happens to the tables in
//! a folder when new ones are to be written.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gauntlet_core::disk::Disk;
use gauntlet_run::journal::SessionEntry;

use super::folder::{has_tables, is_of};
use super::set::{self, GAMES_CSV, ResultsSnapshot};
use crate::config::{Catalog, Experiment};

/// Folder of the tables of games that were played again. It is inside the results with which they
/// are compared.
const REPLAYED: &str = "replayed";

/// Returns the folder for the tables of games that were played again.
pub fn replayed(folder: &Path) -> PathBuf {
    folder.join(REPLAYED)
}

/// Relation of the tables in a folder to the present journals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TablesRelation {
    /// There are no tables, or none that can be read.
    None,
    /// These journals made the tables: new tables continue them.
    Continued {
        /// Number of games in the tables.
        games: u64,
    },
    /// Tables of this experiment that another journal made. They are kept.
    Replayed,
    /// Tables of another experiment from another journal.
    Foreign,
}

/// Determines the relation of the tables in a folder to an experiment and to the sessions of the
/// present journals.
pub fn earlier<'a>(
    disk: &Arc<dyn Disk>,
    experiment: &Experiment,
    folder: &Path,
    sessions: impl Iterator<Item = &'a SessionEntry>,
) -> anyhow::Result<TablesRelation> {
    if !has_tables(&**disk, folder) {
        return Ok(TablesRelation::None);
    }
    // If the manifest is damaged, nothing is known about the tables, and no command reads them.
    if set::manifest_of(&**disk, folder)?.is_none() {
        return Ok(TablesRelation::None);
    }
    let set = ResultsSnapshot::to_be_mended(experiment.catalog(), disk, folder)?;
    Ok(if set.manifest().run().is_some_and(|run| run.is_made_by(&sessions.collect::<Vec<_>>())) {
        TablesRelation::Continued { games: set.manifest().games }
    } else if is_of(&set, experiment) {
        TablesRelation::Replayed
    } else {
        TablesRelation::Foreign
    })
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
    let kept = ResultsSnapshot::to_be_mended(catalog, disk, folder)?;
    let again = ResultsSnapshot::read(catalog, disk, &replayed(folder))?;
    if kept.manifest().digest_of(GAMES_CSV) == again.manifest().digest_of(GAMES_CSV) {
        return Ok(ReplayResult::Identical);
    }
    if [&kept, &again].iter().any(|set| set.manifest().run().is_some_and(|run| !run.reproducible)) {
        return Ok(ReplayResult::NotReproducible);
    }
    let rows = if kept.holds(GAMES_CSV) { Some(different_rows(&kept, &again)?) } else { None };
    Ok(ReplayResult::Different { rows })
}

/// Counts the rows of games that differ, and describes the first.
fn different_rows(kept: &ResultsSnapshot, again: &ResultsSnapshot) -> anyhow::Result<(u64, String)> {
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
