//! 2048: slide the tiles of a 4x4 board, equal ones merge, a 2 or a 4 comes after each move.
//!
//! - [`cells`]: how sixteen cells are stored, and their text form
//! - [`line`](mod@line): how a line slides; [`line_table`]: what the build script makes of that
//! - [`slide`](mod@slide): all lines slide, by tables
//! - [`nibbles`]: sixteen ranks in one word, for searches with tables of lines
//! - [`direction`]: where to; [`board`]: [`Board`] and [`After`], the two halves of a turn
//! - `bmi2`: the same by instructions that only some processors have
//! - `tile`: which tile comes where; [`rules`]: the game itself; `possible`: what a game can come to
//! - [`batch`]: many random games at once, in `lanes`; each comes to a `playout`

pub mod batch;
mod bmi2;
pub mod board;
pub mod cells;
pub mod direction;
mod lanes;
pub mod line;
pub mod line_table;
pub mod nibbles;
mod playout;
mod possible;
pub mod rules;
pub mod slide;
mod tile;

pub use board::{After, Board, Prospects, Spawned};
pub use cells::Cells;
pub use direction::{Direction, Directions};
pub use line::Line;
pub use line_table::LineTable;
pub use nibbles::Nibbles;
pub use rules::{IdleMoves, Rules, Twenty48, WinBy};
