//! Looking while it runs: tests and intervals that stay honest although one looks after every trial.
//!
//! - [`wald`]: two rates against each other, and the bounds at which such tests stop
//! - [`gsprt`]: two strengths against each other, from wins, draws and losses or from pairs of games
//! - [`mixture`]: an interval for a rate that holds at all times at once; [`pairs`]: that for two at the same trials
//!
//! An interval for a number of trials fixed in advance is none of these: looked at every hundred games, and stopped at
//! when it first says so, a nominal 5 % finds a difference between equals in a third of all runs.

pub mod gsprt;
pub mod mixture;
pub mod pairs;
pub mod wald;

pub use gsprt::{LEAST_DISCORDANT, Model, elo_ratio, elo_ratio_approximated, score_ratio};
pub use mixture::{mixture_interval, mixture_log_evidence};
pub use pairs::{EVEN_PRIOR, anytime_difference, anytime_p};
pub use wald::{Bounds, Hypothesis, wald_expected_trials, wald_ratio};
