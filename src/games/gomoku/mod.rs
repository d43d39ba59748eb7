//! Gomoku: two colours place stones on a board in turn, and the first row of five wins.
//!
//! - [`stone`], [`cell`](mod@cell): colours and places, and how they are written; [`board`]: stones on a board
//! - [`opening`]: the stones that lie there at the start; [`rules`]: the game itself

pub mod board;
pub mod cell;
pub mod opening;
pub mod rules;
pub mod stone;

pub use board::{AXES, Board, Rule};
pub use cell::{Cell, MAX_SIZE};
pub use opening::Openings;
pub use rules::{Gomoku, Rules};
pub use stone::Stone;
