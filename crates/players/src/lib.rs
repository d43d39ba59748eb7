//! Players for any game, one file each, and what players of one game share with them.
//!
//! - [`budget`]: the limit of a search
//! - [`external`]: another program
//! - [`flat_mc`]: random games after each move
//! - [`mcts`]: random games from a tree that grows
//! - [`outside`]: a program of someone else's, as a configuration names it
//! - [`random`]: moves by chance
//! - `worth`: the worth of an outcome to the player who searches

#![warn(missing_docs)]

pub mod budget;
pub mod external;
pub mod flat_mc;
pub mod mcts;
pub mod outside;
pub mod random;
mod worth;
