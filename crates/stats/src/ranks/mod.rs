//! Rank statistics for heavy tails: an extreme value counts no more than any other on its side.

pub mod location;
pub mod signed_ranks;

pub use location::hodges_lehmann;
pub use signed_ranks::SignedRanks;
