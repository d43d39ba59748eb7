//! The blocks of an experiment, and the numbers in a file that make them.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use crate::game::Block;
use crate::rng::SEED_LIMIT;

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
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct SeedNumber(pub(super) u64);

impl<'de> Deserialize<'de> for SeedNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SeedNumber, D::Error> {
        let limit = SEED_LIMIT - 1;
        let expecting = format!("a whole number from 0 to {limit}");
        let read = |number| match u64::try_from(number) {
            Ok(seed) if seed < SEED_LIMIT => Ok(SeedNumber(seed)),
            _ => Err(format!("a seed is a whole number from 0 to {limit}")),
        };
        deserializer.deserialize_any(WholeNumber { expecting, read })
    }
}

/// Games of each player.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct GameCount(pub(super) u64);

/// The most games of one player. More are a slip of the finger: at a million games a second they would take over a
/// quarter of an hour for each player, and the slowest players need a second for each game.
const MOST_EACH: u64 = 1_000_000_000;

impl GameCount {
    /// This number of games; or what is wrong with it.
    pub(super) fn of(games: i128) -> Result<GameCount, String> {
        match u64::try_from(games) {
            _ if games <= 0 => Err("each player must play at least 1 game".to_owned()),
            Ok(games) if games <= MOST_EACH => Ok(GameCount(games)),
            _ => Err(format!("each player may play at most {MOST_EACH} games")),
        }
    }
}

impl<'de> Deserialize<'de> for GameCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<GameCount, D::Error> {
        let expecting = format!("a whole number from 1 to {MOST_EACH}");
        deserializer.deserialize_any(WholeNumber { expecting, read: GameCount::of })
    }
}

/// Reads a whole number of any size and checks it with `read`, which has its own range and its own words.
struct WholeNumber<F> {
    expecting: String,
    read: F,
}

impl<T, F: Fn(i128) -> Result<T, String>> Visitor<'_> for WholeNumber<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.expecting)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_i128(number.into())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        self.visit_i128(number.into())
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<T, E> {
        (self.read)(number).map_err(E::custom)
    }
}
