//! Gomoku: two colours place stones on a board in turn, and the first row of five wins.

pub mod board;
pub mod cell;
pub mod cellset;
pub mod gomoku;
pub mod opening;
pub mod opening_generator;
pub mod pattern;
pub mod pattern_counts;
#[cfg(test)]
mod perft;
pub mod sgf;
pub mod stone;
pub mod threats;
pub mod vcf;

pub use board::{AXES, Board, Rule};
pub use cell::{Cell, MAX_SIZE};
pub use gomoku::{Gomoku, Rules};
pub use opening::OpeningSource;
pub use pattern::Pattern;
pub use stone::Stone;
pub use threats::ThreatBoard;
pub use vcf::Vcf;
