//! Expectimax over words of sixteen nibbles, with the values of `plain` to the last bit.

use super::evaluation::{Judge, split};
use super::plain;
use crate::games::twenty48::cells::{transpose, zero_nibbles};
use crate::games::twenty48::slide::slid_both_ways;
use crate::games::twenty48::{After, Cells, Direction};

/// Searches with one evaluation, one root after another.
pub(super) struct Search<J> {
    pub(super) judge: J,
    known: Box<[Known; 1 << KNOWN_BITS]>,
    /// Number of the search, so that what an earlier one knew counts for nothing.
    number: u64,
    /// Boards looked at since this was last set to 0.
    pub(super) nodes: u64,
}

/// The value of a board after a slide.
#[derive(Clone, Copy, Default)]
struct Known {
    after: u64,
    /// Number of the search and depth.
    stamp: u64,
    value: f64,
}

const KNOWN_BITS: u32 = 10;

impl<J: Judge> Search<J> {
    pub(super) fn new(judge: J) -> Search<J> {
        let known = vec![Known::default(); 1 << KNOWN_BITS];
        Search { judge, known: known.try_into().ok().expect("as many as there are"), number: 0, nodes: 0 }
    }

    /// Begins with another root.
    pub(super) fn begin(&mut self) {
        self.number += 1;
        self.nodes = 0;
    }

    /// What a board after a slide is worth, `depth` half-turns deep.
    pub(super) fn value(&mut self, after: After, depth: u32) -> f64 {
        match after.cells().nibbles() {
            Some(rows) if stays_within_nibbles(after.cells(), depth) => self.chance(rows, depth),
            _ => plain::chance(&self.judge, after, depth),
        }
    }

    fn chance(&mut self, rows: u64, depth: u32) -> f64 {
        self.nodes += 1;
        if depth == 0 {
            return self.judge.quick(rows, transpose(rows));
        }
        let empty = zero_nibbles(rows);
        let mut sum = 0.0;
        let mut rest = empty;
        while rest != 0 {
            let two = rest & rest.wrapping_neg();
            rest ^= two;
            sum += 0.9 * self.player(rows | two, depth - 1);
            sum += 0.1 * self.player(rows | two << 1, depth - 1);
        }
        sum / f64::from(empty.count_ones())
    }

    fn player(&mut self, rows: u64, depth: u32) -> f64 {
        self.nodes += 1;
        let columns = transpose(rows);
        if depth == 0 {
            return self.judge.quick(rows, columns);
        }
        let (left, right) = slide(rows);
        let (up, down) = slide(columns);
        let mut best = f64::NEG_INFINITY;
        if left != rows {
            best = best.max(self.chance(left, depth - 1));
        }
        if right != rows {
            best = best.max(self.chance(right, depth - 1));
        }
        if up != columns {
            best = best.max(self.chance(transpose(up), depth - 1));
        }
        if down != columns {
            best = best.max(self.chance(transpose(down), depth - 1));
        }
        if left == rows && right == rows && up == columns && down == columns {
            return self.judge.quick(rows, columns);
        }
        best
    }
}

/// All four lines slid towards their first cells, and towards their last.
#[inline]
fn slide(word: u64) -> (u64, u64) {
    let [a, b, c, d] = split(word).map(slid_both_ways);
    let join = |a: u16, b: u16, c: u16, d: u16| {
        u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
    };
    (join(a.0, b.0, c.0, d.0), join(a.1, b.1, c.1, d.1))
}

/// Whether no tile of 65536 can come within so many half-turns: then all tiles together would be worth that much,
/// and a half-turn adds a 4 at most.
fn stays_within_nibbles(cells: Cells, depth: u32) -> bool {
    cells.values().into_iter().map(u64::from).sum::<u64>() + 4 * u64::from(depth) < 65_536
}
