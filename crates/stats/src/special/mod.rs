//! Distributions for intervals and tests, in pure Rust.
//!
//! - `gamma`: error of Stirling's formula
//! - `chi`: tail of the chi-square distribution (incomplete gamma function)
//! - `beta`: tails of the beta distribution (incomplete beta function)
//! - `binomial`: tails of the number of successes in trials
//! - `normal`, `student`: quantiles and tails; `student` also has the noncentral t
//!
//! Logarithms of gamma functions are never subtracted from each other: for ten million trials they
//! are near 10^8, and their difference would keep at most eight digits.

mod beta;
mod binomial;
mod chi;
mod gamma;
mod normal;
mod student;

pub(crate) use beta::{Beta, parts};
pub(crate) use binomial::Binomial;
pub(crate) use chi::chi_square_above;
pub(crate) use normal::{normal_above, normal_quantile, two_sided_normal};
pub(crate) use student::{shifted_student_above, student_beyond, two_sided_student};
