//! Tests and intervals that keep their error rates when checked after every trial.
//!
//! - [`wald`]: stopping bounds of a sequential test
//! - [`gsprt`]: the test of one strength against another, from wins, draws and losses or from pairs
//!   of games
//! - [`elo_test`]: the GSPRT of a duel, and the share of points after it, corrected for stopping
//!   early
//! - `ends`: possible ends of a test, with their probabilities
//! - [`mixture`]: an anytime-valid interval for a rate
//! - [`precise`]: an anytime-valid interval for a rate that is to reach a given width
//! - [`pairs`]: an anytime-valid interval for the difference of two players on common trials
//! - [`anytime_share`](mod@anytime_share): an anytime-valid interval for a share of points, from
//!   pairs of games
//! - [`stopped`]: that difference after a stopped test, corrected for stopping early
//!
//! An interval for a fixed number of trials does not keep its error rate this way. If it is checked
//! every hundred games and the run stops when it first excludes 0, a nominal 5 % finds a difference
//! between equal players in a third of all runs.

pub mod anytime_share;
pub mod elo_test;
mod ends;
pub mod gsprt;
pub mod mixture;
pub mod pairs;
pub mod precise;
pub mod stopped;
pub mod wald;

pub use anytime_share::{anytime_share, anytime_share_p};
pub use elo_test::{EloTest, PairCounts};
pub use gsprt::{EloScale, LEAST_DISCORDANT, elo_ratio, score_ratio};
pub use mixture::{mixture_interval, mixture_log_evidence};
pub use pairs::{EVEN_PRIOR, anytime_difference, anytime_p};
pub use precise::PrecisionGoal;
pub use stopped::{TrialSequence, difference_of_stopped, share_of_stopped};
pub use wald::{Bounds, Hypothesis};
