//! Search with the moves, values and counters of the original, by tables of lines.

use std::hint::select_unpredictable;

use gauntlet_core::player::Stop;
use gauntlet_twenty48::rules::{Board, Direction, Grid, GridSlide, PackedLines};

use super::reference;
use super::search_result::{LOSS, NEAR_WIN, SearchResult, WIN};
use super::tables::{TABLES, Tables};
use super::weights::Aim;

/// Searches a board in full width. After a stop request the result is meaningless.
pub(super) fn search(board: Board, depth: u32, aim: &Aim, stop: &Stop) -> SearchResult {
    match board.cells().nibbles_for(depth) {
        Some(rows) => {
            let mut search = Search::new(aim, stop);
            let max = board.cells().max_rank();
            let (mv, score) = search.player(Grid::from_rows(rows), max, depth, LOSS, WIN);
            SearchResult { mv, score, positions: search.positions, cutoffs: search.cutoffs }
        }
        None => reference::search(board, depth, aim, stop),
    }
}

/// Returns the value of each direction, without bounds from other directions; empty for a board
/// with tiles too large for the tables.
pub(super) fn direction_values(board: Board, depth: u32, aim: &Aim, stop: &Stop) -> Vec<(Direction, f64)> {
    let Some(rows) = board.cells().nibbles_for(depth) else { return Vec::new() };
    let mut search = Search::new(aim, stop);
    let max = board.cells().max_rank();
    let slides = Grid::from_rows(rows).slides().into_iter().filter(|slide| slide.moves());
    slides.map(|slide| (slide.direction, search.move_value(slide, max, depth, LOSS, WIN))).collect()
}

/// Search of boards whose tiles stay below 65536.
pub(super) struct Search<'a> {
    tables: &'static Tables,
    aim: &'a Aim,
    /// Winning rank.
    win: u8,
    stop: &'a Stop,
    pub(super) positions: u64,
    pub(super) cutoffs: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(aim: &'a Aim, stop: &'a Stop) -> Search<'a> {
        let win = aim.win.filter(|&win| win <= 15).unwrap_or(u8::MAX);
        Search { tables: &TABLES, aim, win, stop, positions: 0, cutoffs: 0 }
    }

    /// Returns the evaluation of a board after a move, by the lines along the move; `max` is the
    /// rank of its largest tile.
    #[inline]
    fn value(&self, after: PackedLines, max: u8) -> f64 {
        self.aim.value(self.tables.terms(after, after.transpose()), max)
    }

    /// Returns the best move and its value; `max` is the rank of the largest tile.
    fn player(&mut self, grid: Grid, max: u8, depth: u32, alpha: f64, beta: f64) -> (Option<Direction>, f64) {
        let (mut mv, mut best) = (None, alpha);
        for slide in grid.slides() {
            if !slide.moves() {
                continue;
            }
            self.positions += 1;
            let value = self.move_value(slide, max, depth, best, beta);
            if value >= WIN {
                return (Some(slide.direction), WIN);
            }
            if value > best {
                (mv, best) = (Some(slide.direction), value);
            }
            if best > beta {
                self.cutoffs += 1;
                return (mv, beta);
            }
        }
        (mv, best)
    }

    /// Returns the value of a move that moves something: [`WIN`] if it makes the winning tile, and
    /// less otherwise.
    #[inline(always)]
    fn move_value(&mut self, slide: GridSlide, max: u8, depth: u32, alpha: f64, beta: f64) -> f64 {
        let max = max + u8::from(max < 15 && slide.after.rank_mask(max + 1) != 0);
        if max >= self.win && slide.after.rank_mask(self.win) != 0 {
            return WIN;
        }
        if depth == 0 {
            return self.value(slide.after, max);
        }
        let value = self.computer(slide.grid(), max, depth - 1, alpha, beta);
        if value > NEAR_WIN { value - 1.0 } else { value }
    }

    /// Returns the value of `player` at depth 0: all four slides are valued at once, without
    /// checking which are legal, because most nodes have no cutoff.
    fn leaf(&mut self, grid: Grid, max: u8, alpha: f64, beta: f64) -> f64 {
        // Step 1: if two of the largest tile may merge, which is rare, use `player` itself.
        let largest = grid.rows.rank_mask(max);
        if max >= self.win || largest & (largest - 1) != 0 {
            return self.player(grid, max, 0, alpha, beta).1;
        }
        // Step 2: all slides and their values.
        let slides = grid.slides();
        let is_legal = slides.map(GridSlide::moves);
        let values = slides.map(|slide| self.value(slide.after, max));
        let mut best = alpha;
        for (value, is_legal) in values.into_iter().zip(is_legal) {
            best = select_unpredictable(is_legal && value > best, value, best);
        }
        // Step 3: if all are tried, they are counted together.
        if best <= beta {
            self.positions += is_legal.map(u64::from).iter().sum::<u64>();
            return best;
        }
        let cutoff_index =
            values.iter().zip(is_legal).position(|(&value, is_legal)| is_legal && value > beta);
        let tried_count = cutoff_index.expect("the best value is above beta") + 1;
        self.positions += is_legal[..tried_count].iter().map(|&is_legal| u64::from(is_legal)).sum::<u64>();
        self.cutoffs += 1;
        beta
    }

    /// Returns the value of a board before one of the most annoying tiles appears.
    pub(super) fn computer(&mut self, after: Grid, max: u8, depth: u32, alpha: f64, beta: f64) -> f64 {
        let mut best = beta;
        if self.stop.is_requested() {
            return best;
        }
        let mut candidates = self.candidates(after);
        while candidates != 0 {
            let candidate = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            self.positions += 1;
            let (rank, cell) = (1 + (candidate / 16) as u8, 4 * (candidate % 4) + candidate / 4 % 4);
            let grid = after.with_tile(cell, rank);
            let max = max.max(rank);
            let value = match depth {
                0 => self.leaf(grid, max, alpha, best),
                _ => self.player(grid, max, depth, alpha, best).1,
            };
            best = best.min(value);
            if best < alpha {
                self.cutoffs += 1;
                return alpha;
            }
        }
        best
    }

    /// Returns the most annoying 2s and, from bit 16 on, the most annoying 4s: one bit per cell, in
    /// the order of columns.
    ///
    /// A new tile changes the smoothness of its row and of its column only. It is a new island, but
    /// joins all groups of equal tiles next to it: as many as it has equal neighbours, unless two
    /// of these belong to one group. So annoyances are compared by the values of both lines for
    /// such a tile, all cells at once, with one byte per cell.
    pub(super) fn candidates(&self, after: Grid) -> u32 {
        // Step 1: values of columns and rows for each tile, eight cells in a word.
        let column_annoyances = self.tables.annoyances(after.columns);
        let row_annoyances = self.tables.annoyances(after.rows).map(transpose_bytes);
        let mut annoyances = [0; 4];
        for (index, sum) in annoyances.iter_mut().enumerate() {
            *sum = column_annoyances[index / 2][index % 2] + row_annoyances[index / 2][index % 2];
        }
        // Step 2: neighbours that belong to one group, which single lines cannot show.
        let empty = after.columns.empty_mask();
        for rank in [1, 2] {
            let tiles = after.columns.rank_mask(rank);
            let neighbour_counts = count_neighbours(tiles);
            let mut multi_neighbours = (neighbour_counts >> 1 | neighbour_counts >> 2) & empty;
            while multi_neighbours != 0 {
                let cell = multi_neighbours & multi_neighbours.wrapping_neg();
                multi_neighbours ^= cell;
                let index = cell.trailing_zeros() as usize / 4;
                annoyances[usize::from(2 * (rank - 1)) + index / 8] +=
                    count_repeat_neighbours(cell, tiles) << (8 * (index % 8));
            }
        }
        // Step 3: the largest values and their cells.
        let bytes = annoyances.map(u64::to_le_bytes);
        let max_annoyance =
            bytes.as_flattened().iter().fold(0, |max_annoyance, &annoyance| max_annoyance.max(annoyance));
        let mut candidates = 0;
        for (index, annoyances) in annoyances.into_iter().enumerate() {
            candidates |= equal_bytes(annoyances, max_annoyance) << (8 * index);
        }
        candidates
    }
}

