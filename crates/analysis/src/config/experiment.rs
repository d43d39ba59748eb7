//! An experiment: everything that a configuration file specifies.

use std::fmt;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

use gauntlet_core::arena::{Arena, CheckedRules, Entry};
use gauntlet_core::assets::AssetFiles;
use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::num::Seconds;
use gauntlet_core::settings::SettingsTable;
use gauntlet_core::settings::tree::{self, TomlTable};
use gauntlet_run::blocks::BlockSeeds;

use super::catalog::Catalog;
use super::player::{self, ExperimentPlayer};
use super::sections::Sections;
use super::sections::claim::Claim;
use super::sections::top::Use;

/// A checked experiment; [`parse`](super::parse) is the only way to make one.
#[derive(Clone)]
pub struct Experiment {
    pub(super) name: String,
    pub(super) catalog: Catalog,
    pub(super) arena: &'static Arena,
    pub(super) rules: CheckedRules,
    pub(super) blocks: BlockSeeds,
    pub(super) planned_games: Option<u64>,
    pub(super) extended_from: Option<u64>,
    pub(super) max_moves: Option<NonZeroU32>,
    pub(super) max_seconds: Option<Seconds>,
    pub(super) players: Vec<ExperimentPlayer>,
    pub(super) pairs: Vec<[usize; 2]>,
    pub(super) anchor: Option<usize>,
    pub(super) sections: Sections,
    /// For each `[[player]]`, the indices of its players.
    pub(super) families: Vec<Range<usize>>,
    pub(super) text: String,
    pub(super) assets: Arc<AssetFiles>,
}

impl Experiment {
    /// Returns the name, which is valid as the name of a folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the catalog of the program that has read it.
    pub fn catalog(&self) -> Catalog {
        self.catalog
    }

    pub fn arena(&self) -> &'static Arena {
        self.arena
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> &CheckedRules {
        &self.rules
    }

    /// Returns the blocks to be played.
    pub fn blocks(&self) -> &BlockSeeds {
        &self.blocks
    }

    /// Returns the number of games of each player that was fixed before any game was seen, if
    /// declared.
    pub fn planned_games(&self) -> Option<u64> {
        self.planned_games
    }

    /// Returns the number of games of each player whose results were known before the others were
    /// added, if declared.
    pub fn extended_from(&self) -> Option<u64> {
        self.extended_from
    }

    /// Returns the number of moves after which a game is cut, if there is a limit.
    pub fn max_moves(&self) -> Option<NonZeroU32> {
        self.max_moves
    }

    /// Returns the time after which a game is cut, if there is a limit.
    pub fn max_seconds(&self) -> Option<Seconds> {
        self.max_seconds
    }

    /// Returns the players, in the order of the file; at least one.
    pub fn players(&self) -> &[ExperimentPlayer] {
        &self.players
    }

    /// Returns the pairs that play against each other, by index; empty in a solo game.
    pub fn pairs(&self) -> &[[usize; 2]] {
        &self.pairs
    }

    /// Returns the index of the player whose rating is 0, if there is one.
    pub fn anchor(&self) -> Option<usize> {
        self.anchor
    }

    /// Returns the sections except the players.
    pub fn sections(&self) -> &Sections {
        &self.sections
    }

    /// Describes the claims.
    pub fn describe_claims(&self) -> Vec<String> {
        let describe = |claim: &Claim| {
            let [player, rival] = [claim.player, claim.rival].map(|player| &self.players[player].name);
            let relation = match claim.margin {
                None => "is better than".to_owned(),
                Some(margin) => format!("is at most {} worse than", margin.get()),
            };
            format!("by {}, {player} {relation} {rival}, at level {}", claim.measure, claim.level)
        };
        self.sections.claims.iter().map(describe).collect()
    }

    /// Returns the key of the first section whose difference changes the games; `None` if none
    /// does.
    pub fn find_games_difference(&self, other: &Experiment) -> Option<&'static str> {
        self.sections.find_difference(&other.sections, &[Use::Games])
    }

    /// Returns true if another version of the file specifies equal games and equal answers.
    /// Comments and formatting do not count, nor sections that other commands read, such as
    /// `[tune]`.
    pub fn is_equivalent(&self, other: &Experiment) -> bool {
        // All fields are listed, so that a new one must be considered here.
        let Experiment {
            name,
            arena,
            rules,
            blocks,
            planned_games,
            extended_from,
            max_moves,
            max_seconds,
            players,
            pairs,
            anchor,
            sections,
            catalog: _,
            families: _,
            text: _,
            assets: _,
        } = self;
        *name == other.name
            && (arena.name, &rules.settings) == (other.arena.name, &other.rules.settings)
            && (blocks, *planned_games) == (&other.blocks, other.planned_games)
            && *extended_from == other.extended_from
            && (*max_moves, *max_seconds) == (other.max_moves, other.max_seconds)
            && players.len() == other.players.len()
            && players.iter().zip(&other.players).all(|(one, other)| one.is_same(other))
            && (pairs, *anchor) == (&other.pairs, other.anchor)
            && sections.find_difference(&other.sections, &[Use::Games, Use::Verdicts]).is_none()
    }

    /// Returns the files from which players are built.
    pub fn assets(&self) -> &Arc<AssetFiles> {
        &self.assets
    }

    /// Builds a player of this experiment's game, and opens its files. Fails with the player's
    /// messages if it refuses the settings.
    pub fn read_entry(&self, algorithm: &str, settings: &SettingsTable) -> Result<Entry, Vec<Diagnostic>> {
        player::read_entry(self.arena, &self.rules, algorithm, settings, Some(&self.assets))
    }

    /// Returns the text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the keys of the file that are rules of its games, such as `win`.
    pub fn rule_keys(&self) -> TomlTable {
        let rules = self.rules.settings.as_object();
        let is_rule = |key: &str| {
            ["max_moves", "max_seconds"].contains(&key) || rules.is_some_and(|rules| rules.contains_key(key))
        };
        self.table().into_iter().filter(|(key, _)| is_rule(key.get_ref())).collect()
    }

    /// Returns the keys of the file, with their positions in its text.
    pub fn table(&self) -> TomlTable {
        tree::parse_table(&self.text)
    }
}

/// Name and text determine everything else.
impl fmt::Debug for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Experiment {:?}:\n{}", self.name, self.text)
    }
}
