//! Player with another search for boards with a large tile.
//!
//! A network sees the last stages of long games rarely in training, so a hand-written evaluation
//! can be better there. The search changes when a large tile appears: the other tiles are small
//! then, so the second search can arrange them. The largest tile only grows, so a game changes its
//! search at most once.

use gauntlet_core::player::{Abilities, Choice, NoMove, Player, Start};
use gauntlet_twenty48::rules::{Direction, Twenty48};

/// Player of two searches.
pub(super) struct TwoSearches {
    /// Rank of the largest tile from which the second search plays.
    pub(super) from: u8,
    /// Search for smaller tiles.
    pub(super) early: Box<dyn Player<Twenty48>>,
    /// Search from that tile on.
    pub(super) late: Box<dyn Player<Twenty48>>,
    /// True if the second search made the last choice.
    pub(super) was_late: bool,
}

impl Player<Twenty48> for TwoSearches {
    fn begin(&mut self, start: &Start<Twenty48>) {
        self.early.begin(start);
        self.late.begin(start);
        self.was_late = false;
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        self.was_late = position.board().cells().max_rank() >= self.from;
        if self.was_late { self.late.choose(position) } else { self.early.choose(position) }
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        if self.was_late { self.late.abilities() } else { self.early.abilities() }
    }
}
