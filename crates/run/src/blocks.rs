//! Blocks of an experiment: the seeds that every player plays.

use gauntlet_core::game::Block;

/// Blocks of an experiment: one seed each, which every player plays once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Seeds derived from one seed.
    Derived {
        /// Seed of the experiment.
        seed: u64,
        /// Number of blocks: games of each player, or openings of each pairing in a duel.
        games: u64,
    },
    /// Seeds listed in the experiment, all different.
    Listed(Vec<u64>),
}

impl Blocks {
    /// Returns the number of blocks, which is never 0.
    #[allow(clippy::len_without_is_empty, reason = "no experiment is without blocks")]
    pub fn len(&self) -> u64 {
        match self {
            Blocks::Derived { games, .. } => *games,
            Blocks::Listed(seeds) => seeds.len() as u64,
        }
    }

    /// Returns a block.
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

    /// Returns the seed of a block.
    ///
    /// # Panics
    /// If the block is not below [`Blocks::len`].
    pub fn seed(&self, block: u64) -> u64 {
        self.block(block).seed
    }
}
