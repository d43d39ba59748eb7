//! Features of 2048: published measures of how good a board is.
//!
//! Each feature is a plain function of the cells, defined by its comment. [`FEATURES`] lists them
//! all: a new feature is one function and one entry.

mod clustering;
mod evaluation;
mod feature;
mod integer_evaluation;
mod islands;
mod line;
mod macroxue;
mod monotonicity;
mod nneonneo;
mod occupancy;
mod ovolve;
mod smoothness;
mod snake;
mod steps;
mod weights;

pub use clustering::clustering;
pub use evaluation::Evaluation;
pub use feature::{FEATURES, Feature, FeatureFunction, compute_features, manual};
pub use integer_evaluation::{EvaluationVisitor, IntegerEvaluation, IntegerFeatures, SumInteger, Symmetry};
pub use islands::islands;
pub use macroxue::corner_slope_of_line;
pub use monotonicity::{monotonicity_lines, monotonicity_tiles, monotonicity_wave};
pub use nneonneo::{RankPowers, merges_of_line, monotonicity_power_of_line, rank_power_of_line};
pub use occupancy::{LN, corner, empty, empty_log, empty_of_line, max_rank, max_tile, tile_mean};
pub use ovolve::{OvolveTable, OvolveTerms};
pub use smoothness::{
    smoothness_adjacent, smoothness_adjacent_log_of_line, smoothness_adjacent_of_line, smoothness_last,
    smoothness_nearest,
};
pub use snake::{
    snake_linear, snake_linear_of_row, snake_power, snake_power_bottom, snake_power_bottom_of_row,
    snake_power_of_row,
};
pub use steps::{
    StepSums, monotonicity_lines_of_line, monotonicity_tiles_of_line, smoothness_nearest_of_line,
};
pub use weights::{WeightOverrides, Weights};
