//! Statistics: intervals, tests, ratings and power, from numbers alone. It knows nothing of games.
//!
//! - [`bradley_terry`]: ratings of several players from their pairings
//! - [`mod@border`]: bisection of a condition
//! - [`clustered`]: the share of the points in pairs of games, by clusters of openings
//! - `flips`: sums of amounts with random signs
//! - [`mod@elo`]: from shares of points to Elo and back
//! - [`estimate`]: an estimate with confidence bounds and their level
//! - [`goodness`]: tests whether counts follow a given law
//! - [`growth`]: corrections for answers given again after trials were added
//! - [`summary`]: distributions of whole numbers, exact for any number of values
//! - [`interval`]: intervals for a rate, for the difference of two rates, and for a mean
//! - [`one_sample`]: tests of a rate, a mean or a median against an external number
//! - [`two_rates`]: the test of the difference of two independent rates, and its interval
//! - [`paired`]: paired comparisons: the difference of rates, the ratio of amounts
//! - [`log_ratio`]: ratios of sums, such as time per move
//! - [`inverted`]: tests from intervals
//! - [`multiple`]: corrections for multiple tests
//! - [`sequential`]: tests and intervals that stay valid when checked after every trial
//! - [`ranks`]: tests and estimates for heavy tails
//! - [`power`]: the trials needed to detect a difference, and the difference that a number of
//!   trials detects, by formulas
//! - [`exact_power`]: power for fewer trials, from the tests themselves
//! - `special`: the underlying distributions
//!
//! Sums are exact whole numbers, so no result depends on the order in which games finished.
//! Logarithms are summed in the given order, which should be that of blocks.

#![warn(missing_docs)]

/// Version of the rules for verdicts. A verdict on games played under older rules notes if a
/// relevant rule has changed since. Version 2 tests the points of equal players by sign flips;
/// version 1 used Gaffke's bounds. Version 3 corrects answers after which games were added, and its
/// sessions record each answer.
pub const RULES: u32 = 3;

pub mod border;
pub mod bradley_terry;
pub mod clustered;
pub mod elo;
pub mod estimate;
pub mod exact_power;
mod flips;
pub mod goodness;
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
pub use clustered::{Cluster, ClusterCounts};
pub use elo::{elo, elo_of_share, normalized_elo, share_of_elo, share_of_normalized_elo};
pub use estimate::Estimate;
pub use goodness::{chi_square_p, normal_p};
pub use growth::{growth_factor, growth_level, growth_p};
pub use interval::{newcombe, student_mean, wilson};
pub use inverted::{ALIKE, p_beyond, p_excluding};
pub use log_ratio::{LogRatio, RatioSums};
pub use multiple::holm;
pub use one_sample::{SampleMoments, median_p, median_ranks, never_above, rate_p};
pub use paired::{ContingencyTable, MeanLogRatio, MeanRatio};
pub use ranks::{SignedRanks, hodges_lehmann};
pub use sequential::{
    Bounds, EVEN_PRIOR, EloScale, EloTest, Hypothesis, PairCounts, PrecisionGoal, TrialSequence,
    anytime_difference, anytime_p, anytime_share, anytime_share_p, difference_of_stopped, elo_ratio,
    mixture_interval, mixture_log_evidence, score_ratio, share_of_stopped,
};
pub use summary::Histogram;
pub use two_rates::TwoRates;
