//! Named properties of positions, and what evaluations are summed from.
//!
//! - `twenty48`: the features of 2048

pub mod twenty48;
