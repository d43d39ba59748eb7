//! Early stopping: rules that end a run before all games are played.
//!
//! Rules see the prefix of complete blocks, in the order of blocks, never the order in which games
//! finish. So a run stops after the same block with any number of threads, interrupted or not.
//! `StoppingRule` is what a rule does, and [`Judge`] feeds it with games.

mod comparison;
pub mod precision;
mod precision_rule;
mod prefix;
mod rule;

pub use rule::{BoundsPosition, ComparisonStopResult, LikelihoodRatio, SequentialDecision, StopResult};

use gauntlet_core::game::{Seat, Shape};
use gauntlet_core::measure::Measure;
use gauntlet_core::record::GameRecord;

use super::block_span::BlockSpan;
use super::complete_blocks::BlockWindow;
use super::coverage::{Coverage, read_all};
use super::journal::Journal;
use super::keyed_plan::KeyedPlan;
use crate::early_stop::{ComparisonStop, EarlyStop, SequentialTest};
use crate::plan::{LineUp, Plan, Shard};
use comparison::ComparisonRule;
use precision_rule::PrecisionRule;
use rule::StoppingRule;

/// Collects games in any order for the rule that may end a run.
#[derive(Debug)]
pub struct Judge {
    /// Measure that counts a block for a player.
    measure: Measure,
    /// Line-ups that the rule needs.
    lineups: Vec<usize>,
    /// In a game of two, the place in its line-up of the player claimed to be better.
    member: Option<usize>,
    rule: Box<dyn StoppingRule>,
}

impl Judge {
    /// Creates the judge of a plan, or returns `None` if the plan has no stopping rule, or no games
    /// of a player that the rule needs.
    pub fn new(plan: &Plan) -> Option<Judge> {
        let find_pair = |members: [usize; 2]| {
            plan.lineups.iter().position(|lineup| matches!(lineup, LineUp::Pair(pair) if *pair == members))
        };
        let find_single = |player: usize| plan.lineups.iter().position(|lineup| lineup.members() == [player]);
        let ComparisonStop { better_player, other_player, measure, test } = match *plan.stop? {
            EarlyStop::Comparison(stop) => stop,
            EarlyStop::Precision(stop) => {
                let lineups: Vec<usize> = (0..plan.lineups.len()).collect();
                let rule = Box::new(PrecisionRule::new(stop, lineups.len()));
                return (!lineups.is_empty()).then_some(Judge {
                    measure: stop.measure,
                    lineups,
                    member: None,
                    rule,
                });
            }
        };
        let Some(elo_test) = test.elo_test() else {
            return Some(Judge::from_pair(
                measure,
                test,
                [find_single(better_player)?, find_single(other_player)?],
            ));
        };
        let pair = find_pair([better_player, other_player]).map(|lineup| (lineup, 0));
        let (lineup, member) = pair.or_else(|| Some((find_pair([other_player, better_player])?, 1)))?;
        let rule = Box::new(ComparisonRule::from_duel(elo_test, plan.openings()));
        Some(Judge { measure, lineups: vec![lineup], member: Some(member), rule })
    }

    /// Creates the judge of two solo players, given their line-ups.
    fn from_pair(measure: Measure, test: SequentialTest, lineups: [usize; 2]) -> Judge {
        Judge { measure, lineups: lineups.into(), member: None, rule: Box::new(ComparisonRule::new(test)) }
    }

    /// Returns the line-ups that the rule needs. In a comparison of solo players, the one claimed
    /// to be better is first.
    pub fn lineups(&self) -> &[usize] {
        &self.lineups
    }

