//! One `[[claim]]`: a conclusion announced before the run.

use std::collections::BTreeSet;

use super::player::Roster;
use super::raw::{self, ClaimAsWritten};
use crate::arena::{Arena, Rules};
use crate::diagnostic::Diagnostic;
use crate::measure::Measure;
use crate::num::{Level, Share};
use crate::settings::{self, Written};

/// A conclusion announced before the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// The place in [`Experiment::entries`](super::Experiment::entries) of the player said to be better.
    pub better: usize,
    /// The place of the player it is said to be better than.
    pub than: usize,
    /// By what.
    pub by: Measure,
    /// How sure the answer shall be.
    pub level: Level,
    /// If it need only be at least as good: how much worse that may be. A share of all games where rates are compared,
    /// else a part of the score or the time.
    pub margin: Option<Share>,
}

/// Every `[[claim]]` of a file, which may have a `[stop]`.
pub(super) fn check(
    all: &[Written],
    arena: &Arena,
    rules: &Rules,
    roster: &Roster,
    may_stop: bool,
    mistakes: &mut Vec<Diagnostic>,
) -> Vec<Claim> {
    let mut known = BTreeSet::new();
    let mut claims = Vec::new();
    for written in all {
        let Some(claim) = one(written, arena, rules, roster, mistakes) else { continue };
        if !known.insert((claim.better, claim.than, claim.by.to_string(), claim.margin.is_some())) {
            mistakes.push(Diagnostic::at(written.header.clone(), "this is claimed above already"));
        }
        // The tests of means are for a number of games that nothing in the games had a part in.
        if may_stop && !claim.by.is_rate() {
            let mistake = written.blame("by", "a run with `[stop]` cannot answer this".to_owned());
            let help = match arena.measures().names(Measure::is_rate) {
                Some(rates) => format!("claim by {rates}, or take `[stop]` out"),
                None => "take `[stop]` out".to_owned(),
            };
            mistakes.push(mistake.helped(help));
        }
        claims.push(claim);
    }
    claims
}

/// A claim, if it is about two players of the experiment.
fn one(
    written: &Written,
    arena: &Arena,
    rules: &Rules,
    roster: &Roster,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Claim> {
    let before = mistakes.len();
    let read = settings::read::<ClaimAsWritten>(written, ClaimAsWritten::EXAMPLE);
    let pair = two_players(written, roster, mistakes);
    let by = raw::by(written, arena, rules, |measure| measure != Measure::MsPerGame, mistakes);
    match read {
        Ok(ClaimAsWritten { level, margin, .. }) => {
            let ((better, than), by) = pair.zip(by)?;
            (mistakes.len() == before).then_some(Claim { better, than, by, level, margin })
        }
        Err(refused) => {
            mistakes.extend(refused);
            None
        }
    }
}

/// The players under `better` and `than`, if there are two such players.
pub(super) fn two_players(
    written: &Written,
    roster: &Roster,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<(usize, usize)> {
    let [better, than] = ["better", "than"].map(|key| roster.find(&written.table, key, mistakes));
    if better.is_some() && better == than {
        let span = raw::span(&written.table, "than");
        mistakes.push(Diagnostic { span, message: "no player is better than itself".to_owned(), help: None });
        return None;
    }
    better.zip(than)
}
