//! A `[stop]` that compares two players: its question, its answer at the end of the run, the table
//! `stop`, and the use of this answer for equal questions elsewhere.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::{Table, TableEstimate, TypedRow, table};
use gauntlet_core::text::round_to;
use gauntlet_run::early_stop::{ComparisonStop, EarlyStop, SequentialTest, Sprt};
use gauntlet_run::judge::{ComparisonRuling, LikelihoodRatio, SequentialDecision, StopResult};
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
    pub(crate) better: String,
    pub(crate) than: String,
    pub(crate) by: Measure,
    pub(crate) test: SequentialTest,
    /// `None` if the table with the answer is missing.
    pub(crate) end: Option<StopState>,
}

/// State of the test at the end of a run of at most `at_most` blocks: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StopState {
    pub(crate) at_most: u64,
    pub(crate) ruling: ComparisonRuling,
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
        let ruling = ComparisonRuling {
            blocks: row.blocks,
            balance: row.balance?,
            pairs: row.pairs,
            evidence: LikelihoodRatio { ratio: row.ratio, lower: row.lower, upper: row.upper },
            decision,
            estimate: row.estimate.estimate,
        };
        Some(StopState { at_most: row.at_most, ruling })
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
    pub(crate) end: &'a StopState,
    /// True if the comparison has the players in reverse order.
    pub(crate) is_turned: bool,
}

/// Decision of a sequential stop, in place of the comparison's own test.
#[derive(Clone, Debug)]
pub struct StopConclusion {
    pub shown: Conclusion,
    /// Additional result of the bounds, which has its own risk.
    pub besides: Conclusion,
    /// Difference of shares of games or of points, as the first player of the comparison sees it.
    pub(super) effect: Option<Estimate>,
    /// Difference, test and blocks, as the comparison sees them.
    pub answer: String,
    /// Test and its risk, in sentences.
    pub explanation: String,
}

