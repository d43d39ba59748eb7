//! Boards after a tile and a move that are searched further.

use gauntlet_twenty48::eval::IntegerEvaluation;
use gauntlet_twenty48::rules::slide::slide_row_both_ways;
use gauntlet_twenty48::rules::{Direction, Grid, GridSlide, PackedLines};

use super::{NONE, Search, empty_runs};
use crate::players::expectimax::table::Horizon;

/// Board after each slide without the new tile.
pub(super) struct Slides {
    lefts: PackedLines,
    rights: PackedLines,
    ups: PackedLines,
    downs: PackedLines,
}

impl Slides {
    #[inline(always)]
    fn new(grid: Grid) -> Slides {
        let [ups, rights, downs, lefts] = grid.slides().map(|slide| slide.after);
        Slides { lefts, rights, ups, downs }
    }

    /// Returns the slides up, down, left and right with a tile on a cell, each with the index of
    /// the line that contains it.
    #[inline(always)]
    pub(super) fn with_tile(&self, grid: Grid, cell: usize, rank: u8) -> [(GridSlide, usize); 4] {
        let (row, column) = (cell / 4, cell % 4);
        let Grid { rows, columns } = grid.with_tile(cell, rank);
        let (left, right) = slide_row_both_ways(rows.line(row));
        let (up, down) = slide_row_both_ways(columns.line(column));
        [
            (Direction::Up, columns, self.ups.with_line(column, up), column),
            (Direction::Down, columns, self.downs.with_line(column, down), column),
            (Direction::Left, rows, self.lefts.with_line(row, left), row),
            (Direction::Right, rows, self.rights.with_line(row, right), row),
        ]
        .map(|(direction, before, after, line)| (GridSlide { direction, before, after }, line))
    }
}

impl<E: IntegerEvaluation> Search<E> {
    /// Returns for each of some tiles the sum over the empty cells of the player's best value, if
    /// boards are searched further. Tiles on adjacent cells often slide to the same board. The
    /// order is that of nneonneo's program; values depend on it if deeper ones are taken.
    pub(super) fn search_children<const HAS_DEEPER_LEVELS: bool, const N: usize>(
        &mut self,
        grid: Grid,
        slides: &Slides,
        tiles: [(u8, Horizon); N],
    ) -> [i64; N] {
        // Result of the last tile in each line, by direction.
        let mut last_results = [[[(PackedLines::new(0), 0); 4]; 4]; N];
        let mut sums = [0; N];
        let mut empty = grid.rows.empty_mask();
        while empty != 0 {
            let cell = empty.trailing_zeros() as usize / 4;
            empty &= empty - 1;
            for (tile_index, (tile, horizon)) in tiles.into_iter().enumerate() {
                let mut best = NONE;
                let tile_slides = slides.with_tile(grid, cell, tile);
                for ((slide, line), last_results) in
                    tile_slides.into_iter().zip(&mut last_results[tile_index])
                {
                    if slide.moves() {
                        let last = &mut last_results[line];
                        if last.0 != slide.after {
                            *last =
                                (slide.after, self.chance::<HAS_DEEPER_LEVELS>(slide.grid(), horizon, NONE));
                        }
                        best = best.max(last.1 + self.counted_gain(slide.before));
                    }
                }
                sums[tile_index] += self.rules.position_value(Some(best).filter(|&best| best != NONE));
            }
        }
        sums
    }

    /// Returns the slides of a board, and prefetches the table entries of the boards after these
    /// tiles and a move, because searches that outgrow the processor's caches mostly wait for them.
    /// The prefetch is useless for boards that the table stores as another image (`key`).
    #[inline(always)]
    pub(super) fn prefetch_slides<const N: usize>(&self, grid: Grid, tiles: [u8; N]) -> Slides {
        let slides = Slides::new(grid);
        let Slides { lefts, rights, ups, downs } = slides;
        for (lines, first, last, is_rows) in
            [(grid.rows, lefts, rights, true), (grid.columns, ups, downs, false)]
        {
            for (shift, index) in empty_runs(lines) {
                for tile in tiles {
                    let (to_first, to_last) =
                        slide_row_both_ways(lines.line(index) | u16::from(tile) << (shift & 15));
                    for after in [first.with_line(index, to_first), last.with_line(index, to_last)] {
                        self.table.prefetch(if is_rows { after } else { after.transpose() });
                    }
                }
            }
        }
        slides
    }

    /// Returns the points of a board when its lines slide, in units.
    #[inline(always)]
    fn counted_gain(&self, lines: PackedLines) -> i64 {
        if self.rules.gains { self.line_points(lines) } else { 0 }
    }
}
