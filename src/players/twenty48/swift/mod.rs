//! The players of a series of articles on 2048 in SwiftUI, and of the program that grew from them.
//!
//! - [`greedy`]: the largest immediate gain
//! - [`expectimax`]: the mean over all tiles, to a fixed depth
//! - [`monte_carlo`]: random playouts
//!
//! What they share:
//!
//! - `evaluation`: the formulas that were printed
//! - `judge`: what a search wants of an evaluation
//! - `quick`: the formulas from tables of lines
//! - `search`: expectimax on words of nibbles; `plain`: the same, as the text says it
//! - `playout`: random games
//!
//! Source: BestKora/Game2048ChatGPT `109bfd1` (5 November 2024; first version `1947611`), the experiments with it in
//! BestKora/Game2048ChatGPTStatistics `4f8b6cb`, and the articles, which are a chat with successive versions of the
//! program. The program differs from the articles, hence two families. There is no Swift compiler behind our
//! vectors: two transliterations that agree, and that pass the author's own unit tests, made them.

pub mod expectimax;
pub mod greedy;
pub mod monte_carlo;

mod evaluation;
mod judge;
mod plain;
mod playout;
mod quick;
mod search;
#[cfg(test)]
mod vectors;

use serde::{Deserialize, Serialize};

use crate::games::twenty48::Direction;
pub use evaluation::Named;

/// Which of the two is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// The listings of the articles.
    Article,
    /// The program as published.
    #[default]
    Repository,
}

impl Family {
    /// The order in which directions are looked at.
    const fn order(self) -> [Direction; 4] {
        use Direction::{Down, Left, Right, Up};
        match self {
            Family::Article => [Up, Down, Left, Right],
            Family::Repository => [Down, Up, Right, Left],
        }
    }

    /// As in settings.
    const fn name(self) -> &'static str {
        match self {
            Family::Article => "article",
            Family::Repository => "repository",
        }
    }
}
