//! Table of features, and how each is computed.

use gauntlet_core::arena::FeatureEntry;

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
    /// What it measures, for the manual. `L` is the exponent of a tile.
    pub meaning: &'static str,
    /// Program that it comes from; empty if none.
    pub source: &'static str,
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
    Feature {
        name: "empty",
        meaning: "Number of empty cells.",
        source: "",
        function: FeatureFunction::Cells(|row| empty_of_line(row).into()),
    },
    Feature {
        name: "empty-log",
        meaning: "Natural logarithm of the number of empty cells; -∞ on a full board.",
        source: "ovolve",
        function: FeatureFunction::Board(empty_log),
    },
    Feature {
        name: "max-tile",
        meaning: "Value of the largest tile.",
        source: "",
        function: FeatureFunction::Board(max_tile),
    },
    Feature {
        name: "max-rank",
        meaning: "L of the largest tile; -∞ on an empty board.",
        source: "ovolve",
        function: FeatureFunction::Board(max_rank),
    },
    Feature {
        name: "corner",
        meaning: "1 if a largest tile is in a corner, otherwise 0.",
        source: "Swift",
        function: FeatureFunction::Board(corner),
    },
    Feature {
        name: "smoothness-adjacent",
        meaning: "Minus the sum of value differences between adjacent tiles.",
        source: "Swift",
        function: FeatureFunction::Lines(|line| smoothness_adjacent_of_line(line) as f64),
    },
    Feature {
        name: "smoothness-adjacent-log",
        meaning: "Minus the sum of differences of L between adjacent tiles.",
        source: "Swift",
        function: FeatureFunction::Lines(|line| smoothness_adjacent_log_of_line(line).into()),
    },
    Feature {
        name: "smoothness-nearest",
        meaning: "Minus the sum of differences of L between tiles with only empty cells between them.",
        source: "ovolve",
        function: FeatureFunction::Lines(|line| smoothness_nearest_of_line(line).into()),
    },
    Feature {
        name: "smoothness-last",
        meaning: "Absolute difference of L of the last pair that `smoothness-nearest` sums.",
        source: "VBA",
        function: FeatureFunction::Board(smoothness_last),
    },
    Feature {
        name: "monotonicity-lines",
        meaning: "Minus the smaller sum of rising or falling steps of L, over rows and over columns.",
        source: "ovolve, Swift",
        function: FeatureFunction::Board(monotonicity_lines),
    },
    Feature {
        name: "monotonicity-tiles",
        meaning: "`monotonicity-lines` without empty cells.",
        source: "Swift",
        function: FeatureFunction::Board(monotonicity_tiles),
    },
    Feature {
        name: "monotonicity-wave",
        meaning: "Minus the sum of rising steps of L in a walk away from the largest tile.",
        source: "ovolve",
        function: FeatureFunction::Board(monotonicity_wave),
    },
    Feature {
        name: "islands",
        meaning: "Number of groups of adjacent equal tiles.",
        source: "ovolve",
        function: FeatureFunction::Board(islands),
    },
    Feature {
        name: "snake-linear",
        meaning: "Sum of L times the index, 0 to 15, along a snake that ends in the top left corner.",
        source: "Swift",
        function: FeatureFunction::Rows(|index, row| snake_linear_of_row(index, row).into()),
    },
    Feature {
        name: "snake-power",
        meaning: "Sum of value times 2^index along the snake of `snake-linear`.",
        source: "Swift",
        function: FeatureFunction::Rows(|index, row| snake_power_of_row(index, row) as f64),
    },
    Feature {
        name: "snake-power-bottom",
        meaning: "Sum of value times 2^index, 1 to 16, along a snake that ends in the bottom left corner.",
        source: "Swift",
        function: FeatureFunction::Rows(|index, row| snake_power_bottom_of_row(index, row) as f64),
    },
    Feature {
        name: "clustering",
        meaning: "Sum over tiles of the mean value difference from the tile and its surrounding cells, rounded down.",
        source: "datumbox",
        function: FeatureFunction::Board(clustering),
    },
    Feature {
        name: "tile-mean",
        meaning: "Mean value of the tiles, rounded down; 0 on an empty board.",
        source: "lazuxd",
        function: FeatureFunction::Board(tile_mean),
    },
    Feature {
        name: "merges",
        meaning: "Number of tiles in runs of equal tiles along lines; empty cells do not end a run.",
        source: "nneonneo",
        function: FeatureFunction::Lines(|line| merges_of_line(line).into()),
    },
    Feature {
        name: "rank-power",
        meaning: "Sum of L to a power.",
        source: "nneonneo",
        function: FeatureFunction::CellsToPower(rank_power_of_line, 3.5),
    },
    Feature {
        name: "monotonicity-power",
        meaning: "Sum over lines of the smaller sum of rising or falling steps of L to a power.",
        source: "nneonneo",
        function: FeatureFunction::LinesToPower(monotonicity_power_of_line, 4.0),
    },
    Feature {
        name: "corner-slope",
        meaning: "Sum over lines of a score for tiles that fall away from the top left corner.",
        source: "macroxue",
        function: FeatureFunction::Lines(|line| corner_slope_of_line(line) as f64),
    },
    // As a sum over eight lines it costs nothing.
    Feature {
        name: "constant",
        meaning: "1 on every board.",
        source: "",
        function: FeatureFunction::Lines(|_| 0.125),
    },
];

/// Returns the manual of the features.
pub fn manual() -> Vec<FeatureEntry> {
    FEATURES
        .iter()
        .map(|&Feature { name, meaning, source, function }| FeatureEntry {
            name,
            meaning,
            source,
            power: function.power(),
        })
        .collect()
}

impl Feature {
    /// Returns the feature's value on a board, with its default power if it has one.
    pub fn value(&self, cells: Cells) -> f64 {
        self.function.value(cells, &RankPowers::new(self.function.power().unwrap_or(1.0)))
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

    /// Returns true for a sum over rows and columns.
    pub(super) const fn is_sum_over_lines(&self) -> bool {
        matches!(self, FeatureFunction::Lines(_) | FeatureFunction::LinesToPower(..))
    }

    /// Returns true for a sum over cells, independent of position.
    pub(super) const fn is_sum_over_cells(&self) -> bool {
        matches!(self, FeatureFunction::Cells(_) | FeatureFunction::CellsToPower(..))
    }

    /// Returns true for a sum over rows that depends on their position.
    pub(super) const fn is_sum_over_rows(&self) -> bool {
        matches!(self, FeatureFunction::Rows(_))
    }

    /// Computes the value for a board.
    pub(super) fn value(self, cells: Cells, powers: &RankPowers) -> f64 {
        let rows = || cells.rows().into_iter();
        let lines = || rows().chain(cells.columns());
        match self {
            FeatureFunction::Lines(function) => lines().map(function).sum(),
            FeatureFunction::LinesToPower(function, _) => lines().map(|line| function(line, powers)).sum(),
            FeatureFunction::Cells(function) => rows().map(function).sum(),
            FeatureFunction::CellsToPower(function, _) => rows().map(|row| function(row, powers)).sum(),
            FeatureFunction::Rows(function) => {
                rows().enumerate().map(|(index, row)| function(index, row)).sum()
            }
            FeatureFunction::Board(function) => function(cells),
        }
    }
}

/// Computes every feature of a position, by name.
pub fn compute_features(position: &Twenty48) -> Vec<(&'static str, f64)> {
    let cells = position.board().cells();
    FEATURES.iter().map(|feature| (feature.name, feature.value(cells))).collect()
}
