//! Players for any game, one file each, and code that they share with the players of single games.

#![warn(missing_docs)]

pub mod budget;
pub mod external;
pub mod flat_mc;
pub mod mcts;
pub mod outside;
pub mod random;
mod worth;
