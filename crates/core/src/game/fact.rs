//! Facts: numbers that a game ends with in addition to its score.

/// Number that a game ends with in addition to its score, such as the largest tile of 2048. It is a
/// column of `games.csv`; players are compared by how often they reach a value of it.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// Column in `games.csv`.
    pub column: &'static str,
    /// Name of the table that counts the games by value.
    pub table: &'static str,
    /// Noun for the fact, of which each game has one.
    pub noun: &'static str,
    /// Name of one value, and of the column of values in that table.
    pub value_name: &'static str,
    /// Word before a value in files that ask how often players reach it.
    pub word: &'static str,
    /// Example value.
    pub example: i64,
    /// Returns why a number is not a value of this fact, if it is not.
    pub invalid_reason: fn(i64) -> Option<String>,
    /// Returns the next larger value.
    pub next_value: fn(i64) -> i64,
}

/// Compares facts by their columns.
impl PartialEq for Fact {
    fn eq(&self, other: &Fact) -> bool {
        self.column == other.column
    }
}

/// Maximum number of facts of any game (`GameInfo::facts`).
pub const MAX_FACTS: usize = 2;

/// Values of a game's facts, in the order of `GameInfo::facts`, padded with 0.
pub type Facts = [i64; MAX_FACTS];
