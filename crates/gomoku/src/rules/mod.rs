//! Gomoku: two colours place stones on a board in turn, and the first row of five wins.
//!
//! - [`stone`]: the two colours
//! - [`cell`](mod@cell): cells of a board, and their notation
//! - [`cellset`]: sets of cells
//! - [`board`]: boards with stones, and winning rows
//! - [`pattern`]: strength of a stone on one line
//! - [`makes`]: strength of a stone on all axes of a cell
//! - [`threats`]: a board that tracks the patterns of every cell
//! - [`vcf`]: a solver for wins by fours alone
//! - [`opening`]: stones on the board at the start, and their symmetric images
//! - [`generated`]: balanced openings, generated from a seed
//! - [`gomoku`]: the game
//! - [`perft`]: counts all sequences of moves
//! - [`sgf`]: games in the exchange format of other programs

pub mod board;
pub mod cell;
pub mod cellset;
pub mod generated;
pub mod gomoku;
pub mod makes;
pub mod opening;
pub mod pattern;
pub mod perft;
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
