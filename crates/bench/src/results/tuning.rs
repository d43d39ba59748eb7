//! The folder of a tuning: how its files are called, what their columns are, and which folder is one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::folder::{EXPERIMENT, MANIFEST};
use super::manifest::Manifest;
use super::set::whole;
use crate::config::tune::{Field, Tune};
use crate::disk::system;
use crate::stats::Estimate;
use crate::table::layout::Layout;
use crate::table::{Cell, Column, Kind, Row, Table};
use crate::tally::LEVEL;

/// The folder of a tuning in the folder of its experiment's results.
pub const FOLDER: &str = "tune";

/// The settings that were found, as an experiment.
pub const TUNED: &str = "tuned.toml";

/// The tables of a tuning, in the order in which they are printed.
pub const TABLES: [&str; 4] = ["validation", "tuned", "importance", "trajectory"];

/// The table of the settings before and after, which lies in no file.
pub(super) const SETTINGS: &str = TABLES[1];

/// The table of the path of the search.
pub const TRAJECTORY: &str = TABLES[3];

/// The table of what validation says.
pub const VALIDATION: &str = TABLES[0];

/// The table of what is lost when one setting goes back to its start.
pub const IMPORTANCE: &str = TABLES[2];

/// The folder of the results of the slices through the answer.
pub const EXPLAINED: &str = "explained";

/// Name, behind the key of a setting, of the answer with this setting put back to its start.
pub const BACK: &str = " back";

/// The answer beside other players.
pub const ANSWER: &str = "tuned";

/// A step of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The games spent so far.
    pub games: u64,
    /// What it was for.
    pub kind: String,
    /// Of a check: whether what it compared was kept.
    pub kept: Option<bool>,
    /// Of a check: by how much the mean loss was less than that of the start, on the search's own games.
    pub gain: Option<Estimate>,
    /// Where the search stood then.
    pub at: Vec<String>,
}

/// The keys of what each value of [`Step::at`] is of: settings; of a race, that it is a player.
pub fn keys(tune: &Tune) -> Vec<String> {
    match &tune.field {
        Field::Params { params, .. } => params.iter().map(|param| param.key.clone()).collect(),
        Field::Players(_) => vec!["player".to_owned()],
    }
}

/// The table of the path of the search: behind its own columns stands one for each of these keys.
pub fn trajectory<'a>(keys: &[String]) -> Layout<'a, &'a Step> {
    let path = Layout::new(TRAJECTORY, Some(LEVEL))
        .count("games", |it: &&Step| it.games)
        .words("kind", |it| &*it.kind)
        .column(Column::new("kept", Kind::Truth), |it| it.kept)
        .estimate(Column::number("gain"), ["gain_low", "gain_high"], 6, |it| it.gain);
    keys.iter().enumerate().fold(path, |path, (place, key)| {
        path.column(Column::of_setting(key.clone(), Kind::Words), move |it| {
            it.at.get(place).map_or("", String::as_str)
        })
    })
}

/// The steps of a path with as many keys.
pub(super) fn steps(path: &Table, keys: usize) -> Vec<Step> {
    let step = |(row, cells): (Row, &Vec<Cell>)| Step {
        games: row.count("games").unwrap_or(0),
        kind: row.words("kind").to_owned(),
        kept: row.truth("kept"),
        gain: row.estimate("gain"),
        // A setting may be called as another column.
        at: cells[cells.len() - keys..].iter().map(Cell::text).collect(),
    };
    path.rows().zip(&path.rows).map(step).collect()
}

/// The first columns of what validation says, which is a table of comparisons.
pub fn validation_columns() -> [Column; 2] {
    [Column::count("validation"), Column::count("budget")]
}

/// The folder of the results of the k-th validation, in the folder of its tuning.
pub fn validation_folder(number: u64) -> String {
    format!("{VALIDATED}{number}")
}

const VALIDATED: &str = "validation-";

/// True if a folder is that of a tuning, finished or not.
pub fn is_tuning(folder: &Path) -> bool {
    manifest(folder).is_some()
}

/// Whether a folder is that of a tuning that has come to its end.
pub fn is_finished(folder: &Path) -> bool {
    manifest(folder).is_some_and(|manifest| !manifest.finished.is_empty())
}

/// The manifest of a folder, if that is the folder of a tuning.
pub(super) fn manifest(folder: &Path) -> Option<Manifest> {
    let path = folder.join(MANIFEST);
    let bytes = whole(&*system().open(&path).ok()?).ok()?;
    Manifest::read(&bytes, &path).ok()?.filter(|manifest| manifest.tuning().is_some())
}

/// The folders of the validations of a tuning that have begun, by their numbers. If one was removed, the others keep theirs.
pub fn validations(folder: &Path) -> impl Iterator<Item = (u64, PathBuf)> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let number = |name: &str| name.strip_prefix(VALIDATED)?.parse::<u64>().ok();
    let numbers: BTreeSet<u64> = names.filter_map(|name| number(name.to_str()?)).collect();
    let all = numbers.into_iter().map(|number| (number, folder.join(validation_folder(number))));
    all.filter(|(_, folder)| folder.join(EXPERIMENT).exists()).collect::<Vec<_>>().into_iter()
}
