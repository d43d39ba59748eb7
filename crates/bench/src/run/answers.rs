//! The answers that a journal records: an answer about more games is corrected for those before it.

use super::entry::{Entry, JournaledAnswer, framed};
use super::journal::Journal;
use super::keyed::Keyed;

impl Journal {
    /// The answers that were given about its games, in their order; of those of one number of blocks the first.
    pub fn answers(&self) -> &[JournaledAnswer] {
        &self.answers
    }

    /// True if it held games of a key when an answer was given.
    pub fn had_games(&self, key: &str, answer: &JournaledAnswer) -> bool {
        self.lines_of(key).next().is_some_and(|first| first.offset < answer.offset)
    }

    pub(super) fn note_answer(&mut self, answer: JournaledAnswer) {
        if self.answers.iter().all(|known| known.blocks != answer.blocks) {
            self.answers.push(JournaledAnswer { offset: self.length(), ..answer });
        }
    }

    /// Records that an answer is given about this number of blocks, unless one was.
    pub fn append_answer(&mut self, blocks: u64) -> anyhow::Result<()> {
        let answer = JournaledAnswer { blocks, offset: 0 };
        if self.answers.iter().all(|known| known.blocks != blocks) {
            self.append(&framed(&Entry::<()>::Answer(answer)))?;
            self.note_answer(answer);
        }
        Ok(())
    }
}

/// Takes over the answers that were given about games of a plan in another journal.
pub fn take_answers(plan: &Keyed, journal: &mut Journal, source: &Journal) -> anyhow::Result<()> {
    let has_games = (0..plan.lineups.len()).any(|lineup| source.lines_of(plan.key(lineup)).next().is_some());
    let answers = source.answers().iter().filter(|_| has_games);
    answers.map(|answer| answer.blocks).try_for_each(|blocks| journal.append_answer(blocks))
}
