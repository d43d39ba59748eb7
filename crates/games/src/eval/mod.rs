//! Named properties of positions, and what evaluations are summed from.
//!
//! - [`twenty48`]: the features of 2048
//! - [`gomoku`]: those of Gomoku

pub mod gomoku;
pub mod twenty48;
