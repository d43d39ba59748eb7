//! Tests and intervals that keep their error rates when checked after every trial.
//!
//! An interval for a fixed number of trials does not keep its error rate this way. Suppose that it
//! is checked every hundred games, and that the run stops when it first excludes 0. Then a nominal
//! 5 % finds a difference between equal players in a third of all runs.

pub mod anytime_share;
pub mod elo_test;
pub mod gsprt;
pub mod mixture;
pub mod pairs;
pub mod precision;
pub mod stop_correction;
pub mod wald;
mod walk_ends;

pub use anytime_share::{anytime_share, anytime_share_p};
pub use elo_test::{EloTest, PairCounts};
pub use gsprt::{EloScale, MIN_DISCORDANT, elo_ratio, score_ratio};
pub use mixture::{mixture_interval, mixture_log_evidence};
pub use pairs::{EVEN_PRIOR, anytime_difference, anytime_p};
pub use precision::PrecisionGoal;
pub use stop_correction::{TrialSequence, difference_after_stop, share_after_stop};
pub use wald::{Bounds, Hypothesis};
