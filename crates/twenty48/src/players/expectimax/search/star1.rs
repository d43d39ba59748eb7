//! Star1: a board after a move is left once it cannot be worth more than the best of the other
//! moves, even if all tiles that were not looked at led to what a board is worth at most.

use super::super::rules::Rules;
use super::super::table::Reach;
use super::further::Slides;
use super::{Grid, NONE, Search};
use crate::eval::Exact;
use crate::rules::Nibbles;

/// A board after a move, and what it is worth, or what it is worth at most.
#[derive(Clone, Copy)]
struct Last {
    board: Nibbles,
    value: i64,
    is_exact: bool,
}

impl<E: Exact> Search<E> {
    /// The mean over all tiles that may come: 4s do not if there is no reach of theirs. True beside
    /// it if it is only known that the board is worth no more.
    ///
    /// First come the tiles after which boards are evaluated, then 2s, then 4s. After each it is
    /// asked whether the mean can still be above `alpha` if all others lead to what a board is
    /// worth at most.
    pub(super) fn up_to(
        &mut self,
        grid: Grid,
        with_two: Reach,
        with_four: Option<Reach>,
        alpha: i64,
    ) -> (i64, bool) {
        // Of ten tiles nine are 2s.
        let (two, all) = if with_four.is_some() { (9, 10) } else { (1, 1) };
        let cells = i64::from(grid.rows.empty().count_ones());
        let mut mean = Partial::new(all * cells, self.most, alpha);
        let two_ends = self.ends::<false>(with_two);
        // What the table knows comes near while other tiles are looked at.
        let after_two = (!two_ends).then(|| self.slides_fetched(grid, [1]));
        let further_four = with_four.filter(|&reach| !self.ends::<false>(reach));
        match (two_ends, with_four.is_some() && further_four.is_none()) {
            (true, true) => {
                let [twos, fours] = self.last(grid, [1, 2]);
                mean.add(all * cells, two * twos + fours);
            }
            (true, false) => {
                let [twos] = self.last(grid, [1]);
                mean.add(two * cells, two * twos);
            }
            (false, true) => {
                let [fours] = self.last(grid, [2]);
                mean.add(cells, fours);
            }
            (false, false) => {}
        }
        if let Some(slides) = after_two {
            self.each(grid, &slides, 1, with_two, two, &mut mean);
        }
        if let Some(reach) = further_four
            && !mean.is_low()
        {
            let slides = self.slides_fetched(grid, [2]);
            self.each(grid, &slides, 2, reach, 1, &mut mean);
        }
        (mean.value(), mean.left > 0 || mean.is_low())
    }

