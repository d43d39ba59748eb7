//! What may be concluded from numbers. Knows nothing of games.
//!
//! - [`summary`]: a distribution of whole numbers, exact however many they are
//! - [`estimate`]: a number as some trials show it, with bounds and their level
//! - [`interval`]: intervals for a rate, for the difference of two, and for a mean
//! - [`rate`]: other intervals for a rate
//! - [`paired`]: two at the same trials, and how many times as much one gets as the other
//! - [`mod@ratio`]: how many times as much one number is as another, both known with bounds only
//! - [`inverted`]: from an interval to its test
//! - [`multiple`]: several questions asked at once
//! - [`sequential`]: looking while it runs
//! - [`mod@rating`]: Elo, from wins, draws and losses or from pairs of games
//! - [`ranks`]: tests and estimates for heavy tails
//! - [`quantile`]: which values bound a quantile
//! - [`mod@bootstrap`]: bounds where there is no formula
//! - [`power`]: how many trials a difference needs, and what difference so many trials show
//! - `special`: the functions behind these
//!
//! The sums are whole numbers and exact, so no result depends on the order in which games finished. Where logarithms
//! are summed, they are so in the order in which they are given, which should be that of blocks.

pub mod bootstrap;
pub mod estimate;
pub mod interval;
pub mod inverted;
pub mod multiple;
pub mod paired;
pub mod power;
pub mod quantile;
pub mod ranks;
pub mod rate;
pub mod rating;
pub mod ratio;
pub mod sequential;
mod special;
pub mod summary;

pub use bootstrap::{bootstrap, ratio_of_sums};
pub use estimate::Estimate;
pub use interval::{newcombe, student_mean, wilson};
pub use inverted::{LEAST_P, p_excluding};
pub use multiple::holm;
pub use paired::{Pairs, Ratio, above_zero, independent_ratio, paired_ratio};
pub use quantile::{Quantile, QuantileRanks, quantile_ranks};
pub use ranks::{Location, SignedRanks, hodges_lehmann, hodges_lehmann_shift};
pub use rate::{agresti_coull, clopper_pearson, jeffreys, jeffreys_equal_tailed};
pub use rating::{Rating, rating};
pub use ratio::ratio;
pub use sequential::{
    Bounds, EVEN_PRIOR, Hypothesis, Model, anytime_difference, anytime_p, elo_ratio, elo_ratio_approximated,
    mixture_interval, mixture_log_evidence, score_ratio, wald_expected_trials, wald_ratio,
};
pub use summary::Distribution;
