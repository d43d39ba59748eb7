//! Batched games of one player, for players that evaluate many positions at once. For example, a
//! network evaluates a thousand boards in the time of a few.
//!
//! When a game ends, the next one begins, so that as many are open as the player asks for. Each
//! game has its own random stream, so its play does not depend on which games are open together. If
//! the player crashes, the culprit is unknown: the game that began first is lost, and the others
//! restart.

use std::fmt::Write;

use crate::game::{Block, Game, Seat};
use crate::player::{Choice, NoMove, RemotePlayer, Start};
use crate::record::{Complaint, Ending, Fault, GameRecord};
use crate::rng::Rng;

/// Game in play.
pub(super) struct OpenGame<G: Game> {
    /// Index among the blocks.
    pub(super) block_index: usize,
    pub(super) position: G,
    game_rng: Rng,
    nodes: u64,
    /// Moves, if they are kept.
    moves: Option<String>,
}

/// Finished game.
pub(super) struct FinishedGame {
    pub(super) record: GameRecord,
    pub(super) complaint: Option<Complaint>,
    pub(super) nodes: u64,
    pub(super) moves: Option<String>,
}

/// Open and finished games of a batch.
pub(super) struct Batch<'a, G: Game> {
    blocks: &'a [Block],
    rules: &'a G::Rules,
    max_moves: u32,
    keeps_moves: bool,
    /// Open games, by their numbers.
    open_games: Vec<Option<OpenGame<G>>>,
    /// Finished games that were not returned yet, by their index among the blocks.
    finished: Vec<Option<FinishedGame>>,
    /// Number of leading games that were returned.
    returned_count: usize,
    next_block: usize,
}

