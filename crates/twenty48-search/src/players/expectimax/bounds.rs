//! Upper bounds on the values of boards.
//!
//! The tiles of a board have a sum, which grows by a 2 or a 4 with each move. So the boards in a
//! search have one of a few sums. The value of a board is at most the value of the best four rows
//! with such a sum, plus the value of the best four columns. These need not form one board.

use gauntlet_core::player::Preparation;
use gauntlet_twenty48::eval::IntegerEvaluation;
use gauntlet_twenty48::rules::PackedLines;

/// Number below any value, and below any sum of four.
const NONE: f64 = -1e300;

/// Limit of the sums of boards, or of lines, in halves. Boards that could reach 65,536 are left to
/// the search without tables.
const SUM_LIMIT: usize = 1 << 15;

/// Smallest number of sums for which bounds are computed.
const MIN_SUMS: usize = 1 << 8;

/// Upper bounds of an evaluation, by sums of tiles. The values are exact both as whole and as
/// floating-point numbers; every processor can add and compare several of the latter at once.
///
/// For all sums, they take as long as everything else of a player that is built. Most games end far
/// below the largest sum, so they are computed for all sums below a limit, which doubles when a
/// board reaches it.
#[derive(Default)]
pub(super) struct Bounds {
    rows: Pairs,
    columns: Pairs,
    /// Bound for each sum of a board below the limit, or `NONE` until it is computed, which takes
    /// some microseconds.
    boards: Vec<f64>,
    /// Takes the time of extending the bounds, which is no thinking.
    preparation: Preparation,
}

/// Best values of two lines and of the two others, for each possible sum.
#[derive(Clone, Default)]
struct Pairs {
    /// In ascending order of sums.
    first_pair: Vec<f64>,
    /// In descending order of sums.
    second_pair: Vec<f64>,
}

impl Bounds {
    /// Returns bounds, none of which is computed, if an evaluation consists of sums over lines
    /// alone.
    pub(super) fn new<E: IntegerEvaluation>(preparation: Preparation) -> Option<Bounds> {
        (!E::HAS_BOARD_FEATURES).then(|| Bounds { preparation, ..Bounds::default() })
    }

    /// Returns the maximum value of any board that a search of this depth reaches from this one.
    pub(super) fn upper_bound<E: IntegerEvaluation>(
        &mut self,
        evaluation: &E,
        rows: PackedLines,
        depth: u32,
    ) -> i64 {
        let sum = half_sum(rows);
        let max_sum = sum + 2 * depth as usize;
        self.prepare(evaluation, max_sum);
        (sum..=max_sum).map(|sum| self.bound_for_sum(sum)).max().expect("a sum")
    }

    /// Computes what bounds of boards up to this sum, in halves, need.
    pub(super) fn prepare<E: IntegerEvaluation>(&mut self, evaluation: &E, max_sum: usize) {
        if max_sum >= self.boards.len() && self.boards.len() < SUM_LIMIT {
            let limit = (max_sum + 1).next_power_of_two().clamp(MIN_SUMS, SUM_LIMIT);
            self.preparation.clone().run(|| self.extend(evaluation, limit));
        }
    }

    /// Computes the best pairs for all sums below a limit.
    #[cold]
    fn extend<E: IntegerEvaluation>(&mut self, evaluation: &E, limit: usize) {
        let row = |index: usize| best_by_sum(limit, |line| evaluation.row(index, line).into());
        let column = best_by_sum(limit, |line| evaluation.column(line).into());
        let column_pairs = best_pairs(limit, &column, &column);
        self.columns = Pairs::new(column_pairs.clone(), column_pairs);
        self.rows = match evaluation.one_table() {
            Some(_) => self.columns.clone(),
            None => Pairs::new(best_pairs(limit, &row(0), &row(1)), best_pairs(limit, &row(2), &row(3))),
        };
        self.boards.resize(limit, NONE);
    }

    fn bound_for_sum(&mut self, sum: usize) -> i64 {
        if self.boards[sum] == NONE {
            self.boards[sum] = self.rows.best(sum) + self.columns.best(sum);
        }
        self.boards[sum] as i64
    }
}

impl Pairs {
    fn new(first_pair: Vec<f64>, mut second_pair: Vec<f64>) -> Pairs {
        second_pair.reverse();
        Pairs { first_pair, second_pair }
    }

