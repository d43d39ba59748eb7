//! An experiment: all that a configuration file asks for.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use gauntlet_core::arena::{Arena, Arenas, CheckedRules};
use gauntlet_core::assets::Assets;
use gauntlet_core::num::Seconds;
use gauntlet_run::blocks::Blocks;

use super::player::Entry;
use super::sections::Sections;
use super::sections::top::Use;
use super::written::ExperimentAsWritten;

/// An experiment, checked: [`parse`](super::parse) is the only way to get one.
#[derive(Clone)]
pub struct Experiment {
    pub(super) name: String,
    pub(super) arenas: Arenas,
    pub(super) arena: &'static Arena,
    pub(super) rules: CheckedRules,
    pub(super) blocks: Blocks,
    pub(super) planned_games: Option<u64>,
    pub(super) extended_from: Option<u64>,
    pub(super) max_moves: Option<NonZeroU32>,
    pub(super) max_seconds: Option<Seconds>,
    pub(super) entries: Vec<Entry>,
    pub(super) pairs: Vec<[usize; 2]>,
    pub(super) anchor: Option<usize>,
    pub(super) sections: Sections,
    pub(super) written: Arc<ExperimentAsWritten>,
    pub(super) text: String,
    pub(super) assets: Arc<Assets>,
}

impl Experiment {
    /// Its name, which can be the name of a folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The games of the program that has read it.
    pub fn arenas(&self) -> Arenas {
        self.arenas
    }

    /// The game.
    pub fn arena(&self) -> &'static Arena {
        self.arena
    }

    /// The rules of the game.
    pub fn rules(&self) -> &CheckedRules {
        &self.rules
    }

    /// The seeds to be played.
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// The number of games of each player that was named before any was seen, if it is said.
    pub fn planned_games(&self) -> Option<u64> {
        self.planned_games
    }

    /// After how many games of each player the others were added, if what those had shown was known
    /// by then.
    pub fn extended_from(&self) -> Option<u64> {
        self.extended_from
    }

    /// After how many moves a game is broken off, if ever.
    pub fn max_moves(&self) -> Option<NonZeroU32> {
        self.max_moves
    }

    /// After what time a game is broken off, if ever.
    pub fn max_seconds(&self) -> Option<Seconds> {
        self.max_seconds
    }

    /// The players, in the order of the file; at least one.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Pairs that play against each other, by their places among the players; empty in a game of
    /// one.
    pub fn pairs(&self) -> &[[usize; 2]] {
        &self.pairs
    }

    /// The player whose rating is 0, by its place among the players, if one is named.
    pub fn anchor(&self) -> Option<usize> {
        self.anchor
    }

    /// Its sections beside the players.
    pub fn sections(&self) -> &Sections {
        &self.sections
    }

    /// The key of the first section that lets another experiment play other games.
    pub fn other_games(&self, other: &Experiment) -> Option<&'static str> {
        self.sections.differing(&other.sections, &[Use::Games])
    }

    /// True if another version of the file asks for the same games and the same answers. Its
    /// comments and its form do not count. Nor does what another command reads, as `[tune]`.
    pub fn asks_the_same(&self, other: &Experiment) -> bool {
        // Every field is named, so that a new one is decided about here.
        let Experiment {
            name,
            arena,
            rules,
            blocks,
            planned_games,
            extended_from,
            max_moves,
            max_seconds,
            entries,
            pairs,
            anchor,
            sections,
            arenas: _,
            written: _,
            text: _,
            assets: _,
        } = self;
        *name == other.name
            && (arena.name, &rules.settings) == (other.arena.name, &other.rules.settings)
            && (blocks, *planned_games) == (&other.blocks, other.planned_games)
            && *extended_from == other.extended_from
            && (*max_moves, *max_seconds) == (other.max_moves, other.max_seconds)
            && entries.len() == other.entries.len()
            && entries.iter().zip(&other.entries).all(|(one, other)| one.is_same(other))
            && (pairs, *anchor) == (&other.pairs, other.anchor)
            && sections.differing(&other.sections, &[Use::Games, Use::Verdicts]).is_none()
    }

    /// The files that players are built from.
    pub fn assets(&self) -> &Arc<Assets> {
        &self.assets
    }

    /// The written form that it was checked from.
    pub fn written(&self) -> &ExperimentAsWritten {
        &self.written
    }

    /// The file, to the letter.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Its name and its text say it all.
impl fmt::Debug for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Experiment {:?}:\n{}", self.name, self.text)
    }
}
