//! The legal moves of a board, and what a network gives for each.

use super::Network;
use super::places::{MOST_PLACES, Places};
use super::turns::{Turn, turns};
use crate::rules::Board;

/// The legal moves of a board, each with the places of its weights.
pub struct Options {
    turns: [Option<Turn>; 4],
    places: [Places; 4],
}

impl Default for Options {
    fn default() -> Options {
        Options { turns: [None; 4], places: [[0; MOST_PLACES]; 4] }
    }
}

impl Options {
    /// Looks at a board. The weights of all moves are fetched before the first is read, where they
    /// are far.
    #[inline]
    pub fn look(&mut self, board: Board, network: &Network) {
        let mut all = turns(board);
        for (turn, places) in self.turns.iter_mut().zip(&mut self.places) {
            *turn = all.next();
            let Some(turn) = turn else { break };
            network.places_fetched(turn.after.cells(), places);
        }
    }

    /// The best move, with its points and the value of the board after it together; of equals the
    /// first.
    #[inline]
    pub fn best(&self, network: &Network) -> Option<(usize, f32)> {
        let mut best = None;
        for (at, (turn, value)) in self.valued(network).enumerate() {
            let worth = turn.gain as f32 + value;
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((at, worth));
            }
        }
        best
    }

    /// Each move, with the value of the board after it.
    #[inline]
    pub fn valued(&self, network: &Network) -> impl Iterator<Item = (Turn, f32)> {
        let turns = self.turns.iter().map_while(|turn| *turn);
        turns.zip(&self.places).map(|(turn, places)| (turn, network.sum(places)))
    }

    /// One of the moves.
    #[inline]
    pub fn turn(&self, at: usize) -> Turn {
        self.turns[at].expect("there are as many moves")
    }

    /// The places of the weights of the board after one of the moves.
    #[inline]
    pub fn places(&self, at: usize) -> &Places {
        &self.places[at]
    }
}
