//! Legal directions and merges of all boards in lanes, and the choice of a direction by an order.
//!
//! Each loop handles one line of all boards. A loop that handles all lines of a board is not
//! vectorized and has a seventh of the speed.

use super::{Lanes, select};

impl<const L: usize> Lanes<L> {
    /// Computes the legal directions and the merges of every board.
    #[inline(always)]
    pub(in super::super) fn scan(&mut self) {
        self.legal = [0; L];
        for i in 0..4 {
            self.scan_lines([i, i + 4, i + 8, i + 12], 0, i, [0b0001, 0b0100]);
            self.scan_lines([4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3], 1, i, [0b1000, 0b0010]);
        }
    }

    /// Computes the legal directions and the merges of one line of every board.
    #[inline(always)]
    fn scan_lines(&mut self, [a, b, c, d]: [usize; 4], axis: usize, i: usize, [first, last]: [u8; 2]) {
        for lane in 0..L {
            let line = [self.cells[a][lane], self.cells[b][lane], self.cells[c][lane], self.cells[d][lane]];
            let scan = scan_line(line);
            self.merging[axis][2 * i][lane] = scan.merging[0];
            self.merging[axis][2 * i + 1][lane] = scan.merging[1];
            self.legal[lane] |= select(scan.to_first, first, 0) | select(scan.to_last, last, 0);
        }
    }

    /// Removes the directions of an axis that gains less than the other.
    ///
    /// Each term of a sum is 16 times the rank's power of two, or 1 if nothing merges, so the sum's
    /// bits from the fifth on are half the gain.
    #[inline(always)]
    pub(in super::super) fn keep_best_gains(&mut self) {
        for lane in 0..L {
            let (mut vertical, mut horizontal) = (0_u32, 0_u32);
            for i in 0..8 {
                vertical += 1 << (self.merging[0][i][lane] & 31);
                horizontal += 1 << (self.merging[1][i][lane] & 31);
            }
            let (vertical, horizontal) = (vertical >> 4, horizontal >> 4);
            let vertical_only = select(vertical > horizontal, 0b0101, 0b1111);
            let horizontal_only = select(horizontal > vertical, 0b1010, 0b1111);
            self.legal[lane] &= vertical_only & horizontal_only;
        }
    }

    /// Chooses the first legal direction of an order, given as its numbers.
    #[inline(always)]
    pub(in super::super) fn prefer(&mut self, order: [u8; 4]) {
        for lane in 0..L {
            let legal = self.legal[lane];
            let mut direction = order[3];
            for i in [2, 1, 0] {
                direction = select(legal & (1 << order[i]) != 0, order[i], direction);
            }
            self.directions[lane] = direction;
        }
    }
}

/// Effects of the slides of a line.
struct LineScan {
    /// True if something moves towards the first cell.
    to_first: bool,
    /// True if something moves towards the last cell.
    to_last: bool,
    /// Ranks that merge plus 4, or 0.
    merging: [u8; 2],
}

/// Returns what slides of a line would do. A line has at most two merges, and both ways have equal
/// ones.
#[inline(always)]
fn scan_line([a, b, c, d]: [u8; 4]) -> LineScan {
    let (no_a, no_b, no_c, no_d) = (a == 0, b == 0, c == 0, d == 0);
    // Each merges with the next tile, unless it has merged.
    let ab = (a == b) & !no_a;
    let ac = (a == c) & no_b & !no_a;
    let ad = (a == d) & no_b & no_c & !no_a;
    let bc = (b == c) & !no_b & !ab;
    let bd = (b == d) & no_c & !no_b & !ab;
    let cd = (c == d) & !no_c & !ac & !bc;
    let first = ab | ac | ad;
    let second = bc | bd;
    let merges = first | second | cd;
    LineScan {
        to_first: (no_a & !no_b) | (no_b & !no_c) | (no_c & !no_d) | merges,
        to_last: (!no_a & no_b) | (!no_b & no_c) | (!no_c & no_d) | merges,
        merging: [
            select(first, a.wrapping_add(4), select(second, b.wrapping_add(4), 0)),
            select(cd, c.wrapping_add(4), 0),
        ],
    }
}