    /// Adds the best that the player can make of a tile on each empty cell, until the mean is low.
    fn each(&mut self, grid: Grid, slides: &Slides, rank: u8, reach: Reach, weight: i64, mean: &mut Partial) {
        // What the last tile on a row, or in a column, came to by each direction.
        let nothing = Last { board: Nibbles::new(0), value: 0, is_exact: true };
        let (mut by_rows, mut by_columns) = ([nothing; 2], [[nothing; 2]; 4]);
        let mut first = 0;
        let mut empty = grid.rows.empty();
        while empty != 0 && !self.meter.is_over {
            let cell = empty.trailing_zeros() as usize / 4;
            empty &= empty - 1;
            let slides = slides.with_tile(grid, cell, rank);
            let needed = mean.needed(weight);
            let (mut best, mut best_of) = (NONE, first);
            // The direction first that was the best for the tile before.
            for direction in [first, first ^ 1, first ^ 2, first ^ 3] {
                let (slid, before) = slides[direction];
                if slid == before {
                    continue;
                }
                let is_rows = direction > 1;
                let last = match is_rows {
                    true => &mut by_rows[direction & 1],
                    false => &mut by_columns[cell % 4][direction & 1],
                };
                let alpha = needed.max(best);
                if last.board != slid || !last.is_exact && last.value > alpha {
                    let grid = if is_rows { Grid::of_rows(slid) } else { Grid::of_columns(slid) };
                    let value = self.chance::<false>(grid, reach, alpha);
                    *last = Last { board: slid, value, is_exact: value > alpha };
                }
                if last.value > best {
                    (best, best_of) = (last.value, direction);
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

/// The mean over all tiles that may come, as far as it is known.
struct Partial {
    /// How often all tiles together come: a 2 nine times as often as a 4.
    parts: i64,
    /// The sum of what is known, each as often as it comes, and how often the others come.
    sum: i64,
    left: i64,
    /// What a board is worth at most.
    most: i64,
    /// The greatest sum with a mean that is not above the `alpha` of the board; `NONE` without an
    /// `alpha`.
    low: i64,
}

/// All values are above: they have 45 bits. A tile that must be worth more than less than that need
/// only be looked at.
const LEAST: i64 = -(1 << 47);

impl Partial {
    fn new(parts: i64, most: i64, alpha: i64) -> Partial {
        // The mean is rounded to the nearest, and up from a half.
        let low = if alpha == NONE { NONE } else { parts * alpha + (parts - 1) / 2 };
        Partial { parts, sum: 0, left: parts, most, low }
    }

    /// What a tile that comes so often must be worth more than, or the mean is low.
    fn needed(&self, weight: i64) -> i64 {
        match self.low {
            NONE => NONE,
            low => (low - self.greatest() + weight * self.most).div_euclid(weight).max(LEAST),
        }
    }

    fn add(&mut self, weight: i64, value: i64) {
        self.sum += value;
        self.left -= weight;
    }

    /// The sum if the others lead to what a board is worth at most.
    fn greatest(&self) -> i64 {
        self.sum + self.left * self.most
    }

    /// True if the mean is not above `alpha`.
    fn is_low(&self) -> bool {
        self.low != NONE && self.greatest() <= self.low
    }

    /// The mean, at most.
    fn value(&self) -> i64 {
        Rules::rounded(self.greatest(), self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean is low exactly where it is not above `alpha`, and what a tile must be worth more
    /// than is the least that does it.
    #[test]
    fn a_mean_is_low_where_it_is_not_above_alpha() {
        for cells in [1, 3, 16] {
            for alpha in -40..40 {
                // Means with any tenth, some of them with a half.
                for (two, four) in
                    [(0, 0), (-7, 31), (13, -50), (40, 39), (0, 5), (0, 4), (-1, 4), (-1, 3), (5, 0), (-5, 0)]
                {
                    let (twos, fours) = (two * cells, four * cells);
                    let mean = Rules::mean(twos, Some(fours), cells as u32);
                    let mut partial = Partial::new(10 * cells, 1000, alpha);
                    partial.add(9 * cells, 9 * twos);
                    partial.add(cells, fours);
                    assert_eq!((partial.value(), partial.is_low()), (mean, mean <= alpha));
                    // Without 4s, and not all cells alike.
                    let mean = Rules::mean(twos + four, None, cells as u32);
                    let mut partial = Partial::new(cells, 1000, alpha);
                    partial.add(cells, twos + four);
                    assert_eq!((partial.value(), partial.is_low()), (mean, mean <= alpha));
                }
                for weight in [1, 9] {
                    let partial = || {
                        let mut partial = Partial::new(10 * cells, 1000, alpha);
                        if cells > 1 {
                            partial.add(9, 9 * 5);
                        }
                        partial
                    };
                    let needed = partial().needed(weight);
                    for (value, is_low) in [(needed, true), (needed + 1, false)] {
                        let mut partial = partial();
                        partial.add(weight, weight * value);
                        assert_eq!(partial.is_low(), is_low, "{cells} {alpha} {weight}");
                    }
                }
            }
        }
    }

    /// However far down, with values of 45 bits.
    #[test]
    fn what_is_needed_stays_in_bounds() {
        for most in [-1, 1, (1 << 45) - 1] {
            let mut alpha = -(1 << 45);
            for weight in [1, 9].into_iter().cycle().take(60) {
                let partial = Partial::new(160, most, alpha);
                let needed = partial.needed(weight);
                assert!((LEAST..=partial.most).contains(&needed), "{needed}");
                alpha = needed;
            }
            assert_eq!(alpha, LEAST);
        }
    }
}
