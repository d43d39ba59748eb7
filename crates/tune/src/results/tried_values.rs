//! What a search has tried: the number of games for each range of values of each setting.

use gauntlet_core::table::table;

use super::TRIED;

table! {
    /// A part of the values of a setting; of a race, a player.
    pub struct TriedValuesRow(TRIED, None) {
        /// Key of the setting; for a race, `player`.
        setting: String, words();
        /// Smallest value of the interval.
        from: String, words();
        /// Largest value of the interval.
        to: String, words();
        /// Number of candidates with a value in the interval.
        candidates: u64, count();
        /// Number of games of the candidates.
        games: u64, count();
    }
}
