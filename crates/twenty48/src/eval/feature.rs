//! Table of features, and how each is computed.

use super::clustering::clustering;
use super::islands::islands;
use super::macroxue::corner_slope_of_line;
use super::monotonicity::{monotonicity_lines, monotonicity_tiles, monotonicity_wave};
use super::nneonneo::{RankPowers, merges_of_line, monotonicity_power_of_line, rank_power_of_line};
use super::occupancy::{corner, empty_log, empty_of_line, max_rank, max_tile, tile_mean};
use super::smoothness::{smoothness_adjacent_log_of_line, smoothness_adjacent_of_line, smoothness_last};
use super::snake::{snake_linear_of_row, snake_power_bottom_of_row, snake_power_of_row};
use super::steps::smoothness_nearest_of_line;
use crate::rules::{Cells, Line, Twenty48};

/// Measured property of a board.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// Name in experiments.
    pub name: &'static str,
    /// Function that computes it.
    pub function: FeatureFunction,
}

/// Function of boards. Sums over lines are distinguished because they can be looked up in tables.
#[derive(Clone, Copy, Debug)]
pub enum FeatureFunction {
    /// Sum over the four rows and the four columns.
    Lines(fn(Line) -> f64),
    /// Sum over lines with a configurable power; the number is its default.
    LinesToPower(fn(Line, &RankPowers) -> f64, f64),
    /// Sum over cells, independent of position; defined for four of them.
    Cells(fn(Line) -> f64),
    /// Sum over cells with a configurable power; the number is its default.
    CellsToPower(fn(Line, &RankPowers) -> f64, f64),
    /// Sum over the four rows, each with its index from the top.
    Rows(fn(usize, Line) -> f64),
    /// Function of the whole board.
    Board(fn(Cells) -> f64),
}

/// All features, in the order of the manual.
pub const FEATURES: &[Feature] = &[
    Feature { name: "empty", function: FeatureFunction::Cells(|row| empty_of_line(row).into()) },
    Feature { name: "empty-log", function: FeatureFunction::Board(empty_log) },
    Feature { name: "max-tile", function: FeatureFunction::Board(max_tile) },
    Feature { name: "max-rank", function: FeatureFunction::Board(max_rank) },
    Feature { name: "corner", function: FeatureFunction::Board(corner) },
    Feature {
        name: "smoothness-adjacent",
        function: FeatureFunction::Lines(|line| smoothness_adjacent_of_line(line) as f64),
    },
    Feature {
        name: "smoothness-adjacent-log",
        function: FeatureFunction::Lines(|line| smoothness_adjacent_log_of_line(line).into()),
    },
    Feature {
        name: "smoothness-nearest",
        function: FeatureFunction::Lines(|line| smoothness_nearest_of_line(line).into()),
    },
    Feature { name: "smoothness-last", function: FeatureFunction::Board(smoothness_last) },
    Feature { name: "monotonicity-lines", function: FeatureFunction::Board(monotonicity_lines) },
    Feature { name: "monotonicity-tiles", function: FeatureFunction::Board(monotonicity_tiles) },
    Feature { name: "monotonicity-wave", function: FeatureFunction::Board(monotonicity_wave) },
    Feature { name: "islands", function: FeatureFunction::Board(islands) },
    Feature {
        name: "snake-linear",
        function: FeatureFunction::Rows(|index, row| snake_linear_of_row(index, row).into()),
    },
    Feature {
        name: "snake-power",
        function: FeatureFunction::Rows(|index, row| snake_power_of_row(index, row) as f64),
    },
    Feature {
        name: "snake-power-bottom",
        function: FeatureFunction::Rows(|index, row| snake_power_bottom_of_row(index, row) as f64),
    },
    Feature { name: "clustering", function: FeatureFunction::Board(clustering) },
    Feature { name: "tile-mean", function: FeatureFunction::Board(tile_mean) },
    Feature { name: "merges", function: FeatureFunction::Lines(|line| merges_of_line(line).into()) },
    Feature { name: "rank-power", function: FeatureFunction::CellsToPower(rank_power_of_line, 3.5) },
    Feature {
        name: "monotonicity-power",
        function: FeatureFunction::LinesToPower(monotonicity_power_of_line, 4.0),
    },
    Feature {
        name: "corner-slope",
        function: FeatureFunction::Lines(|line| corner_slope_of_line(line) as f64),
    },
    // As a sum over eight lines it costs nothing.
    Feature { name: "constant", function: FeatureFunction::Lines(|_| 0.125) },
];

impl Feature {
    /// Returns the feature's value on a board, with its default power if it has one.
    pub fn value(&self, cells: Cells) -> f64 {
        self.function.value(cells, &RankPowers::of(self.function.power().unwrap_or(1.0)))
    }
}

impl FeatureFunction {
    /// Returns the default power of a feature that has one.
    pub const fn power(self) -> Option<f64> {
        match self {
            FeatureFunction::LinesToPower(_, power) | FeatureFunction::CellsToPower(_, power) => Some(power),
            FeatureFunction::Lines(_)
            | FeatureFunction::Cells(_)
            | FeatureFunction::Rows(_)
            | FeatureFunction::Board(_) => None,
        }
    }

    /// Computes the value for a board.
    pub(super) fn value(self, cells: Cells, powers: &RankPowers) -> f64 {
        let rows = || cells.rows().into_iter();
        let lines = || rows().chain(cells.columns());
        match self {
            FeatureFunction::Lines(of_line) => lines().map(of_line).sum(),
            FeatureFunction::LinesToPower(of_line, _) => lines().map(|line| of_line(line, powers)).sum(),
            FeatureFunction::Cells(of_row) => rows().map(of_row).sum(),
            FeatureFunction::CellsToPower(of_row, _) => rows().map(|row| of_row(row, powers)).sum(),
            FeatureFunction::Rows(of_row) => rows().enumerate().map(|(index, row)| of_row(index, row)).sum(),
            FeatureFunction::Board(of_board) => of_board(cells),
        }
    }
}

/// Computes every feature of a position, by name.
pub fn measured(position: &Twenty48) -> Vec<(&'static str, f64)> {
    let cells = position.board().cells();
    FEATURES.iter().map(|feature| (feature.name, feature.value(cells))).collect()
}
