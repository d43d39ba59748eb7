//! Analysis of results that were read back. Nothing is played.

pub mod contestants;
pub mod doubts;
pub mod front;
pub mod judge;
pub mod leader;
pub mod order;
pub mod pairwise;
pub mod pick;
pub mod rank;
mod rank_words;
pub mod requested;
pub mod standing;
pub mod summary;
pub mod versus;
