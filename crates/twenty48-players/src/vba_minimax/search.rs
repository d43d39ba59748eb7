//! Search, for each interpretation of the listing.

use std::sync::LazyLock;

use gauntlet_core::player::Stop;
use gauntlet_twenty48::eval::{LN, OvolveTable, OvolveTerms, smoothness_last};
use gauntlet_twenty48::rules::{Afterstate, Board, Cells, Direction, PackedLines};
use serde::{Deserialize, Serialize};

/// Table of lines, built once.
static TERMS: LazyLock<OvolveTable> = LazyLock::new(OvolveTable::new);

/// Interpretation of the listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListingInterpretation {
    /// As intended: a loop exits once alpha and beta meet.
    Minimax,
    /// As printed, with one alpha and one beta for all plies: a loop exits if they do not meet.
    ByRef,
    /// As printed, with a separate alpha and beta for each ply.
    ByVal,
}

/// Smoothness in the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SmoothnessFeature {
    /// Feature `smoothness-last`.
    VbaPrinted,
    /// Feature `smoothness-nearest`.
    Ovolve,
}

/// Order in which the player's moves are tried.
pub(super) const MOVE_ORDER: [Direction; 4] =
    [Direction::Up, Direction::Left, Direction::Right, Direction::Down];

/// Bound on the absolute value.
pub(super) const LIMIT: f64 = 1_000_000.0;

/// Alpha and beta.
#[derive(Clone, Debug)]
pub(super) struct Window {
    alpha: f64,
    beta: f64,
}

/// Window that cuts nothing off.
pub(super) const FULL_WINDOW: Window = Window { alpha: -LIMIT, beta: LIMIT };

/// Search and its counters.
pub(super) struct Search {
    terms: &'static OvolveTable,
    interpretation: ListingInterpretation,
    smoothness_feature: SmoothnessFeature,
    /// Number of boards visited.
    pub(super) positions: u64,
    pub(super) stop: Stop,
}

impl Search {
    /// Creates a search with empty counters.
    pub(super) fn new(
        interpretation: ListingInterpretation,
        smoothness_feature: SmoothnessFeature,
        stop: Stop,
    ) -> Search {
        Search { terms: &TERMS, interpretation, smoothness_feature, positions: 0, stop }
    }

    pub(super) fn player(&mut self, board: Board, depth: u32, window: &mut Window) -> f64 {
        self.positions += 1;
        if board.is_over() {
            return f64::from(board.cells().max_tile()) - LIMIT;
        }
        if depth == 0 {
            return self.value(board.cells());
        }
        let mut best = -LIMIT;
        for (_, after) in board.slides(MOVE_ORDER) {
            best =
                self.search_ply(window, |search, window| search.computer(after, depth - 1, window)).max(best);
            window.alpha = window.alpha.max(best);
            if self.is_exiting(window) {
                break;
            }
        }
        best
    }

    /// Returns the value before a tile appears. A board after a move has an empty cell, so the end
    /// of the game is not checked.
    pub(super) fn computer(&mut self, after: Afterstate, depth: u32, window: &mut Window) -> f64 {
        self.positions += 1;
        if depth == 0 {
            return self.value(after.cells());
        }
        if self.stop.is_requested() {
            return 0.0;
        }
        let mut best = LIMIT;
        for index in (0..16).filter(|&index| after.cells().rank(index) == 0) {
            for rank in [1, 2] {
                let board = after.place(index, rank);
                best = self
                    .search_ply(window, |search, window| search.player(board, depth - 1, window))
                    .min(best);
                window.beta = window.beta.min(best);
                if self.is_exiting(window) {
                    // Alpha-beta leaves the whole ply. As printed, only the loop over 2 and 4
                    // exits.
                    if self.interpretation == ListingInterpretation::Minimax {
                        return best;
                    }
                    break;
                }
            }
        }
        best
    }

    /// Searches the next ply, with these bounds or with a copy of them.
    fn search_ply(
        &mut self,
        window: &mut Window,
        search: impl FnOnce(&mut Search, &mut Window) -> f64,
    ) -> f64 {
        match self.interpretation {
            ListingInterpretation::ByRef => search(self, window),
            ListingInterpretation::ByVal | ListingInterpretation::Minimax => {
                search(self, &mut window.clone())
            }
        }
    }

    /// Returns true if the loop over moves exits.
    fn is_exiting(&self, window: &Window) -> bool {
        match self.interpretation {
            ListingInterpretation::Minimax => window.beta <= window.alpha,
            ListingInterpretation::ByRef | ListingInterpretation::ByVal => window.beta > window.alpha,
        }
    }

    pub(super) fn value(&self, cells: Cells) -> f64 {
        let (terms, last_step) = match cells.nibbles() {
            Some(rows) => (self.terms.terms(rows, rows.transpose()), last_difference(rows)),
            None => (OvolveTerms::from_cells(cells), smoothness_last(cells)),
        };
        let smoothness = match self.smoothness_feature {
            SmoothnessFeature::VbaPrinted => last_step,
            SmoothnessFeature::Ovolve => terms.smoothness,
        };
        let empty_value = if terms.empty == 0 { 0.0 } else { LN[terms.empty] };
        0.1 * smoothness + terms.monotonicity + 2.7 * empty_value + f64::from(cells.max_tile())
    }
}

/// Returns the feature `smoothness-last` of a board of nibbles, scanning from the end for the last
/// pair visited.
#[inline]
fn last_difference(rows: PackedLines) -> f64 {
    let rows = rows.word();
    let first_rank = |tiles: u64| tiles >> (tiles.trailing_zeros() & !3) & 15;
    let mut tiles = rows;
    while tiles != 0 {
        let shift = (63 - tiles.leading_zeros()) & !3;
        let tile = tiles >> shift;
        tiles ^= tile << shift;
        let later_tiles = rows >> shift;
        // Following cells in its row; later bits belong to the next row.
        let right = later_tiles >> 4 & ((1 << (12 - shift % 16)) - 1);
        let below = later_tiles >> 16 & 0x0000_000F_000F_000F;
        if right | below != 0 {
            return tile.abs_diff(first_rank(if right != 0 { right } else { below })) as f64;
        }
    }
    0.0
}
