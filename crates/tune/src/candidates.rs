//! From points of the box to players. A candidate is the player with other values of its settings,
//! and is checked like any other.

use std::borrow::Cow;

use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::config::tune::{Field, Param, Tune};
use gauntlet_core::arena::Entrant;
use gauntlet_core::game::Shape;
use gauntlet_core::rng::Seed;
use gauntlet_methods::method::Point;
use gauntlet_run::blocks::Blocks;
use gauntlet_run::plan::{LineUp, Plan, Planned};

use super::space::Axes;
use crate::results::course::Setting;
use crate::results::path::keys;

/// The candidates of a tuning.
#[derive(Clone, Copy)]
pub(super) struct Candidates<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) tune: &'a Tune,
}

/// A player, and what it is called beside others.
pub(super) struct Side {
    pub(super) name: String,
    pub(super) entrant: Entrant,
}

impl<'a> Candidates<'a> {
    /// The player of a point; none if it refuses the settings.
    pub(super) fn player(&self, point: &Point) -> Option<Entrant> {
        match &self.tune.field {
            Field::Params { params, .. } => self.experiment.candidate(&Axes::of(params).values(point)).ok(),
            Field::Players { players, .. } => {
                Some(self.experiment.entries()[players[place(point)]].entrant.clone())
            }
        }
    }

    /// The player of a point under this name; in a race under its own.
    pub(super) fn side(&self, name: &str, point: &Point) -> Option<Side> {
        let name = match &self.tune.field {
            Field::Params { .. } => name,
            Field::Players { players, .. } => &self.experiment.entries()[players[place(point)]].name,
        };
        Some(Side { name: name.to_owned(), entrant: self.player(point)? })
    }

    /// The games of some players on these blocks: of each by itself, or of each against the start.
    pub(super) fn plan<'p>(self, mut players: Vec<Planned<'p>>, blocks: Blocks) -> Plan<'p>
    where
        'a: 'p,
    {
        let experiment = self.experiment;
        let arena = experiment.arena();
        let lineups: Vec<LineUp> = match arena.shape {
            Shape::Solo => (0..players.len()).map(|player| LineUp::Alone([player])).collect(),
            Shape::Duel => {
                // On the same openings.
                let start = players.len();
                players.push(Planned { name: "start", entrant: self.written() });
                (0..start).map(|player| LineUp::Pair([player, start])).collect()
            }
        };
        Plan {
            max_moves: experiment.max_moves().map(Into::into),
            max_seconds: experiment.max_seconds(),
            assets: experiment.assets().clone(),
            rules: Some(experiment.rules().clone()),
            lineups,
            ..Plan::of(arena, players, Cow::Owned(blocks))
        }
    }

    /// The settings at a point, each with its value; none of a race.
    pub(super) fn settings(&self, point: &Point) -> Vec<(&'a Param, f64)> {
        match &self.tune.field {
            Field::Params { params, .. } => params.iter().zip(Axes::of(params).values(point)).collect(),
            Field::Players { .. } => Vec::new(),
        }
    }

    /// A point as tables have it: the value of each setting; of a race the player.
    pub(super) fn written_at(&self, point: &Point) -> Vec<String> {
        match &self.tune.field {
            Field::Params { .. } => {
                self.settings(point).into_iter().map(|(param, value)| param.shown(value)).collect()
            }
            Field::Players { .. } => vec![self.name(point).to_owned()],
        }
    }

    /// The settings at two points; of a race there is one, the player.
    pub(super) fn settings_between(&self, start: &Point, best: &Point) -> Vec<Setting> {
        let best = self.written_at(best);
        match &self.tune.field {
            Field::Params { params, .. } => {
                params.iter().zip(best).map(|(param, best)| Setting::of(param, best)).collect()
            }
            Field::Players { .. } => {
                vec![Setting::changed(
                    keys(self.tune).concat(),
                    self.written_at(start).concat(),
                    best.concat(),
                )]
            }
        }
    }

    /// The player as the file has it, whose settings are tuned; of a race the first one.
    pub(super) fn written(&self) -> &'a Entrant {
        let player = match &self.tune.field {
            Field::Params { player, .. } => *player,
            Field::Players { players, .. } => players[0],
        };
        &self.experiment.entries()[player].entrant
    }

    /// The player whose settings are tuned, with its name; of a race all players.
    pub(super) fn written_all(&self) -> impl Iterator<Item = (&'a str, &'a Entrant)> + use<'a> {
        let players = match &self.tune.field {
            Field::Params { player, .. } => std::slice::from_ref(player),
            Field::Players { players, .. } => players,
        };
        let entries = self.experiment.entries();
        players.iter().map(|&player| (&*entries[player].name, &entries[player].entrant))
    }

    /// Name of a point's player in the experiment.
    pub(super) fn name(&self, point: &Point) -> &str {
        let player = match &self.tune.field {
            Field::Params { player, .. } => *player,
            Field::Players { players, .. } => players[place(point)],
        };
        &self.experiment.entries()[player].name
    }
}

/// The place of a point's player among those of a race.
fn place(point: &Point) -> usize {
    point[0] as usize
}

/// The root of all chance of a tuning.
pub(super) fn root(experiment: &Experiment) -> Seed {
    match experiment.blocks() {
        Blocks::Derived { seed, .. } => Seed::root(*seed),
        // Each list is another experiment, and its first seed tells it from the others.
        Blocks::Listed(seeds) => Seed::root(seeds[0]),
    }
}
