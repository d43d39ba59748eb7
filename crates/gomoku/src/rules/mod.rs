//! Gomoku: two colours place stones on a board in turn, and the first row of five wins.
//!
//! - [`stone`]: the two colours
//! - [`cell`](mod@cell): places on a board, and how they are written
//! - [`cellset`]: sets of cells
//! - [`board`]: stones on a board, and the rows that win
//! - [`pattern`]: strength of a stone on one line
//! - [`makes`]: the same on all axes of a cell
//! - [`threats`]: a board that keeps this for every cell
//! - [`vcf`]: a solver of wins by fours alone
//! - [`opening`]: stones that lie there at the start, and their images
//! - [`generated`]: balanced openings, made from a seed
//! - [`gomoku`]: the game itself
//! - [`perft`]: all sequences of moves, counted
//! - [`sgf`]: games as other programs exchange them

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
pub use opening::Openings;
pub use pattern::Pattern;
pub use stone::Stone;
pub use threats::Threats;
pub use vcf::Vcf;
