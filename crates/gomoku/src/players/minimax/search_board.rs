//! Board of the search, which updates the runs of both colours and the value of nearby cells with
//! each stone.
//!
//! Each cell is on four lines. A line is a word for each colour, with one bit per cell; beyond its
//! ends the bits of both colours are set, because an edge blocks both. The effect of a stone on
//! runs depends on five cells on each side, and the effect on windows on four. Both are looked up
//! in tables.

use crate::eval::{runs, windows};
use crate::rules::{AXES, Board, Cell, Stone};

/// Value of the runs of each colour.
pub(super) type RunValues = [i32; 2];

/// Cells within two steps of a stone in each direction: one bit per column of a row. Two further
/// rows are beyond each edge.
pub(super) type NearCells = [u32; SIDE + 4];

/// Maximum board size.
const SIDE: usize = crate::rules::MAX_SIZE as usize;

/// Bits on both sides of a line, for what is beyond the edge.
const MARGIN: u32 = 5;

/// Extra cells on each side of the board. Their values are meaningless and only avoid checks for
/// the edge.
const FRAME: usize = 4;

/// Stones, and the data derived from them.
pub(super) struct SearchBoard {
    size: usize,
    /// Lines of all axes. The last one is all edge.
    lines: Vec<[u64; 2]>,
    /// For each cell, its line on each axis and its bit there.
    line_positions: Vec<[LinePosition; 4]>,
    /// Empty cells, one bit per column of a row.
    empty: [u32; SIDE],
    /// Value of each cell by black's table and by white's, with a frame around the board.
    scores: [Vec<i32>; 2],
    /// True if white's table is used.
    has_white: bool,
}

#[derive(Clone, Copy)]
struct LinePosition {
    line: u16,
    bit: u16,
}

impl SearchBoard {
    /// Creates an empty board of this size. Cell values are tracked by black's table, and by
    /// white's if it is needed.
    pub(super) fn new(size: u8, has_white: bool) -> SearchBoard {
        let board = Board::new(size);
        let mut lines = Vec::new();
        let mut line_positions =
            vec![[LinePosition { line: 0, bit: 0 }; 4]; usize::from(size) * usize::from(size)];
        let mut short_line_cells = Vec::new();
        for (number, axis) in AXES.into_iter().enumerate() {
            for first in board.cells().filter(|&cell| board.step(cell, axis, -1).is_none()) {
                let line: Vec<Cell> = (0..).map_while(|steps| board.step(first, axis, steps)).collect();
                if line.len() < 5 {
                    short_line_cells.extend(line.iter().map(|&cell| (cell, number)));
                    continue;
                }
                for (bit, cell) in (MARGIN as u16..).zip(&line) {
                    line_positions[cell.index(size)][number] = LinePosition { line: lines.len() as u16, bit };
                }
                lines.push([!(((1 << line.len()) - 1) << MARGIN); 2]);
            }
        }
        // A line too short for five counts nothing: all its cells share one bit in the middle of an
        // edge, so none has a neighbour.
        for (cell, axis) in short_line_cells {
            line_positions[cell.index(size)][axis] =
                LinePosition { line: lines.len() as u16, bit: 2 * MARGIN as u16 };
        }
        lines.push([u64::MAX; 2]);
        let framed_size = usize::from(size) + 2 * FRAME;
        let mut scores = [vec![0; framed_size * framed_size], vec![0; framed_size * framed_size]];
        for scores in &mut scores {
            for (cell, score) in board.cells().zip(windows::cell_values(&board, Stone::Black)) {
                scores[(usize::from(cell.y) + FRAME) * framed_size + usize::from(cell.x) + FRAME] = score;
            }
        }
        let empty = [(1 << size) - 1; SIDE];
        SearchBoard { size: size.into(), lines, line_positions, empty, scores, has_white }
    }

