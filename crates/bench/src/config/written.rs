//! An experiment as written: the keys of its head, in one list, its players and its sections.

use std::num::{NonZeroU32, NonZeroU64};

use super::blocks::{GameCount, SeedNumber};
use super::name::Name;
use super::pairings::Pairings;
use super::player::PlayerAsWritten;
use super::reference::Reference;
use super::sections::SectionsAsWritten;
use crate::arena::Arena;
use crate::diagnostic::Diagnostic;
use crate::num::Seconds;
use crate::settings::Written;
use crate::settings::section::{self, Keys, Many, Said, Section};
use crate::settings::tree::{self, Table};

/// The longest file: room for three million seeds, and an end to what has none.
pub const MOST_BYTES: usize = 64 << 20;

/// An experiment as written: in a file, or by a command that makes or changes one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExperimentAsWritten {
    pub(crate) name: Said<Name>,
    pub(super) game: Said<String>,
    pub(super) seed: Said<SeedNumber>,
    pub(super) games: Said<GameCount>,
    pub(super) seeds: Said<Many<SeedNumber>>,
    pub(super) pairings: Said<Pairings>,
    pub(super) anchor: Said<Reference>,
    pub(super) planned_games: Said<NonZeroU64>,
    pub(super) extended_from: Said<NonZeroU64>,
    pub(super) max_moves: Said<NonZeroU32>,
    pub(super) max_seconds: Said<Seconds>,
    /// The keys that rules of a game have, whichever it is.
    pub(super) rule_keys: Vec<&'static str>,
    pub(super) rules: Table,
    pub(super) players: Vec<PlayerAsWritten>,
    pub(crate) sections: SectionsAsWritten,
}

impl Section for ExperimentAsWritten {
    fn keys(&mut self, keys: &mut Keys) {
        keys.must("name", &mut self.name);
        keys.must("game", &mut self.game);
        keys.key("seed", &mut self.seed);
        keys.key("games", &mut self.games);
        keys.key("seeds", &mut self.seeds);
        keys.key("pairings", &mut self.pairings);
        keys.key("anchor", &mut self.anchor);
        keys.key("planned_games", &mut self.planned_games);
        keys.key("extended_from", &mut self.extended_from);
        keys.key("max_moves", &mut self.max_moves);
        keys.key("max_seconds", &mut self.max_seconds);
        keys.rest(Some(&self.rule_keys), &mut self.rules);
        if !keys.tables("player", "player", &mut self.players) {
            keys.blame(
                Diagnostic::of_file("there is no player").helped("each begins with a line `[[player]]`"),
            );
        }
        self.sections.keys(keys);
    }
}

impl ExperimentAsWritten {
    /// Reads the keys of a file, which may be about one of these games.
    pub(super) fn read(table: Table, games: &[Arena], mistakes: &mut Vec<Diagnostic>) -> ExperimentAsWritten {
        let rule_keys = games.iter().flat_map(|arena| arena.rule_keys().iter().copied()).collect();
        let begun = ExperimentAsWritten { rule_keys, ..ExperimentAsWritten::default() };
        section::read(begun, &Written { table, header: 0..0 }, mistakes)
    }

    /// As a file.
    pub fn to_toml(&self) -> String {
        tree::document(&section::table(self))
    }
}

/// The keys that each section of a file may have, by its dotted name, besides those of a game and of an
/// algorithm. The section without a name is the head of the file.
pub fn section_keys() -> Vec<(String, Vec<&'static str>)> {
    section::listed::<ExperimentAsWritten>()
}
