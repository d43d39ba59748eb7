//! The functions behind intervals and tests: quantiles and tails of distributions, in pure Rust.
//!
//! - `gamma`: how far the gamma function is from Stirling's formula, for which the others need it
//! - `beta`: the incomplete beta function, its inverse, and the evidence for a rate that is made of it
//! - `binomial`: successes in trials
//! - `normal`, `student`: quantiles and tails
//!
//! No logarithms of gamma functions are subtracted from each other: of ten million trials they are 10^8 large, and of
//! their difference no more than eight digits would be left.

mod beta;
mod binomial;
mod gamma;
mod normal;
mod student;

pub(crate) use beta::{Beta, parts};
pub(crate) use binomial::Binomial;
pub(crate) use normal::{normal_above, normal_quantile, two_sided_normal};
pub(crate) use student::{student_beyond, two_sided_student};
