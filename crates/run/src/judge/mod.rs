//! Early ends: a run may stop before all games are played.
//!
//! - [`pair`]: when the comparison of two players is decided; [`precision`]: when a rate of every
//!   player is known; [`duel`]: when the test of two players against each other is decided
//! - `prefix`: complete blocks in their order; `between`: the state of any of them between its
//!   bounds
//!
//! Judged is the prefix of complete blocks, one block after the other in their order, and never the
//! order in which games finish. So a run stops after the same block on one thread and on many, and
//! whether or not it was interrupted.

mod between;
pub mod duel;
pub mod pair;
pub mod precision;
mod prefix;

use std::ops::Range;

pub use between::Between;

use gauntlet_core::game::{Seat, Shape};
use gauntlet_core::measure::Measure;
use gauntlet_core::record::GameRecord;

use super::coverage::{Coverage, Stretch, read_all};
use super::journal::Journal;
use super::keyed::KeyedPlan;
use crate::early_stop::{DuelStop, EarlyStop, PairStop};
use crate::plan::{LineUp, Plan};
use duel::{DuelJudge, DuelRuling};
use pair::{PairJudge, PairRuling};
use precision::{PrecisionJudge, PrecisionRuling};

/// The state of a run by its blocks, and whether that is its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Ruling {
    /// The comparison of two players.
    Pair(PairRuling),
    /// The rates of the players.
    Precision(PrecisionRuling),
    /// The test of two players against each other.
    Duel(DuelRuling),
}

impl Ruling {
    /// After how many blocks the run is over, if it is.
    pub fn end(&self) -> Option<u64> {
        match self {
            Ruling::Pair(ruling) => ruling.end(),
            Ruling::Precision(ruling) => ruling.is_over.then_some(ruling.blocks),
            Ruling::Duel(ruling) => ruling.end(),
        }
    }
}

/// Listens to games in whatever order, and rules on blocks in theirs.
#[derive(Debug)]
pub struct Judge {
    /// The measure by which a block counts for a player.
    by: Measure,
    /// The line-ups that it listens to.
    lineups: Vec<usize>,
    rule: Rule,
}

#[derive(Debug)]
enum Rule {
    Pair(PairJudge),
    Precision(PrecisionJudge),
    Duel(Box<DuelJudge>),
}

impl Judge {
    /// A judge that has heard nothing yet; none if the plan is to be played to its end.
    pub fn of(plan: &Plan) -> Option<Judge> {
        match plan.stop? {
            EarlyStop::Pair(stop) => Some(Judge::of_pair(stop)),
            EarlyStop::Precision(stop) => {
                let players = plan.players.len();
                let rule = Rule::Precision(PrecisionJudge::new(*stop, players));
                Some(Judge { by: stop.by, lineups: (0..players).collect(), rule })
            }
            EarlyStop::Duel(stop) => Judge::of_duel(stop, plan),
        }
    }

    /// A judge of two players who play alone: these have the numbers of their line-ups.
    fn of_pair(stop: &PairStop) -> Judge {
        let rule = Rule::Pair(PairJudge::new(stop.rule));
        Judge { by: stop.by, lineups: vec![stop.better, stop.than], rule }
    }

    /// A judge of two players by their games against each other; none if they do not meet.
    fn of_duel(stop: &DuelStop, plan: &Plan) -> Option<Judge> {
        let place = |lineup: &LineUp| match *lineup {
            LineUp::Pair(pair) if pair == [stop.better, stop.than] => Some(0),
            LineUp::Pair(pair) if pair == [stop.than, stop.better] => Some(1),
            _ => None,
        };
        let mut lineups = plan.lineups.iter().map(place).enumerate();
        let (lineup, place) = lineups.find_map(|(lineup, place)| Some((lineup, place?)))?;
        let rule = DuelJudge::new(stop, place, plan.openings());
        Some(Judge { by: Measure::Points, lineups: vec![lineup], rule: Rule::Duel(Box::new(rule)) })
    }

    /// The line-ups that it listens to. For a comparison of players who play alone, first the one
    /// said to be better.
    pub fn lineups(&self) -> &[usize] {
        &self.lineups
    }

    /// By what a block counts for each of them.
    pub fn by(&self) -> Measure {
        self.by
    }

    fn legs(&self) -> usize {
        match self.rule {
            Rule::Duel(_) => Shape::Duel.legs(),
            Rule::Pair(_) | Rule::Precision(_) => Shape::Solo.legs(),
        }
    }