    /// Returns the number of cells on a side.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns the value of the runs after a stone on an empty cell.
    #[inline]
    pub(super) fn values_after(&self, cell: usize, stone: Stone, run_values: RunValues) -> RunValues {
        let (own, other) = (stone.number(), stone.other().number());
        let mut after = run_values;
        for LinePosition { line, bit } in self.line_positions[cell] {
            let line = &self.lines[usize::from(line)];
            let five = |shift| five_cells(line[own] >> shift, line[other] >> shift);
            let run_before = &RUNS_BEFORE[five(u32::from(bit) - 5)];
            let run_after = &RUNS_AFTER[five(u32::from(bit) + 1)];
            let joined_value = JOINED_VALUES[usize::from(run_before.run) * RUNS + usize::from(run_after.run)];
            after[own] += joined_value - run_before.value - run_after.value;
            after[other] -= run_before.loss + run_after.loss;
        }
        after
    }

    /// Puts a stone on an empty cell.
    pub(super) fn put(&mut self, cell: usize, stone: Stone) {
        for LinePosition { line, bit } in self.line_positions[cell] {
            self.lines[usize::from(line)][stone.number()] |= 1 << bit;
        }
        self.empty[cell / self.size] ^= 1 << (cell % self.size);
        self.rescore(cell, stone, 1);
    }

    /// Removes a stone.
    pub(super) fn take(&mut self, cell: usize, stone: Stone) {
        for LinePosition { line, bit } in self.line_positions[cell] {
            self.lines[usize::from(line)][stone.number()] &= !(1 << bit);
        }
        self.empty[cell / self.size] ^= 1 << (cell % self.size);
        self.rescore(cell, stone, -1);
    }

    /// Applies the change of a stone to the values of the cells around it, or reverts it.
    #[inline]
    fn rescore(&mut self, cell: usize, stone: Stone, sign: i32) {
        self.rescore_with_table(cell, stone, sign, 0);
        if self.has_white {
            self.rescore_with_table(cell, stone, sign, 1);
        }
    }

    #[inline]
    fn rescore_with_table(&mut self, cell: usize, stone: Stone, sign: i32, table: usize) {
        let framed_size = self.size + 2 * FRAME;
        // Steps of `AXES`; the last one goes up.
        let steps = [1, framed_size, framed_size + 1, 1_usize.wrapping_sub(framed_size)];
        let centre = (cell / self.size + FRAME) * framed_size + cell % self.size + FRAME;
        let window_values = &WINDOWS[table];
        for (LinePosition { line, bit }, step) in self.line_positions[cell].into_iter().zip(steps) {
            // The nine cells around; the fifth is the cell itself, still empty.
            let line_bits = self.lines[usize::from(line)].map(|colour| colour >> (bit - 4) & 0b1_1110_1111);
            // Change of each window that contains the cell; the first one ends with it.
            let changes: [i32; 5] = std::array::from_fn(|window| {
                let empty = five_cells(line_bits[0] >> window, line_bits[1] >> window);
                let with_stone = empty | 1 << (4 - window) << (5 * stone.number());
                sign * (window_values[with_stone] - window_values[empty])
            });
            let scores = &mut self.scores[table];
            let mut sum = 0;
            let mut index = centre.wrapping_sub(step.wrapping_mul(4));
            for change in changes {
                sum += change;
                scores[index] += sum;
                index = index.wrapping_add(step);
            }
            for change in &changes[..4] {
                sum -= change;
                scores[index] += sum;
                index = index.wrapping_add(step);
            }
        }
    }

    /// Visits the empty cells near a stone, in the order of cells, each with its value by a table.
    #[inline]
    pub(super) fn visit_near(&self, near_cells: &NearCells, table: usize, mut visit: impl FnMut(usize, i32)) {
        let framed_size = self.size + 2 * FRAME;
        for y in 0..self.size {
            let scores = &self.scores[table][(y + FRAME) * framed_size + FRAME..][..self.size];
            let mut row = near_cells[y + 2] & self.empty[y];
            while row != 0 {
                let x = row.trailing_zeros() as usize;
                row &= row - 1;
                visit(y * self.size + x, scores[x]);
            }
        }
    }

