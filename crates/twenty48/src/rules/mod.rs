//! 2048: slide the tiles of a 4x4 board; equal ones merge, and a 2 or a 4 appears after each move.
//!
//! - [`cells`]: storage of sixteen cells, and their text form
//! - [`line`](mod@line): the slide of one line, as a definition
//! - [`line_table`]: tables over all lines, generated from definitions by the build script
//! - [`slide`](mod@slide): slides of all four lines, by these tables
//! - [`bmi2`]: slides by instructions that only some processors have
//! - [`nibbles`]: sixteen ranks in one word, for searches with tables of lines
//! - [`direction`]: the four directions, and sets of them
//! - `tile`: the draw of a tile and its cell
//! - [`board`]: [`Board`] and [`Afterstate`], the two halves of a turn
//! - [`twenty48`]: the game; [`settings`]: its rules as set by an experiment
//! - `possible`: bounds on how a game can end; `stages`: how far a game came towards a goal
//! - [`batch`]: many random games in parallel
//! - `lanes`: the rules for parallel games
//! - `playout`: start and result of a random game
//! - [`vector`]: games stepped together, for reinforcement learning

pub mod batch;
pub mod bmi2;
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
mod stages;
mod tile;
pub mod twenty48;
pub mod vector;

pub use board::{Afterstate, Board, SlideEffects, SpawnCount};
pub use cells::Cells;
pub use direction::{Direction, Directions};
pub use line::Line;
pub use line_table::LineTable;
pub use nibbles::PackedLines;
pub use settings::{FourProbability, IdleMoves, Rules, SpawnLaw, WinCriterion};
pub use twenty48::Twenty48;
