//! A `[stop]` that compares two players: its question, its answer at the end of the run, the table
//! `stop`, and the use of this answer for equal questions elsewhere.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::{Table, TableEstimate, TypedRow, table};
use gauntlet_core::text::round_to;
use gauntlet_run::early_stop::{ComparisonStop, EarlyStop, SequentialTest, Sprt};
use gauntlet_run::judge::{ComparisonStopResult, LikelihoodRatio, SequentialDecision, StopResult};
use gauntlet_stats::{EloScale, Estimate, share_of_elo, share_of_normalized_elo};

use super::finding::HALF;
use super::question::{ComparisonQuestion, Conclusion};
use super::verdict::Verdict;
use crate::config::Experiment;

/// Name of the table of the comparison that may end a run.
pub const STOP: &str = "stop";

/// Decimals of a difference in the table, and of a difference in Elo.
const DECIMALS: usize = 6;
const ELO_DECIMALS: usize = 2;

/// Columns of pairs of games by the points of the first player, from 0 to 2 in halves.
pub const PAIRS: [&str; 5] = ["pairs_0", "pairs_0_5", "pairs_1", "pairs_1_5", "pairs_2"];

/// Heading of these columns for people.
pub const PAIR_POINTS: &str = "pairs with 0-0.5-1-1.5-2 points";

/// Question of a `[stop]` that compares two players, and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct StopTest {
    pub(crate) player: String,
    pub(crate) rival: String,
    pub(crate) measure: Measure,
    pub(crate) test: SequentialTest,
    /// `None` if the table with the answer is missing.
    pub(crate) state: Option<StopState>,
}

/// State of the test at the end of a run of at most `max_blocks` blocks: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StopState {
    pub(crate) max_blocks: u64,
    pub(crate) ruling: ComparisonStopResult,
}

impl StopState {
    /// Reads the state from a row of the table.
    fn read(row: &StopRow) -> Option<StopState> {
        let decision = match row.verdict? {
            Verdict::Better | Verdict::NotWorse => Some(SequentialDecision::Better),
            Verdict::NotBetter => Some(SequentialDecision::NotBetter),
            Verdict::Worse => Some(SequentialDecision::Worse),
            Verdict::Inconclusive => None,
            _ => return None,
        };
        let ruling = ComparisonStopResult {
            blocks: row.blocks,
            balance: row.balance?,
            pairs: row.pairs,
            evidence: LikelihoodRatio { ratio: row.ratio, lower: row.lower, upper: row.upper },
            decision,
            estimate: row.estimate.estimate,
        };
        Some(StopState { max_blocks: row.at_most, ruling })
    }
}

/// Returns the decimals of differences in the table.
fn decimals_of(test: &SequentialTest) -> usize {
    if test.elo().is_some() { ELO_DECIMALS } else { DECIMALS }
}

/// Returns the name of the method of a test.
fn method(test: &SequentialTest) -> &'static str {
    match test {
        SequentialTest::Sprt(_) => "sprt",
        SequentialTest::Confidence(_) => "confidence",
    }
}

/// Answer of a `[stop]` to a comparison of its two players.
#[derive(Clone, Copy, Debug)]
pub struct StopTestView<'a> {
    pub(crate) result: &'a StopTest,
    pub(crate) state: &'a StopState,
    /// True if the comparison has the players in reverse order.
    pub(crate) is_swapped: bool,
}

/// Decision of a sequential stop, in place of the comparison's own test.
#[derive(Clone, Debug)]
pub struct StopConclusion {
    pub conclusion: Conclusion,
    /// Additional result of the bounds, which has its own risk.
    pub bounds_conclusion: Conclusion,
    /// Difference of shares of games or of points, as the first player of the comparison sees it.
    pub(super) effect: Option<Estimate>,
    /// Difference, test and blocks, as the comparison sees them.
    pub answer: String,
    /// Test and its risk, in sentences.
    pub explanation: String,
}

