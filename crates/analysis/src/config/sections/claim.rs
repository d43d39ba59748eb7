//! One `[[claim]]`: a conclusion announced before the run.

use std::collections::BTreeSet;

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::measure::Measure;
use gauntlet_core::num::{Level, Share};
use gauntlet_core::settings::content::KeyContent;
use gauntlet_core::settings::section::declare;
use gauntlet_core::settings::tree::TomlValue;

use super::top::TopSection;
use crate::config::context::Context;
use crate::config::reference::Reference;

/// A conclusion announced before the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// Index of the player claimed to be better.
    pub player: usize,
    /// Index of the player that it is compared with.
    pub rival: usize,
    /// Measure of the comparison.
    pub measure: Measure,
    /// Confidence level of the answer.
    pub level: Level,
    /// Margin of a claim to be at least as good: how much worse the player may be. For rates it is
    /// a share of all games, for scores and times a part of them.
    pub margin: Option<Share>,
}

declare! {
    /// A claim as written.
    pub(crate) struct ClaimAsWritten {
        /// The player that is claimed to be better.
        must better: KeyContent<Reference>, "name of a player, or a table";
        /// The player that `better` is compared with.
        must than: KeyContent<Reference>, "name of another player, or a table";
        /// [Measure](#measures) of the comparison.
        key by: KeyContent<TomlValue>, r#"`"win"`, `"reach TILE"`, `"score"`, `"points"` or `"ms-per-move"`"#,
            r#"`"win"`, or `"points"` in a two-player game"#;
        /// Confidence level of the test.
        key level: KeyContent<Level>, _, "`0.95`";
        /// Non-inferiority margin: how much worse the player may be.
        key margin: KeyContent<Share>, _, "none";
    }
}

impl TopSection for Vec<ClaimAsWritten> {
    type Checked = Vec<Claim>;

    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Vec<Claim> {
        let mut seen_claims = BTreeSet::new();
        let mut claims = Vec::new();
        for raw_claim in self {
            let Some(claim) = check_claim(raw_claim, context, mistakes) else { continue };
            if !seen_claims.insert((
                claim.player,
                claim.rival,
                claim.measure.to_string(),
                claim.margin.is_some(),
            )) {
                mistakes.push(Diagnostic::new(raw_claim.header.0.clone(), "duplicate claim"));
            }
            // Tests of means are valid only if the number of games does not depend on results.
            if context.may_stop && !claim.measure.has_sequential_test() {
                let mistake = raw_claim.by.mistake("a run with `[stop]` cannot test this measure");
                let help = match context.arena.measures().list_names(Measure::has_sequential_test) {
                    Some(others) => format!("use {others}, or remove `[stop]`"),
                    None => "remove `[stop]`".to_owned(),
                };
                mistakes.push(mistake.with_help(help));
            }
            claims.push(claim);
        }
        claims
    }
}

/// Checks a claim; returns it if it compares two players of the experiment.
fn check_claim(
    raw_claim: &ClaimAsWritten,
    context: Context,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Claim> {
    let mistakes_before = mistakes.len();
    let ClaimAsWritten { better: player_key, than: rival_key, by: measure_key, level, margin, .. } =
        raw_claim;
    let pair = context.find_two_players([player_key, rival_key], mistakes);
    let measure = context.parse_by(measure_key, |_| true, mistakes);
    let ((player, rival), measure) = pair.zip(measure)?;
    if measure == Measure::Points && !context.can_meet(player, rival) {
        mistakes.push(rival_key.mistake("these players do not play against each other"));
    }
    let is_sound = mistakes.len() == mistakes_before && !level.is_mistaken() && !margin.is_mistaken();
    let (level, margin) = (level.value().copied().unwrap_or_default(), margin.value().copied());
    is_sound.then_some(Claim { player, rival, measure, level, margin })
}
