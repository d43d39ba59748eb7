//! Blocks: the unit of pairing, one seed each, from which all randomness of its games derives.

use super::outcome::Seat;
use crate::rng::Seed;

/// Block as a game sees it: its seed, and its position in a series of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Seed of all randomness in the block.
    pub seed: u64,
    /// Series of the block: the experiment's seed, or 0 if the experiment lists seeds.
    pub series: u64,
    /// Number within the series, unique there; if the experiment lists seeds, the seed itself.
    pub number: u64,
}

impl Block {
    /// Creates the block of a seed that belongs to no series.
    pub const fn from_seed(seed: u64) -> Block {
        Block { seed, series: 0, number: seed }
    }

    /// Creates the block with this number in the series of an experiment's seed.
    pub const fn from_series(series: u64, number: u64) -> Block {
        Block { seed: Seed::block_seed(series, number), series, number }
    }

    /// Returns the seed of randomness that belongs to no player. It is equal for every line-up and
    /// for both legs of a duel.
    pub const fn game_seed(self) -> Seed {
        Seed::root(self.seed).child("world", 0)
    }

    /// Returns the seed of the private stream of the player in this seat, in this leg of the block.
    pub const fn seat_seed(self, leg: usize, seat: Seat) -> Seed {
        Seed::root(self.seed).child("seat", (2 * leg + seat.number()) as u64)
    }
}

/// Opening of a block, in a game with openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Opening as in `games.csv`.
    pub text: String,
    /// Cluster number, equal for openings that are symmetric images of each other, because their
    /// results are not independent.
    pub cluster: u64,
}
