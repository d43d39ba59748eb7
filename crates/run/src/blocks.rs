//! Blocks of an experiment: the seeds that every player plays.

use gauntlet_core::game::Block;

/// Blocks of an experiment: one seed each, which every player plays once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockSeeds {
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

impl BlockSeeds {
    /// Returns the number of blocks, which is never 0.
    #[allow(clippy::len_without_is_empty, reason = "no experiment is without blocks")]
    pub fn len(&self) -> u64 {
        match self {
            BlockSeeds::Derived { games, .. } => *games,
            BlockSeeds::Listed(seeds) => seeds.len() as u64,
        }
    }

    /// Returns a block.
    ///
    /// # Panics
    /// If the block is not below [`BlockSeeds::len`].
    pub fn block(&self, block: u64) -> Block {
        assert!(block < self.len(), "there is no block {block}");
        match self {
            BlockSeeds::Derived { seed, .. } => Block::from_series(*seed, block),
            BlockSeeds::Listed(seeds) => Block::from_seed(seeds[block as usize]),
        }
    }

    /// Returns the seed of a block.
    ///
    /// # Panics
    /// If the block is not below [`BlockSeeds::len`].
    pub fn seed(&self, block: u64) -> u64 {
        self.block(block).seed
    }
}
