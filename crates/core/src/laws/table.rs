//! Plays games with every step visible. The arena plays faster, but shows only results.

use crate::arena::{self, Entry, ReplayStep, Worker};
use crate::game::{Block, Game, Seat};
use crate::player::{BuildContext, Player, Start};
use crate::record::GameRecord;
use crate::rng::{Rng, Seed};

/// Entry that plays alone, against itself in a duel.
pub trait SelfPlay {
    /// Returns a line-up with this entry in each seat.
    fn lineup(&self) -> Vec<&Entry>;

    /// Builds the player for one thread.
    fn build_worker(&self, max_moves: Option<u32>) -> anyhow::Result<Worker>;

    /// Plays the game of one seed and shows every step.
    fn replay(
        &self,
        max_moves: Option<u32>,
        seed: u64,
        show: &mut dyn FnMut(&ReplayStep),
    ) -> anyhow::Result<(GameRecord, Option<String>)>;
}

impl SelfPlay for Entry {
    fn lineup(&self) -> Vec<&Entry> {
        vec![self; self.shape().players()]
    }

    fn build_worker(&self, max_moves: Option<u32>) -> anyhow::Result<Worker> {
        arena::build_worker(&self.lineup(), max_moves, &BuildContext::default())
    }

    fn replay(
        &self,
        max_moves: Option<u32>,
        seed: u64,
        show: &mut dyn FnMut(&ReplayStep),
    ) -> anyhow::Result<(GameRecord, Option<String>)> {
        arena::replay(
            &self.lineup(),
            max_moves,
            arena::ReplayRequest { block: Block::from_seed(seed), leg: 0, asks_values: false },
            &BuildContext::default(),
            show,
        )
    }
}

/// Creates one block for each seed, in order.
pub fn blocks(seeds: impl IntoIterator<Item = u64>) -> Vec<Block> {
    seeds.into_iter().map(Block::from_seed).collect()
}

/// Returns the generator of a block's world, such as its stream of tiles.
pub fn new_game_rng(block: u64) -> Rng {
    Seed::root(block).child("world", 0).rng()
}

/// Returns the private seed of a block's only player.
pub fn seat_seed(block: u64) -> Seed {
    Seed::root(block).child("seat", 0)
}

/// Begins a game for the player of the first seat, with the default rules.
pub fn begin<G: Game>(player: &mut (impl Player<G> + ?Sized), seed: Seed) {
    player.begin(&Start { seed, seat: Seat::First, rules: &G::Rules::default() });
}

/// Plays the game of a block with one player per seat, and shows each move with the positions
/// before and after it.
pub fn play<G: Game>(
    players: &mut [&mut dyn Player<G>],
    block: u64,
    mut show: impl FnMut(&G, G::Move, &G),
) -> G {
    let mut game_rng = new_game_rng(block);
    let mut position = G::open(&G::Rules::default(), Block::from_seed(block), &mut game_rng);
    for (player, &seat) in players.iter_mut().zip(G::INFO.shape.seats()) {
        let seed = Block::from_seed(block).seat_seed(0, seat);
        player.begin(&Start { seed, seat, rules: &G::Rules::default() });
    }
    while let Some(seat) = position.to_move() {
        let mv = players[seat.number()].choose(&position).expect("a player that does not give up").mv;
        let before = position.clone();
        position.play(mv, &mut game_rng).expect("a legal move");
        show(&before, mv, &position);
    }
    position
}
