//! Endgame tables of 2048, for boards with large tiles in a corner. They contain the probability to
//! win by the best moves, computed in advance and stored in a file.

#![warn(missing_docs)]

pub mod answers;
mod board_set;
pub mod build;
pub mod exact_rule;
mod format;
mod image;
mod index;
pub mod kind;
pub mod macroxue;
mod mapping;
pub mod player;
mod reach;
mod rule;
pub mod table;
mod values;

#[cfg(test)]
mod tests;
