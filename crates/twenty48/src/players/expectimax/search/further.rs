//! The boards after a tile and a move, where those are searched further.

use super::{Grid, NONE, Search, runs_of};
use crate::eval::Exact;
use crate::players::expectimax::table::Reach;
use crate::rules::Nibbles;
use crate::rules::slide::slid_both_ways;

/// A board after each slide without the tile that comes.
pub(super) struct Slides {
    lefts: Nibbles,
    rights: Nibbles,
    ups: Nibbles,
    downs: Nibbles,
}

impl Slides {
    #[inline(always)]
    fn of(grid: Grid) -> Slides {
        let (lefts, rights) = grid.rows.slid();
        let (ups, downs) = grid.columns.slid();
        Slides { lefts, rights, ups, downs }
    }

    /// The lines after and before each slide with a tile on a cell: columns up and down, rows left
    /// and right.
    #[inline(always)]
    pub(super) fn with_tile(&self, grid: Grid, cell: usize, rank: u8) -> [(Nibbles, Nibbles); 4] {
        let (row, column) = (cell / 4, cell % 4);
        let board = grid.rows.with_tile(cell, rank);
        let turned = grid.columns.with_tile(4 * column + row, rank);
        let (left, right) = slid_both_ways(board.line(row));
        let (up, down) = slid_both_ways(turned.line(column));
        [
            (self.ups.with_line(column, up), turned),
            (self.downs.with_line(column, down), turned),
            (self.lefts.with_line(row, left), board),
            (self.rights.with_line(row, right), board),
        ]
    }
}

impl<E: Exact> Search<E> {
    /// For each of some tiles the sum over the empty cells of the best that the player can make of
    /// it there, where boards are searched further. Tiles on cells side by side often slide to the
    /// same place. The order is that of nneonneo's program, on which values depend if deeper ones
    /// are taken.
    pub(super) fn further<const DEEPER: bool, const N: usize>(
        &mut self,
        grid: Grid,
        slides: &Slides,
        tiles: [(u8, Reach); N],
    ) -> [i64; N] {
        // What the last tile on a row, or in a column, came to by each direction.
        let nothing = (Nibbles::new(0), 0);
        let mut by_rows = [[nothing; 2]; N];
        let mut by_columns = [[[nothing; 2]; 4]; N];
        let mut sums = [0; N];
        let mut empty = grid.rows.empty();
        while empty != 0 {
            let cell = empty.trailing_zeros() as usize / 4;
            empty &= empty - 1;
            for (i, (tile, reach)) in tiles.into_iter().enumerate() {
                let mut best = NONE;
                let [up, down, left, right] = slides.with_tile(grid, cell, tile);
                for ((slid, before), last) in [up, down].into_iter().zip(&mut by_columns[i][cell % 4]) {
                    if slid != before {
                        if last.0 != slid {
                            *last = (slid, self.chance::<DEEPER>(Grid::of_columns(slid), reach, NONE));
                        }
                        best = best.max(last.1 + self.gain(before));
                    }
                }
                for ((slid, before), last) in [left, right].into_iter().zip(&mut by_rows[i]) {
                    if slid != before {
                        if last.0 != slid {
                            *last = (slid, self.chance::<DEEPER>(Grid::of_rows(slid), reach, NONE));
                        }
                        best = best.max(last.1 + self.gain(before));
                    }
                }
                sums[i] += self.rules.position(Some(best).filter(|&best| best != NONE));
            }
        }
        sums
    }

    /// The slides of a board. Brings near what the table knows of the boards after these tiles and
    /// a move: the time of searches that outgrow the caches of the processor is mostly waiting for
    /// that. For boards that the table knows by another image of theirs (`key`) it is in vain.
    #[inline(always)]
    pub(super) fn slides_fetched<const N: usize>(&self, grid: Grid, tiles: [u8; N]) -> Slides {
        let slides = Slides::of(grid);
        let Slides { lefts, rights, ups, downs } = slides;
        for (lines, first, second, is_rows) in
            [(grid.rows, lefts, rights, true), (grid.columns, ups, downs, false)]
        {
            for (place, index) in runs_of(lines) {
                for tile in tiles {
                    let (to_first, to_last) =
                        slid_both_ways(lines.line(index) | u16::from(tile) << (place & 15));
                    for slid in [first.with_line(index, to_first), second.with_line(index, to_last)] {
                        self.table.fetch(if is_rows { slid } else { slid.transposed() });
                    }
                }
            }
        }
        slides
    }

    /// Units that a board earns when its lines slide.
    #[inline(always)]
    fn gain(&self, lines: Nibbles) -> i64 {
        if self.rules.gains { self.points_of(lines) } else { 0 }
    }
}