    /// Returns the best value of four lines with this sum.
    fn best(&self, sum: usize) -> f64 {
        const LANES: usize = 8;
        let greater = |best: f64, value: f64| if value > best { value } else { best };
        let (first_chunks, rest) = self.first_pair[..=sum].as_chunks::<LANES>();
        let (second_chunks, other_rest) =
            self.second_pair[self.second_pair.len() - 1 - sum..].as_chunks::<LANES>();
        let mut best = [NONE; LANES];
        for (one, other) in first_chunks.iter().zip(second_chunks) {
            best = std::array::from_fn(|i| greater(best[i], one[i] + other[i]));
        }
        let rest = rest.iter().zip(other_rest).map(|(one, other)| one + other);
        rest.chain(best).fold(NONE, greater)
    }
}

/// Returns half the sum of the tiles of a board.
pub(super) fn half_sum(rows: PackedLines) -> usize {
    (0..16).map(|cell| half_tile(rows.word() >> (4 * cell) & 15)).sum()
}

/// Returns half the value of the tile of this rank.
fn half_tile(rank: u64) -> usize {
    (1 << rank) / 2
}

/// Returns the possible sums of lines below a limit, with the best value of a line for each.
fn best_by_sum(limit: usize, value: impl Fn(u16) -> i64) -> Vec<(usize, f64)> {
    let mut best = vec![NONE; limit];
    for line in 0..=u16::MAX {
        let sum: usize = (0..4).map(|cell| half_tile(u64::from(line) >> (4 * cell) & 15)).sum();
        if let Some(best) = best.get_mut(sum) {
            *best = best.max(value(line) as f64);
        }
    }
    best.into_iter().enumerate().filter(|&(_, value)| value != NONE).collect()
}

