//! Batched games of one player, for players that evaluate many positions at once. For example, a
//! network evaluates a thousand boards in the time of a few.
//!
//! When a game ends, the next one begins, so that as many are open as the player asks for. Each
//! game has its own random stream, so its play does not depend on which games are open together. If
//! the player crashes, the culprit is unknown: the game that began first is lost, and the others
//! restart.

use crate::game::{Block, Game, Seat};
use crate::player::{Choice, NoMove, RemotePlayer, Start};
use crate::record::{Complaint, Ending, Fault, GameRecord};
use crate::rng::Rng;

/// Game in play.
pub(super) struct OpenGame<G: Game> {
    /// Index among the blocks.
    pub(super) place: usize,
    pub(super) position: G,
    world: Rng,
    nodes: u64,
    /// Moves, if they are kept.
    kept: Option<String>,
}

/// Finished game.
pub(super) struct FinishedGame {
    pub(super) record: GameRecord,
    pub(super) complaint: Option<Complaint>,
    pub(super) nodes: u64,
    pub(super) kept: Option<String>,
}

/// Open and finished games of a batch.
pub(super) struct Batch<'a, G: Game> {
    blocks: &'a [Block],
    rules: &'a G::Rules,
    max_moves: u32,
    keeps_moves: bool,
    /// Open games, by their numbers.
    open: Vec<Option<OpenGame<G>>>,
    /// Finished games that were not returned yet, by their index among the blocks.
    over: Vec<Option<FinishedGame>>,
    /// Number of leading games that were returned.
    taken: usize,
    next: usize,
}

impl<'a, G: Game> Batch<'a, G> {
    pub(super) fn new(
        blocks: &'a [Block],
        rules: &'a G::Rules,
        most: usize,
        max_moves: u32,
        keeps_moves: bool,
    ) -> Batch<'a, G> {
        let open = (0..most.min(blocks.len())).map(|_| None).collect();
        let over = blocks.iter().map(|_| None).collect();
        Batch { blocks, rules, max_moves, keeps_moves, open, over, taken: 0, next: 0 }
    }

    /// Begins games until the maximum number is open.
    pub(super) fn fill(&mut self, player: &mut dyn RemotePlayer<G>) {
        for number in 0..self.open.len() {
            while self.open[number].is_none() && self.next < self.blocks.len() {
                let place = self.next;
                self.next += 1;
                self.begin(number, place, player);
                // A game can be over before its first move.
                self.close_if_over(number, player);
            }
        }
    }

    fn begin(&mut self, number: usize, place: usize, player: &mut dyn RemotePlayer<G>) {
        let block = self.blocks[place];
        let mut world = block.world_seed().rng();
        let position = G::open(self.rules, block, &mut world);
        let seat = Seat::First;
        player.begin_numbered(number, &Start { seed: block.seat_seed(0, seat), seat, rules: self.rules });
        let kept = self.keeps_moves.then(String::new);
        self.open[number] = Some(OpenGame { place, position, world, nodes: 0, kept });
    }

    /// Restarts all open games, for a rebuilt player.
    pub(super) fn restart_all(&mut self, player: &mut dyn RemotePlayer<G>) {
        for number in 0..self.open.len() {
            if let Some(place) = self.open[number].as_ref().map(|open| open.place) {
                self.begin(number, place, player);
            }
        }
    }

    /// Returns the numbers and positions of the open games.
    pub(super) fn open_positions(&self) -> Vec<(usize, &G)> {
        let open = self.open.iter().enumerate();
        open.filter_map(|(number, open)| Some((number, &open.as_ref()?.position))).collect()
    }

    /// Plays the player's answer in one game. Returns true if it made a move, and false if the game
    /// ended by the player's fault.
    pub(super) fn play(
        &mut self,
        number: usize,
        answer: Result<Choice<G::Move>, NoMove>,
        player: &mut dyn RemotePlayer<G>,
    ) -> bool {
        let open = self.open[number].as_mut().expect("it was asked about");
        let (fault, why) = match answer {
            Ok(thought) => {
                open.nodes = open.nodes.saturating_add(thought.nodes);
                if open.position.play(thought.mv, &mut open.world).is_ok() {
                    if let Some(kept) = &mut open.kept {
                        let blank = if kept.is_empty() { "" } else { " " };
                        *kept += &format!("{blank}{}", thought.mv);
                    }
                    self.close_if_over(number, player);
                    return true;
                }
                (Fault::IllegalMove, format!("illegal move {}", thought.mv))
            }
            Err(NoMove::Forfeit(forfeit)) => (forfeit.fault, forfeit.why.to_string()),
            Err(NoMove::Interrupted | NoMove::CannotStart(_)) => return false,
        };
        self.forfeit(number, fault, why);
        false
    }

    /// Counts the games lost by the player's fault since the last other ending, among the leading
    /// finished games.
    pub(super) fn count_failures(&self) -> u32 {
        let over = self.over[self.taken..].iter().map_while(Option::as_ref);
        over.fold(0, |failures, over| if over.complaint.is_some() { failures + 1 } else { 0 })
    }

    /// Takes at most this number of finished games before the first unfinished one, with the index
    /// of the first.
    pub(super) fn take_leading(&mut self, most: usize) -> Option<(usize, Vec<FinishedGame>)> {
        let first = self.taken;
        let over: Vec<FinishedGame> =
            self.over[first..].iter_mut().take(most).map_while(Option::take).collect();
        self.taken += over.len();
        (!over.is_empty()).then_some((first, over))
    }

    /// Takes at most this number of the next finished games that are consecutive, with the index of
    /// the first.
    pub(super) fn take_any(&mut self, most: usize) -> Option<(usize, Vec<FinishedGame>)> {
        self.taken += self.over[self.taken..].iter().take_while(|over| over.is_none()).count();
        self.take_leading(most)
    }

    /// Ends the open game that began first, by this fault.
    pub(super) fn forfeit_first(&mut self, fault: Fault, why: String) {
        let open =
            self.open.iter().enumerate().filter_map(|(number, open)| Some((open.as_ref()?.place, number)));
        if let Some((_, number)) = open.min() {
            self.forfeit(number, fault, why);
        }
    }

    fn forfeit(&mut self, number: usize, fault: Fault, why: String) {
        let position = self.open[number].as_ref().map(|open| &open.position);
        let complaint = position.map(|position| Complaint::new(fault, why, position));
        self.close(number, Ending::Fault(Seat::First, fault), complaint);
    }

    fn close_if_over(&mut self, number: usize, player: &mut dyn RemotePlayer<G>) {
        let Some(open) = &self.open[number] else { return };
        let standing = open.position.standing();
        let ending = if open.position.to_move().is_none() {
            if standing.is_cut_short { Ending::Until } else { Ending::GameOver }
        } else if standing.moves >= self.max_moves {
            Ending::MaxMoves
        } else {
            return;
        };
        player.end(number, standing.outcome);
        self.close(number, ending, None);
    }

    fn close(&mut self, number: usize, ending: Ending, complaint: Option<Complaint>) {
        let Some(OpenGame { place, position, nodes, kept, .. }) = self.open[number].take() else { return };
        let record = GameRecord::new(position.standing(), ending);
        self.over[place] = Some(FinishedGame { record, complaint, nodes, kept });
    }
}