    /// The state in a line. `name` tells the name of a player.
    pub fn stands<'a>(&self, name: impl Fn(usize) -> &'a str) -> String {
        match &self.rule {
            Rule::Pair(judge) => judge.ruling().evidence.in_words(judge.ruling().balance.blocks),
            Rule::Precision(judge) => judge.in_words(name),
            Rule::Duel(judge) => judge.ruling().evidence.in_words(judge.ruling().blocks),
        }
    }

    /// The state between the bounds.
    pub fn between(&self) -> Between {
        match &self.rule {
            Rule::Pair(judge) => judge.ruling().evidence.between(),
            Rule::Precision(judge) => judge.between(),
            Rule::Duel(judge) => judge.ruling().evidence.between(),
        }
    }

    /// After how many blocks the run is over, if it is.
    pub fn end(&self) -> Option<u64> {
        match &self.rule {
            Rule::Pair(judge) => judge.ruling().end(),
            Rule::Precision(judge) => judge.end(),
            Rule::Duel(judge) => judge.ruling().end(),
        }
    }

    /// The ruling when no more blocks come.
    pub fn close(self) -> Ruling {
        match self.rule {
            Rule::Pair(judge) => Ruling::Pair(judge.close()),
            Rule::Precision(judge) => Ruling::Precision(judge.close()),
            Rule::Duel(judge) => Ruling::Duel(judge.close()),
        }
    }

    /// Hears of the games of consecutive blocks, the legs of a block in order. Line-ups with the
    /// same settings share their games, and `of` asks whether a line-up's are these.
    pub fn hear(&mut self, of: impl Fn(usize) -> bool, first: u64, records: &[GameRecord]) {
        let sides: Vec<usize> = (0..self.lineups.len()).filter(|&side| of(self.lineups[side])).collect();
        for (block, legs) in (first..).zip(records.chunks(self.legs())) {
            let word = self.word(legs);
            for &side in &sides {
                self.note(side, block, word);
            }
        }
        self.look();
    }

    /// Hears how all of its players did in a block; more is better. None of one whose program
    /// broke.
    pub fn hear_block(&mut self, block: u64, words: impl IntoIterator<Item = Option<u64>>) {
        for (side, word) in words.into_iter().enumerate() {
            self.note(side, block, word);
        }
        self.look();
    }

    /// The result of its player in the games of a block; none if a program broke.
    fn word(&self, legs: &[GameRecord]) -> Option<u64> {
        let is_broken = legs.iter().any(|record| record.ending.is_panic());
        let word = |record: &GameRecord| match (self.by, &self.rule) {
            (_, Rule::Duel(judge)) => half_points(legs, judge.place),
            (Measure::Reach(reach), _) => reach.is_in(&record.facts).into(),
            (Measure::Score, _) => record.score(),
            _ => record.is_won_by(Seat::First).into(),
        };
        legs.first().filter(|_| !is_broken).map(word)
    }

    fn note(&mut self, side: usize, block: u64, word: Option<u64>) {
        match &mut self.rule {
            Rule::Pair(judge) => judge.prefix.note(side, block, word),
            Rule::Precision(judge) => judge.prefix.note(side, block, word.map(|word| word > 0)),
            Rule::Duel(judge) => judge.prefix.note(0, block, word),
        }
    }

    /// Looks at one block after the other, as far as all players are known.
    fn look(&mut self) {
        match &mut self.rule {
            Rule::Pair(judge) => judge.look(),
            Rule::Precision(judge) => judge.look(),
            Rule::Duel(judge) => judge.look(),
        }
    }

    /// Hears of all games that a journal holds, before more are played.
    pub(super) fn hear_all(&mut self, held: &Coverage) -> anyhow::Result<()> {
        self.hear_windows(&[(held, 0)], 0, false, |_, _| ()).map(|_| ())
    }

    /// Hears of the games that these journals hold, as far as nothing is missing before them: what
    /// comes behind decides nothing.
    pub(super) fn hear_prefix(&mut self, held: &[&Coverage]) -> anyhow::Result<()> {
        let held: Vec<_> = held.iter().map(|&coverage| (coverage, 0)).collect();
        self.hear_windows(&held, 0, true, |_, _| ()).map(|_| ())
    }

    /// Hears of the blocks of all players side by side, so that those of one do not wait long for
    /// those of the others: window by window from a block on. In the first window each journal is
    /// heard from a place of its own on. `heard` is told what was heard for which player. Returns
    /// the beginning of the window that is not complete.
    pub(super) fn hear_windows(
        &mut self,
        held: &[(&Coverage, u64)],
        begin: u64,
        is_prefix: bool,
        mut heard: impl FnMut(usize, Range<u64>),
    ) -> anyhow::Result<u64> {
        let lineups = self.lineups.clone();
        let end_of = |(coverage, _): &(&Coverage, u64)| {
            let last = lineups.iter().filter_map(|&lineup| coverage.stretches[lineup].last());
            last.map(|stretch| stretch.range().end).max()
        };
        let all = held.iter().filter_map(end_of).max().unwrap_or(0);
        let mut first = begin;
        while first < all && self.end().is_none() {
            let window = first..first + WINDOW;
            for (side, &lineup) in lineups.iter().enumerate() {
                for &(coverage, place) in held {
                    let from = if first == begin { place } else { 0 };
                    let is_new = |stretch: &&Stretch| coverage.journal.line(stretch.line).offset >= from;
                    let new = coverage.touching(lineup, &window).iter().filter(is_new);
                    let within: Vec<_> = new.map(|stretch| stretch.within(&window)).collect();
                    self.hear_stretches(side, coverage.journal, &within)?;
                    within.iter().for_each(|stretch| heard(side, stretch.range()));
                }
            }
            self.look();
            if is_prefix && self.taken() < window.end {
                break;
            }
            first = window.end;
        }
        Ok(first)
    }

    /// Hears of some games of one of its line-ups, and does not look at blocks yet.
    fn hear_stretches(
        &mut self,
        side: usize,
        journal: &Journal,
        stretches: &[Stretch],
    ) -> anyhow::Result<()> {
        let legs = self.legs();
        read_all(journal, legs as u64, stretches, |stretch, _, records| {
            for (block, legs) in stretch.range().zip(records.chunks(legs)) {
                self.note(side, block, self.word(legs));
            }
        })
    }

    /// Number of blocks looked at.
    pub fn taken(&self) -> u64 {
        match &self.rule {
            Rule::Pair(judge) => judge.prefix.taken(),
            Rule::Precision(judge) => judge.prefix.taken(),
            Rule::Duel(judge) => judge.prefix.taken(),
        }
    }

    /// Hears of the games that broke their player's program. Only tables need this: a run that goes
    /// on tries these games again.
    fn hear_broken(&mut self, plan: &KeyedPlan, coverage: &Coverage) {
        let journal = coverage.journal;
        for side in 0..self.lineups.len() {
            let lineup = self.lineups[side];
            let key = plan.key(lineup);
            if journal.panics_of(key) == 0 {
                continue;
            }
            for block in coverage.missing(lineup, &(0..plan.blocks.len())).into_iter().flatten() {
                if journal.panic(key, plan.blocks.seed(block)).is_some() {
                    self.note(side, block, None);
                }
            }
        }
    }
}

