//! Analysis of results that were read back. Nothing is played.

pub mod comparison_tables;
pub mod contestants;
pub mod distributions;
pub mod front;
pub mod judge;
pub mod leader;
pub mod order;
pub mod pairwise;
pub mod pick;
pub mod place;
pub mod rank;
mod rank_words;
pub mod requested_tables;
pub mod standing;
pub mod summary;
pub mod warnings;
