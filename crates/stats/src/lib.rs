//! Statistics: intervals, tests, ratings and power, from numbers alone. Knows nothing of games.
//!
//! - [`bradley_terry`]: strengths of several players, from who played whom
//! - [`mod@border`]: the border of a condition, found by halves
//! - [`clustered`]: the share of the points in pairs of games, by clusters of openings
//! - `flips`: sums of amounts whose signs are drawn by chance
//! - [`mod@elo`]: from shares of points to Elo and back
//! - [`estimate`]: a number as some trials show it, with confidence bounds and their level
//! - [`growth`]: answers that are given again after trials were added
//! - [`summary`]: a distribution of whole numbers, exact however many they are
//! - [`interval`]: intervals for a rate, for the difference of two rates, and for a mean
//! - [`one_sample`]: a rate, a mean or a median against a number from elsewhere
//! - [`two_rates`]: two rates, each from trials of its own: the test of their difference, and its
//!   interval
//! - [`paired`]: two at the same trials: the difference of their rates, the ratio of their amounts
//! - [`log_ratio`]: ratios of sums, as time over moves
//! - [`inverted`]: from an interval to its test
//! - [`multiple`]: several tests at once
//! - [`sequential`]: tests and intervals that hold when looked at after every trial
//! - [`ranks`]: tests and estimates for heavy tails
//! - [`power`]: the trials that a difference needs, and the difference that a number of trials
//!   shows, by formulas
//! - [`exact_power`]: the same for fewer trials, by the tests themselves
//! - `special`: the distributions behind these
//!
//! The sums are whole numbers and exact, so no result depends on the order in which games finished.
//! Logarithms are summed in the order in which they are given, which should be that of blocks.

#![warn(missing_docs)]

/// Version of the rules by which verdicts are given. A verdict on games that were played under
/// older rules says if its own has changed since. Version 2 tests the points of equal players by
/// sign flips; 1 did by Gaffke's bounds. Version 3 corrects answers after which games were added,
/// and its sessions record each answer.
pub const RULES: u32 = 3;

pub mod border;
pub mod bradley_terry;
pub mod clustered;
pub mod elo;
pub mod estimate;
pub mod exact_power;
mod flips;
pub mod growth;
pub mod interval;
pub mod inverted;
pub mod log_ratio;
pub mod multiple;
pub mod one_sample;
pub mod paired;
pub mod power;
pub mod ranks;
pub mod sequential;
mod special;
pub mod summary;
pub mod two_rates;

pub use border::border;
pub use bradley_terry::{Meeting, Strengths};
pub use clustered::{Cluster, Clustered};
pub use elo::{elo, elo_of_share, normalized_elo, share_of_elo, share_of_normalized_elo};
pub use estimate::Estimate;
pub use growth::{growth_factor, growth_level, growth_p};
pub use interval::{newcombe, student_mean, wilson};
pub use inverted::{ALIKE, p_beyond, p_excluding};
pub use log_ratio::{LogRatio, Sums};
pub use multiple::holm;
pub use one_sample::{Mean, median_p, median_ranks, never_above, rate_p};
pub use paired::{MeanLog, Pairs, Ratio};
pub use ranks::{SignedRanks, hodges_lehmann};
pub use sequential::{
    Bounds, Course, EVEN_PRIOR, EloTest, Hypothesis, Model, PairCounts, Precise, anytime_difference,
    anytime_p, anytime_share, anytime_share_p, difference_of_stopped, elo_ratio, mixture_interval,
    mixture_log_evidence, score_ratio, share_of_stopped,
};
pub use summary::Distribution;
pub use two_rates::TwoRates;
