//! Star1: stops the search of a board after a move once it cannot beat the best of the other moves,
//! even if all remaining tiles led to the upper bound.

use gauntlet_twenty48::eval::IntegerEvaluation;
use gauntlet_twenty48::rules::{Grid, PackedLines};

use super::super::rules::Rules;
use super::super::table::Horizon;
use super::children::Slides;
use super::{NONE, Search};

/// Board after a move, with its value or an upper bound of it.
#[derive(Clone, Copy)]
struct LastResult {
    board: PackedLines,
    value: i64,
    is_exact: bool,
}

impl<E: IntegerEvaluation> Search<E> {
    /// Returns the mean over all possible tiles; without a reach for 4s, over 2s only. The flag is
    /// true if the mean is only an upper bound.
    ///
    /// Tiles after which boards are evaluated come first, then 2s, then 4s. After each, it checks
    /// whether the mean can still exceed `alpha` if all others lead to the upper bound.
    pub(super) fn bounded_mean(
        &mut self,
        grid: Grid,
        with_two: Horizon,
        with_four: Option<Horizon>,
        alpha: i64,
    ) -> (i64, bool) {
        // Nine of ten tiles are 2s.
        let (two_weight, total_weight) = if with_four.is_some() { (9, 10) } else { (1, 1) };
        let cells = i64::from(grid.rows.empty_mask().count_ones());
        let mut mean = PartialMean::new(total_weight * cells, self.upper_bound, alpha);
        let is_two_leaf = self.is_leaf::<false>(with_two);
        // Table entries are prefetched while other tiles are searched.
        let two_slides = (!is_two_leaf).then(|| self.prefetch_slides(grid, [1]));
        let four_horizon = with_four.filter(|&horizon| !self.is_leaf::<false>(horizon));
        match (is_two_leaf, with_four.is_some() && four_horizon.is_none()) {
            (true, true) => {
                let [twos, fours] = self.sum_leaves(grid, [1, 2]);
                mean.add(total_weight * cells, two_weight * twos + fours);
            }
            (true, false) => {
                let [twos] = self.sum_leaves(grid, [1]);
                mean.add(two_weight * cells, two_weight * twos);
            }
            (false, true) => {
                let [fours] = self.sum_leaves(grid, [2]);
                mean.add(cells, fours);
            }
            (false, false) => {}
        }
        if let Some(slides) = two_slides {
            self.add_tiles(grid, &slides, 1, with_two, two_weight, &mut mean);
        }
        if let Some(horizon) = four_horizon
            && !mean.is_low()
        {
            let slides = self.prefetch_slides(grid, [2]);
            self.add_tiles(grid, &slides, 2, horizon, 1, &mut mean);
        }
        (mean.value(), mean.remaining_weight > 0 || mean.is_low())
    }

    /// Adds the player's best value after a tile on each empty cell, until the mean is low.
    fn add_tiles(
        &mut self,
        grid: Grid,
        slides: &Slides,
        rank: u8,
        horizon: Horizon,
        weight: i64,
        mean: &mut PartialMean,
    ) {
        // Result of the last tile in each line, by direction.
        let no_result = LastResult { board: PackedLines::new(0), value: 0, is_exact: true };
        let mut last_results = [[no_result; 4]; 4];
        let mut first_direction = 0;
        let mut empty = grid.rows.empty_mask();
        while empty != 0 && !self.meter.is_over {
            let cell = empty.trailing_zeros() as usize / 4;
            empty &= empty - 1;
            let slides = slides.with_tile(grid, cell, rank);
            let required = mean.required_value(weight);
            let (mut best, mut best_direction) = (NONE, first_direction);
            // Start with the direction that was the best for the previous tile.
            for direction in [first_direction, first_direction ^ 1, first_direction ^ 2, first_direction ^ 3]
            {
                let (slide, line) = slides[direction];
                if !slide.moves() {
                    continue;
                }
                let last = &mut last_results[direction][line];
                let alpha = required.max(best);
                if last.board != slide.after || !last.is_exact && last.value > alpha {
                    let value = self.chance::<false>(slide.grid(), horizon, alpha);
                    *last = LastResult { board: slide.after, value, is_exact: value > alpha };
                }
                if last.value > best {
                    (best, best_direction) = (last.value, direction);
                }
            }
            first_direction = best_direction;
            let value = self.rules.position_value(Some(best).filter(|&best| best != NONE));
            mean.add(weight, weight * value);
            if mean.is_low() {
                return;
            }
        }
    }
}