impl StopTest {
    /// Creates the result of a `[stop]` from the ruling on a run of at most `max_blocks` blocks.
    /// `None` if the `[stop]` does not compare two players. Rounds to the decimals of the table, so
    /// that an answer read back from the table is equal.
    pub fn new<'a>(
        stop: &EarlyStop,
        stop_result: &StopResult,
        max_blocks: u64,
        name: impl Fn(usize) -> &'a str,
    ) -> Option<StopTest> {
        let ComparisonStop { better_player: player, other_player: rival, measure, test } =
            *stop.comparison()?;
        let StopResult::Comparison(ruling) = *stop_result else { return None };
        let [player, rival] = [player, rival].map(|player| name(player).to_owned());
        let estimate = ruling.estimate.map(|estimate| Estimate {
            level: round_to(estimate.level, 9),
            ..estimate.map(|bound| round_to(bound, decimals_of(&test)))
        });
        let ruling = ComparisonStopResult { estimate, ..ruling };
        Some(StopTest { player, rival, measure, test, state: Some(StopState { max_blocks, ruling }) })
    }

    /// Reads the result from the table of an experiment. It has no answer if the table is missing
    /// or answers another question. Returns `None` if the experiment has no `[stop]` that compares
    /// two players.
    pub fn read(experiment: &Experiment, table: Option<&Table>) -> Option<StopTest> {
        let ComparisonStop { better_player: player, other_player: rival, measure, test } =
            *experiment.sections().stop.as_ref()?.comparison()?;
        let [player, rival] = [player, rival].map(|player| experiment.players()[player].name.clone());
        let row = table.and_then(|table| table.read_rows().next()).filter(|row: &StopRow| {
            [&*row.player, &row.than, &row.by, &row.method]
                == [&player, &rival, &measure.to_string(), method(&test)]
        });
        let state = row.and_then(|row| StopState::read(&row));
        Some(StopTest { player, rival, measure, test, state })
    }

    /// Returns the answer to a comparison of two players, by their names in the experiment, or
    /// `None` for other players.
    pub fn view_for(&self, players: [&str; 2]) -> Option<StopTestView<'_>> {
        let own_names = [&*self.player, &*self.rival];
        let is_match = players == own_names || players == [own_names[1], own_names[0]];
        let state = self.state.as_ref().filter(|_| is_match)?;
        Some(StopTestView { result: self, state, is_swapped: players != own_names })
    }

    /// Returns true if the test decides whether a player is better, rather than worse.
    fn decides_better(&self) -> bool {
        !matches!(self.test, SequentialTest::Sprt(Sprt { from: lower, .. }) if lower < 0.0)
    }

    /// Returns the confidence level at which the test answers the question, or `None` if it answers
    /// another one.
    fn confidence_for(&self, question: &ComparisonQuestion) -> Option<f64> {
        let level = match self.test {
            SequentialTest::Sprt(Sprt { from: 0.0, alpha, .. }) => 1.0 - alpha.get(),
            SequentialTest::Sprt(Sprt { to: 0.0, beta, .. }) => 1.0 - beta.get(),
            SequentialTest::Sprt(_) => return None,
            SequentialTest::Confidence(level) => level.get(),
        };
        (question.measure == self.measure && question.margin.is_none()).then_some(level)
    }
}

impl StopTestView<'_> {
    /// Answers a comparison of these players, under their names there, on this number of blocks
    /// (`None` for independent games). If the question differs, `Err` may have a note about what
    /// was decided.
    pub(super) fn conclude(
        &self,
        question: &ComparisonQuestion,
        blocks: Option<u64>,
        [first, second]: [&str; 2],
    ) -> Result<StopConclusion, Option<String>> {
        let result = self.result;
        let has_all_blocks =
            blocks.is_none_or(|blocks| blocks == self.state.ruling.balance.iter().sum::<u64>());
        let names = if self.is_swapped { [second, first] } else { [first, second] };
        let Some(conclusion) = self.conclusion(question).filter(|_| has_all_blocks) else {
            return Err(self.note(names, result.confidence_for(question).filter(|_| has_all_blocks)));
        };
        let asked_level = (conclusion == Conclusion::Inconclusive).then_some(question.level);
        let effect = self.effect();
        Ok(StopConclusion {
            conclusion,
            bounds_conclusion: self
                .bounds_conclusion()
                .map_or(Conclusion::Inconclusive, |(bounds_conclusion, _)| {
                    bounds_conclusion.swap_players_if(self.is_swapped)
                }),
            effect: if self.is_swapped {
                effect.map(|estimate| estimate.map_decreasing(|it| -it))
            } else {
                effect
            },
            answer: self.answer(),
            explanation: self.explanation(names, asked_level),
        })
    }

    /// Returns the result, or `None` if this test does not answer the question at its level.
    pub fn conclusion(&self, question: &ComparisonQuestion) -> Option<Conclusion> {
        let is_as_sure = |level: f64| question.level <= level + 1e-12;
        self.result.confidence_for(question).filter(|&level| is_as_sure(level))?;
        let decides_better = self.result.decides_better();
        let conclusion = match (self.state.ruling.decision, self.bounds_conclusion()) {
            (Some(SequentialDecision::Better), _) if decides_better => Conclusion::Yes,
            (Some(SequentialDecision::Worse), _) => Conclusion::Opposite,
            (Some(SequentialDecision::NotBetter), _) if !decides_better => Conclusion::Opposite,
            // The risks of the decision and of the bounds add up.
            (_, Some((bounds_conclusion, level))) if is_as_sure(level) => bounds_conclusion,
            _ => Conclusion::Inconclusive,
        };
        Some(conclusion.swap_players_if(self.is_swapped))
    }

    /// Returns the result and the level of the bounds if the test decided only that a player is not
    /// better, or not worse: the estimate may be far from that border. `None` if the bounds include
    /// 0.
    pub(crate) fn bounds_conclusion(&self) -> Option<(Conclusion, f64)> {
        let (effect, decides_better) = (self.effect()?, self.result.decides_better());
        match self.state.ruling.decision? {
            SequentialDecision::NotBetter if decides_better && effect.high < 0.0 => {
                Some((Conclusion::Opposite, effect.level))
            }
            SequentialDecision::Better if !decides_better && effect.low > 0.0 => {
                Some((Conclusion::Yes, effect.level))
            }
            _ => None,
        }
    }

    /// Returns the estimate as a difference of the shares of blocks won and lost, or as the share
    /// of the points minus one half.
    pub(crate) fn effect(&self) -> Option<Estimate> {
        let ComparisonStopResult { estimate, pairs, .. } = self.state.ruling;
        let share = match self.result.test.elo() {
            None => return estimate,
            Some(EloScale::Logistic) => estimate?.map(share_of_elo),
            Some(EloScale::Normalized) => share_of_normalized_elo(estimate?, pairs?)?,
        };
        Some(share.map(|share| share - HALF))
    }

    fn verdict(&self) -> Verdict {
        match self.state.ruling.decision {
            Some(SequentialDecision::Better) if !self.result.decides_better() => Verdict::NotWorse,
            Some(SequentialDecision::Better) => Verdict::Better,
            Some(SequentialDecision::NotBetter) => Verdict::NotBetter,
            Some(SequentialDecision::Worse) => Verdict::Worse,
            None => Verdict::Inconclusive,
        }
    }
}

