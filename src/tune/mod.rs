//! Tunes a player: looks for settings that are better, and shows on fresh games whether they are.
//!
//! - [`method`]: the contract of a method, which knows points of a box and numbers, and nothing of games
//! - [`spsa`], [`cma_es`], [`race`]: the methods
//! - `paired`: losses on the same blocks, compared; `tail`: the average of the last half of a path; `normal`, `jacobi`: what
//!   the normal distribution of `cma_es` needs
//! - [`search`]: a method, and beside it what keeps the best point found so far

pub mod cma_es;
mod jacobi;
pub mod method;
mod normal;
mod paired;
pub mod race;
pub mod search;
pub mod spsa;
mod tail;
#[cfg(test)]
mod tests;
