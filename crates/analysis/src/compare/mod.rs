//! Comparisons of players: which one is better, and how sure that is.
//!
//! - [`question`]: the question about two players; [`sample`]: their games, as far as it needs them
//! - [`rate`], [`score`], [`points`], [`time`]: the numbers and the words of each measure;
//!   [`finding`]: the form of these numbers; `words`: words that several share
//! - [`mod@comparison`]: two players by one measure, and its answer; [`brief`]: the same in a few
//!   words; [`mod@table`]: several of these; [`verdict`]: the verdicts of all tables; [`answer`]:
//!   these beside their sentences
//! - [`claims`]: comparisons that the experiment announced; [`stop`]: the comparison that could end
//!   the run, and its answer to the same question elsewhere; [`precision`]: what ended the run
//!   otherwise; [`published`]: numbers of other sources
//! - [`power`]: the games that a difference needs; [`front`]: who is shown to be on the Pareto
//!   front of strength and speed
//! - [`growth`]: earlier answers, of other numbers of the same games

pub mod answer;
pub mod brief;
pub mod claims;
pub mod comparison;
pub mod finding;
pub mod front;
pub mod growth;
pub mod points;
pub mod power;
pub mod precision;
pub mod published;
pub mod question;
pub mod rate;
pub mod sample;
pub mod score;
pub mod stop;
pub mod table;
pub mod time;
pub mod verdict;
mod words;

/// The tables of verdicts, in their order.
pub const VERDICTS: [&str; 4] = [published::PUBLISHED, claims::CLAIMS, stop::STOP, precision::PRECISION];
