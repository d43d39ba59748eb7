//! Random games of a few moves, one after the other. Each has two streams of chance of its own, one
//! for tiles and one for directions, as whole games played side by side have (`batch`).

use gauntlet_core::rng::{Rng, Seed};

use super::by_lines::ByLines;
use crate::rules::{After, Board, Direction};

/// Tiles and directions of playout `n`.
fn streams(seed: Seed, n: u64) -> (Rng, Rng) {
    (seed.child("world", n).rng(), seed.child("player", n).rng())
}

/// Any of four directions, legal or not.
#[inline]
fn direction(dice: &mut Rng) -> Direction {
    Direction::ALL[(dice.bits() >> 62) as usize]
}

/// Result of a playout of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Playout {
    /// Points since the first slide, without those of that slide.
    pub(super) points: u64,
    /// Cells that are empty in the end.
    pub(super) empty: u32,
    /// Slides, without the first.
    pub(super) slides: u64,
}

/// A playout of the program after the first slide: a tile, then `draws` draws of a direction. A
/// draw that moves nothing counts, and no tile comes after it.
pub(super) fn of_the_program(after: After, draws: u32, seed: Seed, n: u64) -> Playout {
    let (mut world, mut dice) = streams(seed, n);
    let before = Board::new(after.cells()).potential();
    let (mut board, first) = after.spawn(&mut world);
    let mut fours = first.fours;
    let mut slides = 0;
    for _ in 0..draws {
        if let Some(after) = board.slide(direction(&mut dice)) {
            let (next, spawned) = after.spawn(&mut world);
            board = next;
            fours += spawned.fours;
            slides += 1;
        }
    }
    // A merge raises the potential by its points, and so does a 4 that comes by itself, by 4: no
    // move is counted.
    let points = board.potential() - before - 4 * u64::from(fours);
    Playout { points, empty: board.cells().empty(), slides }
}

/// Draws of directions in a playout of the article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draws {
    /// Of all four; those in vain count.
    All,
    /// Of all four; those in vain count, and the third ends the playout.
    UntilThirdInVain,
    /// Of those that move something.
    Legal,
}

/// A playout of the article after the first slide, with no tile before the second one: what its
/// last board is worth, and how many slides there were.
pub(super) fn of_the_article(
    evaluation: &impl ByLines,
    after: After,
    depth: u32,
    draws: Draws,
    seed: Seed,
    n: u64,
) -> (f64, u64) {
    let (mut world, mut dice) = streams(seed, n);
    let mut board = Board::new(after.cells());
    let mut in_vain = 0;
    let mut slides = 0;
    let mut left = depth;
    while left > 0 {
        left -= 1;
        match board.slide(direction(&mut dice)) {
            Some(after) => {
                board = after.spawn(&mut world).0;
                slides += 1;
            }
            // Only a draw in vain can be the sign of the end, so nothing else is asked of most
            // boards.
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
    (evaluation.worth(board.cells()), slides)
}
