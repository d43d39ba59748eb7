//! Training game that is learned from while it is played.

use std::collections::VecDeque;

use gauntlet_core::learning::Episode;
use gauntlet_core::rng::{Rng, Seed};
use gauntlet_twenty48::rules::{Afterstate, Board};

use super::initial_positions::InitialPosition;
use super::method::LearningSettings;
use super::weights::TrainingWeights;
use crate::network::Network;
use crate::network::board_moves::BoardMoves;
use crate::network::weight_indices::{MAX_INDICES, WeightIndices};

/// Game, before a move.
pub(super) struct Game {
    game_rng: Rng,
    board: Board,
    /// Moves of the board. Their weights have been prefetched since it was reached.
    board_moves: BoardMoves,
    /// Indices of the board after the last move, if boards learn from one error each.
    last_indices: WeightIndices,
    /// Last boards after moves, if boards learn from several errors.
    pending_updates: VecDeque<PendingUpdate>,
    episode: Episode,
}

/// Board that has not learned yet.
struct PendingUpdate {
    indices: WeightIndices,
    /// Its error, once known.
    error: f32,
}

impl Game {
    pub(super) fn begin(seed: Seed, start: InitialPosition, network: &Network) -> Game {
        let mut game_rng = seed.rng();
        let board = start.board(&mut game_rng);
        let mut board_moves = BoardMoves::default();
        board_moves.generate(board, network);
        Game {
            game_rng,
            board,
            board_moves,
            last_indices: [0; MAX_INDICES],
            pending_updates: VecDeque::new(),
            episode: Episode { score: 0, moves: 0 },
        }
    }

    /// Lets the boards learn whose errors are known by now, and plays a move; `seen` sees the
    /// boards before and after it. Returns the episode if there is no move, and the game is over.
    #[inline]
    pub(super) fn play(
        &mut self,
        weights: &mut TrainingWeights,
        learning_method: &LearningSettings,
        on_move: impl FnOnce(Board, Afterstate),
    ) -> Option<Episode> {
        let best = self.board_moves.best_move(&weights.network);
        let target = best.map_or(0.0, |(_, value)| value);
        let indices = best.map(|(index, _)| self.board_moves.indices(index));
        if learning_method.trace_length > 1 {
            learn_delayed(&mut self.pending_updates, target, indices, weights, learning_method);
        } else {
            if self.episode.moves > 0 {
                let error = target - weights.network.sum(&self.last_indices);
                weights.correct(&self.last_indices, error);
            }
            if let Some(indices) = indices {
                self.last_indices = *indices;
                weights.prefetch(indices);
            }
        }
        let Some((index, _)) = best else { return Some(self.episode) };
        let legal_move = self.board_moves.get(index);
        self.episode.score += legal_move.gain;
        self.episode.moves += 1;
        on_move(self.board, legal_move.after);
        self.board = legal_move.after.spawn(&mut self.game_rng).0;
        self.board_moves.generate(self.board, &weights.network);
        None
    }
}

/// Sets the error of the newest waiting board, and lets the boards learn whose errors are now
/// known. Then the next board, with these indices, starts to wait; without one, all learn.
fn learn_delayed(
    pending_updates: &mut VecDeque<PendingUpdate>,
    target: f32,
    next_indices: Option<&WeightIndices>,
    weights: &mut TrainingWeights,
    learning_method: &LearningSettings,
) {
    if let Some(last) = pending_updates.back_mut() {
        last.error = target - weights.network.sum(&last.indices);
    }
    while pending_updates.len() >= learning_method.trace_length
        || (next_indices.is_none() && !pending_updates.is_empty())
    {
        let error = pending_updates
            .iter()
            .rev()
            .fold(0.0, |later, board| board.error + learning_method.lambda * later);
        let first = pending_updates.pop_front().expect("a board waits");
        weights.correct(&first.indices, error);
    }
    if let Some(&indices) = next_indices {
        pending_updates.push_back(PendingUpdate { indices, error: 0.0 });
    }
    pending_updates.front().inspect(|first| weights.prefetch(&first.indices));
}
