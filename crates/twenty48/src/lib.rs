//! 2048: its rules, and the features of its positions. Players compute with them, so this package
//! is compiled for speed. It does not depend on experiments.

#![warn(missing_docs)]

pub mod eval;
pub mod rules;
#[doc(hidden)]
pub mod testing;

use gauntlet_core::arena::{Arena, GameDefinition};

use rules::Twenty48;

/// Returns the game for the bench. It is a function, so that the bench is compiled for 2048 only in
/// this package.
#[inline(never)]
pub fn arena(contents: &'static GameDefinition<Twenty48>) -> Arena {
    Arena::new(contents)
}
