//! Tunings: what lies in the folder of one, read back.
//!
//! - [`path`]: the steps of a search, and their table
//! - [`ends`]: the ends of its other searches
//! - [`tried`]: the values that it tried
//! - [`course`]: its settings, its steps and what it tried
//! - [`tuned`]: a tuning with all its tables; [`unfinished`]: one that has not come to its end
//! - [`verdict`]: its verdict in a sentence

pub mod course;
pub mod ends;
pub mod path;
pub mod tried;
pub mod tuned;
pub mod unfinished;
pub mod verdict;

use gauntlet_core::table::table;

/// The settings that were found, as an experiment.
pub const TUNED: &str = "tuned.toml";

/// The tables of a tuning, in the order in which they are printed; the last two are of one that has
/// not ended.
pub const TABLES: [&str; 8] =
    ["validation", "tuned", "ends", "importance", "trajectory", "tried", "best-so-far", "candidates"];

/// The table of the settings before and after, which lies in no file.
pub(super) const SETTINGS: &str = TABLES[1];

/// The table of the path of the search.
pub const TRAJECTORY: &str = TABLES[4];

/// The table of the values that a search tried.
pub const TRIED: &str = TABLES[5];

/// The table of what validation says.
pub const VALIDATION: &str = TABLES[0];

/// The table of what is lost when one setting goes back to its start.
pub const IMPORTANCE: &str = TABLES[3];

/// The table of the ends of its other searches.
pub const ENDS: &str = TABLES[2];

/// Name, behind the key of a setting, of the answer with this setting put back to its start.
pub const BACK: &str = " back";

/// The answer beside other players.
pub const ANSWER: &str = "tuned";

/// The table of the best point of a search that has not ended, which lies in no file.
pub(super) const BEST: &str = TABLES[6];

/// The table of the candidates that such a search plays now, likewise.
pub(super) const CANDIDATES: &str = TABLES[7];

table! {
    /// The first columns of what validation says, which is a table of comparisons.
    pub struct OfValidation(VALIDATION, None) {
        /// Which validation of this tuning it is, from 1 on: its games are in `validation-K`.
        validation: u64, count();
        /// The budget of the search whose answer it is.
        budget: u64, count();
    }
}
