//! Star1: a board after a move is left once it cannot be worth more than the best of the other moves, even if all tiles
//! that were not looked at led to what a board is worth at most.

use super::*;

impl<E: Exact> Search<E> {
    /// As `both`, and the mean of it (Star1): true beside it if it is only known that the board is worth no more.
    ///
    /// First come the tiles whose boards are evaluated, then 2s, then 4s. After each it is asked whether the mean can
    /// still be above `alpha` if all others are worth as much as any board can be.
    pub(super) fn up_to(&mut self, grid: Grid, with_two: Reach, with_four: Reach, alpha: i64) -> (i64, bool) {
        let cells = grid.rows.empty().count_ones();
        let mut mean = Partial::new(cells, self.most, alpha);
        match (self.ends(with_two), self.ends(with_four)) {
            (true, true) => {
                let [twos, fours] = self.last(grid, [1, 2]);
                mean.add(9 * i64::from(cells), 9 * twos);
                mean.add(i64::from(cells), fours);
            }
            (false, true) => {
                let [fours] = self.last(grid, [2]);
                mean.add(i64::from(cells), fours);
                self.each(grid, 1, with_two, 9, &mut mean);
            }
            (_, false) => {
                self.each(grid, 1, with_two, 9, &mut mean);
                if !mean.is_low() {
                    self.each(grid, 2, with_four, 1, &mut mean);
                }
            }
        }
        (mean.value(), mean.left > 0 || mean.is_low())
    }

    /// Adds the best that the player can make of a tile on each empty cell, until the mean is low.
    fn each(&mut self, grid: Grid, rank: u8, reach: Reach, weight: i64, mean: &mut Partial) {
        let Grid { rows, columns } = grid;
        let (lefts, rights) = rows.slid();
        let (ups, downs) = columns.slid();
        self.fetch(grid, (lefts, rights), (ups, downs), [rank]);
        // What the last tile on this row, or in this column, came to by each direction: the board, its value, and whether it
        // is worth that.
        let nothing = (Nibbles::new(0), 0, true);
        let (mut by_rows, mut by_columns) = ([nothing; 2], [[nothing; 2]; 4]);
        let mut first = 0;
        let mut empty = rows.empty();
        while empty != 0 && !self.meter.is_over {
            let cell = empty.trailing_zeros() as usize / 4;
            empty &= empty - 1;
            let (row, column) = (cell / 4, cell % 4);
            let board = rows.with_tile(cell, rank);
            let turned = columns.with_tile(4 * column + row, rank);
            let (left, right) = slid_both_ways(board.line(row));
            let (up, down) = slid_both_ways(turned.line(column));
            let slides = [
                (ups.with_line(column, up), turned),
                (downs.with_line(column, down), turned),
                (lefts.with_line(row, left), board),
                (rights.with_line(row, right), board),
            ];
            let alpha = mean.alpha(weight);
            let (mut best, mut best_of) = (NONE, first);
            // The direction first that was the best for the tile before.
            for direction in [first, first ^ 1, first ^ 2, first ^ 3] {
                let (slid, before) = slides[direction];
                if slid == before {
                    continue;
                }
                let is_rows = direction > 1;
                let last = if is_rows {
                    &mut by_rows[direction & 1]
                } else {
                    &mut by_columns[column][direction & 1]
                };
                let alpha = alpha.max(best);
                if last.0 != slid || !last.2 && last.1 > alpha {
                    let grid = if is_rows { Grid::of_rows(slid) } else { Grid::of_columns(slid) };
                    let value = self.chance(grid, reach, alpha);
                    *last = (slid, value, value > alpha);
                }
                if last.1 > best {
                    (best, best_of) = (last.1, direction);
                }
            }
            first = best_of;
            let value = self.rules.position(Some(best).filter(|&best| best != NONE));
            mean.add(weight, weight * value);
            if mean.is_low() {
                return;
            }
        }
    }
}

/// The mean over all tiles, 2s nine times as often as 4s, as far as it is known.
struct Partial {
    /// The sum of what is known, each as often as it comes, and how often others come.
    sum: i64,
    left: i64,
    /// No sum is greater if the mean is not above `alpha`; without an `alpha` it is `NONE`.
    low: i64,
    most: i64,
    cells: u32,
}

impl Partial {
    fn new(cells: u32, most: i64, alpha: i64) -> Partial {
        let parts = 10 * i64::from(cells);
        // The mean is rounded to the nearest: it is above `alpha` from this sum on.
        let low = if alpha == NONE { NONE } else { (2 * parts * (alpha + 1) - parts - 1).div_euclid(2) };
        Partial { sum: 0, left: parts, low, most, cells }
    }

    /// What a tile that comes so often must be worth more than, or the mean is low.
    fn alpha(&self, weight: i64) -> i64 {
        if self.low == NONE { NONE } else { (self.low - self.most() + weight * self.most).div_euclid(weight) }
    }

    fn add(&mut self, weight: i64, value: i64) {
        self.sum += value;
        self.left -= weight;
    }

    /// The sum if the others are worth as much as any board.
    fn most(&self) -> i64 {
        self.sum + self.left * self.most
    }

    /// True if the mean is not above `alpha`.
    fn is_low(&self) -> bool {
        self.low != NONE && self.most() <= self.low
    }

    /// The mean, at most.
    fn value(&self) -> i64 {
        let parts = 10 * i64::from(self.cells);
        (2 * self.most() + parts).div_euclid(2 * parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean is low exactly where it is not above `alpha`, and what a tile must be worth more than is the least that does it.
    #[test]
    fn a_mean_is_low_where_it_is_not_above_alpha() {
        for cells in [1, 3, 16] {
            for alpha in -40..40 {
                for (two, four) in [(0, 0), (-7, 31), (13, -50), (40, 39)] {
                    let (twos, fours) = (two * i64::from(cells), four * i64::from(cells));
                    let mean = Rules::mean(twos, Some(fours), cells);
                    let mut partial = Partial::new(cells, 1000, alpha);
                    partial.add(9 * i64::from(cells), 9 * twos);
                    partial.add(i64::from(cells), fours);
                    assert_eq!((partial.value(), partial.is_low()), (mean, mean <= alpha));
                }
                for weight in [1, 9] {
                    let mut partial = Partial::new(cells, 1000, alpha);
                    partial.add(9, 9 * 5);
                    let needed = partial.alpha(weight);
                    for (value, is_low) in [(needed, true), (needed + 1, false)] {
                        let mut partial = Partial { ..partial };
                        partial.add(weight, weight * value);
                        assert_eq!(partial.is_low(), is_low, "{cells} {alpha} {weight}");
                    }
                }
            }
        }
    }
}
