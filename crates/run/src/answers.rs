//! Answers that a journal records. An answer about more games is corrected for earlier answers.

use std::collections::BTreeSet;

use super::entry::{JournalEntry, LookEntry, framed};
use super::journal::Journal;
use super::keyed::KeyedPlan;

/// Largest number of keys in an answer. A line with more could be too long to be read.
const MOST_KEYS: usize = 1 << 19;

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

    /// Records an answer about this number of blocks of all line-ups of a plan, unless it is
    /// already recorded. `stopped` is true if `[stop]` chose the number.
    pub fn append_answer(&mut self, plan: &KeyedPlan, blocks: u64, stopped: bool) -> anyhow::Result<()> {
        let keys = keys(plan).map(str::to_owned).collect();
        self.append_entry(LookEntry { blocks, keys, stopped })
    }

    /// Records the answers of another journal that are about line-ups of a plan.
    pub fn append_answers_of(&mut self, plan: &KeyedPlan, source: &Journal) -> anyhow::Result<()> {
        let known: BTreeSet<&str> = keys(plan).collect();
        let has_games = known.iter().any(|key| source.lines_of(key).next().is_some());
        for answer in source.answers() {
            let is_shared = |key: &&String| known.contains(&***key);
            let shared: BTreeSet<String> = answer.keys.iter().filter(is_shared).cloned().collect();
            // An answer without keys may be about any line-up.
            if !shared.is_empty() || (answer.keys.is_empty() && has_games) {
                self.append_entry(LookEntry { keys: shared, ..*answer })?;
            }
        }
        Ok(())
    }

    fn append_entry(&mut self, mut answer: LookEntry) -> anyhow::Result<()> {
        if answer.keys.len() > MOST_KEYS {
            answer.keys.clear();
        }
        if !self.answers.contains(&answer) {
            self.append(&framed(&JournalEntry::<()>::Answer(answer.clone())))?;
            self.note_answer(answer);
        }
        Ok(())
    }
}

fn keys<'a>(plan: &'a KeyedPlan) -> impl Iterator<Item = &'a str> {
    (0..plan.lineups.len()).map(|lineup| plan.key(lineup))
}
