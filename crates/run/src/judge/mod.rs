//! Early stopping: rules that end a run before all games are played.
//!
//! Rules see the prefix of complete blocks, in the order of blocks, never the order in which games
//! finish. So a run stops after the same block with any number of threads, interrupted or not.

mod between;
pub mod duel;
pub mod pair;
pub mod precision;
mod prefix;

pub use between::BoundsPosition;

use gauntlet_core::game::{Seat, Shape};
use gauntlet_core::measure::Measure;
use gauntlet_core::record::GameRecord;

use super::block_span::BlockSpan;
use super::complete_blocks::BlockWindow;
use super::coverage::{Coverage, read_all};
use super::journal::Journal;
use super::keyed::KeyedPlan;
use crate::early_stop::{ComparisonStop, DuelStop, EarlyStop};
use crate::plan::{LineUp, Plan, Shard};
use duel::{DuelJudge, DuelRuling};
use pair::{PairJudge, PairRuling};
use precision::{PrecisionJudge, PrecisionRuling};

/// State of the rule that may end a run, and whether it does.
#[derive(Clone, Debug, PartialEq)]
pub enum Ruling {
    /// Comparison of two players.
    Pair(PairRuling),
    /// Rates of all players.
    Precision(PrecisionRuling),
    /// Test of two players against each other.
    Duel(DuelRuling),
}

impl Ruling {
    /// Returns the number of blocks after which the run ends, if decided.
    pub fn end(&self) -> Option<u64> {
        match self {
            Ruling::Pair(ruling) => ruling.end(),
            Ruling::Precision(ruling) => ruling.is_over.then_some(ruling.blocks),
            Ruling::Duel(ruling) => ruling.end(),
        }
    }
}

/// Collects games in any order, and judges blocks in their order.
#[derive(Debug)]
pub struct Judge {
    /// Measure that counts a block for a player.
    by: Measure,
    /// Line-ups that the rule needs.
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
    /// Creates the judge of a plan, or returns `None` if the plan has no stopping rule, or no games
    /// of a player that the rule needs.
    pub fn of(plan: &Plan) -> Option<Judge> {
        match plan.stop? {
            EarlyStop::Pair(stop) => {
                let alone =
                    |player: usize| plan.lineups.iter().position(|lineup| lineup.members() == [player]);
                Some(Judge::of_pair(stop, [alone(stop.better)?, alone(stop.than)?]))
            }
            EarlyStop::Precision(stop) => {
                let lineups: Vec<usize> = (0..plan.lineups.len()).collect();
                let rule = Rule::Precision(PrecisionJudge::new(*stop, lineups.len()));
                (!lineups.is_empty()).then_some(Judge { by: stop.by, lineups, rule })
            }
            EarlyStop::Duel(stop) => Judge::of_duel(stop, plan),
        }
    }

    /// Creates the judge of two solo players, given their line-ups.
    fn of_pair(stop: &ComparisonStop, lineups: [usize; 2]) -> Judge {
        let rule = Rule::Pair(PairJudge::new(stop.rule));
        Judge { by: stop.by, lineups: lineups.into(), rule }
    }

    /// Creates the judge of two players by their games against each other, or returns `None` if
    /// they do not meet.
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

    /// Returns the line-ups that the rule needs. In a comparison of solo players, the one claimed
    /// to be better is first.
    pub fn lineups(&self) -> &[usize] {
        &self.lineups
    }

    /// Returns the measure that counts a block.
    pub fn by(&self) -> Measure {
        self.by
    }

    fn legs(&self) -> usize {
        match self.rule {
            Rule::Duel(_) => Shape::Duel.legs(),
            Rule::Pair(_) | Rule::Precision(_) => Shape::Solo.legs(),
        }
    }

    /// Describes the state in one line. `title` returns the name of a line-up.
    pub fn stands(&self, title: impl Fn(usize) -> String) -> String {
        match &self.rule {
            Rule::Pair(judge) => judge.ruling().evidence.in_words(judge.ruling().balance.blocks),
            Rule::Precision(judge) => judge.in_words(|side| title(self.lineups[side])),
            Rule::Duel(judge) => judge.ruling().evidence.in_words(judge.ruling().blocks),
        }
    }

    /// Returns the state, relative to the bounds.
    pub fn between(&self) -> BoundsPosition {
        match &self.rule {
            Rule::Pair(judge) => judge.ruling().evidence.between(),
            Rule::Precision(judge) => judge.between(),
            Rule::Duel(judge) => judge.ruling().evidence.between(),
        }
    }

    /// Returns the number of blocks after which the run ends, if decided.
    pub fn end(&self) -> Option<u64> {
        match &self.rule {
            Rule::Pair(judge) => judge.ruling().end(),
            Rule::Precision(judge) => judge.end(),
            Rule::Duel(judge) => judge.ruling().end(),
        }
    }

    /// Returns the final ruling, when no more blocks come.
    pub fn close(self) -> Ruling {
        match self.rule {
            Rule::Pair(judge) => Ruling::Pair(judge.close()),
            Rule::Precision(judge) => Ruling::Precision(judge.close()),
            Rule::Duel(judge) => Ruling::Duel(judge.close()),
        }
    }

    /// Adds the games of consecutive blocks, with the legs of each block in order. Line-ups with
    /// equal settings share their games: `of` returns true for each line-up to which these games
    /// belong.
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

