//! Random games from a board, one after the other.
//!
//! Each has a stream of chance of its own. So a playout may draw once more after its game is over, and it may be
//! played beside others: neither sways any other.

use super::judge::Judge;
use crate::games::twenty48::{After, Board, Direction};
use crate::rng::Rng;

/// Any of four directions, legal or not.
#[inline]
fn direction(rng: &mut Rng) -> Direction {
    Direction::ALL[(rng.bits() >> 62) as usize]
}

/// What a playout of the program came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Points since the first slide, without those of that slide.
    pub(super) points: u64,
    /// Cells that are empty in the end.
    pub(super) empty: u32,
    /// Slides, without the first.
    pub(super) slides: u64,
}

/// A playout of the program after the first slide: a tile, then so many draws of a direction, or without a limit until
/// the game is over. A draw that moves nothing counts, and no tile comes after it.
pub(super) fn of_the_program(after: After, draws: Option<u32>, rng: &mut Rng) -> Outcome {
    let before = Board::new(after.cells()).potential();
    let (mut board, first) = after.spawn(rng);
    let mut fours = first.fours;
    let mut slides = 0;
    let mut left = draws.unwrap_or(u32::MAX);
    while left > 0 {
        // Counted only where there is a limit: a game without one may not end before so many draws.
        left -= u32::from(draws.is_some());
        match board.slide(direction(rng)) {
            Some(after) => {
                let (next, spawned) = after.spawn(rng);
                board = next;
                fours += spawned.fours;
                slides += 1;
            }
            // Only a draw in vain can be the sign of the end, so nothing else is asked of most boards.
            None if board.is_over() => break,
            None => {}
        }
    }
    // A merge raises the potential by its points, and so does a 4 that comes by itself, by 4: no move is counted.
    let points = board.potential() - before - 4 * u64::from(fours);
    Outcome { points, empty: board.cells().empty(), slides }
}

/// How a playout of the article draws directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draws {
    /// Of all four; those in vain count.
    All,
    /// Of all four; those in vain count, and the third ends the playout.
    UntilThirdInVain,
    /// Of those that move something.
    Legal,
}

/// A playout of the article after the first slide, with no tile before the second one: what its last board is worth,
/// and how many slides there were.
pub(super) fn of_the_article(
    judge: &impl Judge,
    after: After,
    depth: u32,
    draws: Draws,
    rng: &mut Rng,
) -> (f64, u64) {
    let mut board = Board::new(after.cells());
    let mut in_vain = 0;
    let mut slides = 0;
    let mut left = depth;
    while left > 0 {
        left -= 1;
        match board.slide(direction(rng)) {
            Some(after) => {
                board = after.spawn(rng).0;
                slides += 1;
            }
            None if board.is_over() => break,
            None => match draws {
                Draws::All => {}
                Draws::UntilThirdInVain if in_vain == 2 => break,
                Draws::UntilThirdInVain => in_vain += 1,
                // Drawn again, until one is legal: so each of these is as likely as any other.
                Draws::Legal => left += 1,
            },
        }
    }
    (judge.worth(board.cells()), slides)
}
