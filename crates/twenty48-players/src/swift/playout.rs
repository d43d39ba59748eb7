//! Random games of a few moves, one after another. Each has two random streams, one for tiles and
//! one for directions, like whole games played in parallel (`batch`).

use gauntlet_core::rng::{Rng, Seed};
use gauntlet_twenty48::rules::{Afterstate, Board, Direction};

use super::line_evaluation::LineEvaluation;

/// Returns the streams for tiles and directions of playout `n`.
fn streams(seed: Seed, n: u64) -> (Rng, Rng) {
    (seed.child("world", n).rng(), seed.child("player", n).rng())
}

/// Draws any of four directions, legal or not.
#[inline]
fn draw_direction(player_rng: &mut Rng) -> Direction {
    Direction::ALL[(player_rng.bits() >> 62) as usize]
}

/// Result of a playout of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Playout {
    /// Points since the first slide, without the points of that slide.
    pub(super) points: u64,
    /// Number of empty cells at the end.
    pub(super) empty: u32,
    /// Number of slides, without the first.
    pub(super) slides: u64,
}

/// Plays a playout of the program after the first slide: a tile, then `draws` draws of a direction.
/// A draw that moves nothing counts, and no tile follows it.
pub(super) fn play_program_playout(after: Afterstate, draws: u32, seed: Seed, n: u64) -> Playout {
    let (mut game_rng, mut player_rng) = streams(seed, n);
    let initial_potential = Board::new(after.cells()).potential();
    let (mut board, first_spawn) = after.spawn(&mut game_rng);
    let mut fours = first_spawn.fours;
    let mut slides = 0;
    for _ in 0..draws {
        if let Some(after) = board.slide(draw_direction(&mut player_rng)) {
            let (next, spawn_count) = after.spawn(&mut game_rng);
            board = next;
            fours += spawn_count.fours;
            slides += 1;
        }
    }
    // A merge raises the potential by its points, and so does a spawned 4, by 4: no move needs to
    // be counted.
    let points = board.potential() - initial_potential - 4 * u64::from(fours);
    Playout { points, empty: board.cells().count_empty(), slides }
}

/// Draws of directions in a playout of the article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draws {
    /// From all four; illegal ones count.
    All,
    /// From all four; illegal ones count, and the third ends the playout.
    UntilThirdIllegal,
    /// From the legal ones.
    Legal,
}

/// Plays a playout of the article after the first slide, with no tile before the second one.
/// Returns the value of its last board, and the number of slides.
pub(super) fn play_article_playout(
    evaluation: &impl LineEvaluation,
    after: Afterstate,
    depth: u32,
    draws: Draws,
    seed: Seed,
    n: u64,
) -> (f64, u64) {
    let (mut game_rng, mut player_rng) = streams(seed, n);
    let mut board = Board::new(after.cells());
    let mut illegal_draws = 0;
    let mut slides = 0;
    let mut remaining_draws = depth;
    while remaining_draws > 0 {
        remaining_draws -= 1;
        match board.slide(draw_direction(&mut player_rng)) {
            Some(after) => {
                board = after.spawn(&mut game_rng).0;
                slides += 1;
            }
            // Only an illegal draw can indicate the end, so most boards need no other check.
            None if board.is_over() => break,
            None => match draws {
                Draws::All => {}
                Draws::UntilThirdIllegal if illegal_draws == 2 => break,
                Draws::UntilThirdIllegal => illegal_draws += 1,
                // Redrawn until legal, so that each legal direction is equally likely.
                Draws::Legal => remaining_draws += 1,
            },
        }
    }
    (evaluation.fast_value(board.cells()), slides)
}