/// Returns the best value of two lines for each sum of both below a limit.
fn best_pairs(limit: usize, one: &[(usize, f64)], other: &[(usize, f64)]) -> Vec<f64> {
    let mut best = vec![NONE; limit];
    for &(sum, value) in one {
        for &(other_sum, other_value) in other.iter().take_while(|other| sum + other.0 < limit) {
            let best = &mut best[sum + other_sum];
            *best = best.max(value + other_value);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use gauntlet_twenty48::eval::{EvaluationVisitor, Weights};
    use gauntlet_twenty48::testing::{raise_tiles, random_boards};

    use super::*;

    /// Calls a test with an evaluation of these weights.
    fn with_evaluation(weights: &str, check: impl EvaluationVisitor) {
        let weights: Weights = toml::from_str(weights).expect("weights");
        weights.compile_exact(1e6, check);
    }

    /// Returns bounds, none of which is computed.
    fn bounds_of<E: IntegerEvaluation>(_: &E) -> Bounds {
        Bounds::new::<E>(Preparation::default()).expect("bounds")
    }

    /// Returns bounds that are computed for all sums.
    fn computed_bounds<E: IntegerEvaluation>(evaluation: &E) -> Bounds {
        let mut bounds = bounds_of(evaluation);
        bounds.extend(evaluation, SUM_LIMIT);
        bounds
    }

    /// With lines of empty cells, 2s and 4s, every four lines form a board. So the bound of a sum
    /// is exactly the value of the best four rows plus the best four columns.
    #[test]
    fn a_bound_is_the_best_of_four_lines() {
        struct BoundCheck;
        impl EvaluationVisitor for BoundCheck {
            type Built = ();
            fn visit(self, evaluation: impl IntegerEvaluation) {
                let mut bounds = computed_bounds(&evaluation);
                let ranks = [0, 1, 2];
                let mut lines = Vec::new();
                for (a, b, c, d) in combinations_of_four(&ranks) {
                    let line = a | b << 4 | c << 8 | d << 12;
                    let sum: usize = [a, b, c, d].into_iter().map(|rank| half_tile(rank.into())).sum();
                    // Four lines with a sum of 6 contain no tile larger than a 4.
                    if sum <= 3 {
                        lines.push((line, sum));
                    }
                }
                for sum in 0..=3 {
                    let mut best = [i64::MIN; 2];
                    for (a, b, c, d) in combinations_of_four(&lines) {
                        if a.1 + b.1 + c.1 + d.1 == sum {
                            let rows = [a, b, c, d].into_iter().enumerate();
                            let rows: i64 = rows.map(|(i, line)| evaluation.row(i, line.0).into()).sum();
                            let columns: i64 =
                                [a, b, c, d].into_iter().map(|line| evaluation.column(line.0).into()).sum();
                            best = [best[0].max(rows), best[1].max(columns)];
                        }
                    }
                    assert_eq!(bounds.bound_for_sum(sum), best[0] + best[1], "{sum}");
                }
            }
        }

        /// Lists all combinations of four items.
        fn combinations_of_four<T: Copy>(items: &[T]) -> impl Iterator<Item = (T, T, T, T)> {
            let number = items.len();
            (0..number.pow(4)).map(move |i| {
                let item = |position: u32| items[i / number.pow(position) % number];
                (item(0), item(1), item(2), item(3))
            })
        }

        for weights in
            ["empty = 3\nmerges = 5", "corner-slope = 0.5\nempty = -1", "snake-power = 1", "rank-power = 2"]
        {
            with_evaluation(weights, BoundCheck);
        }
    }

    #[test]
    fn no_board_is_worth_more_than_its_bound() {
        struct BoundCheck;
        impl EvaluationVisitor for BoundCheck {
            type Built = ();
            fn visit(self, evaluation: impl IntegerEvaluation) {
                let mut bounds = bounds_of(&evaluation);
                let mut count = 0;
                for (number, board) in random_boards(5).into_iter().enumerate() {
                    let cells = raise_tiles(board.cells(), 14, 1 + number as u8 % 9);
                    let Some(rows) = cells.nibbles_for(3) else { continue };
                    let (value, bound) = (evaluation.value(cells), bounds.upper_bound(&evaluation, rows, 0));
                    assert!(
                        value <= bound && bound <= bounds.upper_bound(&evaluation, rows, 3),
                        "{}",
                        cells.format_line()
                    );
                    count += 1;
                }
                assert!(count > 50, "{count}");
            }
        }

        for weights in [
            "empty = 270\nmerges = 700\nmonotonicity-power = -47\nrank-power = -11",
            "corner-slope = 1",
            "snake-linear = 2",
        ] {
            with_evaluation(weights, BoundCheck);
        }
    }

    /// Bounds that are extended step by step equal those that are computed for all sums at once.
    #[test]
    fn bounds_do_not_depend_on_the_limit() {
        struct BoundCheck;
        impl EvaluationVisitor for BoundCheck {
            type Built = ();
            fn visit(self, evaluation: impl IntegerEvaluation) {
                let (mut bounds, mut all_bounds) = (bounds_of(&evaluation), computed_bounds(&evaluation));
                let mut limits = Vec::new();
                for rank in 1..=13 {
                    for rows in [[0x0001, 0, 0, 0], [0x0011, 0x0111, 0, 0x0101], [0x1001, 0, 0x0110, 0x1110]]
                    {
                        let rows = PackedLines::from_lines(rows.map(|row: u16| row * rank));
                        let bound = bounds.upper_bound(&evaluation, rows, 2);
                        assert_eq!(bound, all_bounds.upper_bound(&evaluation, rows, 2), "{rows:?}");
                    }
                    limits.push(bounds.boards.len());
                }
                assert!(limits[0] == MIN_SUMS && limits[12] == SUM_LIMIT && limits.is_sorted(), "{limits:?}");
            }
        }
        for weights in ["corner-slope = 1\nempty = 30", "snake-power = 1"] {
            with_evaluation(weights, BoundCheck);
        }
    }

    /// The bound of a search to a depth of 3 includes three new 4s.
    #[test]
    fn a_bound_has_room_for_the_tiles_to_come() {
        struct BoundCheck;
        impl EvaluationVisitor for BoundCheck {
            type Built = ();
            fn visit(self, evaluation: impl IntegerEvaluation) {
                let mut bounds = bounds_of(&evaluation);
                let before = PackedLines::from_lines([0x1234, 0, 0, 0]);
                let after = PackedLines::from_lines([0x1234, 0x0222, 0, 0]);
                let (bound_before, bound_after) =
                    (bounds.upper_bound(&evaluation, before, 3), bounds.upper_bound(&evaluation, after, 0));
                assert!(
                    bounds.upper_bound(&evaluation, before, 2) < bound_after && bound_after <= bound_before,
                    "{bound_after} {bound_before}"
                );
            }
        }
        with_evaluation("snake-power = 1", BoundCheck);
    }
}