impl StopTest {
    /// Creates the result of a `[stop]` from the ruling on a run of at most `at_most` blocks.
    /// `None` if the `[stop]` does not compare two players. Rounds to the decimals of the table, so
    /// that an answer read back from the table is equal.
    pub fn new<'a>(
        stop: &EarlyStop,
        ruling: &StopResult,
        at_most: u64,
        name: impl Fn(usize) -> &'a str,
    ) -> Option<StopTest> {
        let ComparisonStop { better, than, by, test } = *stop.comparison()?;
        let StopResult::Comparison(ruling) = *ruling else { return None };
        let [better, than] = [better, than].map(|player| name(player).to_owned());
        let estimate = ruling.estimate.map(|estimate| Estimate {
            level: round_to(estimate.level, 9),
            ..estimate.map(|bound| round_to(bound, decimals_of(&test)))
        });
        let ruling = ComparisonRuling { estimate, ..ruling };
        Some(StopTest { better, than, by, test, end: Some(StopState { at_most, ruling }) })
    }

    /// Reads the result from the table of an experiment. It has no answer if the table is missing
    /// or answers another question. Returns `None` if the experiment has no `[stop]` that compares
    /// two players.
    pub fn read(experiment: &Experiment, table: Option<&Table>) -> Option<StopTest> {
        let ComparisonStop { better, than, by, test } = *experiment.sections().stop.as_ref()?.comparison()?;
        let [better, than] = [better, than].map(|player| experiment.entries()[player].name.clone());
        let row = table.and_then(|table| table.read_rows().next()).filter(|row: &StopRow| {
            [&*row.player, &row.than, &row.by, &row.method]
                == [&better, &than, &by.to_string(), method(&test)]
        });
        let end = row.and_then(|row| StopState::read(&row));
        Some(StopTest { better, than, by, test, end })
    }

    /// Returns the answer to a comparison of two players, by their names in the experiment, or
    /// `None` for other players.
    pub fn view_for(&self, players: [&str; 2]) -> Option<StopTestView<'_>> {
        let asked = [&*self.better, &*self.than];
        let is_asked = players == asked || players == [asked[1], asked[0]];
        let end = self.end.as_ref().filter(|_| is_asked)?;
        Some(StopTestView { result: self, end, is_turned: players != asked })
    }

    /// Returns true if the test decides whether a player is better, rather than worse.
    fn decides_better(&self) -> bool {
        !matches!(self.test, SequentialTest::Sprt(Sprt { from, .. }) if from < 0.0)
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
        (question.by == self.by && question.margin.is_none()).then_some(level)
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
        let is_of_all = blocks.is_none_or(|blocks| blocks == self.end.ruling.balance.iter().sum::<u64>());
        let names = if self.is_turned { [second, first] } else { [first, second] };
        let Some(shown) = self.conclusion(question).filter(|_| is_of_all) else {
            return Err(self.note(names, result.confidence_for(question).filter(|_| is_of_all)));
        };
        let asked = (shown == Conclusion::Nothing).then_some(question.level);
        let effect = self.effect();
        Ok(StopConclusion {
            shown,
            besides: self
                .bounds_conclusion()
                .map_or(Conclusion::Nothing, |(besides, _)| besides.swap_players_if(self.is_turned)),
            effect: if self.is_turned { effect.map(|it| it.map_decreasing(|it| -it)) } else { effect },
            answer: self.answer(),
            explanation: self.explanation(names, asked),
        })
    }

    /// Returns the result, or `None` if this test does not answer the question at its level.
    pub fn conclusion(&self, question: &ComparisonQuestion) -> Option<Conclusion> {
        let is_as_sure = |level: f64| question.level <= level + 1e-12;
        self.result.confidence_for(question).filter(|&level| is_as_sure(level))?;
        let decides_better = self.result.decides_better();
        let shown = match (self.end.ruling.decision, self.bounds_conclusion()) {
            (Some(SequentialDecision::Better), _) if decides_better => Conclusion::Yes,
            (Some(SequentialDecision::Worse), _) => Conclusion::Opposite,
            (Some(SequentialDecision::NotBetter), _) if !decides_better => Conclusion::Opposite,
            // The risks of the decision and of the bounds add up.
            (_, Some((besides, level))) if is_as_sure(level) => besides,
            _ => Conclusion::Nothing,
        };
        Some(shown.swap_players_if(self.is_turned))
    }

    /// Returns the result and the level of the bounds if the test decided only that a player is not
    /// better, or not worse: the estimate may be far from that border. `None` if the bounds include
    /// 0.
    pub(crate) fn bounds_conclusion(&self) -> Option<(Conclusion, f64)> {
        let (effect, decides_better) = (self.effect()?, self.result.decides_better());
        match self.end.ruling.decision? {
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
        let ComparisonRuling { estimate, pairs, .. } = self.end.ruling;
        let share = match self.result.test.elo() {
            None => return estimate,
            Some(EloScale::Logistic) => estimate?.map(share_of_elo),
            Some(EloScale::Normalized) => share_of_normalized_elo(estimate?, pairs?)?,
        };
        Some(share.map(|share| share - HALF))
    }

    fn verdict(&self) -> Verdict {
        match self.end.ruling.decision {
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
        player: String, words() = &*it.result.better;
        /// The player named by `than`.
        than: String, words() = &*it.result.than;
        /// Measure of the comparison.
        by: String, words() = it.result.by.to_string();
        /// Method of the test.
        method: String, words() = method(&it.result.test);
        /// Number of blocks in the tables.
        blocks: u64, count() = it.end.ruling.blocks;
        /// Number of requested blocks.
        at_most: u64, count() = it.end.at_most;
        /// Blocks lost, tied and won by the first player; in a two-player game, by points of a
        /// pair.
        balance: Option<[u64; 3]>, count().with_parts(&["behind", "even", "ahead"]) = it.end.ruling.balance;
        /// Pairs by points of the first player, as in `duels.csv`; empty in one-player games.
        pairs: Option<[u64; 5]>, count().with_parts(&PAIRS).first_count_of(PAIR_POINTS) = it.end.ruling.pairs;
        /// Log-likelihood ratio when the run ended.
        ratio: f64, number().with_decimals(4) = it.end.ruling.evidence.ratio;
        /// Lower bound of the test; empty for `confidence`.
        lower: Option<f64>, number().with_decimals(4) = it.end.ruling.evidence.lower;
        /// Upper bound of the test.
        upper: f64, number().with_decimals(4) = it.end.ruling.evidence.upper;
        /// `better`, `not worse`, `not better`, `worse` or `inconclusive`.
        verdict: Option<Verdict>, verdict(Verdict::find_word) = it.verdict();
        /// Difference with its interval, test and games, in one line.
        answer: String, answer() =
            format!("{} vs {}: {}", it.result.better, it.result.than, it.answer());
        /// What was decided, and its risk of error, in sentences.
        explanation: Option<String>, explanation() =
            Some(it.explanation([&it.result.better, &it.result.than], None));
        /// Difference of the players, corrected for early stopping, with bounds.
        estimate: TableEstimate, number() =
            (it.end.ruling.estimate, decimals_of(&it.result.test));
        /// Confidence level of the bounds of `estimate`.
        level: Option<f64>, number() = it.end.ruling.estimate.map(|it| it.level);
    }
}

/// Makes the table, with one row, or returns `None` without an answer.
pub fn table(result: &StopTest) -> Option<Table> {
    let answer = result.view_for([&result.better, &result.than]);
    answer.map(|answer| StopRow::table([StopRow::new(answer)]))
}

#[cfg(test)]
mod tests;