    /// Adds a block in which a program broke.
    pub(super) fn hear_failure(&mut self, of: impl Fn(usize) -> bool, block: u64) {
        for side in (0..self.lineups.len()).filter(|&side| of(self.lineups[side])).collect::<Vec<_>>() {
            self.note(side, block, None);
        }
        self.look();
    }

    /// Adds the results of all of its players in a block, more being better; `None` if a program
    /// broke.
    pub fn hear_block(&mut self, block: u64, words: impl IntoIterator<Item = Option<u64>>) {
        for (side, word) in words.into_iter().enumerate() {
            self.note(side, block, word);
        }
        self.look();
    }

    /// Returns the player's result in the games of a block; `None` if a program broke.
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

    /// Judges blocks in order, as far as the results of all players are known.
    fn look(&mut self) {
        match &mut self.rule {
            Rule::Pair(judge) => judge.look(),
            Rule::Precision(judge) => judge.look(),
            Rule::Duel(judge) => judge.look(),
        }
    }

    /// Adds all games of a journal, before more are played.
    pub(super) fn hear_all(&mut self, held: &Coverage) -> anyhow::Result<()> {
        self.hear_windows(&[held], false)
    }

    /// Adds the games of these journals up to the first gap: later games decide nothing.
    pub(super) fn hear_prefix(&mut self, held: &[&Coverage]) -> anyhow::Result<()> {
        self.hear_windows(held, true)
    }

    /// Adds blocks of all players window by window, so that no player's blocks wait long for
    /// another's.
    fn hear_windows(&mut self, held: &[&Coverage], is_prefix: bool) -> anyhow::Result<()> {
        let lineups = self.lineups.clone();
        let end_of = |coverage: &&Coverage| {
            let last = lineups.iter().filter_map(|&lineup| coverage.stretches[lineup].last());
            last.map(|stretch| stretch.range().end).max()
        };
        let all = held.iter().filter_map(end_of).max().unwrap_or(0);
        let mut first = 0;
        while first < all && self.end().is_none() {
            let window = first..first + WINDOW;
            for (side, &lineup) in lineups.iter().enumerate() {
                for coverage in held {
                    let within = coverage.touching(lineup, &window).iter();
                    let within: Vec<_> = within.map(|stretch| stretch.within(&window)).collect();
                    self.hear_stretches(side, coverage.journal, &within)?;
                }
            }
            self.look();
            if is_prefix && self.taken() < window.end {
                break;
            }
            first = window.end;
        }
        Ok(())
    }

    /// Adds blocks that all of its line-ups have played, or in which their programs broke.
    /// `journal_of` returns the journal of a shard, or of the whole run.
    pub(super) fn hear_complete<'j>(
        &mut self,
        window: &BlockWindow,
        journal_of: impl Fn(Option<Shard>) -> &'j Journal,
    ) -> anyhow::Result<()> {
        for (side, blocks) in window.sides.iter().enumerate() {
            for (&shard, spans) in &blocks.spans {
                self.hear_stretches(side, journal_of(shard), spans)?;
            }
            blocks.failed.iter().for_each(|&block| self.note(side, block, None));
        }
        self.look();
        Ok(())
    }

    /// Adds games of one line-up without judging blocks yet.
    fn hear_stretches(
        &mut self,
        side: usize,
        journal: &Journal,
        stretches: &[BlockSpan],
    ) -> anyhow::Result<()> {
        let legs = self.legs();
        read_all(journal, legs as u64, stretches, |stretch, _, records| {
            for (block, legs) in stretch.range().zip(records.chunks(legs)) {
                self.note(side, block, self.word(legs));
            }
        })
    }

    /// Returns the number of blocks judged.
    pub fn taken(&self) -> u64 {
        match &self.rule {
            Rule::Pair(judge) => judge.prefix.taken(),
            Rule::Precision(judge) => judge.prefix.taken(),
            Rule::Duel(judge) => judge.prefix.taken(),
        }
    }

    /// Adds the games that failed. Only tables need this: a run that
    /// continues plays these games again.
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

/// Number of blocks in a window.
const WINDOW: u64 = 1 << 16;

/// Returns the half points of a player in both games of a block, by its index in the line-up.
fn half_points(legs: &[GameRecord], place: usize) -> u64 {
    let points = (0..).zip(legs).map(|(leg, record)| {
        let is_its_seat = |seat: &&Seat| Shape::Duel.member_at(leg, **seat) == place;
        let seat = Shape::Duel.seats().iter().find(is_its_seat).expect("a seat for each member");
        record.outcome.seen_by(*seat).half_points()
    });
    points.sum()
}

/// Creates a judge with all games of a journal; `None` if the plan has no stopping rule.
pub fn heard(plan: &KeyedPlan, coverage: &Coverage) -> anyhow::Result<Option<Judge>> {
    let Some(mut judge) = Judge::of(plan) else { return Ok(None) };
    judge.hear_broken(plan, coverage);
    judge.hear_prefix(&[coverage])?;
    Ok(Some(judge))
}

/// Creates a judge with the games of all journals in a folder; `None` if the plan has no stopping
/// rule. The journal of an undivided run is first, then those of shards: if two have a block, the
/// first one counts, as in a merge. Games that failed are not added. They may
/// be played again, and until then nothing after them is decided.
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
