//! Surroundings of a section: what it is checked against, and how its players are changed.

use std::collections::BTreeSet;
use std::ops::Range;

use gauntlet_core::arena::{Arena, CheckedRules};
use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::game::Shape;
use gauntlet_core::measure::{Measure, Named};
use gauntlet_core::settings;
use gauntlet_core::settings::content::Said;
use gauntlet_core::settings::tree::TomlValue;

use super::player::Entry;
use super::reference::Reference;
use super::roster::Roster;

/// The game, its rules, the players.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) arena: &'static Arena,
    pub(super) rules: &'a CheckedRules,
    pub(super) roster: &'a Roster,
    /// Pairs that play against each other, in a game of two.
    pub(super) pairs: &'a [[usize; 2]],
    /// True if the run may end before all games are played.
    pub(super) may_stop: bool,
    /// True if a clock may break games off.
    pub(super) has_clock: bool,
}

impl Context<'_> {
    /// The measure or quantity that is named, if it may stand there. One that the rules rule out is
    /// a mistake, and returned: other checks can rest on it.
    pub(super) fn measure<M: Named>(
        self,
        said: &Said<TomlValue>,
        may_stand: fn(M) -> bool,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<M> {
        match self.arena.measures().read(said.value()?, said.place().unwrap_or_default(), may_stand) {
            Ok(measure) => {
                let refusal = self.arena.refusal(self.rules, measure);
                mistakes.extend(refusal.map(|message| said.mistake(message)));
                Some(measure)
            }
            Err(mistake) => {
                mistakes.push(mistake);
                None
            }
        }
    }

    /// The measure under `by`; where it is not written, wins, or in a game of two points.
    pub(super) fn by(
        self,
        said: &Said<TomlValue>,
        header: &Range<usize>,
        may_stand: fn(Measure) -> bool,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Measure> {
        if said.is_written() {
            return self.measure(said, may_stand, mistakes);
        }
        let default = match self.arena.shape {
            Shape::Solo => Measure::Win,
            Shape::Duel => Measure::Points,
        };
        if may_stand(default) {
            return Some(default);
        }
        mistakes.push(said.blame(header, settings::missing("by")));
        None
    }

    /// The players that are named, if there are two such players.
    pub(super) fn two_players(
        self,
        [better, than]: [&Said<Reference>; 2],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(usize, usize)> {
        let [one, other] = [better, than].map(|said| self.roster.find(said, mistakes));
        if one.is_some() && one == other {
            mistakes.push(than.mistake("no player is better than itself"));
            return None;
        }
        one.zip(other)
    }

    /// True if two players play against each other, by their places. Where a player has a mistake,
    /// they may: the pairs are not known.
    pub(super) fn meet(self, one: usize, other: usize) -> bool {
        !self.roster.is_sound()
            || self.pairs.iter().any(|&[a, b]| (a, b) == (one, other) || (a, b) == (other, one))
    }
}

/// Changes to the players of an experiment, by their places among these.
pub(super) struct Revision<'a> {
    pub(super) entries: &'a [Entry],
    /// True for each player that stays; none if all stay.
    pub(super) is_kept: Option<Vec<bool>>,
    /// True for each player that has other settings.
    pub(super) is_changed: Vec<bool>,
    /// True if the run may end early from now on.
    pub(super) may_stop: bool,
}

impl Revision<'_> {
    /// The reason why something goes with the players.
    pub(super) const LEFT_OUT: &'static str = "about players that are left out";

    /// True if a player stays.
    pub(super) fn has(&self, player: usize) -> bool {
        self.is_kept.as_ref().is_none_or(|is_kept| is_kept[player])
    }

    /// The names of the players that stay.
    pub(super) fn staying(&self) -> impl Iterator<Item = &str> {
        let staying = self.entries.iter().enumerate().filter(|(player, _)| self.has(*player));
        staying.map(|(_, entry)| &*entry.name)
    }

    /// Names a player where some are left out: what a sweep makes is a player of its own from here
    /// on, and is named so.
    pub(super) fn rename(&self, said: &mut Said<Reference>, player: usize) {
        if self.is_kept.is_some() {
            *said = Said::of(Reference::Name(self.entries[player].name.clone()));
        }
    }

    /// Keeps the tables of a section for whose loss there is no reason. Tells how many are dropped,
    /// and why.
    pub(super) fn retain<S>(
        tables: &mut Vec<S>,
        key: &str,
        reasons: Vec<Option<&'static str>>,
        dropped: &mut Vec<String>,
    ) {
        let mut each = reasons.iter();
        tables.retain(|_| each.next().is_none_or(Option::is_none));
        let known: BTreeSet<&str> = reasons.iter().copied().flatten().collect();
        dropped.extend(known.into_iter().map(|why| {
            match reasons.iter().filter(|reason| **reason == Some(why)).count() {
                1 => format!("a [[{key}]], {why}"),
                gone => format!("{gone} [[{key}]], {why}"),
            }
        }));
    }
}