    /// Adds the cells within two steps of a cell.
    #[inline]
    pub(super) fn add_neighbours(&self, near_cells: &mut NearCells, cell: usize) {
        let (x, y) = (cell % self.size, cell / self.size);
        let columns = ((0b11111_u64 << x) >> 2) as u32;
        for row in &mut near_cells[y..y + 5] {
            *row |= columns;
        }
    }
}

/// Encodes five cells of a line as a table index: the lower bits are the first colour's stones, the
/// upper ones the other colour's, and cells with both do not exist.
#[inline]
const fn five_cells(one: u64, other: u64) -> usize {
    (one & 31 | (other & 31) << 5) as usize
}

const FIVE_CELLS: usize = 1 << 10;

/// Number of encoded runs: twice the length, at most five, plus one if the far end is blocked.
const RUNS: usize = 12;

/// Runs next to an empty cell, on one side.
#[derive(Clone, Copy)]
struct SideRun {
    /// Run of the colour that is to get the cell.
    run: u8,
    /// Value of that run while the cell is empty.
    value: i32,
    /// Loss of the other colour's run when the cell blocks it.
    loss: i32,
}

/// Table for the five cells after the cell, nearest first.
static RUNS_AFTER: [SideRun; FIVE_CELLS] = side_runs(false);

/// Table for the five cells before the cell, nearest last.
static RUNS_BEFORE: [SideRun; FIVE_CELLS] = side_runs(true);

const fn side_runs(nearest_last: bool) -> [SideRun; FIVE_CELLS] {
    let mut table = [SideRun { run: 0, value: 0, loss: 0 }; FIVE_CELLS];
    let mut cells = 0;
    while cells < FIVE_CELLS {
        let (mut own, mut other) = (cells as u8 & 31, (cells >> 5) as u8);
        if nearest_last {
            (own, other) = (own.reverse_bits() >> 3, other.reverse_bits() >> 3);
        }
        let (length, blocked) = run(own, other);
        let (other_length, other_blocked) = run(other, own);
        table[cells] = SideRun {
            run: (2 * length + blocked) as u8,
            value: runs::run_value(length, blocked),
            loss: runs::run_value(other_length, other_blocked)
                - runs::run_value(other_length, other_blocked + 1),
        };
        cells += 1;
    }
    table
}

/// Returns the length of the run that begins with the first of five cells, and 1 if its far end is
/// blocked, else 0.
const fn run(own: u8, other: u8) -> (u32, u32) {
    let length = (own & !other).trailing_ones();
    (length, (other >> length & 1) as u32)
}

/// Value of the run that joins two runs, indexed by both of them.
static JOINED_VALUES: [i32; RUNS * RUNS] = joined_values();

const fn joined_values() -> [i32; RUNS * RUNS] {
    let mut table = [0; RUNS * RUNS];
    let mut index = 0;
    while index < RUNS * RUNS {
        let (before, after) = (index / RUNS, index % RUNS);
        table[index] = runs::run_value((before / 2 + 1 + after / 2) as u32, (before % 2 + after % 2) as u32);
        index += 1;
    }
    table
}

/// Value of a window to black and to white, indexed by its five cells, with black's in the lower
/// bits.
static WINDOWS: [[i32; FIVE_CELLS]; 2] = [windows(false), windows(true)];

const fn windows(for_white: bool) -> [i32; FIVE_CELLS] {
    let mut table = [0; FIVE_CELLS];
    let mut cells = 0;
    while cells < FIVE_CELLS {
        let (black, white) = ((cells & 31).count_ones(), (cells >> 5).count_ones());
        table[cells] =
            if for_white { windows::window_value(white, black) } else { windows::window_value(black, white) };
        cells += 1;
    }
    table
}
