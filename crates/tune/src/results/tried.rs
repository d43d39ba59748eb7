//! What a search has tried: the number of games for each range of values of each setting.

use gauntlet_core::table::table;

use super::TRIED;

table! {
    /// A part of the values of a setting; of a race, a player.
    pub struct TriedValuesRow(TRIED, None) {
        /// Its key; of a race, `player`.
        setting: String, words();
        /// The least and the largest value of the part; the same where it is one value.
        from: String, words();
        to: String, words();
        /// Candidates with such a value, and their games.
        candidates: u64, count();
        games: u64, count();
    }
}
