//! Converts points of the search box to players. A candidate is the player with other values of its
//! settings, and is checked like any other player.

use std::borrow::Cow;

use gauntlet_analysis::config::Experiment;
use gauntlet_core::arena::Entry;
use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::game::Shape;
use gauntlet_core::rng::Seed;
use gauntlet_core::settings::{SettingsTable, tree};
use gauntlet_methods::method::Point;
use gauntlet_run::blocks::BlockSeeds;
use gauntlet_run::plan::{LineUp, Plan, PlannedPlayer};

use super::space::Axes;
use crate::results::history::SettingChange;
use crate::results::path::keys;
use crate::section::{CandidateSpace, Param, TuneSection};

/// Candidates of a tuning: its experiment and its `[tune]`.
#[derive(Clone, Copy)]
pub(super) struct Candidates<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) tune: &'a TuneSection,
}

/// A player with its name in comparisons.
pub(super) struct Side {
    pub(super) name: String,
    pub(super) entry: Entry,
}

impl<'a> Candidates<'a> {
    /// Returns the player at a point, or `None` if the player refuses the settings.
    pub(super) fn build_player(&self, point: &Point) -> Option<Entry> {
        match &self.tune.field {
            CandidateSpace::Params { params, .. } => {
                self.build_with_values(&Axes::new(params).values(point)).ok()
            }
            CandidateSpace::Players { players, .. } => {
                Some(self.experiment.players()[players[player_index(point)]].entry.clone())
            }
        }
    }

    /// Builds the tuned player with other values: one for each tuned setting, in the order of the
    /// file. Whole settings get the nearest whole number. Fails with the player's messages if it
    /// refuses the values.
    ///
    /// # Panics
    /// If no settings are tuned, or if there is not one finite value for each.
    pub(super) fn build_with_values(&self, values: &[f64]) -> Result<Entry, Vec<Diagnostic>> {
        let CandidateSpace::Params { player, params, .. } = &self.tune.field else {
            panic!("no settings are tuned")
        };
        assert_eq!(params.len(), values.len(), "a candidate has a value for each setting");
        let entry = &self.experiment.players()[*player].entry;
        let mut settings = entry.settings.clone();
        for (param, &value) in params.iter().zip(values) {
            param.put(&mut settings, value);
        }
        let table = SettingsTable { table: tree::table_from_settings(&settings), header: 0..0 };
        self.experiment.read_entry(entry.algorithm, &table)
    }

    /// Returns the player at a point under a given name. In a race, players keep their names.
    pub(super) fn make_side(&self, name: &str, point: &Point) -> Option<Side> {
        let name = match &self.tune.field {
            CandidateSpace::Params { .. } => name,
            CandidateSpace::Players { players, .. } => {
                &self.experiment.players()[players[player_index(point)]].name
            }
        };
        Some(Side { name: name.to_owned(), entry: self.build_player(point)? })
    }

    /// Plans the games of players on these blocks: each alone, or in a duel each against the start.
    pub(super) fn plan<'p>(self, mut players: Vec<PlannedPlayer<'p>>, blocks: BlockSeeds) -> Plan<'p>
    where
        'a: 'p,
    {
        let experiment = self.experiment;
        let arena = experiment.arena();
        let lineups: Vec<LineUp> = match arena.shape {
            Shape::Solo => (0..players.len()).map(|player| LineUp::Alone([player])).collect(),
            Shape::Duel => {
                // Each candidate plays the start, on the same openings as the others.
                let start = players.len();
                players.push(PlannedPlayer { name: "start", entry: self.original_player() });
                (0..start).map(|player| LineUp::Pair([player, start])).collect()
            }
        };
        Plan {
            max_moves: experiment.max_moves().map(Into::into),
            max_seconds: experiment.max_seconds(),
            assets: experiment.assets().clone(),
            rules: Some(experiment.rules().clone()),
            lineups,
            ..Plan::new(arena, players, Cow::Owned(blocks))
        }
    }

    /// Returns each setting with its value at a point; empty in a race.
    pub(super) fn settings(&self, point: &Point) -> Vec<(&'a Param, f64)> {
        match &self.tune.field {
            CandidateSpace::Params { params, .. } => {
                params.iter().zip(Axes::new(params).values(point)).collect()
            }
            CandidateSpace::Players { .. } => Vec::new(),
        }
    }

    /// Formats a point for tables: the value of each setting; in a race, the name of the player.
    pub(super) fn format_point(&self, point: &Point) -> Vec<String> {
        match &self.tune.field {
            CandidateSpace::Params { .. } => {
                self.settings(point).into_iter().map(|(param, value)| param.format_value(value)).collect()
            }
            CandidateSpace::Players { .. } => vec![self.player_name(point).to_owned()],
        }
    }

    /// Returns the settings with their values at two points. In a race there is one, the player.
    pub(super) fn compare_settings(&self, start: &Point, best: &Point) -> Vec<SettingChange> {
        let best = self.format_point(best);
        match &self.tune.field {
            CandidateSpace::Params { params, .. } => {
                params.iter().zip(best).map(|(param, best)| SettingChange::new(param, best)).collect()
            }
            CandidateSpace::Players { .. } => {
                vec![SettingChange::without_range(
                    keys(self.tune).concat(),
                    self.format_point(start).concat(),
                    best.concat(),
                )]
            }
        }
    }

    /// Returns the player to be tuned as the file defines it; in a race, the first player.
    pub(super) fn original_player(&self) -> &'a Entry {
        let player = match &self.tune.field {
            CandidateSpace::Params { player, .. } => *player,
            CandidateSpace::Players { players, .. } => players[0],
        };
        &self.experiment.players()[player].entry
    }

    /// Returns the player to be tuned with its name; in a race, all players.
    pub(super) fn original_players(&self) -> impl Iterator<Item = (&'a str, &'a Entry)> + use<'a> {
        let players = match &self.tune.field {
            CandidateSpace::Params { player, .. } => std::slice::from_ref(player),
            CandidateSpace::Players { players, .. } => players,
        };
        let entries = self.experiment.players();
        players.iter().map(|&player| (&*entries[player].name, &entries[player].entry))
    }

    /// Returns the experiment's name for the player at a point.
    pub(super) fn player_name(&self, point: &Point) -> &str {
        let player = match &self.tune.field {
            CandidateSpace::Params { player, .. } => *player,
            CandidateSpace::Players { players, .. } => players[player_index(point)],
        };
        &self.experiment.players()[player].name
    }
}

/// Returns the index of a point's player among the players of a race.
fn player_index(point: &Point) -> usize {
    point[0] as usize
}

/// Returns the seed from which all randomness of a tuning derives.
pub(super) fn root_seed(experiment: &Experiment) -> Seed {
    match experiment.blocks() {
        BlockSeeds::Derived { seed, .. } => Seed::root(*seed),
        // A list of seeds has no root. Its first seed distinguishes it from other lists.
        BlockSeeds::Listed(seeds) => Seed::root(seeds[0]),
    }
}
