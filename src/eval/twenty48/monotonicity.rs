//! Whether tiles rise or fall along lines, or away from the largest. The first two differ only in empty cells at
//! the ends of a line: the articles on 2048 in SwiftUI print the second under the name of the first.

use crate::games::twenty48::slide::unpack;
use crate::games::twenty48::{Cells, Line, Nibbles};

/// By how many ranks a line falls and rises, both as numbers not above 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Minus the sum of all steps down.
    pub falling: i32,
    /// Minus the sum of all steps up.
    pub rising: i32,
}

impl Totals {
    /// The sum of each total with that of the other line.
    #[must_use]
    pub const fn plus(self, other: Totals) -> Totals {
        Totals { falling: self.falling + other.falling, rising: self.rising + other.rising }
    }

    /// Both as positive numbers in one, so that four lines are added up at once: a line of ranks up to 15 falls by
    /// 29 at most, and rises by no more.
    const fn packed(self) -> u16 {
        -self.falling as u16 | (-self.rising as u16) << 8
    }

    const fn step(self, from: u8, to: u8) -> Totals {
        let step = to as i32 - from as i32;
        if step < 0 {
            Totals { falling: self.falling + step, ..self }
        } else {
            Totals { rising: self.rising - step, ..self }
        }
    }
}

/// Of all steps down and all steps up within rows, the smaller sum; the same of columns; minus both. An empty cell
/// between two tiles is skipped, but one at the end of a line is a tile of rank 0, and several there are one.
///
/// Source: ovolve/2048-AI, `monotonicity2`; `mono` of the repository of the articles on 2048 in SwiftUI.
#[inline]
pub fn monotonicity_lines(cells: Cells) -> f64 {
    match cells.nibbles() {
        Some(rows) => looked_up(&LINES, rows),
        None => best_of_both(cells, monotonicity_lines_of_line),
    }
}

/// For each row its totals in [`monotonicity_lines`], packed. 12 times as fast as going through the lines.
static LINES: [u16; 1 << 16] = {
    let mut table = [0; 1 << 16];
    let mut row = 0;
    while row < 1 << 16 {
        table[row] = monotonicity_lines_of_line(unpack(row as u16)).packed();
        row += 1;
    }
    table
};

/// The totals of one line in [`monotonicity_lines`].
pub const fn monotonicity_lines_of_line(line: Line) -> Totals {
    let mut totals = Totals { falling: 0, rising: 0 };
    let (mut current, mut next) = (0, 1);
    while next < 4 {
        while next < 4 && line[next] == 0 {
            next += 1;
        }
        if next == 4 {
            next = 3;
        }
        totals = totals.step(line[current], line[next]);
        current = next;
        next += 1;
    }
    totals
}

/// As [`monotonicity_lines`], but every empty cell is skipped.
///
/// Source: what the articles on 2048 in SwiftUI print as `monotonicity`; `monotonicity2` of their repository.
#[inline]
pub fn monotonicity_tiles(cells: Cells) -> f64 {
    match cells.nibbles() {
        Some(rows) => looked_up(&TILES, rows),
        None => best_of_both(cells, monotonicity_tiles_of_line),
    }
}

/// For each row its totals in [`monotonicity_tiles`], packed; as much faster.
static TILES: [u16; 1 << 16] = {
    let mut table = [0; 1 << 16];
    let mut row = 0;
    while row < 1 << 16 {
        table[row] = monotonicity_tiles_of_line(unpack(row as u16)).packed();
        row += 1;
    }
    table
};

/// The totals of one line in [`monotonicity_tiles`].
pub const fn monotonicity_tiles_of_line(line: Line) -> Totals {
    let mut totals = Totals { falling: 0, rising: 0 };
    let mut last = 0;
    let mut i = 0;
    while i < 4 {
        if line[i] != 0 {
            if last != 0 {
                totals = totals.step(last, line[i]);
            }
            last = line[i];
        }
        i += 1;
    }
    totals
}

#[inline]
fn looked_up(table: &[u16; 1 << 16], rows: Nibbles) -> f64 {
    let least = |lines: Nibbles| {
        let totals: u16 = lines.lines().map(|line| table[usize::from(line)]).iter().sum();
        i32::from((totals & 0xFF).min(totals >> 8))
    };
    f64::from(-(least(rows) + least(rows.transposed())))
}

#[cold]
fn best_of_both(cells: Cells, of_line: impl Fn(Line) -> Totals) -> f64 {
    let best = |lines: [Line; 4]| {
        let totals = lines.into_iter().map(&of_line).fold(Totals::default(), Totals::plus);
        totals.falling.max(totals.rising)
    };
    (best(cells.rows()) + best(cells.columns())).into()
}

/// Minus the sum of all rises in a walk away from the largest tile, breadth first.
///
/// Each cell that the walk comes to, an empty one too, adds by how much each of its neighbours is larger, if that
/// neighbour is not *marked*, and calls those neighbours that were not called yet. Cells are marked together, when
/// as many were looked at as had been called when cells were last marked. Of several largest tiles the walk begins
/// at the leftmost, and of those at the topmost.
///
/// Source: ovolve/2048-AI, `monotonicity`, which the program has but does not weigh.
pub fn monotonicity_wave(cells: Cells) -> f64 {
    let ranks = cells.ranks();
    let by_columns = (0..16).map(|i| 4 * (i % 4) + i / 4);
    let start = by_columns.fold(0, |best, index| if ranks[index] > ranks[best] { index } else { best });
    let (mut queue, mut called) = ([0; 16], 1);
    queue[0] = start;
    let mut is_called = [false; 16];
    is_called[start] = true;
    // The cells of the queue before this place are marked.
    let mut marked = 0;
    let mut is_marked = [false; 16];
    let mut until_marking = 1;
    let mut rises = 0;
    let mut place = 0;
    while place < called {
        let index = queue[place];
        place += 1;
        until_marking -= 1;
        for neighbour in neighbours(index).into_iter().flatten() {
            if is_marked[neighbour] {
                continue;
            }
            rises += i32::from(ranks[neighbour].saturating_sub(ranks[index]));
            if !is_called[neighbour] {
                is_called[neighbour] = true;
                queue[called] = neighbour;
                called += 1;
            }
        }
        if until_marking == 0 {
            for &index in &queue[marked..place] {
                is_marked[index] = true;
            }
            marked = place;
            until_marking = called - place;
        }
    }
    (-rises).into()
}

/// The cells above, to the right, below and to the left, where there are such.
fn neighbours(index: usize) -> [Option<usize>; 4] {
    let (row, column) = (index / 4, index % 4);
    [
        (row > 0).then(|| index - 4),
        (column < 3).then(|| index + 1),
        (row < 3).then(|| index + 4),
        (column > 0).then(|| index - 1),
    ]
}
