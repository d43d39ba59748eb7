//! The folder of a tuning: how its files are called, what their columns are, and how the folder is told from one of a run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::folder::{EXPERIMENT, MANIFEST, has_tables};
use super::set::{parse, whole};
use crate::compare::table;
use crate::disk::system;
use crate::table::{Column, Kind, Schema};

/// The folder of a tuning in the folder of its experiment's results.
pub const FOLDER: &str = "tune";

/// The version of the format of a tuning's manifest that this program writes.
pub const FORMAT: u32 = 1;

/// The settings that were found, as an experiment.
pub const TUNED: &str = "tuned.toml";

/// The tables of a tuning, in the order in which they are printed.
pub const TABLES: [&str; 4] = ["validation", "tuned", "importance", "trajectory"];

/// The table of the settings before and after, which lies in no file.
pub(super) const SETTINGS: &str = TABLES[1];

/// The table of the path of the search. Behind [`trajectory_columns`] stands one for each setting; of a race one, `player`.
pub const TRAJECTORY: &str = TABLES[3];

/// The table of what validation says: a table of comparisons, behind [`validation_columns`].
pub const VALIDATION: Schema = table::schema(TABLES[0]);

/// The table of what is lost when one setting goes back to its start.
pub const IMPORTANCE: Schema = table::schema(TABLES[2]);

/// The folder of the results of the slices through the answer.
pub const EXPLAINED: &str = "explained";

/// What a player is called, behind the key of the setting, that is the answer with this setting put back to its start.
pub const BACK: &str = " back";

/// The answer beside other players.
pub const ANSWER: &str = "tuned";

/// The first columns of the path.
pub fn trajectory_columns() -> Vec<Column> {
    vec![
        Column::count("games"),
        Column::words("kind"),
        Column::new("kept", Kind::Truth),
        Column::number("gain"),
        Column::number("gain_low").low_of("gain"),
        Column::number("gain_high").high_of("gain"),
    ]
}

/// The first columns of what validation says.
pub fn validation_columns() -> [Column; 2] {
    [Column::count("validation"), Column::count("budget")]
}

/// The folder of the results of the k-th validation, in the folder of its tuning.
pub fn validation_folder(number: u64) -> String {
    format!("{VALIDATED}{number}")
}

const VALIDATED: &str = "validation-";

/// What a tuning has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answer is better than the start.
    Better,
    /// It is not shown to be.
    NotShown,
    /// It is worse.
    Worse,
}

impl Verdict {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::NotShown => "not shown",
            Verdict::Worse => "worse",
        }
    }

    /// The verdict in these words.
    pub(super) fn of(words: &str) -> Option<Verdict> {
        [Verdict::Better, Verdict::NotShown, Verdict::Worse].into_iter().find(|one| one.words() == words)
    }
}

/// Whether a folder is that of a tuning, finished or not.
pub fn is_tuning(folder: &Path) -> bool {
    match manifest(folder) {
        Some(manifest) => is_of_tuning(&manifest),
        None => !has_tables(&*system(), folder) && is_begun(folder),
    }
}

/// Whether a manifest is that of a tuning.
fn is_of_tuning(manifest: &toml::Table) -> bool {
    ["method", "budget", "verdict"].iter().all(|key| manifest.contains_key(*key))
}

/// Whether the tuning of a folder has come to its end.
pub(super) fn is_finished(folder: &Path) -> bool {
    manifest(folder).is_some()
}

fn manifest(folder: &Path) -> Option<toml::Table> {
    let file = system().open(&folder.join(MANIFEST)).ok()?;
    parse(&whole(&*file).ok()?)
}

/// Whether a tuning has begun in a folder without a manifest. An experiment that is called as the folder of a tuning, and has a
/// `[tune]`, leaves the same files when it is run.
fn is_begun(folder: &Path) -> bool {
    if folder.join(format!("{TRAJECTORY}.csv")).is_file() {
        return true;
    }
    let Ok(folder) = fs::canonicalize(folder) else { return false };
    let name_of = |folder: &Path| folder.file_name().map(|name| name.to_string_lossy().into_owned());
    if name_of(&folder).as_deref() != Some(FOLDER) || !folder.join(EXPERIMENT).is_file() {
        return false;
    }
    let Ok(text) = fs::read_to_string(folder.join(EXPERIMENT)) else { return false };
    let Ok(experiment) = text.parse::<toml::Table>() else { return false };
    let name = experiment.get("name").and_then(toml::Value::as_str);
    let around = folder.parent().and_then(name_of);
    experiment.contains_key("tune") && (name != Some(FOLDER) || around.as_deref() == name)
}

/// The folders of the validations of a tuning that have begun, by their numbers. If one was removed, the others keep theirs.
pub fn validations(folder: &Path) -> impl Iterator<Item = (u64, PathBuf)> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let number = |name: &str| name.strip_prefix(VALIDATED)?.parse::<u64>().ok();
    let numbers: BTreeSet<u64> = names.filter_map(|name| number(name.to_str()?)).collect();
    let all = numbers.into_iter().map(|number| (number, folder.join(validation_folder(number))));
    all.filter(|(_, folder)| folder.join(EXPERIMENT).exists()).collect::<Vec<_>>().into_iter()
}