/// Blocks that are heard of together.
const WINDOW: u64 = 1 << 16;

/// The half points of a player in both games of a block, by its place in the line-up.
fn half_points(legs: &[GameRecord], place: usize) -> u64 {
    let points = (0..).zip(legs).map(|(leg, record)| {
        let is_its_seat = |seat: &&Seat| Shape::Duel.member_at(leg, **seat) == place;
        let seat = Shape::Duel.seats().iter().find(is_its_seat).expect("a seat for each member");
        record.outcome.seen_by(*seat).half_points()
    });
    points.sum()
}

/// A judge that has heard all of a journal; none if the plan is to be played to its end.
pub fn heard(plan: &KeyedPlan, coverage: &Coverage) -> anyhow::Result<Option<Judge>> {
    let Some(mut judge) = Judge::of(plan) else { return Ok(None) };
    judge.hear_broken(plan, coverage);
    judge.hear_prefix(&[coverage])?;
    Ok(Some(judge))
}

/// A judge that has heard what the journals of a folder hold together: first that of an undivided
/// run, if there is one, then those of shards, for of a block that two hold the first counts, here
/// as where they are merged. It has heard of no game that broke its player's program: such a game
/// may be played again, and until then nothing behind it is decided. None if the plan is to be
/// played to its end.
pub fn heard_together(
    plan: &KeyedPlan,
    main: Option<&Coverage>,
    shards: &[Coverage],
) -> anyhow::Result<Option<Judge>> {
    let Some(mut judge) = Judge::of(plan) else { return Ok(None) };
    judge.hear_prefix(&main.into_iter().chain(shards).collect::<Vec<_>>())?;
    Ok(Some(judge))
}

#[cfg(test)]
mod tests;
