//! Players that are other programs and fail in game after game. A run skips their other games.
//! Tables cover the players whose games are complete ([`skip_failing`]).

use std::collections::BTreeMap;
use std::ops::Range;

use gauntlet_core::arena::MAX_FAILURES;

use super::coverage::Coverage;
use super::entry::{FailureEntry, JournalEntry, format_line, shorten};
use super::journal::Journal;
use super::judge::{self, Judge};
use super::keyed_plan::KeyedPlan;
use super::missing_blocks::find_gaps;
use super::panics::LONGEST_MESSAGE;
use super::programs;
use crate::plan::Plan;

/// Players that failed in game after game, by index in the plan, with the reason of the last
/// failure.
pub type FailingPlayers = BTreeMap<usize, String>;

/// Formats the message about a player that a run skips.
pub fn skip_message(player: &str, reason: &str) -> String {
    let reason = programs::format_program_name(reason);
    format!("skipped {player}, which failed in {MAX_FAILURES} games in a row: {reason}")
}

/// Formats these messages for a plan without skipped players.
pub fn skip_messages(plan: &Plan) -> impl Iterator<Item = String> {
    plan.skipped.iter().map(|(&player, reason)| skip_message(plan.players[player].name, reason))
}

/// Returns the first clause of a reason, without the program's own words, which differ between
/// machines and runs.
pub fn first_clause(reason: &str) -> &str {
    reason.split_once("; ").map_or(reason, |(first, _)| first)
}

impl Journal {
    /// Records that a player failed in game after game.
    pub fn append_failure(&mut self, mut failure: FailureEntry) -> anyhow::Result<()> {
        shorten(&mut failure.message, LONGEST_MESSAGE);
        self.append(&format_line(&JournalEntry::<()>::Failure(failure.clone())))?;
        self.note_failure(failure);
        Ok(())
    }

    pub(super) fn note_failure(&mut self, mut failure: FailureEntry) {
        self.keep_message(&mut failure.message);
        let session = self.sessions().len().saturating_sub(1);
        let player_key = (failure.key.clone(), failure.member);
        let previous = self.failures.insert(player_key, (session, failure));
        self.drop_message(previous.as_ref().map_or("", |(_, before)| &before.message));
    }

    /// Returns the failure of this member of a line-up, unless a later session played games of the
    /// line-up: the program may work again.
    fn failure(&self, key: &str, member: usize) -> Option<&FailureEntry> {
        let (session, failure) = self.failures.get(&(key.to_owned(), member))?;
        let is_played_later = self.lines_of(key).any(|line| self.line(line).session > *session);
        (!is_played_later).then_some(failure)
    }

    /// Records the failures of another journal that still count there.
    pub(super) fn append_failures_from(&mut self, source: &Journal) -> anyhow::Result<()> {
        for (key, member) in source.failures.keys() {
            if let Some(failure) = source.failure(key, *member)
                && self.failure(key, *member) != Some(failure)
            {
                self.append_failure(failure.clone())?;
            }
        }
        Ok(())
    }
}

/// Returns the players of a plan that failed in game after game, by a journal.
pub fn find_failing(plan: &KeyedPlan, journal: &Journal) -> FailingPlayers {
    let mut failing = FailingPlayers::new();
    for lineup in 0..plan.lineups.len() {
        for (member, &player) in plan.lineups[lineup].members().iter().enumerate() {
            let failure = journal.failure(plan.key(lineup), member);
            failing.extend(failure.map(|failure| (player, programs::format_program_name(&failure.message))));
        }
    }
    failing
}

/// Returns the plan without players that failed in game after game and lack games, and the judge of
/// the rule that may end the run early. This decides for every command which players have tables.
pub fn skip_failing<'p>(
    plan: &KeyedPlan<'p>,
    coverage: &Coverage,
) -> anyhow::Result<(KeyedPlan<'p>, Option<Judge>)> {
    let journal = coverage.journal;
    let failing = find_failing(plan, journal);
    let lacks_games = |player: usize, blocks: &Range<u64>| {
        let mut lineups =
            (0..plan.lineups.len()).filter(|&lineup| plan.lineups[lineup].members().contains(&player));
        lineups.any(|lineup| !find_gaps(plan, coverage, lineup, blocks).is_empty())
    };
    let mut judge = judge::judge_journal(plan, coverage)?;
    let mut reduced_plan = plan.clone();
    // Without a player the run may end at another block, and another player may lack games there.
    loop {
        let end = judge.as_ref().and_then(Judge::end).unwrap_or(plan.blocks.len());
        let skipped = failing.iter().filter(|(player, _)| {
            reduced_plan.skipped.contains_key(player) || lacks_games(**player, &(0..end))
        });
        let skipped: FailingPlayers = skipped.map(|(player, reason)| (*player, reason.clone())).collect();
        if skipped.len() == reduced_plan.skipped.len() {
            return Ok((reduced_plan, judge));
        }
        reduced_plan = plan.without_players(skipped);
        judge = judge::judge_journal(&reduced_plan, &Coverage::from_journal(&reduced_plan, journal)?)?;
    }
}
