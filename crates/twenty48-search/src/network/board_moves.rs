//! Legal moves of a board, with the network's values.

use gauntlet_twenty48::rules::Board;

use super::Network;
use super::legal_moves::{LegalMove, legal_moves};
use super::weight_indices::{MAX_INDICES, WeightIndices};

/// Legal moves of a board, each with the indices of its weights.
pub struct BoardMoves {
    moves: [Option<LegalMove>; 4],
    indices: [WeightIndices; 4],
}

impl Default for BoardMoves {
    fn default() -> BoardMoves {
        BoardMoves { moves: [None; 4], indices: [[0; MAX_INDICES]; 4] }
    }
}

impl BoardMoves {
    /// Generates the moves of a board. If the caches cannot hold the weights, those of all moves
    /// are prefetched before the first is read.
    #[inline]
    pub fn generate(&mut self, board: Board, network: &Network) {
        let mut moves = legal_moves(board);
        for (legal_move, indices) in self.moves.iter_mut().zip(&mut self.indices) {
            *legal_move = moves.next();
            let Some(legal_move) = legal_move else { break };
            network.compute_and_prefetch(legal_move.after.cells(), indices);
        }
    }

    /// Returns the best move with the sum of its points and the value of the board after it; among
    /// equals the first.
    #[inline]
    pub fn best_move(&self, network: &Network) -> Option<(usize, f32)> {
        let mut best = None;
        for (index, (legal_move, value)) in self.iter_values(network).enumerate() {
            let move_value = legal_move.gain as f32 + value;
            if best.is_none_or(|(_, best_value)| move_value > best_value) {
                best = Some((index, move_value));
            }
        }
        best
    }

    /// Iterates over the moves, each with the value of the board after it.
    #[inline]
    pub fn iter_values(&self, network: &Network) -> impl Iterator<Item = (LegalMove, f32)> {
        let moves = self.moves.iter().map_while(|legal_move| *legal_move);
        moves.zip(&self.indices).map(|(legal_move, indices)| (legal_move, network.sum(indices)))
    }

    /// Returns one of the moves.
    #[inline]
    pub fn get(&self, index: usize) -> LegalMove {
        self.moves[index].expect("there are as many moves")
    }

    /// Returns the indices of the weights of the board after one of the moves.
    #[inline]
    pub fn indices(&self, index: usize) -> &WeightIndices {
        &self.indices[index]
    }
}
