//! 2048: slide the tiles of a 4x4 board; equal ones merge, and a 2 or a 4 appears after each move.

pub mod batch;
pub mod bmi2;
pub mod board;
pub mod cells;
pub mod direction;
mod end_bounds;
mod grid;
mod lanes;
pub mod line;
pub mod line_table;
pub mod nibbles;
mod playout;
pub mod settings;
pub mod slide;
mod stages;
mod start_board;
mod tile;
pub mod twenty48;
pub mod vector;

pub use board::{Afterstate, Board, SlideEffects, SpawnCount};
pub use cells::{Cells, MAX_RANK};
pub use direction::{Direction, Directions};
pub use grid::{Grid, GridSlide};
pub use line::Line;
pub use line_table::LineTable;
pub use nibbles::PackedLines;
pub use settings::{FourProbability, IdleMoves, Rules, SpawnLaw, WinCriterion};
pub use twenty48::Twenty48;
