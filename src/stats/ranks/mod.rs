//! What ranks say, however heavy the tails: one value far out moves them no more than any other on its side.
//!
//! - [`signed`]: whether differences lie to both sides of 0 alike
//! - [`location`]: where they lie

pub mod location;
pub mod signed;

pub use location::{Location, hodges_lehmann, hodges_lehmann_shift};
pub use signed::SignedRanks;
