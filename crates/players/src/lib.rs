//! Players for any game, one file each, and code that they share with the players of single games.

#![warn(missing_docs)]

pub mod budget;
pub mod external;
pub mod external_program;
pub mod flat_mc;
pub mod mcts;
mod playout_value;
pub mod random;
