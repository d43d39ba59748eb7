//! One `[[claim]]`: a conclusion announced before the run.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::context::Context;
use super::reference::Reference;
use crate::diagnostic::Diagnostic;
use crate::measure::Measure;
use crate::num::{Level, Share};
use crate::settings::{self, Written};

/// A conclusion announced before the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// The player said to be better, by its place among the players of the experiment.
    pub better: usize,
    /// The player it is said to be better than, likewise.
    pub than: usize,
    /// By which measure.
    pub by: Measure,
    /// The confidence level of the answer.
    pub level: Level,
    /// The margin of a claim to be at least as good: how much worse the player may be. Of rates it is a share of all games,
    /// of scores and times a part of them.
    pub margin: Option<Share>,
}

/// A claim as written.
#[derive(Deserialize)]
pub(super) struct ClaimAsWritten {
    #[allow(dead_code, reason = "names are looked up as written, and only their type is checked here")]
    better: Reference,
    #[allow(dead_code, reason = "likewise")]
    than: Reference,
    #[allow(dead_code, reason = "read with the measures of the game")]
    by: Option<IgnoredAny>,
    #[serde(default)]
    level: Level,
    margin: Option<Share>,
}

impl ClaimAsWritten {
    /// Values for the keys that must be there.
    const EXAMPLE: &str = "better = 'x'\nthan = 'y'";
}

/// Every `[[claim]]` of a file, which may have a `[stop]`.
pub(super) fn check(
    all: &[Written],
    context: Context,
    may_stop: bool,
    mistakes: &mut Vec<Diagnostic>,
) -> Vec<Claim> {
    let mut known = BTreeSet::new();
    let mut claims = Vec::new();
    for written in all {
        let Some(claim) = one(written, context, mistakes) else { continue };
        if !known.insert((claim.better, claim.than, claim.by.to_string(), claim.margin.is_some())) {
            mistakes.push(Diagnostic::at(written.header.clone(), "this is claimed above already"));
        }
        // Tests of means are valid only if the number of games does not depend on the games.
        if may_stop && !claim.by.is_rate() {
            let mistake = written.blame("by", "a run with `[stop]` cannot answer this".to_owned());
            let help = match context.arena.measures().names(Measure::is_rate) {
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
fn one(written: &Written, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<Claim> {
    let before = mistakes.len();
    let read = settings::read::<ClaimAsWritten>(written, ClaimAsWritten::EXAMPLE);
    let pair = context.two_players(written, mistakes);
    let by = context.by(written, |_| true, mistakes);
    match read {
        Ok(ClaimAsWritten { level, margin, .. }) => {
            let ((better, than), by) = pair.zip(by)?;
            if by == Measure::Points && !context.meet(better, than) {
                mistakes.push(written.blame("than", "these two do not play against each other".to_owned()));
            }
            (mistakes.len() == before).then_some(Claim { better, than, by, level, margin })
        }
        Err(refused) => {
            mistakes.extend(refused);
            None
        }
    }
}
