//! The blocks of an experiment, and the numbers in a file that make them.

use crate::diagnostic::Diagnostic;
use crate::game::Block;
use crate::rng::SEED_LIMIT;
use crate::settings::content::{Wire, whole};
use crate::settings::tree::{Placed, Value};

/// The blocks of an experiment: one seed each, which every player plays once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// A number of seeds, grown from one.
    Derived {
        /// The seed of the experiment.
        seed: u64,
        /// Number of blocks: games of each player, or in a game of two openings of each two players.
        games: u64,
    },
    /// The seeds that the file lists, each different from the others.
    Listed(Vec<u64>),
}

impl Blocks {
    /// Number of them; never 0.
    #[allow(clippy::len_without_is_empty, reason = "no experiment is without blocks")]
    pub fn len(&self) -> u64 {
        match self {
            Blocks::Derived { games, .. } => *games,
            Blocks::Listed(seeds) => seeds.len() as u64,
        }
    }

    /// A block.
    ///
    /// # Panics
    /// If the block is not below [`Blocks::len`].
    pub fn block(&self, block: u64) -> Block {
        assert!(block < self.len(), "there is no block {block}");
        match self {
            Blocks::Derived { seed, .. } => Block::of_series(*seed, block),
            Blocks::Listed(seeds) => Block::of_seed(seeds[block as usize]),
        }
    }

    /// The seed of a block.
    ///
    /// # Panics
    /// If the block is not below [`Blocks::len`].
    pub fn seed(&self, block: u64) -> u64 {
        self.block(block).seed
    }
}

/// A seed that can be written as a TOML integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SeedNumber(pub(super) u64);

impl Wire for SeedNumber {
    fn read(written: &Placed, mistakes: &mut Vec<Diagnostic>) -> Option<SeedNumber> {
        let range = format!("a whole number from 0 to {}", SEED_LIMIT - 1);
        whole(written, &range, mistakes, |number| match u64::try_from(number) {
            Ok(seed) if seed < SEED_LIMIT => Ok(SeedNumber(seed)),
            _ => Err(format!("a seed is {range}")),
        })
    }

    fn write(&self) -> Value {
        Value::Whole(self.0.into())
    }
}

/// Games of each player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GameCount(pub(super) u64);

/// The most games of one player. More are a slip of the finger: at a million games a second they would take
/// over a quarter of an hour for each player, and the slowest players need a second for each game.
const MOST_EACH: u64 = 1_000_000_000;

impl GameCount {
    /// The number of games that a text says; or what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<u64, String> {
        let games = text.parse().map_err(|_| format!("must be a whole number from 1 to {MOST_EACH}"))?;
        GameCount::of(games).map(|GameCount(games)| games)
    }

    /// This number of games; or what is wrong with it.
    pub(super) fn of(games: i128) -> Result<GameCount, String> {
        match u64::try_from(games) {
            _ if games <= 0 => Err("each player must play at least 1 game".to_owned()),
            Ok(games) if games <= MOST_EACH => Ok(GameCount(games)),
            _ => Err(format!("each player may play at most {MOST_EACH} games")),
        }
    }
}

impl Wire for GameCount {
    fn read(written: &Placed, mistakes: &mut Vec<Diagnostic>) -> Option<GameCount> {
        whole(written, &format!("a whole number from 1 to {MOST_EACH}"), mistakes, GameCount::of)
    }

    fn write(&self) -> Value {
        Value::Whole(self.0.into())
    }
}
