//! What the sections about players are checked against: the game, its rules, the players.

use super::keys;
use super::roster::Roster;
use crate::arena::{Arena, Rules};
use crate::diagnostic::Diagnostic;
use crate::game::Shape;
use crate::measure::{Measure, Named};
use crate::settings::{self, Written};

/// The game, its rules, the players.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) arena: &'static Arena,
    pub(super) rules: &'a Rules,
    pub(super) roster: &'a Roster,
    /// Who plays against whom, in a game of two.
    pub(super) pairs: &'a [[usize; 2]],
}

impl Context<'_> {
    /// The measure or quantity under a key, if it may stand there. One that the rules rule out is a mistake, and returned:
    /// other checks can rest on it.
    pub(super) fn measure<M: Named>(
        self,
        written: &Written,
        key: &str,
        may_stand: fn(M) -> bool,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<M> {
        let value = written.table.get(key)?;
        match self.arena.measures().read(value, may_stand) {
            Ok(measure) => {
                let refusal = self.arena.refusal(self.rules, measure);
                mistakes.extend(refusal.map(|message| Diagnostic::at(value.span(), message)));
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
        written: &Written,
        may_stand: fn(Measure) -> bool,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Measure> {
        if written.table.get("by").is_some() {
            return self.measure(written, "by", may_stand, mistakes);
        }
        let default = match self.arena.shape {
            Shape::Solo => Measure::Win,
            Shape::Duel => Measure::Points,
        };
        if may_stand(default) {
            return Some(default);
        }
        mistakes.push(written.blame("by", settings::missing("by")));
        None
    }

    /// The players under `better` and `than`, if there are two such players.
    pub(super) fn two_players(
        self,
        written: &Written,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(usize, usize)> {
        let [better, than] = ["better", "than"].map(|key| self.roster.find(&written.table, key, mistakes));
        if better.is_some() && better == than {
            let span = keys::span(&written.table, "than");
            let message = "no player is better than itself".to_owned();
            mistakes.push(Diagnostic { span, message, help: None });
            return None;
        }
        better.zip(than)
    }

    /// Whether two players play against each other, by their places.
    pub(super) fn meet(self, one: usize, other: usize) -> bool {
        self.pairs.iter().any(|&[a, b]| (a, b) == (one, other) || (a, b) == (other, one))
    }
}
