//! When a run may end before all games are played.
//!
//! - [`pair`]: when the comparison of two players is decided; [`precision`]: when a rate of every player is known
//! - `prefix`: complete blocks in their order
//!
//! Judged is the prefix of complete blocks, one block after the other in their order, and never the order in which
//! games finish. So a run stops after the same block on one thread and on many, and whether or not it was interrupted.

pub mod pair;
pub mod precision;
mod prefix;

use anyhow::Context;

use super::coverage::{Coverage, by_line};
use super::journal::Journal;
use super::keyed::Keyed;
use crate::config::stop::EarlyStop;
use crate::game::Seat;
use crate::measure::Measure;
use crate::plan::Plan;
use crate::record::GameRecord;
use pair::{PairJudge, PairRuling};
use precision::{PrecisionJudge, PrecisionRuling};

/// How a run stands, and whether that is its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Ruling {
    /// The comparison of two players.
    Pair(PairRuling),
    /// How well the players are known.
    Precision(PrecisionRuling),
}

impl Ruling {
    /// After how many blocks the run is over, if it is.
    pub fn end(&self) -> Option<u64> {
        match self {
            Ruling::Pair(ruling) => ruling.end(),
            Ruling::Precision(ruling) => ruling.is_over.then_some(ruling.blocks),
        }
    }
}

/// Listens to games in whatever order, and rules on blocks in theirs.
#[derive(Debug)]
pub struct Judge {
    /// How a block counts for a player.
    by: Measure,
    /// The players that it listens to.
    players: Vec<usize>,
    rule: Rule,
}

#[derive(Debug)]
enum Rule {
    Pair(PairJudge),
    Precision(PrecisionJudge),
}

impl Judge {
    /// A judge that has heard nothing yet; none if the plan is to be played to its end. A run that may stop is of one player
    /// a line-up, so players and line-ups have the same numbers.
    pub fn of(plan: &Plan) -> Option<Judge> {
        plan.stop.map(|stop| Judge::new(stop, plan.players.len()))
    }

    fn new(stop: &EarlyStop, players: usize) -> Judge {
        match stop {
            EarlyStop::Pair(stop) => {
                let rule = Rule::Pair(PairJudge::new(stop.method));
                Judge { by: stop.by, players: vec![stop.better, stop.than], rule }
            }
            EarlyStop::Precision(stop) => {
                let rule = Rule::Precision(PrecisionJudge::new(*stop, players));
                Judge { by: stop.by, players: (0..players).collect(), rule }
            }
        }
    }

    /// The players that it listens to. For a comparison, first the one said to be better.
    pub fn players(&self) -> &[usize] {
        &self.players
    }

    /// By what a block counts for each of them.
    pub fn by(&self) -> Measure {
        self.by
    }

    /// How it stands, in a line. `name` tells the name of a player.
    pub fn stands<'a>(&self, name: impl Fn(usize) -> &'a str) -> String {
        match &self.rule {
            Rule::Pair(judge) => judge.ruling().to_string(),
            Rule::Precision(judge) => judge.in_words(name),
        }
    }

    /// After how many blocks the run is over, if it is.
    pub fn end(&self) -> Option<u64> {
        match &self.rule {
            Rule::Pair(judge) => judge.ruling().end(),
            Rule::Precision(judge) => judge.end(),
        }
    }

    /// How it stands when no more blocks come.
    pub fn close(self) -> Ruling {
        match self.rule {
            Rule::Pair(judge) => Ruling::Pair(judge.close()),
            Rule::Precision(judge) => Ruling::Precision(judge.close()),
        }
    }

    /// Hears of the games of consecutive blocks. Players with the same settings share their games, and `of` asks whether a
    /// player's are these.
    pub fn hear(&mut self, of: impl Fn(usize) -> bool, first: u64, records: &[GameRecord]) {
        let sides: Vec<usize> = (0..self.players.len()).filter(|&side| of(self.players[side])).collect();
        for (block, record) in (first..).zip(records) {
            let word = (!record.ending.is_panic()).then(|| self.word(record));
            for &side in &sides {
                self.note(side, block, word);
            }
        }
        self.rule();
    }

    /// Hears how all of its players did in a block; more is better. None of one whose program broke.
    pub fn hear_block(&mut self, block: u64, words: impl IntoIterator<Item = Option<u64>>) {
        for (side, word) in words.into_iter().enumerate() {
            self.note(side, block, word);
        }
        self.rule();
    }

    fn word(&self, record: &GameRecord) -> u64 {
        match self.by {
            Measure::Reach(reach) => reach.is_in(&record.facts).into(),
            Measure::Score => record.score(),
            _ => record.is_won_by(Seat::First).into(),
        }
    }

    fn note(&mut self, side: usize, block: u64, word: Option<u64>) {
        match &mut self.rule {
            Rule::Pair(judge) => judge.note(side, block, word),
            Rule::Precision(judge) => judge.note(side, block, word),
        }
    }

    /// Looks at one block after the other, as far as all players are known.
    fn rule(&mut self) {
        match &mut self.rule {
            Rule::Pair(judge) => judge.rule(),
            Rule::Precision(judge) => judge.rule(),
        }
    }

    /// Hears of all games that a journal holds.
    pub(super) fn hear_all(&mut self, journal: &Journal, coverage: &Coverage) -> anyhow::Result<()> {
        let mut windows: Vec<_> = self.players.iter().map(|&player| coverage.windows(player)).collect();
        // In turn, so that not all games of one player wait for those of the others.
        let mut is_over = false;
        while !is_over && self.end().is_none() {
            is_over = true;
            for (side, windows) in windows.iter_mut().enumerate() {
                let Some(window) = windows.next() else { continue };
                is_over = false;
                for (line, stretches) in by_line(window) {
                    let records = journal.read(line)?.records();
                    let records = records.context("a line of the journal contradicts itself")?;
                    for stretch in stretches {
                        let records = stretch.of(&records, 1)?;
                        for (block, record) in stretch.range().zip(records) {
                            self.note(side, block, Some(self.word(record)));
                        }
                    }
                }
                self.rule();
            }
        }
        Ok(())
    }

    /// Hears of the games that broke their player's program. Only tables need this: a run that goes on tries these games
    /// again.
    fn hear_broken(&mut self, plan: &Keyed, journal: &Journal, coverage: &Coverage) {
        for side in 0..self.players.len() {
            let player = self.players[side];
            let key = plan.key(player);
            if journal.panics_of(key) == 0 {
                continue;
            }
            for block in coverage.missing(player, &(0..plan.blocks.len())).into_iter().flatten() {
                if journal.panic(key, plan.blocks.seed(block)).is_some() {
                    self.note(side, block, None);
                }
            }
        }
    }
}

/// A judge that has heard all of a journal; none if the plan is to be played to its end.
pub fn heard(plan: &Keyed, journal: &Journal, coverage: &Coverage) -> anyhow::Result<Option<Judge>> {
    let Some(mut judge) = Judge::of(plan) else { return Ok(None) };
    judge.hear_broken(plan, journal, coverage);
    judge.hear_all(journal, coverage)?;
    Ok(Some(judge))
}

#[cfg(test)]
mod tests;
