//! Statistics by ranks, for heavy tails: one value far out moves them no more than any other on its
//! side.
//!
//! - [`signed`]: the test whether differences lie to both sides of 0 alike
//! - [`location`]: the estimate of where they lie

pub mod location;
pub mod signed;

pub use location::hodges_lehmann;
pub use signed::SignedRanks;
