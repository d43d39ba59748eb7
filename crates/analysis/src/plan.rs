//! Plans of experiments.

use std::borrow::Cow;

use gauntlet_core::game::Shape;
use gauntlet_run::plan::{LineUp, Plan, PlannedPlayer};

use crate::config::Experiment;

impl Experiment {
    /// Lists the games of the experiment.
    pub fn plan(&self) -> Plan<'_> {
        let players = self.players().iter();
        let players =
            players.map(|player| PlannedPlayer { name: &player.name, entry: &player.entry }).collect();
        Plan {
            planned_games: self.planned_games(),
            extended_from: self.extended_from(),
            max_moves: self.max_moves().map(Into::into),
            max_seconds: self.max_seconds(),
            anchor: self.anchor(),
            stop: self.sections().stop.as_ref(),
            assets: self.assets().clone(),
            rules: Some(self.rules().clone()),
            lineups: match self.arena().shape {
                Shape::Solo => (0..self.players().len()).map(|player| LineUp::Alone([player])).collect(),
                Shape::Duel => self.pairs().iter().copied().map(LineUp::Pair).collect(),
            },
            ..Plan::new(self.arena(), players, Cow::Borrowed(self.blocks()))
        }
    }
}
