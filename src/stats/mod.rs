//! What may be concluded from numbers. Knows nothing of games.
//!
//! - [`summary`]: a distribution of whole numbers, exact however many they are
//! - [`interval`]: intervals for a rate, for the difference of two, and for a mean
//! - `special`: the quantiles that these need
//!
//! The sums are whole numbers and exact, so no result depends on the order in which games finished.

pub mod interval;
mod special;
pub mod summary;

pub use interval::{Interval, Mean, newcombe, student_mean, wilson};
pub use summary::Distribution;
