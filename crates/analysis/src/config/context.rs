//! Context in which a section is checked.

use gauntlet_core::arena::{Arena, CheckedRules};
use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::game::Shape;
use gauntlet_core::measure::{GameMetric, Measure};
use gauntlet_core::settings;
use gauntlet_core::settings::content::KeyContent;
use gauntlet_core::settings::tree::TomlValue;

use super::reference::Reference;
use super::roster::Roster;

/// The game, its rules and the players.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub arena: &'static Arena,
    pub rules: &'a CheckedRules,
    pub roster: &'a Roster,
    /// Pairs of players that play against each other, in duels.
    pub(super) pairs: &'a [[usize; 2]],
    /// True if the run may end before all games are played.
    pub(super) may_stop: bool,
    /// True if a time limit may cut games.
    pub has_clock: bool,
}

impl Context<'_> {
    /// Parses a measure or quantity that is allowed here. If only the rules exclude it, the mistake
    /// is reported and the measure is returned, so that other checks can use it.
    pub fn parse_measure<M: GameMetric>(
        self,
        content: &KeyContent<TomlValue>,
        may_stand: fn(M) -> bool,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<M> {
        match self.arena.measures().read(content.value()?, content.span().unwrap_or_default(), may_stand) {
            Ok(measure) => {
                let refusal = self.arena.unavailable_reason(self.rules, measure);
                mistakes.extend(refusal.map(|message| content.mistake(message)));
                Some(measure)
            }
            Err(mistake) => {
                mistakes.push(mistake);
                None
            }
        }
    }

    /// Parses the measure under `by`. The default is wins, or points in duels.
    pub(super) fn parse_by(
        self,
        content: &KeyContent<TomlValue>,
        may_stand: fn(Measure) -> bool,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Measure> {
        if content.is_written() {
            return self.parse_measure(content, may_stand, mistakes);
        }
        let default = match self.arena.shape {
            Shape::Solo => Measure::Win,
            Shape::Duel => Measure::Points,
        };
        if may_stand(default) {
            return Some(default);
        }
        mistakes.push(content.mistake(settings::missing_message("by")));
        None
    }

    /// Finds the two players of a comparison, if both are known and differ.
    pub(super) fn find_two_players(
        self,
        [player_key, rival_key]: [&KeyContent<Reference>; 2],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(usize, usize)> {
        let [one, other] = [player_key, rival_key].map(|content| self.roster.find(content, mistakes));
        if one.is_some() && one == other {
            mistakes.push(rival_key.mistake("a player cannot be compared with itself"));
            return None;
        }
        one.zip(other)
    }

    /// Returns true if two players, given by index, may play against each other. If a player has a
    /// mistake, pairs are unknown, and the answer is true.
    pub(super) fn can_meet(self, one: usize, other: usize) -> bool {
        !self.roster.is_valid()
            || self.pairs.iter().any(|&[a, b]| (a, b) == (one, other) || (a, b) == (other, one))
    }
}
