//! Who is better, and how sure that is.
//!
//! - [`question`]: what is asked of two players; [`sample`]: what is kept of their games for it
//! - [`rate`], [`score`], [`points`], [`time`]: the numbers and the words of each measure; `words`: those that
//!   several share
//! - [`mod@comparison`]: two players by one measure, and its answer; [`brief`]: the same in a few words; [`mod@table`]: several
//!   of these
//! - [`claims`]: what the experiment announced; [`stop`], [`duel_stop`], [`precision`]: what ended the run; [`published`]: what others say
//! - [`power`]: how many games it takes

pub mod brief;
pub mod claims;
pub mod comparison;
pub mod duel_stop;
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
mod words;
