//! What single lines add to an evaluation and to an annoyance, for every line of four nibbles.

use std::sync::LazyLock;

use crate::eval::twenty48::{LN, empty_of_line, monotonicity_lines_of_line, smoothness_nearest_of_line};

use crate::games::twenty48::nibbles::table;
use crate::games::twenty48::{Line, Nibbles};

/// The tables, made once.
pub(in super::super) static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// For each line, by its four nibbles.
pub(in super::super) struct Tables {
    /// What it adds to an evaluation, packed as [`Measures`].
    measures: Box<[u32; 1 << 16]>,
    /// How annoying a new tile in each of its empty cells is, as far as the line can know: in byte i a 2 in cell i, in
    /// byte 4 + i a 4. See [`annoyance`].
    annoyances: Box<[u64; 1 << 16]>,
    /// What so many empty cells are worth.
    room: [f64; 17],
}

/// Sums over lines, side by side in one word so that they are summed together:
/// minus the smoothness in bits 0 to 8, empty cells in 9 to 14, minus the monotonicity's two totals in 15 to 22 and
/// 23 to 30. Eight lines fit: they have at most 336, 32, 232 and 232 of these.
#[derive(Clone, Copy)]
struct Measures(u32);

/// What the evaluations of ovolve and of its port are made from, but for the largest tile. All are sums of whole
/// numbers, taken as numbers that are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Measured {
    /// The feature `smoothness-nearest`.
    pub(in super::super) smoothness: f64,
    /// The feature `monotonicity-lines`.
    pub(in super::super) monotonicity: f64,
    /// How many cells are empty.
    pub(in super::super) empty: usize,
}

impl Measures {
    fn of_line(line: Line) -> Measures {
        let totals = monotonicity_lines_of_line(line);
        let fields = [
            (-smoothness_nearest_of_line(line), 0),
            (empty_of_line(line), 9),
            (-totals.falling, 15),
            (-totals.rising, 23),
        ];
        Measures(fields.into_iter().map(|(sum, shift)| (sum as u32) << shift).sum())
    }

    fn roughness(self) -> u32 {
        self.0 & 0x1FF
    }

    fn empty(self) -> usize {
        (self.0 >> 9 & 0x3F) as usize
    }

    /// Minus the monotonicity of these lines: the smaller total.
    fn bends(self) -> u32 {
        (self.0 >> 15 & 0xFF).min(self.0 >> 23)
    }
}

impl Tables {
    fn new() -> Tables {
        let annoyances = |line| std::array::from_fn(|byte| annoyance(line, byte % 4, 1 + byte as u8 / 4));
        Tables {
            measures: table(|line| Measures::of_line(line).0),
            annoyances: table(|line| u64::from_le_bytes(annoyances(line))),
            room: LN.map(|ln| 2.7 * ln),
        }
    }

    /// The evaluation of a board after a move, given by rows and by columns in either order; `max` is the rank of
    /// its largest tile.
    #[inline]
    pub(in super::super) fn value(&self, one: Nibbles, other: Nibbles, max: u8) -> f64 {
        let Measured { smoothness, monotonicity, empty } = self.measured(one, other);
        // In the order of the original, left to right.
        0.1 * smoothness + monotonicity + self.room[empty] + f64::from(max)
    }

    /// Measures a board given by rows and by columns, in either order.
    #[inline]
    pub(in super::super) fn measured(&self, one: Nibbles, other: Nibbles) -> Measured {
        let (one, other) = (self.measures(one), self.measures(other));
        let both = Measures(one.0 + other.0);
        Measured {
            smoothness: -f64::from(both.roughness()),
            monotonicity: -f64::from(one.bends() + other.bends()),
            empty: both.empty() / 2,
        }
    }

    #[inline]
    fn measures(&self, lines: Nibbles) -> Measures {
        Measures(lines.lines().map(|line| self.measures[usize::from(line)]).iter().sum())
    }

    /// What four lines say of each tile that may come, the 2s and then the 4s: a byte for each cell, line by line.
    #[inline]
    pub(in super::super) fn annoyances(&self, lines: Nibbles) -> [[u64; 2]; 2] {
        let [a, b, c, d] = lines.lines().map(|line| self.annoyances[usize::from(line)]);
        let low = |one: u64, next: u64| one & 0xFFFF_FFFF | next << 32;
        let high = |one: u64, next: u64| one >> 32 | next & !0xFFFF_FFFF;
        [[low(a, b), low(c, d)], [high(a, b), high(c, d)]]
    }
}

/// By how much a new tile in a cell makes the line rougher, less the equal tiles beside it, with which it makes one
/// island, and 3, so that it is more than the 0 of a cell that is not empty. A tile between two others never
/// makes less of their difference, and it has two neighbours at most. With 2s and 4s it is at most 31.
fn annoyance(line: Line, cell: usize, rank: u8) -> u8 {
    if line[cell] != 0 {
        return 0;
    }
    let mut fuller = line;
    fuller[cell] = rank;
    let rougher = smoothness_nearest_of_line(line) - smoothness_nearest_of_line(fuller);
    let is_equal = |neighbour: Option<&u8>| u8::from(neighbour == Some(&rank));
    let before = is_equal(cell.checked_sub(1).and_then(|before| line.get(before)));
    rougher as u8 + 3 - before - is_equal(line.get(cell + 1))
}