/// Returns bits for those of eight bytes below 128 that equal this one.
#[inline]
fn equal_bytes(bytes: u64, byte: u8) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let difference = bytes ^ (u64::from(byte) * ONES);
    let equal = !(difference + 0x7F * ONES) >> 7 & ONES;
    // Bit 8 i moves to bit 56 + i, and no other bit moves there.
    (equal.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

/// Transposes sixteen bytes: four lines of four, with the first half in the first word.
#[inline]
fn transpose_bytes([first, second]: [u64; 2]) -> [u64; 2] {
    // As for nibbles: exchange within blocks of two by two, then the blocks.
    let swap_blocks = |word: u64| {
        let swap = (word ^ (word >> 24)) & 0x0000_0000_FF00_FF00;
        word ^ swap ^ (swap << 24)
    };
    let (first, second) = (swap_blocks(first), swap_blocks(second));
    let swap = ((first >> 16) ^ second) & 0x0000_FFFF_0000_FFFF;
    [first ^ (swap << 16), second ^ swap]
}

/// Returns in each nibble how many of the four adjacent cells are in the mask.
#[inline]
fn count_neighbours(mask: u64) -> u64 {
    let previous_cells = (mask & 0x0111_0111_0111_0111) << 4;
    let next_cells = (mask & 0x1110_1110_1110_1110) >> 4;
    (mask << 16) + (mask >> 16) + previous_cells + next_cells
}

/// Returns the number of the mask's cells next to a cell, minus the number of their groups
/// connected by sides.
#[cold]
fn count_repeat_neighbours(cell: u64, mask: u64) -> u64 {
    let neighbours = |cells: u64| {
        let sides = count_neighbours(cells);
        (sides | sides >> 1 | sides >> 2) & mask
    };
    let mut remaining = neighbours(cell);
    let mut repeat_count = u64::from(remaining.count_ones());
    while remaining != 0 {
        let mut group = remaining & remaining.wrapping_neg();
        loop {
            let larger = group | neighbours(group);
            if larger == group {
                break;
            }
            group = larger;
        }
        remaining &= !group;
        repeat_count -= 1;
    }
    repeat_count
}
