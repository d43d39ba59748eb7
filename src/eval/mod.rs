//! Named properties of a board: what `gauntlet probe` shows, and what evaluations will be summed from.

use crate::games::twenty48::Twenty48;

/// One measured property of a position.
#[derive(Clone, Copy, Debug)]
pub struct Feature<G> {
    /// As written in an experiment.
    pub name: &'static str,
    /// Measures it.
    pub value: fn(&G) -> f64,
}

/// The features of 2048.
pub const TWENTY48: &[Feature<Twenty48>] = &[
    Feature { name: "empty", value: |position| position.board().cells().empty().into() },
    Feature { name: "max-tile", value: |position| position.board().cells().max_tile().into() },
    Feature { name: "max-rank", value: |position| position.board().cells().max_rank().into() },
];
