//! Parts of single lines in an evaluation and in an annoyance, for every line of four nibbles.

use std::sync::LazyLock;

use crate::eval::{OvolveTable, OvolveTerms, smoothness_nearest_of_line};
use crate::rules::nibbles::table;
use crate::rules::{Line, Nibbles};

/// The tables, made once.
pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// For each line, by its four nibbles.
pub(super) struct Tables {
    terms: OvolveTable,
    /// Annoyance of a new tile in each of its empty cells, as far as the line can know: in byte i a
    /// 2 in cell i, in byte 4 + i a 4. See [`annoyance`].
    annoyances: Box<[u64; 1 << 16]>,
}

impl Tables {
    fn new() -> Tables {
        let annoyances = |line| std::array::from_fn(|byte| annoyance(line, byte % 4, 1 + byte as u8 / 4));
        Tables { terms: OvolveTable::new(), annoyances: table(|line| u64::from_le_bytes(annoyances(line))) }
    }

    /// The terms of a board, given by rows and by columns in either order.
    #[inline]
    pub(super) fn terms(&self, one: Nibbles, other: Nibbles) -> OvolveTerms {
        self.terms.terms(one, other)
    }

    /// Parts of four lines in the annoyance of each tile that may come, the 2s and then the 4s: a
    /// byte for each cell, line by line.
    #[inline]
    pub(super) fn annoyances(&self, lines: Nibbles) -> [[u64; 2]; 2] {
        let [a, b, c, d] = lines.lines().map(|line| self.annoyances[usize::from(line)]);
        let low = |one: u64, next: u64| one & 0xFFFF_FFFF | next << 32;
        let high = |one: u64, next: u64| one >> 32 | next & !0xFFFF_FFFF;
        [[low(a, b), low(c, d)], [high(a, b), high(c, d)]]
    }
}

/// By how much a new tile in a cell makes the line rougher, less the equal tiles beside it, with
/// which it makes one island, and 3, so that it is more than the 0 of a cell that is not empty. A
/// tile between two others never makes less of their difference, and it has two neighbours at most.
/// With 2s and 4s it is at most 31.
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