    /// Returns the measure that counts a block.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    fn legs(&self) -> usize {
        if self.member.is_some() { Shape::Duel.legs() } else { Shape::Solo.legs() }
    }

    /// Describes the state in one line. `title` returns the name of a line-up.
    pub fn describe_state(&self, title: impl Fn(usize) -> String) -> String {
        self.rule.describe(&|side| title(self.lineups[side]))
    }

    /// Returns the state, relative to the bounds.
    pub fn bounds_position(&self) -> BoundsPosition {
        self.rule.position()
    }

    /// Returns the number of blocks judged.
    pub fn judged_blocks(&self) -> u64 {
        self.rule.blocks()
    }

    /// Returns the number of blocks after which the run ends, if decided.
    pub fn end(&self) -> Option<u64> {
        self.rule.is_over().then(|| self.rule.blocks())
    }

    /// Returns the ruling on the blocks judged, as if no more come.
    pub fn stop_result(&self) -> StopResult {
        self.rule.stop_result()
    }

    /// Adds the games of consecutive blocks, with the legs of each block in order. Line-ups with
    /// equal settings share their games: `belongs_to` returns true for each line-up to which these
    /// games belong.
    pub fn add_games(&mut self, belongs_to: impl Fn(usize) -> bool, first: u64, records: &[GameRecord]) {
        let sides: Vec<usize> =
            (0..self.lineups.len()).filter(|&side| belongs_to(self.lineups[side])).collect();
        for (block, legs) in (first..).zip(records.chunks(self.legs())) {
            let result = self.block_result(legs);
            for &side in &sides {
                self.rule.add(side, block, result);
            }
        }
        self.rule.judge();
    }

    /// Adds a block in which a program broke.
    pub(super) fn add_failure(&mut self, belongs_to: impl Fn(usize) -> bool, block: u64) {
        for side in (0..self.lineups.len()).filter(|&side| belongs_to(self.lineups[side])).collect::<Vec<_>>()
        {
            self.rule.add(side, block, None);
        }
        self.rule.judge();
    }

    /// Adds the results of all of its players in a block, more being better; `None` if a program
    /// broke.
    pub fn add_block(&mut self, block: u64, results: impl IntoIterator<Item = Option<u64>>) {
        for (side, result) in results.into_iter().enumerate() {
            self.rule.add(side, block, result);
        }
        self.rule.judge();
    }

    /// Returns the player's result in the games of a block; `None` if a program broke.
    fn block_result(&self, legs: &[GameRecord]) -> Option<u64> {
        let is_broken = legs.iter().any(|record| record.ending.is_panic());
        let result = |record: &GameRecord| match (self.measure, self.member) {
            (_, Some(member)) => half_points(legs, member),
            (Measure::Reach(threshold), _) => threshold.is_in(&record.facts).into(),
            (Measure::Score, _) => record.score(),
            _ => record.is_won_by(Seat::First).into(),
        };
        legs.first().filter(|_| !is_broken).map(result)
    }

    /// Adds all games of a journal, before more are played.
    pub(super) fn add_journal(&mut self, coverage: &Coverage) -> anyhow::Result<()> {
        self.add_windows(&[coverage], false)
    }

    /// Adds the games of these journals up to the first gap: later games decide nothing.
    pub(super) fn add_prefix(&mut self, coverages: &[&Coverage]) -> anyhow::Result<()> {
        self.add_windows(coverages, true)
    }

    /// Adds blocks of all players window by window, so that no player's blocks wait long for
    /// another's.
    fn add_windows(&mut self, coverages: &[&Coverage], is_prefix: bool) -> anyhow::Result<()> {
        let lineups = self.lineups.clone();
        let end_of = |coverage: &&Coverage| {
            let last = lineups.iter().filter_map(|&lineup| coverage.spans[lineup].last());
            last.map(|span| span.range().end).max()
        };
        let block_end = coverages.iter().filter_map(end_of).max().unwrap_or(0);
        let mut first = 0;
        while first < block_end && self.end().is_none() {
            let window = first..first + WINDOW;
            for (side, &lineup) in lineups.iter().enumerate() {
                for coverage in coverages {
                    let overlaps = coverage.find_overlaps(lineup, &window).iter();
                    let spans: Vec<_> = overlaps.map(|span| span.clip(&window)).collect();
                    self.add_spans(side, coverage.journal, &spans)?;
                }
            }
            self.rule.judge();
            if is_prefix && self.judged_blocks() < window.end {
                break;
            }
            first = window.end;
        }
        Ok(())
    }

    /// Adds blocks that all of its line-ups have played, or in which their programs broke.
    /// `journal_of` returns the journal of a shard, or of the whole run.
    pub(super) fn add_complete<'j>(
        &mut self,
        window: &BlockWindow,
        journal_of: impl Fn(Option<Shard>) -> &'j Journal,
    ) -> anyhow::Result<()> {
        for (side, blocks) in window.sides.iter().enumerate() {
            for (&shard, spans) in &blocks.spans {
                self.add_spans(side, journal_of(shard), spans)?;
            }
            blocks.failed_blocks.iter().for_each(|&block| self.rule.add(side, block, None));
        }
        self.rule.judge();
        Ok(())
    }

    /// Adds games of one line-up without judging blocks yet.
    fn add_spans(&mut self, side: usize, journal: &Journal, spans: &[BlockSpan]) -> anyhow::Result<()> {
        let legs = self.legs();
        read_all(journal, legs as u64, spans, |span, _, records| {
            for (block, legs) in span.range().zip(records.chunks(legs)) {
                self.rule.add(side, block, self.block_result(legs));
            }
        })
    }

    /// Adds the games that failed. Only tables need this: a run that
    /// continues plays these games again.
    fn add_panics(&mut self, plan: &KeyedPlan, coverage: &Coverage) {
        let journal = coverage.journal;
        for side in 0..self.lineups.len() {
            let lineup = self.lineups[side];
            let key = plan.key(lineup);
            if journal.count_panics(key) == 0 {
                continue;
            }
            for block in coverage.missing_blocks(lineup, &(0..plan.blocks.len())).into_iter().flatten() {
                if journal.panic(key, plan.blocks.seed(block)).is_some() {
                    self.rule.add(side, block, None);
                }
            }
        }
    }
}

/// Number of blocks in a window.
const WINDOW: u64 = 1 << 16;

/// Returns the half points of a player in both games of a block, by its index in the line-up.
fn half_points(legs: &[GameRecord], member: usize) -> u64 {
    let points = (0..).zip(legs).map(|(leg, record)| {
        let is_its_seat = |seat: &&Seat| Shape::Duel.member_at(leg, **seat) == member;
        let seat = Shape::Duel.seats().iter().find(is_its_seat).expect("a seat for each member");
        record.outcome.result_for(*seat).half_points()
    });
    points.sum()
}

/// Creates a judge with all games of a journal; `None` if the plan has no stopping rule.
pub fn judge_journal(plan: &KeyedPlan, coverage: &Coverage) -> anyhow::Result<Option<Judge>> {
    let Some(mut judge) = Judge::new(plan) else { return Ok(None) };
    judge.add_panics(plan, coverage);
    judge.add_prefix(&[coverage])?;
    Ok(Some(judge))
}

/// Creates a judge with the games of all journals in a folder; `None` if the plan has no stopping
/// rule. The journal of an undivided run is first, then those of shards: if two have a block, the
/// first one counts, as in a merge. Games that failed are not added. They may
/// be played again, and until then nothing after them is decided.
pub fn judge_folder(
    plan: &KeyedPlan,
    main: Option<&Coverage>,
    shards: &[Coverage],
) -> anyhow::Result<Option<Judge>> {
    let Some(mut judge) = Judge::new(plan) else { return Ok(None) };
    judge.add_prefix(&main.into_iter().chain(shards).collect::<Vec<_>>())?;
    Ok(Some(judge))
}

#[cfg(test)]
mod tests;
