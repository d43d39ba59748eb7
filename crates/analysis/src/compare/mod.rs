//! Comparisons of players: which one is better, and how sure that is.
//!
//! - [`question`]: the question about two players; [`pairing`]: whether it is answered in pairs of
//!   games
//! - [`rate`], [`score`], [`points`], [`time`]: numbers and words of each measure; [`finding`]: the
//!   form of these numbers; `words`: words that several measures share
//! - [`mod@comparison`]: two players by one measure, and the answer; [`brief`]: a comparison in
//!   short; [`mod@table`]: several comparisons; [`verdict`]: the verdicts of all tables;
//!   [`answer`]: verdicts with their sentences
//! - [`claims`]: comparisons that the experiment announced; [`stop`]: the comparison that could end
//!   the run, and its answer to equal questions elsewhere; [`precision`]: runs that end when rates
//!   are known; [`published`]: numbers of other sources
//! - [`power`]: the games that a difference needs; [`front`]: players that tests show to be on the
//!   Pareto front of strength and speed
//! - [`growth`]: earlier answers, from other numbers of games

pub mod answer;
pub mod brief;
pub mod claims;
pub mod comparison;
pub mod finding;
pub mod front;
pub mod growth;
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
pub mod verdict;
mod words;

/// Names of the tables of verdicts, in their order.
pub const VERDICTS: [&str; 4] = [published::PUBLISHED, claims::CLAIMS, stop::STOP, precision::PRECISION];
