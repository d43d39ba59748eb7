//! Search by definition: for boards with tiles too large for the tables, and as a reference for the
//! fast search.

use gauntlet_core::player::Stop;
use gauntlet_twenty48::eval::{OvolveTerms, islands, smoothness_nearest};
use gauntlet_twenty48::rules::{Afterstate, Board, Cells, Direction};

use super::search_result::{LOSS, NEAR_WIN, SearchResult, WIN};
use super::weights::Aim;

/// Searches a board in full width.
pub(super) fn search(board: Board, depth: u32, aim: &Aim, stop: &Stop) -> SearchResult {
    let mut search = Search::new(aim, stop);
    let (mv, score) = search.player(board, depth, LOSS, WIN);
    SearchResult { mv, score, positions: search.positions, cutoffs: search.cutoffs }
}

/// Search of any boards.
pub(super) struct Search<'a> {
    aim: &'a Aim,
    stop: &'a Stop,
    pub(super) positions: u64,
    pub(super) cutoffs: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(aim: &'a Aim, stop: &'a Stop) -> Search<'a> {
        Search { aim, stop, positions: 0, cutoffs: 0 }
    }

    fn player(&mut self, board: Board, depth: u32, alpha: f64, beta: f64) -> (Option<Direction>, f64) {
        let (mut mv, mut best) = (None, alpha);
        for (direction, after) in board.slides(Direction::ALL) {
            self.positions += 1;
            if self.aim.win.is_some_and(|win| after.cells().has_rank(win)) {
                return (Some(direction), WIN);
            }
            let value = if depth == 0 {
                value(after.cells(), self.aim)
            } else {
                let value = self.computer(after, depth - 1, best, beta);
                if value > NEAR_WIN { value - 1.0 } else { value }
            };
            if value > best {
                (mv, best) = (Some(direction), value);
            }
            if best > beta {
                self.cutoffs += 1;
                return (mv, beta);
            }
        }
        (mv, best)
    }

    pub(super) fn computer(&mut self, after: Afterstate, depth: u32, alpha: f64, beta: f64) -> f64 {
        let mut best = beta;
        if self.stop.is_requested() {
            return best;
        }
        for (index, rank) in candidates(after).1 {
            self.positions += 1;
            let (_, value) = self.player(after.place(index, rank), depth, alpha, best);
            best = best.min(value);
            if best < alpha {
                self.cutoffs += 1;
                return alpha;
            }
        }
        best
    }
}

/// Returns the evaluation of a board after a move.
pub(super) fn value(cells: Cells, aim: &Aim) -> f64 {
    aim.value(OvolveTerms::from_cells(cells), cells.max_rank())
}

/// Returns the largest annoyance of a new tile, and each tile that causes it: its cell and rank,
/// the 2s first, cells column by column.
pub(super) fn candidates(after: Afterstate) -> (f64, Vec<(usize, u8)>) {
    let tiles =
        [1, 2].into_iter().flat_map(|rank| (0..16).map(move |cell| (4 * (cell % 4) + cell / 4, rank)));
    let tiles = tiles.filter(|&(index, _)| after.cells().rank(index) == 0);
    let tile_annoyances: Vec<_> = tiles
        .map(|(index, rank)| {
            let cells = after.place(index, rank).cells();
            (islands(cells) - smoothness_nearest(cells), (index, rank))
        })
        .collect();
    let max_annoyance =
        tile_annoyances.iter().map(|&(annoyance, _)| annoyance).fold(f64::NEG_INFINITY, f64::max);
    (
        max_annoyance,
        tile_annoyances
            .iter()
            .filter(|&&(annoyance, _)| annoyance == max_annoyance)
            .map(|&(_, tile)| tile)
            .collect(),
    )
}
