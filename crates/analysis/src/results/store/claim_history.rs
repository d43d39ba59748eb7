//! The history of claims: which had an answer on the same seed before a player was changed, and
//! which were added after games were played.
//!
//! A player that was changed after an answer may have been changed because of that answer. On the
//! same seed the next answer is then no test: the seed helped to choose the player.

use std::collections::BTreeSet;

use gauntlet_run::journal::{AnsweredClaim, Journal, SessionEntry};
use gauntlet_run::keyed::KeyedPlan;

use crate::config::Experiment;
use crate::config::claim::Claim;

/// Returns the claims that an answer about all games of a plan covers. A claim about a skipped
/// player has no answer. A claim about a function without identity is left out, because nothing
/// shows whether the function changed.
pub fn covered_claims(plan: &KeyedPlan, experiment: &Experiment) -> Vec<AnsweredClaim> {
    let unidentified: BTreeSet<&str> = plan.unidentified_players().collect();
    let ground = plan.base_digest();
    let with_words = experiment.sections().claims.iter().zip(experiment.describe_claims());
    let answer = |(claim, words): (&Claim, String)| {
        let both = [claim.better, claim.than];
        let is_left_out = |player: &usize| {
            plan.skipped.contains_key(player) || unidentified.contains(plan.players[*player].name)
        };
        if both.iter().any(is_left_out) {
            return None;
        }
        let is_between =
            |&lineup: &usize| plan.lineups[lineup].members().iter().all(|player| both.contains(player));
        let lineups = (0..plan.lineups.len()).filter(is_between);
        let keys = lineups.map(|lineup| plan.key(lineup).to_owned()).collect();
        Some(AnsweredClaim { claim: words, ground: ground.clone(), keys })
    };
    with_words.filter_map(answer).collect()
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
    let is_repeated = |own: &AnsweredClaim| {
        let mut earlier = history.iter().take_while(|claim| *claim != own);
        earlier.any(|claim| (&claim.claim, &claim.ground) == (&own.claim, &own.ground))
    };
    covered_claims(plan, experiment).into_iter().filter(is_repeated).map(|own| own.claim).collect()
}

/// Returns the claims that were added after games of both players were played.
pub(super) fn find_added_claims(plan: &KeyedPlan, journal: &Journal, experiment: &Experiment) -> Vec<String> {
    let sessions = journal.sessions();
    let has_games_before = |session: usize, player: usize| {
        let lineups = (0..plan.lineups.len()).filter(|&it| plan.lineups[it].members().contains(&player));
        let mut lines = lineups.flat_map(|lineup| journal.lines_of(plan.key(lineup)));
        lines.any(|line| journal.line(line).session < session)
    };
    let is_added = |(claim, words): &(&Claim, String)| {
        // A tuning does not record the claims of its sessions.
        let is_in =
            |session: &SessionEntry| session.claims.as_ref().is_none_or(|claims| claims.contains(words));
        let since = sessions.iter().position(is_in).unwrap_or(sessions.len());
        [claim.better, claim.than].iter().all(|&player| has_games_before(since, player))
    };
    let claims = experiment.sections().claims.iter().zip(experiment.describe_claims());
    claims.filter(is_added).map(|(_, words)| words).collect()
}
