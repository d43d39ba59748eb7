//! Training game that is learned from while it is played.

use std::collections::VecDeque;

use gauntlet_core::learning::Episode;
use gauntlet_core::rng::{Rng, Seed};
use gauntlet_twenty48::rules::{Afterstate, Board};

use super::beginnings::Beginning;
use super::method::LearningMethod;
use super::weights::TrainingWeights;
use crate::network::Network;
use crate::network::options::BoardMoves;
use crate::network::places::{MOST_PLACES, WeightIndices};

/// Game, before a move.
pub(super) struct Game {
    world: Rng,
    board: Board,
    /// Moves of the board. Their weights have been prefetched since it was reached.
    options: BoardMoves,
    /// Indices of the board after the last move, if boards learn from one error each.
    last: WeightIndices,
    /// Last boards after moves, if boards learn from several errors.
    waiting: VecDeque<PendingUpdate>,
    episode: Episode,
}

/// Board that has not learned yet.
struct PendingUpdate {
    places: WeightIndices,
    /// Its error, once known.
    error: f32,
}

impl Game {
    pub(super) fn begin(seed: Seed, from: Beginning, network: &Network) -> Game {
        let mut world = seed.rng();
        let board = from.board(&mut world);
        let mut options = BoardMoves::default();
        options.generate(board, network);
        Game {
            world,
            board,
            options,
            last: [0; MOST_PLACES],
            waiting: VecDeque::new(),
            episode: Episode { score: 0, moves: 0 },
        }
    }

    /// Lets the boards learn whose errors are known by now, and plays a move; `seen` sees the
    /// boards before and after it. Returns the episode if there is no move, and the game is over.
    #[inline]
    pub(super) fn play(
        &mut self,
        weights: &mut TrainingWeights,
        manner: &LearningMethod,
        seen: impl FnOnce(Board, Afterstate),
    ) -> Option<Episode> {
        let best = self.options.best_move(&weights.network);
        let target = best.map_or(0.0, |(_, worth)| worth);
        let places = best.map(|(at, _)| self.options.indices(at));
        if manner.reach > 1 {
            learn_delayed(&mut self.waiting, target, places, weights, manner);
        } else {
            if self.episode.moves > 0 {
                let error = target - weights.network.sum(&self.last);
                weights.correct(&self.last, error);
            }
            if let Some(places) = places {
                self.last = *places;
                weights.prefetch(places);
            }
        }
        let Some((at, _)) = best else { return Some(self.episode) };
        let turn = self.options.get(at);
        self.episode.score += turn.gain;
        self.episode.moves += 1;
        seen(self.board, turn.after);
        self.board = turn.after.spawn(&mut self.world).0;
        self.options.generate(self.board, &weights.network);
        None
    }
}

/// Sets the error of the newest waiting board, and lets the boards learn whose errors are now
/// known. Then the next board, with these indices, starts to wait; without one, all learn.
fn learn_delayed(
    waiting: &mut VecDeque<PendingUpdate>,
    target: f32,
    next: Option<&WeightIndices>,
    weights: &mut TrainingWeights,
    manner: &LearningMethod,
) {
    if let Some(last) = waiting.back_mut() {
        last.error = target - weights.network.sum(&last.places);
    }
    while waiting.len() >= manner.reach || (next.is_none() && !waiting.is_empty()) {
        let error = waiting.iter().rev().fold(0.0, |later, board| board.error + manner.lambda * later);
        let first = waiting.pop_front().expect("a board waits");
        weights.correct(&first.places, error);
    }
    if let Some(&places) = next {
        waiting.push_back(PendingUpdate { places, error: 0.0 });
    }
    waiting.front().inspect(|first| weights.prefetch(&first.places));
}
