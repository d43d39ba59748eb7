//! Rank statistics for heavy tails: an extreme value counts no more than any other on its side.

pub mod location;
pub mod signed;

pub use location::hodges_lehmann;
pub use signed::SignedRanks;
