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
    pub(super) switch_rank: u8,
    /// Search for smaller tiles.
    pub(super) early_search: Box<dyn Player<Twenty48>>,
    /// Search from that tile on.
    pub(super) late_search: Box<dyn Player<Twenty48>>,
    /// True if the second search made the last choice.
    pub(super) used_late_search: bool,
}

impl Player<Twenty48> for TwoSearches {
    fn begin(&mut self, start: &Start<Twenty48>) {
        self.early_search.begin(start);
        self.late_search.begin(start);
        self.used_late_search = false;
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        self.used_late_search = position.board().cells().max_rank() >= self.switch_rank;
        if self.used_late_search {
            self.late_search.choose(position)
        } else {
            self.early_search.choose(position)
        }
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        if self.used_late_search { self.late_search.abilities() } else { self.early_search.abilities() }
    }
}
