//! Values of single lines in an evaluation and in an annoyance, for every line of four nibbles.

use std::sync::LazyLock;

use gauntlet_twenty48::eval::{OvolveTable, OvolveTerms, smoothness_nearest_of_line};
use gauntlet_twenty48::rules::nibbles::build_table;
use gauntlet_twenty48::rules::{Line, PackedLines};

/// Tables, built once.
pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// Tables of lines, indexed by their four nibbles.
pub(super) struct Tables {
    terms: OvolveTable,
    /// Annoyance of a new tile in each of its empty cells, as far as the line determines it: byte i
    /// is a 2 in cell i, byte 4 + i a 4. See [`annoyance`].
    annoyances: Box<[u64; 1 << 16]>,
}

impl Tables {
    fn new() -> Tables {
        let annoyances = build_table(|line| {
            u64::from_le_bytes(std::array::from_fn(|byte| annoyance(line, byte % 4, 1 + byte as u8 / 4)))
        });
        Tables { terms: OvolveTable::new(), annoyances }
    }

    /// Returns the terms of a board, given by rows and by columns in either order.
    #[inline]
    pub(super) fn terms(&self, one: PackedLines, other: PackedLines) -> OvolveTerms {
        self.terms.terms(one, other)
    }

    /// Returns the contributions of four lines to the annoyance of each possible tile, the 2s and
    /// then the 4s: one byte per cell, line by line.
    #[inline]
    pub(super) fn annoyances(&self, lines: PackedLines) -> [[u64; 2]; 2] {
        let [a, b, c, d] = lines.lines().map(|line| self.annoyances[usize::from(line)]);
        let low = |one: u64, next: u64| one & 0xFFFF_FFFF | next << 32;
        let high = |one: u64, next: u64| one >> 32 | next & !0xFFFF_FFFF;
        [[low(a, b), low(c, d)], [high(a, b), high(c, d)]]
    }
}

/// Returns how much rougher a new tile in a cell makes the line, minus the equal tiles next to it,
/// with which it forms one island, plus 3, so that it exceeds the 0 of occupied cells. A tile
/// between two others never reduces their difference, and it has at most two neighbours. For 2s and
/// 4s the result is at most 31.
fn annoyance(line: Line, cell: usize, rank: u8) -> u8 {
    if line[cell] != 0 {
        return 0;
    }
    let mut line_with_tile = line;
    line_with_tile[cell] = rank;
    let roughness_increase = smoothness_nearest_of_line(line) - smoothness_nearest_of_line(line_with_tile);
    let is_equal = |neighbour: Option<&u8>| u8::from(neighbour == Some(&rank));
    let before = is_equal(cell.checked_sub(1).and_then(|before| line.get(before)));
    roughness_increase as u8 + 3 - before - is_equal(line.get(cell + 1))
}
