//! Numbers that a game ends with besides its score, as the largest tile of 2048.

/// A number that a game ends with besides its score, as the largest tile of 2048. It is a column of
/// `games.csv`; players are compared by how often they reach a value of it.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// Its column in `games.csv`.
    pub column: &'static str,
    /// The name of the table that counts the games of each value.
    pub table: &'static str,
    /// Its noun: one of these belongs to each game.
    pub noun: &'static str,
    /// Name of one value; also the column of values in that table.
    pub value: &'static str,
    /// The word before a value where a file asks how often players reach it.
    pub word: &'static str,
    /// A value for examples.
    pub example: i64,
    /// Reason why a number is no value of this fact; none if it is one.
    pub flaw: fn(i64) -> Option<String>,
    /// The next larger value.
    pub next: fn(i64) -> i64,
}

/// Facts are the same where their columns are.
impl PartialEq for Fact {
    fn eq(&self, other: &Fact) -> bool {
        self.column == other.column
    }
}

/// The most facts that any game has (`GameInfo::facts`).
pub const MAX_FACTS: usize = 2;

/// The values of a game's facts, in the order of `GameInfo::facts`; the rest is 0.
pub type Facts = [i64; MAX_FACTS];
