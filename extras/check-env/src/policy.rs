//! Moves of the games that are played with the environment: random ones, and those of a small
//! expectimax search that reaches large tiles.

use gauntlet_core::rng::Rng;
use gauntlet_twenty48::eval::{Evaluation, Weights};
use gauntlet_twenty48::rules::{Afterstate, Board, Direction};

/// Weights of nneonneo's evaluation.
const WEIGHTS: [(&str, f64); 4] =
    [("empty", 540.0), ("merges", 700.0), ("monotonicity-power", -47.0), ("rank-power", -22.0)];

/// Value of a board without a legal move, below any other.
const LOST_VALUE: f64 = -1e9;

/// Search of one move and one tile.
pub(crate) struct Searcher(Evaluation);

impl Searcher {
    pub(crate) fn new() -> Searcher {
        Searcher(Weights::from_pairs(&WEIGHTS).compile())
    }

    /// Returns the move with the largest expected value after the next tile and the best reply.
    pub(crate) fn choose(&self, board: Board, legal: &[Direction]) -> Direction {
        let value = |&direction: &Direction| {
            board.slide(direction).map_or(LOST_VALUE, |after| self.expected_value(after))
        };
        let better_of =
            |best: (f64, Direction), next: (f64, Direction)| if next.0 > best.0 { next } else { best };
        let values = legal.iter().map(|direction| (value(direction), *direction));
        values.reduce(better_of).map_or(Direction::Up, |(_, direction)| direction)
    }

    fn expected_value(&self, after: Afterstate) -> f64 {
        let cells = (0..16).filter(|&cell| after.cells().rank(cell) == 0);
        let (mut sum, mut count) = (0.0, 0.0);
        for cell in cells {
            sum += 0.9 * self.best_value(after.place(cell, 1)) + 0.1 * self.best_value(after.place(cell, 2));
            count += 1.0;
        }
        sum / count
    }

    fn best_value(&self, board: Board) -> f64 {
        let replies = Direction::ALL.into_iter().filter_map(|direction| board.slide(direction));
        replies.map(|after| self.0.value(after.cells())).fold(LOST_VALUE, f64::max)
    }
}

/// Returns a random element of a list, which must not be empty.
pub(crate) fn choose_random<T: Copy>(list: &[T], rng: &mut Rng) -> T {
    list[rng.below(list.len() as u64) as usize]
}
