//! Legal moves of a board, with the network's values.

use gauntlet_twenty48::rules::Board;

use super::Network;
use super::places::{MOST_PLACES, WeightIndices};
use super::turns::{LegalMove, legal_moves};

/// Legal moves of a board, each with the indices of its weights.
pub struct BoardMoves {
    turns: [Option<LegalMove>; 4],
    places: [WeightIndices; 4],
}

impl Default for BoardMoves {
    fn default() -> BoardMoves {
        BoardMoves { turns: [None; 4], places: [[0; MOST_PLACES]; 4] }
    }
}

impl BoardMoves {
    /// Generates the moves of a board. If the caches cannot hold the weights, those of all moves
    /// are prefetched before the first is read.
    #[inline]
    pub fn generate(&mut self, board: Board, network: &Network) {
        let mut all = legal_moves(board);
        for (turn, places) in self.turns.iter_mut().zip(&mut self.places) {
            *turn = all.next();
            let Some(turn) = turn else { break };
            network.compute_and_prefetch(turn.after.cells(), places);
        }
    }

    /// Returns the best move with the sum of its points and the value of the board after it; among
    /// equals the first.
    #[inline]
    pub fn best_move(&self, network: &Network) -> Option<(usize, f32)> {
        let mut best = None;
        for (at, (turn, value)) in self.iter_values(network).enumerate() {
            let worth = turn.gain as f32 + value;
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((at, worth));
            }
        }
        best
    }

    /// Iterates over the moves, each with the value of the board after it.
    #[inline]
    pub fn iter_values(&self, network: &Network) -> impl Iterator<Item = (LegalMove, f32)> {
        let turns = self.turns.iter().map_while(|turn| *turn);
        turns.zip(&self.places).map(|(turn, places)| (turn, network.sum(places)))
    }

    /// Returns one of the moves.
    #[inline]
    pub fn get(&self, at: usize) -> LegalMove {
        self.turns[at].expect("there are as many moves")
    }

    /// Returns the indices of the weights of the board after one of the moves.
    #[inline]
    pub fn indices(&self, at: usize) -> &WeightIndices {
        &self.places[at]
    }
}