table! {
    /// The comparison that could end a run, as it stood then. In games of two the estimate is one
    /// of Elo.
    pub struct StopRow(STOP, None) of it: StopTestView<'_> {
        /// The player named by `better`.
        player: String, words() = &*it.result.player;
        /// The player named by `than`.
        than: String, words() = &*it.result.rival;
        /// Measure of the comparison.
        by: String, words() = it.result.measure.to_string();
        /// Method of the test.
        method: String, words() = method(&it.result.test);
        /// Number of blocks in the tables.
        blocks: u64, count() = it.state.ruling.blocks;
        /// Number of requested blocks.
        at_most: u64, count() = it.state.max_blocks;
        /// Blocks lost, tied and won by the first player; in a two-player game, by points of a
        /// pair.
        balance: Option<[u64; 3]>, count().with_parts(&["behind", "even", "ahead"]) = it.state.ruling.balance;
        /// Pairs by points of the first player, as in `duels.csv`; empty in one-player games.
        pairs: Option<[u64; 5]>, count().with_parts(&PAIRS).first_count_of(PAIR_POINTS) = it.state.ruling.pairs;
        /// Log-likelihood ratio when the run ended.
        ratio: f64, number().with_decimals(4) = it.state.ruling.evidence.ratio;
        /// Lower bound of the test; empty for `confidence`.
        lower: Option<f64>, number().with_decimals(4) = it.state.ruling.evidence.lower;
        /// Upper bound of the test.
        upper: f64, number().with_decimals(4) = it.state.ruling.evidence.upper;
        /// `better`, `not worse`, `not better`, `worse` or `inconclusive`.
        verdict: Option<Verdict>, verdict(Verdict::find_word) = it.verdict();
        /// Difference with its interval, test and games, in one line.
        answer: String, answer() =
            format!("{} vs {}: {}", it.result.player, it.result.rival, it.answer());
        /// What was decided, and its risk of error, in sentences.
        explanation: Option<String>, explanation() =
            Some(it.explanation([&it.result.player, &it.result.rival], None));
        /// Difference of the players, corrected for early stopping, with bounds.
        estimate: TableEstimate, number() =
            (it.state.ruling.estimate, decimals_of(&it.result.test));
        /// Confidence level of the bounds of `estimate`.
        level: Option<f64>, number() = it.state.ruling.estimate.map(|it| it.level);
    }
}

/// Makes the table, with one row, or returns `None` without an answer.
pub fn table(result: &StopTest) -> Option<Table> {
    let answer = result.view_for([&result.player, &result.rival]);
    answer.map(|answer| StopRow::table([StopRow::new(answer)]))
}

#[cfg(test)]
mod tests;
