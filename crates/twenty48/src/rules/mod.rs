//! 2048: slide the tiles of a 4x4 board, equal ones merge, a 2 or a 4 comes after each move.
//!
//! - [`cells`]: storage of sixteen cells, and their text form
//! - [`line`](mod@line): the slide of one line, as a definition
//! - [`line_table`]: tables over all lines, which the build script makes of definitions
//! - [`slide`](mod@slide): slides of all four lines, by these tables
//! - `bmi2`: the same by instructions that only some processors have
//! - [`nibbles`]: sixteen ranks in one word, for searches with tables of lines
//! - [`direction`]: the four directions, and sets of them
//! - `tile`: the draw of a tile and of its place
//! - [`board`]: [`Board`] and [`After`], the two halves of a turn
//! - [`twenty48`]: the game itself; [`settings`]: what an experiment may set about it
//! - `possible`: bounds on how a game can end
//! - [`batch`]: many random games at once
//! - `lanes`: the rules for these, side by side
//! - `playout`: start and result of one of them

pub mod batch;
pub(crate) mod bmi2;
pub mod board;
pub mod cells;
pub mod direction;
mod lanes;
pub mod line;
pub mod line_table;
pub mod nibbles;
mod playout;
mod possible;
pub mod settings;
pub mod slide;
mod tile;
pub mod twenty48;

pub use board::{After, Board, Prospects, Spawned};
pub use cells::Cells;
pub use direction::{Direction, Directions};
pub use line::Line;
pub use line_table::LineTable;
pub use nibbles::Nibbles;
pub use settings::{IdleMoves, Rules, WinBy};
pub use twenty48::Twenty48;
