//! Evaluations named by the sources, exact to the last bit. Their terms are whole numbers, and the
//! sum of doubles is computed from left to right as printed.
//!
//! The scales differ greatly. A snake of powers is 10^4 to 10^9 while the rest is 1 to 10^5, so the
//! other terms only break near-ties.

use std::marker::PhantomData;

use gauntlet_core::num::Weight;
use gauntlet_twenty48::eval::{
    corner, empty, max_tile, monotonicity_lines, monotonicity_tiles, smoothness_adjacent, snake_linear,
    snake_power, snake_power_bottom,
};
use gauntlet_twenty48::rules::Cells;
use serde::{Deserialize, Serialize};

/// Evaluation printed in the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SwiftEvaluation {
    /// Evaluation of the articles, steps 18 and 19.
    #[serde(rename = "corner-27")]
    Corner27,
    /// First evaluation of the article, step 22.
    #[serde(rename = "snake-linear-57")]
    SnakeLinear57,
    /// Last evaluation of the article, step 22.
    #[serde(rename = "article-final")]
    ArticleFinal,
    /// Evaluation of the article, step 24.
    #[serde(rename = "mc-simple")]
    McSimple,
    /// Evaluation of the repository at its first version.
    #[serde(rename = "repo-57")]
    Repo57,
    /// Evaluation of the repository at `109bfd1`.
    #[serde(rename = "repo-117")]
    Repo117,
}

impl SwiftEvaluation {
    /// Returns the weight of the empty cells.
    pub(super) fn empty_weight(self) -> Weight {
        let weight = match self {
            SwiftEvaluation::Corner27 => 2.7,
            SwiftEvaluation::SnakeLinear57 | SwiftEvaluation::ArticleFinal | SwiftEvaluation::Repo57 => 5.7,
            SwiftEvaluation::McSimple => 2.0,
            SwiftEvaluation::Repo117 => 11.7,
        };
        Weight::try_from(weight).expect("is in bounds")
    }
}

/// Formula of an evaluation, except for the weight of the empty cells, which the statistics
/// repository varies.
pub(super) trait Formula: Send + 'static {
    /// True if monotonicity counts empty cells at the ends of lines, as in the repository.
    const WITH_ENDS: bool = false;
    /// True if smoothness is a term.
    const WITH_SMOOTHNESS: bool = true;
    /// Path of its snake.
    const SNAKE: Snake = Snake::None;

    /// Returns the sum, in the order of the source.
    fn sum(empty_weight: f64, board: &impl Terms) -> f64;
}

/// Path of a snake.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Snake {
    None,
    Linear,
    Power,
    PowerBottom,
}

/// See [`SwiftEvaluation::Corner27`].
pub(super) struct Corner27;

impl Formula for Corner27 {
    #[inline(always)]
    fn sum(empty_weight: f64, board: &impl Terms) -> f64 {
        empty_weight * board.empty()
            + 0.1 * board.smoothness()
            + 1.0 * board.monotonicity()
            + 1.0 * board.corner()
    }
}

/// See [`SwiftEvaluation::SnakeLinear57`].
pub(super) struct SnakeLinear;

impl Formula for SnakeLinear {
    const SNAKE: Snake = Snake::Linear;

    #[inline(always)]
    fn sum(empty_weight: f64, board: &impl Terms) -> f64 {
        1.0 * board.monotonicity()
            + 0.1 * board.smoothness()
            + empty_weight * board.empty()
            + 0.5 * board.corner()
            + board.snake()
    }
}

/// See [`SwiftEvaluation::ArticleFinal`].
pub(super) struct ArticleFinal;

impl Formula for ArticleFinal {
    const SNAKE: Snake = Snake::Power;

    #[inline(always)]
    fn sum(empty_weight: f64, board: &impl Terms) -> f64 {
        1.0 * board.monotonicity()
            + 0.1 * board.smoothness()
            + empty_weight * board.empty()
            + 1.0 * board.max_tile()
            + board.snake()
    }
}

/// See [`SwiftEvaluation::McSimple`].
pub(super) struct McSimple;

impl Formula for McSimple {
    #[inline(always)]
    fn sum(empty_weight: f64, board: &impl Terms) -> f64 {
        board.smoothness() + board.monotonicity() + empty_weight * board.empty()
    }
}

/// See [`SwiftEvaluation::Repo57`] and [`SwiftEvaluation::Repo117`].
pub(super) struct Repository;

impl Formula for Repository {
    const WITH_ENDS: bool = true;
    const WITH_SMOOTHNESS: bool = false;
    const SNAKE: Snake = Snake::PowerBottom;

    #[inline(always)]
    fn sum(empty_weight: f64, board: &impl Terms) -> f64 {
        1.0 * board.monotonicity() + empty_weight * board.empty() + 1.0 * board.max_tile() + board.snake()
    }
}

/// Terms of the formulas. All are whole numbers.
pub(super) trait Terms {
    fn empty(&self) -> f64;
    fn max_tile(&self) -> f64;
    fn corner(&self) -> f64;
    fn smoothness(&self) -> f64;
    fn monotonicity(&self) -> f64;
    fn snake(&self) -> f64;
}

/// Terms of a formula by their definitions.
pub(super) struct BoardTerms<F> {
    cells: Cells,
    formula: PhantomData<F>,
}

impl<F> BoardTerms<F> {
    pub(super) fn new(cells: Cells) -> BoardTerms<F> {
        BoardTerms { cells, formula: PhantomData }
    }
}

impl<F: Formula> Terms for BoardTerms<F> {
    fn empty(&self) -> f64 {
        empty(self.cells)
    }

    fn max_tile(&self) -> f64 {
        max_tile(self.cells)
    }

    fn corner(&self) -> f64 {
        corner(self.cells)
    }

    fn smoothness(&self) -> f64 {
        smoothness_adjacent(self.cells)
    }

    fn monotonicity(&self) -> f64 {
        if F::WITH_ENDS { monotonicity_lines(self.cells) } else { monotonicity_tiles(self.cells) }
    }

    fn snake(&self) -> f64 {
        match F::SNAKE {
            Snake::None => 0.0,
            Snake::Linear => snake_linear(self.cells),
            Snake::Power => snake_power(self.cells),
            Snake::PowerBottom => snake_power_bottom(self.cells),
        }
    }
}
