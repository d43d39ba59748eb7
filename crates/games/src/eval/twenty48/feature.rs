//! The table of features, and how each is measured.

use super::clustering::clustering;
use super::islands::islands;
use super::monotonicity::{monotonicity_lines, monotonicity_tiles, monotonicity_wave};
use super::nneonneo::{Powers, merges_of_line, monotonicity_power_of_line, rank_power_of_line};
use super::occupancy::{corner, empty_log, empty_of_line, max_rank, max_tile, tile_mean};
use super::smoothness::{smoothness_adjacent_log_of_line, smoothness_adjacent_of_line, smoothness_last};
use super::snake::{snake_linear_of_row, snake_power_bottom_of_row, snake_power_of_row};
use super::steps::smoothness_nearest_of_line;
use crate::games::twenty48::{Cells, Line, Twenty48};

/// One measured property of a board.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// As written in an experiment.
    pub name: &'static str,
    /// Measures it.
    pub measure: Measure,
}

/// Measure of a feature. Sums over lines are told apart because they can be looked up in tables.
#[derive(Clone, Copy, Debug)]
pub enum Measure {
    /// The sum of this over the four rows and the four columns.
    Lines(fn(Line) -> f64),
    /// As `Lines`, with a power that can be set, usually this.
    LinesToPower(fn(Line, &Powers) -> f64, f64),
    /// A sum over cells, wherever they lie; given for four of them.
    Cells(fn(Line) -> f64),
    /// As `Cells`, with a power that can be set, usually this.
    CellsToPower(fn(Line, &Powers) -> f64, f64),
    /// The sum of this over the four rows, each with its number from the top.
    Rows(fn(usize, Line) -> f64),
    /// This, of the board as a whole.
    Board(fn(Cells) -> f64),
}

/// Every feature, in the order of the manual.
pub const FEATURES: &[Feature] = &[
    Feature { name: "empty", measure: Measure::Cells(|row| empty_of_line(row).into()) },
    Feature { name: "empty-log", measure: Measure::Board(empty_log) },
    Feature { name: "max-tile", measure: Measure::Board(max_tile) },
    Feature { name: "max-rank", measure: Measure::Board(max_rank) },
    Feature { name: "corner", measure: Measure::Board(corner) },
    Feature {
        name: "smoothness-adjacent",
        measure: Measure::Lines(|line| smoothness_adjacent_of_line(line) as f64),
    },
    Feature {
        name: "smoothness-adjacent-log",
        measure: Measure::Lines(|line| smoothness_adjacent_log_of_line(line).into()),
    },
    Feature {
        name: "smoothness-nearest",
        measure: Measure::Lines(|line| smoothness_nearest_of_line(line).into()),
    },
    Feature { name: "smoothness-last", measure: Measure::Board(smoothness_last) },
    Feature { name: "monotonicity-lines", measure: Measure::Board(monotonicity_lines) },
    Feature { name: "monotonicity-tiles", measure: Measure::Board(monotonicity_tiles) },
    Feature { name: "monotonicity-wave", measure: Measure::Board(monotonicity_wave) },
    Feature { name: "islands", measure: Measure::Board(islands) },
    Feature {
        name: "snake-linear",
        measure: Measure::Rows(|index, row| snake_linear_of_row(index, row).into()),
    },
    Feature {
        name: "snake-power",
        measure: Measure::Rows(|index, row| snake_power_of_row(index, row) as f64),
    },
    Feature {
        name: "snake-power-bottom",
        measure: Measure::Rows(|index, row| snake_power_bottom_of_row(index, row) as f64),
    },
    Feature { name: "clustering", measure: Measure::Board(clustering) },
    Feature { name: "tile-mean", measure: Measure::Board(tile_mean) },
    Feature { name: "merges", measure: Measure::Lines(|line| merges_of_line(line).into()) },
    Feature { name: "rank-power", measure: Measure::CellsToPower(rank_power_of_line, 3.5) },
    Feature { name: "monotonicity-power", measure: Measure::LinesToPower(monotonicity_power_of_line, 4.0) },
];

impl Feature {
    /// Its value on a board, with its usual power if it has one.
    pub fn value(&self, cells: Cells) -> f64 {
        self.measure.value(cells, &Powers::of(self.measure.power().unwrap_or(1.0)))
    }
}

impl Measure {
    /// The usual power, of a feature that has one.
    pub const fn power(self) -> Option<f64> {
        match self {
            Measure::LinesToPower(_, power) | Measure::CellsToPower(_, power) => Some(power),
            Measure::Lines(_) | Measure::Cells(_) | Measure::Rows(_) | Measure::Board(_) => None,
        }
    }

    /// Measures a board.
    pub(super) fn value(self, cells: Cells, powers: &Powers) -> f64 {
        let rows = || cells.rows().into_iter();
        let lines = || rows().chain(cells.columns());
        match self {
            Measure::Lines(of_line) => lines().map(of_line).sum(),
            Measure::LinesToPower(of_line, _) => lines().map(|line| of_line(line, powers)).sum(),
            Measure::Cells(of_row) => rows().map(of_row).sum(),
            Measure::CellsToPower(of_row, _) => rows().map(|row| of_row(row, powers)).sum(),
            Measure::Rows(of_row) => rows().enumerate().map(|(index, row)| of_row(index, row)).sum(),
            Measure::Board(of_board) => of_board(cells),
        }
    }
}

/// Every feature of a position, by name.
pub fn measured(position: &Twenty48) -> Vec<(&'static str, f64)> {
    let cells = position.board().cells();
    FEATURES.iter().map(|feature| (feature.name, feature.value(cells))).collect()
}
