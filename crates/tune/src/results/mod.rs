//! Reads the folder of a tuning.

pub mod ends;
pub mod history;
pub mod path;
pub mod tried_values;
pub mod tuning_results;
pub mod unfinished_tuning;

use gauntlet_core::table::table;

/// File of the settings that were found, as an experiment.
pub const TUNED: &str = "tuned.toml";

/// The tables of a tuning, in the order in which they are printed. The last two exist only before a
/// tuning has ended.
pub const TABLES: [&str; 8] =
    ["validation", "tuned", "ends", "importance", "trajectory", "tried", "best-so-far", "candidates"];

/// Name of the table of the settings before and after, which is not a file.
pub(super) const SETTINGS: &str = TABLES[1];

/// Name of the table of the search path.
pub const TRAJECTORY: &str = TABLES[4];

/// Name of the table of the values that a search tried.
pub const TRIED: &str = TABLES[5];

/// Name of the table of the validation.
pub const VALIDATION: &str = TABLES[0];

/// Name of the table of losses if one setting is reset to its start.
pub const IMPORTANCE: &str = TABLES[3];

/// Name of the table of the final points of the other searches.
pub const ENDS: &str = TABLES[2];

/// Suffix, after the key of a setting, for the answer with this setting reset to its start.
pub const RESET_SUFFIX: &str = " back";

/// Name of the answer next to other players.
pub const ANSWER: &str = "tuned";

/// Name of the table of the best point of an unfinished search, which is not a file.
pub(super) const BEST: &str = TABLES[6];

/// Name of the table of the candidates that an unfinished search plays now, which is not a file.
pub(super) const CANDIDATES: &str = TABLES[7];

table! {
    /// The first columns of what validation says, which is a table of comparisons.
    pub struct ValidationColumns(VALIDATION, None) {
        /// Number K of the validation, from 1; its games are in `validation-K`.
        validation: u64, count();
        /// Budget of the search that found the settings.
        budget: u64, count();
    }
}