/// Partial mean over all possible tiles.
struct PartialMean {
    /// Total weight of all tiles: a 2 counts nine times as much as a 4.
    total_weight: i64,
    /// Weighted sum of the known values, and the weight of the others.
    sum: i64,
    remaining_weight: i64,
    /// Upper bound of a board.
    upper_bound: i64,
    /// Largest sum whose mean is not above the `alpha` of the board; `NONE` without an `alpha`.
    low_limit: i64,
}

/// Number below all values, which have 45 bits. A tile that must exceed less than this always has
/// to be searched.
const MIN_REQUIRED_VALUE: i64 = -(1 << 47);

impl PartialMean {
    fn new(total_weight: i64, upper_bound: i64, alpha: i64) -> PartialMean {
        // The mean is rounded to the nearest, and halves up.
        let low_limit = if alpha == NONE { NONE } else { total_weight * alpha + (total_weight - 1) / 2 };
        PartialMean { total_weight, sum: 0, remaining_weight: total_weight, upper_bound, low_limit }
    }

    /// Returns the value that a tile of this weight must exceed, or else the mean is low.
    fn required_value(&self, weight: i64) -> i64 {
        match self.low_limit {
            NONE => NONE,
            low_limit => (low_limit - self.upper_bound_sum() + weight * self.upper_bound)
                .div_euclid(weight)
                .max(MIN_REQUIRED_VALUE),
        }
    }

    fn add(&mut self, weight: i64, value: i64) {
        self.sum += value;
        self.remaining_weight -= weight;
    }

    /// Returns the sum if the others lead to the upper bound.
    fn upper_bound_sum(&self) -> i64 {
        self.sum + self.remaining_weight * self.upper_bound
    }

    /// Returns true if the mean is not above `alpha`.
    fn is_low(&self) -> bool {
        self.low_limit != NONE && self.upper_bound_sum() <= self.low_limit
    }

    /// Returns the upper bound of the mean.
    fn value(&self) -> i64 {
        Rules::round_div(self.upper_bound_sum(), self.total_weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean is low exactly if it is not above `alpha`, and the value that a tile must exceed is
    /// the smallest that ensures it.
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
                    let mut partial = PartialMean::new(10 * cells, 1000, alpha);
                    partial.add(9 * cells, 9 * twos);
                    partial.add(cells, fours);
                    assert_eq!((partial.value(), partial.is_low()), (mean, mean <= alpha));
                    // Without 4s, and with unequal cells.
                    let mean = Rules::mean(twos + four, None, cells as u32);
                    let mut partial = PartialMean::new(cells, 1000, alpha);
                    partial.add(cells, twos + four);
                    assert_eq!((partial.value(), partial.is_low()), (mean, mean <= alpha));
                }
                for weight in [1, 9] {
                    let partial = || {
                        let mut partial = PartialMean::new(10 * cells, 1000, alpha);
                        if cells > 1 {
                            partial.add(9, 9 * 5);
                        }
                        partial
                    };
                    let required = partial().required_value(weight);
                    for (value, is_low) in [(required, true), (required + 1, false)] {
                        let mut partial = partial();
                        partial.add(weight, weight * value);
                        assert_eq!(partial.is_low(), is_low, "{cells} {alpha} {weight}");
                    }
                }
            }
        }
    }

    /// At any depth, with values of 45 bits.
    #[test]
    fn what_is_needed_stays_in_bounds() {
        for upper_bound in [-1, 1, (1 << 45) - 1] {
            let mut alpha = -(1 << 45);
            for weight in [1, 9].into_iter().cycle().take(60) {
                let partial = PartialMean::new(160, upper_bound, alpha);
                let required = partial.required_value(weight);
                assert!((MIN_REQUIRED_VALUE..=partial.upper_bound).contains(&required), "{required}");
                alpha = required;
            }
            assert_eq!(alpha, MIN_REQUIRED_VALUE);
        }
    }
}
