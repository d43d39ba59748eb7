//! Distributions for intervals and tests, in pure Rust.
//!
//! Logarithms of gamma functions are never subtracted from each other: for ten million trials they
//! are near 10^8, and their difference would keep at most eight digits.

mod beta;
mod binomial;
mod chi_square;
mod gamma;
mod normal;
mod student;

pub(crate) use beta::{Beta, shares_of_log_ratio};
pub(crate) use binomial::Binomial;
pub(crate) use chi_square::chi_square_above;
pub(crate) use normal::{normal_above, normal_quantile, two_sided_normal};
pub(crate) use student::{shifted_student_above, student_beyond, two_sided_student};
