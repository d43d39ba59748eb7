//! Tunes a player: looks for settings that are better, and shows on fresh games whether they are.
//!
//! - [`method`]: the contract of a method, which knows points of a box and numbers, and nothing of games
//! - [`spsa`], [`race`]: the methods
//! - `paired`: losses on the same blocks, compared
//! - [`search`]: a method, and beside it what keeps the best point found so far

pub mod method;
mod paired;
pub mod race;
pub mod search;
pub mod spsa;
#[cfg(test)]
mod tests;
