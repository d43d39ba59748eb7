//! Players for any game, one file each, and code that they share with the players of single games.
//!
//! - [`budget`]: search limits
//! - [`external`]: external programs
//! - [`flat_mc`]: flat Monte Carlo
//! - [`mcts`]: Monte Carlo tree search
//! - [`outside`]: other authors' programs, as named in a configuration
//! - [`random`]: random moves
//! - `worth`: value of an outcome to the searching player

#![warn(missing_docs)]

pub mod budget;
pub mod external;
pub mod flat_mc;
pub mod mcts;
pub mod outside;
pub mod random;
mod worth;
