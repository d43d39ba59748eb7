//! Comparisons of players: which one is better, and how sure that is.

pub mod claims;
pub mod comparison;
pub mod earlier_looks;
pub mod finding;
pub mod front;
pub mod pairing;
pub mod points;
pub mod power;
pub mod precision;
pub mod published;
pub mod question;
pub mod rate;
pub mod score;
pub mod stop;
pub mod table;
pub mod time;
mod time_words;
pub mod verdict;

/// Names of the tables of verdicts, in their order.
pub const VERDICT_TABLES: [&str; 4] =
    [published::PUBLISHED, claims::CLAIMS, stop::STOP, precision::PRECISION];
