//! Statistics: intervals, tests, ratings and power, from numbers alone. It knows nothing of games.
//!
//! Sums are exact whole numbers, so no result depends on the order in which games finished.
//! Logarithms are summed in the given order, which should be that of blocks.

#![warn(missing_docs)]

/// Version of the rules for verdicts. Every session records it: a verdict notes if a relevant rule
/// has changed since the games were played. Version 2 tests the points of equal players by sign
/// flips; version 1 used Gaffke's bounds. Version 3 corrects answers after which games were added.
pub const RULES: u32 = 3;

pub mod bisection;
pub mod bradley_terry;
pub mod clusters;
pub mod elo;
pub mod estimate;
pub mod exact_power;
pub mod goodness_of_fit;
pub mod growth;
pub mod histogram;
pub mod improvement;
pub mod interquartile_mean;
pub mod interval;
pub mod inversion;
pub mod log_ratio;
pub mod multiple_tests;
pub mod one_sample;
pub mod paired;
pub mod performance_profile;
pub mod power;
pub mod ranks;
pub mod sequential;
mod sign_flips;
mod special;
pub mod two_rates;
pub mod value_counts;

pub use bisection::{bisect, bisect_integer};
pub use bradley_terry::{Meeting, Strengths};
pub use clusters::{Cluster, ClusterCounts};
pub use elo::{elo_estimate, elo_of_share, normalized_elo, share_of_elo, share_of_normalized_elo};
pub use estimate::Estimate;
pub use goodness_of_fit::{chi_square_p, normal_p};
pub use growth::{growth_factor, growth_level, growth_p};
pub use histogram::Histogram;
pub use improvement::probability_of_improvement;
pub use interquartile_mean::interquartile_mean;
pub use interval::{newcombe, student_mean, student_mean_of, wilson};
pub use inversion::{EQUAL_TAILS, one_sided_p, p_excluding};
pub use log_ratio::{LogRatio, RatioSums};
pub use multiple_tests::holm;
pub use one_sample::{SampleMoments, median_p, median_ranks, rate_p, upper_bound_without_success};
pub use paired::{ContingencyTable, MeanLogRatio, MeanRatio};
pub use performance_profile::performance_profile;
pub use ranks::{SignedRanks, hodges_lehmann};
pub use sequential::{
    Bounds, EVEN_PRIOR, EloScale, EloTest, Hypothesis, PairCounts, PrecisionGoal, TrialSequence,
    anytime_difference, anytime_p, anytime_share, anytime_share_p, difference_after_stop, elo_ratio,
    mixture_interval, mixture_log_evidence, score_ratio, share_after_stop,
};
pub use two_rates::TwoRates;
pub use value_counts::ValueCounts;
