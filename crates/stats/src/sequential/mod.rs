//! Tests and intervals that keep their errors although they are looked at after every trial.
//!
//! - [`wald`]: the bounds at which a sequential test stops
//! - [`gsprt`]: the test of one strength against another, from wins, draws and losses or from pairs
//!   of games
//! - [`elo_test`]: that test of a duel, and the share of the points that it leaves, corrected for
//!   stopping
//! - `ends`: the ends that a test can come to, with their probabilities
//! - [`mixture`]: an interval for a rate that holds at all times at once
//! - [`precise`]: such an interval for a rate that is to be known as well as was asked for
//! - [`pairs`]: such an interval for the difference of two at the same trials
//! - [`anytime_share`](mod@anytime_share): such an interval for a share of points, from pairs of
//!   games
//! - [`stopped`]: that difference when a test has stopped, corrected for it
//!
//! An interval for a number of trials fixed in advance does not keep its error so: looked at every
//! hundred games, and stopped at when it first excludes 0, a nominal 5 % finds a difference between
//! equals in a third of all runs.

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
pub use gsprt::{LEAST_DISCORDANT, Model, elo_ratio, score_ratio};
pub use mixture::{mixture_interval, mixture_log_evidence};
pub use pairs::{EVEN_PRIOR, anytime_difference, anytime_p};
pub use precise::Precise;
pub use stopped::{Course, difference_of_stopped, share_of_stopped};
pub use wald::{Bounds, Hypothesis};
