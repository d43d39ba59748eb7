//! The history of claims: which had an answer on the same seed before a player was changed, and
//! which were added after games were played.
//!
//! A player that was changed after an answer may have been changed because of that answer. On the
//! same seed the next answer is then no test: the seed helped to choose the player.

use std::collections::BTreeSet;

use gauntlet_run::journal::{AnsweredClaim, Journal, SessionEntry};
use gauntlet_run::keyed_plan::KeyedPlan;

use crate::config::Experiment;
use crate::config::claim::Claim;

/// Returns the claims that an answer about all games of a plan covers. A claim about a skipped
/// player has no answer. A claim about a function without identity is left out, because nothing
/// shows whether the function changed.
pub fn covered_claims(plan: &KeyedPlan, experiment: &Experiment) -> Vec<AnsweredClaim> {
    let unidentified: BTreeSet<&str> = plan.unidentified_players().collect();
    let base_digest = plan.base_digest();
    let described_claims = experiment.sections().claims.iter().zip(experiment.describe_claims());
    let answer = |(claim, description): (&Claim, String)| {
        let players = [claim.player, claim.rival];
        let is_left_out = |player: &usize| {
            plan.skipped.contains_key(player) || unidentified.contains(plan.players[*player].name)
        };
        if players.iter().any(is_left_out) {
            return None;
        }
        let is_between =
            |&lineup: &usize| plan.lineups[lineup].members().iter().all(|player| players.contains(player));
        let lineups = (0..plan.lineups.len()).filter(is_between);
        let keys = lineups.map(|lineup| plan.key(lineup).to_owned()).collect();
        Some(AnsweredClaim { claim: description, ground: base_digest.clone(), keys })
    };
    described_claims.filter_map(answer).collect()
}

/// Returns the claims that had an answer, oldest first: claims of earlier manifests, then claims in
/// the journal.
pub(super) fn collect_answered_claims(earlier: &[AnsweredClaim], journal: &Journal) -> Vec<AnsweredClaim> {
    let mut history = earlier.to_vec();
    for claim in journal.answers().iter().flat_map(|answer| &answer.claims) {
        if !history.contains(claim) {
            history.push(claim.clone());
        }
    }
    history
}

/// Returns the claims that were played again after a player changed. These had an earlier answer on
/// the same seed with other keys of players.
pub(super) fn find_repeated_claims(
    plan: &KeyedPlan,
    experiment: &Experiment,
    history: &[AnsweredClaim],
) -> Vec<String> {
    let is_repeated = |current: &AnsweredClaim| {
        let mut earlier = history.iter().take_while(|claim| *claim != current);
        earlier.any(|claim| (&claim.claim, &claim.ground) == (&current.claim, &current.ground))
    };
    covered_claims(plan, experiment).into_iter().filter(is_repeated).map(|claim| claim.claim).collect()
}

/// Returns the claims that were added after games of both players were played.
pub(super) fn find_added_claims(plan: &KeyedPlan, journal: &Journal, experiment: &Experiment) -> Vec<String> {
    let sessions = journal.sessions();
    let has_games_before = |session: usize, player: usize| {
        let lineups =
            (0..plan.lineups.len()).filter(|&lineup| plan.lineups[lineup].members().contains(&player));
        let mut lines = lineups.flat_map(|lineup| journal.lines_of(plan.key(lineup)));
        lines.any(|line| journal.line(line).session < session)
    };
    let is_added = |(claim, description): &(&Claim, String)| {
        // A tuning does not record the claims of its sessions.
        let is_in = |session: &SessionEntry| {
            session.claims.as_ref().is_none_or(|claims| claims.contains(description))
        };
        let first_session = sessions.iter().position(is_in).unwrap_or(sessions.len());
        [claim.player, claim.rival].iter().all(|&player| has_games_before(first_session, player))
    };
    let claims = experiment.sections().claims.iter().zip(experiment.describe_claims());
    claims.filter(is_added).map(|(_, description)| description).collect()
}