impl<'a, G: Game> Batch<'a, G> {
    pub(super) fn new(
        blocks: &'a [Block],
        rules: &'a G::Rules,
        max_games: usize,
        max_moves: u32,
        keeps_moves: bool,
    ) -> Batch<'a, G> {
        let open_games = (0..max_games.min(blocks.len())).map(|_| None).collect();
        let finished = blocks.iter().map(|_| None).collect();
        Batch {
            blocks,
            rules,
            max_moves,
            keeps_moves,
            open_games,
            finished,
            returned_count: 0,
            next_block: 0,
        }
    }

    /// Begins games until the maximum number is open.
    pub(super) fn fill(&mut self, player: &mut dyn RemotePlayer<G>) {
        for number in 0..self.open_games.len() {
            while self.open_games[number].is_none() && self.next_block < self.blocks.len() {
                let block_index = self.next_block;
                self.next_block += 1;
                self.begin(number, block_index, player);
                // A game can be over before its first move.
                self.close_if_over(number, player);
            }
        }
    }

    fn begin(&mut self, number: usize, block_index: usize, player: &mut dyn RemotePlayer<G>) {
        let block = self.blocks[block_index];
        let mut game_rng = block.game_seed().rng();
        let position = G::open(self.rules, block, &mut game_rng);
        let seat = Seat::First;
        player.begin_numbered(number, &Start { seed: block.seat_seed(0, seat), seat, rules: self.rules });
        let moves = self.keeps_moves.then(String::new);
        self.open_games[number] = Some(OpenGame { block_index, position, game_rng, nodes: 0, moves });
    }

    /// Restarts all open games, for a rebuilt player.
    pub(super) fn restart_all(&mut self, player: &mut dyn RemotePlayer<G>) {
        for number in 0..self.open_games.len() {
            if let Some(block_index) = self.open_games[number].as_ref().map(|open| open.block_index) {
                self.begin(number, block_index, player);
            }
        }
    }

    /// Returns the numbers and positions of the open games.
    pub(super) fn open_positions(&self) -> Vec<(usize, &G)> {
        let open_games = self.open_games.iter().enumerate();
        open_games.filter_map(|(number, open)| Some((number, &open.as_ref()?.position))).collect()
    }

    /// Plays the player's answer in one game. Returns true if it made a move, and false if the game
    /// ended by the player's fault.
    pub(super) fn play(
        &mut self,
        number: usize,
        answer: Result<Choice<G::Move>, NoMove>,
        player: &mut dyn RemotePlayer<G>,
    ) -> bool {
        let game = self.open_games[number].as_mut().expect("it was asked about");
        let (fault, reason) = match answer {
            Ok(choice) => {
                game.nodes = game.nodes.saturating_add(choice.nodes);
                if game.position.play(choice.mv, &mut game.game_rng).is_ok() {
                    if let Some(moves) = &mut game.moves {
                        let separator = if moves.is_empty() { "" } else { " " };
                        let _ = write!(moves, "{separator}{}", choice.mv);
                    }
                    self.close_if_over(number, player);
                    return true;
                }
                (Fault::IllegalMove, format!("illegal move {}", choice.mv))
            }
            Err(NoMove::Forfeit(forfeit)) => (forfeit.fault, forfeit.reason.to_string()),
            Err(NoMove::Interrupted | NoMove::CannotPlay(_)) => return false,
        };
        self.forfeit(number, fault, reason);
        false
    }

    /// Counts the games lost by the player's fault since the last other ending, among the leading
    /// finished games.
    pub(super) fn count_failures(&self) -> u32 {
        let finished = self.finished[self.returned_count..].iter().map_while(Option::as_ref);
        finished.fold(0, |failures, finished| if finished.complaint.is_some() { failures + 1 } else { 0 })
    }

    /// Takes at most this number of finished games before the first unfinished one, with the index
    /// of the first.
    pub(super) fn take_leading(&mut self, max_games: usize) -> Option<(usize, Vec<FinishedGame>)> {
        let first = self.returned_count;
        let finished: Vec<FinishedGame> =
            self.finished[first..].iter_mut().take(max_games).map_while(Option::take).collect();
        self.returned_count += finished.len();
        (!finished.is_empty()).then_some((first, finished))
    }

    /// Takes at most this number of the next finished games that are consecutive, with the index of
    /// the first.
    pub(super) fn take_any(&mut self, max_games: usize) -> Option<(usize, Vec<FinishedGame>)> {
        self.returned_count +=
            self.finished[self.returned_count..].iter().take_while(|finished| finished.is_none()).count();
        self.take_leading(max_games)
    }

    /// Ends the open game that began first, by this fault.
    pub(super) fn forfeit_first(&mut self, fault: Fault, reason: String) {
        let games = self
            .open_games
            .iter()
            .enumerate()
            .filter_map(|(number, open)| Some((open.as_ref()?.block_index, number)));
        if let Some((_, number)) = games.min() {
            self.forfeit(number, fault, reason);
        }
    }

    fn forfeit(&mut self, number: usize, fault: Fault, reason: String) {
        let position = self.open_games[number].as_ref().map(|open| &open.position);
        let complaint = position.map(|position| Complaint::new(fault, reason, position));
        self.close(number, Ending::Fault(Seat::First, fault), complaint);
    }

    fn close_if_over(&mut self, number: usize, player: &mut dyn RemotePlayer<G>) {
        let Some(game) = &self.open_games[number] else { return };
        let is_over = game.position.to_move().is_none();
        // Nearly all moves end here: the state, with its sum of points, is not needed.
        if !is_over && self.max_moves == u32::MAX {
            return;
        }
        let state = game.position.state();
        let ending = if is_over {
            if state.is_cut_short { Ending::Until } else { Ending::GameOver }
        } else if state.moves >= self.max_moves {
            Ending::MaxMoves
        } else {
            return;
        };
        player.end(number, state.outcome);
        self.close(number, ending, None);
    }

    fn close(&mut self, number: usize, ending: Ending, complaint: Option<Complaint>) {
        let Some(OpenGame { block_index, position, nodes, moves, .. }) = self.open_games[number].take()
        else {
            return;
        };
        let record = GameRecord::new(position.state(), ending);
        self.finished[block_index] = Some(FinishedGame { record, complaint, nodes, moves });
    }
}
