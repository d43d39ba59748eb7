//! Rank statistics for heavy tails: an extreme value counts no more than any other on its side.
//!
//! - [`signed`]: the signed-rank test that differences are symmetric around 0
//! - [`location`]: the estimate of their centre

pub mod location;
pub mod signed;

pub use location::hodges_lehmann;
pub use signed::SignedRanks;
