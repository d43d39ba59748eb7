//! Answers that a journal records. An answer about more games is corrected for earlier answers.

use std::collections::BTreeSet;

use super::entry::{AnsweredClaim, JournalEntry, LookEntry, format_line};
use super::journal::Journal;
use super::keyed_plan::KeyedPlan;

/// Largest number of keys in an answer. A line with more could be too long to be read.
const MAX_KEYS: usize = 1 << 19;

impl Journal {
    /// Returns the recorded answers, oldest first.
    pub fn answers(&self) -> &[LookEntry] {
        &self.answers
    }

    pub(super) fn note_answer(&mut self, answer: LookEntry) {
        if !self.answers.contains(&answer) {
            self.answers.push(answer);
        }
    }

    /// Records an answer about this number of blocks of all line-ups of a plan, and about these
    /// claims, unless it is already recorded. `stopped` is true if `[stop]` chose the number.
    pub fn append_answer(
        &mut self,
        plan: &KeyedPlan,
        blocks: u64,
        stopped_early: bool,
        claims: Vec<AnsweredClaim>,
    ) -> anyhow::Result<()> {
        let keys = keys(plan).map(str::to_owned).collect();
        self.append_entry(LookEntry { blocks, keys, stopped: stopped_early, claims })
    }

    /// Records the answers of another journal that are about line-ups of a plan.
    pub fn append_answers_from(&mut self, plan: &KeyedPlan, source: &Journal) -> anyhow::Result<()> {
        let plan_keys: BTreeSet<&str> = keys(plan).collect();
        let has_games = plan_keys.iter().any(|key| source.lines_of(key).next().is_some());
        for answer in source.answers() {
            let is_shared = |key: &&String| plan_keys.contains(&***key);
            let mut keys: BTreeSet<String> = answer.keys.iter().filter(is_shared).cloned().collect();
            if keys.is_empty() && !answer.claims.is_empty() {
                // Its claims may have been played again with other players.
                keys.clone_from(&answer.keys);
            }
            // An answer without keys may be about any line-up.
            if !keys.is_empty() || (answer.keys.is_empty() && has_games) {
                self.append_entry(LookEntry { keys, ..answer.clone() })?;
            }
        }
        Ok(())
    }

    fn append_entry(&mut self, mut answer: LookEntry) -> anyhow::Result<()> {
        if answer.keys.len() > MAX_KEYS {
            answer.keys.clear();
        }
        if !self.answers.contains(&answer) {
            self.append(&format_line(&JournalEntry::<()>::Answer(answer.clone())))?;
            self.note_answer(answer);
        }
        Ok(())
    }
}

fn keys<'a>(plan: &'a KeyedPlan) -> impl Iterator<Item = &'a str> {
    (0..plan.lineups.len()).map(|lineup| plan.key(lineup))
}
