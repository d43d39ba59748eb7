//! An experiment as written: the keys of its head in one list, its players and its sections.

use std::borrow::Cow;
use std::num::{NonZeroU32, NonZeroU64};

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::num::Seconds;
use gauntlet_core::settings::content::{KeyContent, ValueList};
use gauntlet_core::settings::section::{self, KeyDeclaration, KeyVisitor, SectionKeys, declare};
use gauntlet_core::settings::tree::TomlTable;

use super::blocks::{GameCount, SeedNumber};
use super::catalog::Catalog;
use super::name::FileSafeName;
use super::pairings::Pairings;
use super::player::PlayerAsWritten;
use super::reference::Reference;
use super::sections::SectionsAsWritten;

/// Largest file in bytes: enough for three million seeds, and a limit for endless input.
pub const MAX_FILE_BYTES: usize = 64 << 20;

declare! {
    /// An experiment as written.
    pub(super) struct ExperimentAsWritten {
        /// Name of the experiment and of its results folder.
        pub(super) must name: KeyContent<FileSafeName>, "[name](#names)";
        /// Game to play.
        pub(super) must game: KeyContent<String>, r#"`"2048"` or `"gomoku"`"#;
        /// Seed from which all games are derived.
        pub(super) key seed: KeyContent<SeedNumber>, _, "required unless `seeds` is set";
        /// Games per player; in a two-player game, games per pairing, an even number.
        pub(super) key games: KeyContent<GameCount>, _, "required unless `seeds` is set";
        /// Seeds to play, instead of `seed` and `games`.
        pub(super) key seeds: KeyContent<ValueList<SeedNumber>>, "list of distinct seeds", "none";
        /// Pairings of a two-player game: all pairs, the first player against each other player, or
        /// a list.
        pub(super) key pairings: KeyContent<Pairings>, r#"`"round-robin"`, `"gauntlet"` or a list of pairs of players"#,
            r#"`"round-robin"`"#;
        /// Player with rating 0, in a two-player game.
        pub(super) key anchor: KeyContent<Reference>, "name of a player, or a table", "none";
        /// Games per player that were planned before the first game.
        pub(super) key planned_games: KeyContent<NonZeroU64>, "whole number, 1 to `games`", "none";
        /// Games per player before the run was extended.
        pub(super) key extended_from: KeyContent<NonZeroU64>, "whole number, 1 to less than `games`", "none";
        /// Maximum number of moves per game.
        pub(super) key max_moves: KeyContent<NonZeroU32>, "whole number, 1 to 4294967295", "no limit";
        /// Maximum wall time per game, in seconds.
        pub(super) key max_seconds: KeyContent<Seconds>, "number from 0.001 to 1000000", "no limit";
    } also {
        /// Keys that rules of any game have.
        pub(super) rule_keys: Vec<&'static str>,
        pub(super) rules: TomlTable,
        pub(super) players: Vec<PlayerAsWritten>,
        pub(super) sections: SectionsAsWritten,
    } by visit_remaining_keys
}

impl ExperimentAsWritten {
    fn visit_remaining_keys(&mut self, keys: &mut KeyVisitor) {
        keys.rest(Some(&self.rule_keys), &mut self.rules);
        let player = KeyDeclaration {
            name: "player",
            kind: Cow::Borrowed("tables, `[[player]]`"),
            default: "",
            meaning: &["One or more [players](#players)."],
        };
        if !keys.tables(player, &mut self.players) {
            keys.blame(
                Diagnostic::for_file("there is no player").with_help("each player begins with `[[player]]`"),
            );
        }
        self.sections.keys(keys);
    }

    /// Creates an empty experiment, to be read with the rules and sections of a catalog.
    pub(super) fn empty(catalog: Catalog) -> ExperimentAsWritten {
        let rule_keys = catalog.games.iter().flat_map(|arena| arena.rule_keys().iter().copied()).collect();
        let drivers = catalog.sections.iter().map(|section| section.0()).collect();
        let sections = SectionsAsWritten { drivers, ..SectionsAsWritten::default() };
        ExperimentAsWritten { rule_keys, sections, ..ExperimentAsWritten::default() }
    }
}

/// Returns the sections of a file with their keys, except those of games and algorithms. The
/// section without a name is the head of the file.
pub fn section_keys(catalog: Catalog) -> Vec<SectionKeys> {
    section::list_sections(ExperimentAsWritten::empty(catalog))
}
