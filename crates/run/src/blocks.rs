//! The blocks of an experiment: the seeds that every player plays.

use gauntlet_core::game::Block;

/// The blocks of an experiment: one seed each, which every player plays once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// A number of seeds, grown from one.
    Derived {
        /// The seed of the experiment.
        seed: u64,
        /// Number of blocks: games of each player, or in a game of two openings of each two
        /// players.
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
