//! The unit of pairing: one seed, and what grows from it.

use super::outcome::Seat;
use crate::rng::Seed;

/// A block as a game sees it: what its chance grows from, and which of a series of blocks it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Seed of all chance in the block.
    pub seed: u64,
    /// The series that it belongs to: the seed of the experiment. 0 where the experiment lists
    /// seeds.
    pub series: u64,
    /// Its number in the series, which no other block of the series has: its seed, where the
    /// experiment lists seeds.
    pub number: u64,
}

impl Block {
    /// The block of a seed that belongs to no series.
    pub const fn of_seed(seed: u64) -> Block {
        Block { seed, series: 0, number: seed }
    }

    /// The block of this number in the series that grows from an experiment's seed.
    pub const fn of_series(series: u64, number: u64) -> Block {
        Block { seed: Seed::of_block(series, number), series, number }
    }

    /// The chance of the block that belongs to no player: the same for every line-up, and for both
    /// legs of a duel.
    pub const fn world(self) -> Seed {
        Seed::root(self.seed).child("world", 0)
    }

    /// The private stream of the player in this seat, in this leg of the block.
    pub const fn seat(self, leg: usize, seat: Seat) -> Seed {
        Seed::root(self.seed).child("seat", (2 * leg + seat.number()) as u64)
    }
}

/// Opening of a block, in a game with openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// As `games.csv` has it.
    pub text: String,
    /// The same number for openings that are images of each other by a symmetry of the game: what
    /// they show is not independent.
    pub cluster: u64,
}
