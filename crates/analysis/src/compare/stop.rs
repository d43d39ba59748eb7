//! A `[stop]` that compares two players: its question, its answer at the end of the run, the table
//! `stop`, and the use of this answer for equal questions elsewhere.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::{Table, TableEstimate, TypedRow, table};
use gauntlet_core::text::rounded;
use gauntlet_run::early_stop::{ComparisonStop, DuelStop, EarlyStop, SequentialTest, Sprt};
use gauntlet_run::judge::Ruling;
use gauntlet_run::judge::pair::{LikelihoodRatio, SequentialDecision};
use gauntlet_stats::{
    EloScale, Estimate, PairCounts, elo, normalized_elo, share_of_elo, share_of_normalized_elo,
};

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
    pub(crate) test: Test,
    /// `None` if the table with the answer is missing.
    pub(crate) end: Option<StopState>,
}

/// Test that may end a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Test {
    /// Sequential test between two differences, each with the risk of accepting the other one if it
    /// is true.
    Between([f64; 2], [f64; 2], Scale),
    /// A confidence sequence.
    Confidence(f64),
}

/// Scale of the differences of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scale {
    /// Share of blocks won minus share of blocks lost.
    Blocks,
    /// Elo, from the points of games against each other.
    Elo(EloScale),
}

impl Test {
    /// Returns the two players, the measure and the test of a `[stop]` that compares two players,
    /// or `None` for another `[stop]`.
    fn of(stop: &EarlyStop) -> Option<([usize; 2], Measure, Test)> {
        Some(match *stop {
            EarlyStop::Pair(ComparisonStop { better, than, by, rule }) => {
                let test = match rule {
                    SequentialTest::Sprt(Sprt { from, to, alpha, beta }) => {
                        Test::Between([from, to], [alpha.get(), beta.get()], Scale::Blocks)
                    }
                    SequentialTest::Confidence(level) => Test::Confidence(level.get()),
                };
                ([better, than], by, test)
            }
            EarlyStop::Duel(DuelStop { better, than, test }) => {
                let between = Test::Between(test.elo, [test.alpha, test.beta], Scale::Elo(test.model));
                ([better, than], Measure::Points, between)
            }
            EarlyStop::Precision(_) => return None,
        })
    }

    fn method(&self) -> &'static str {
        match self {
            Test::Between(..) => "sprt",
            Test::Confidence(_) => "confidence",
        }
    }
}

/// State of the test at the end of the run: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StopState {
    pub(crate) blocks: u64,
    pub(crate) at_most: u64,
    /// Blocks that the first player lost, shared and won, if the results of both are known.
    balance: [u64; 3],
    /// In a duel, pairs of games by their points.
    pairs: Option<PairCounts>,
    evidence: LikelihoodRatio,
    pub(crate) decision: Option<SequentialDecision>,
    /// Difference on the scale of the test, corrected for stopping.
    pub(crate) estimate: Option<Estimate>,
}

impl StopState {
    /// Takes the state from a stop result. Rounds to the decimals of the table, so that an answer
    /// read back from the table is equal.
    fn of(ruling: &Ruling, test: &Test, at_most: u64) -> Option<StopState> {
        let with_decimals = |estimate: Estimate, decimals| Estimate {
            level: rounded(estimate.level, 9),
            ..estimate.map(|bound| rounded(bound, decimals))
        };
        Some(match (ruling, test) {
            (Ruling::Pair(ruling), _) => StopState {
                blocks: ruling.balance.blocks,
                at_most,
                balance: [ruling.balance.behind, ruling.balance.even, ruling.balance.ahead],
                pairs: None,
                evidence: ruling.evidence,
                decision: ruling.decision,
                estimate: ruling.effect.map(|effect| with_decimals(effect, DECIMALS)),
            },
            (Ruling::Duel(ruling), Test::Between(_, _, Scale::Elo(model))) => {
                let [none, half, one, more, two] = ruling.pairs;
                let lead = ruling.share.and_then(|share| match model {
                    EloScale::Logistic => Some(elo(share)),
                    EloScale::Normalized => normalized_elo(share, ruling.pairs),
                });
                StopState {
                    blocks: ruling.blocks,
                    at_most,
                    balance: [none + half, one, more + two],
                    pairs: Some(ruling.pairs),
                    evidence: ruling.evidence,
                    decision: ruling.decision,
                    estimate: lead.map(|lead| with_decimals(lead, ELO_DECIMALS)),
                }
            }
            _ => return None,
        })
    }

    /// Reads the state from a row of the table.
    fn read(row: &StopRow) -> Option<StopState> {
        Some(StopState {
            blocks: row.blocks,
            at_most: row.at_most,
            balance: row.balance?,
            pairs: row.pairs,
            evidence: LikelihoodRatio { ratio: row.ratio, lower: row.lower, upper: row.upper },
            decision: match row.verdict? {
                Verdict::Better | Verdict::NotWorse => Some(SequentialDecision::Better),
                Verdict::NotBetter => Some(SequentialDecision::NotBetter),
                Verdict::Worse => Some(SequentialDecision::Worse),
                Verdict::Inconclusive => None,
                _ => return None,
            },
            estimate: row.estimate.estimate,
        })
    }

    /// Returns the estimate as a difference of the shares of blocks won and lost, or as the share
    /// of the points minus one half.
    fn effect(&self, test: Test) -> Option<Estimate> {
        let share = match test {
            Test::Between(_, _, Scale::Elo(EloScale::Logistic)) => self.estimate?.map(share_of_elo),
            Test::Between(_, _, Scale::Elo(EloScale::Normalized)) => {
                share_of_normalized_elo(self.estimate?, self.pairs?)?
            }
            _ => return self.estimate,
        };
        Some(share.map(|share| share - HALF))
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
    /// `None` if the `[stop]` does not compare two players.
    pub fn of<'a>(
        stop: &EarlyStop,
        ruling: &Ruling,
        at_most: u64,
        name: impl Fn(usize) -> &'a str,
    ) -> Option<StopTest> {
        let (players, by, test) = Test::of(stop)?;
        let [better, than] = players.map(|player| name(player).to_owned());
        Some(StopTest { better, than, by, test, end: Some(StopState::of(ruling, &test, at_most)?) })
    }

    /// Reads the result from the table of an experiment. It has no answer if the table is missing
    /// or answers another question. Returns `None` if the experiment has no `[stop]` that compares
    /// two players.
    pub fn read(experiment: &Experiment, table: Option<&Table>) -> Option<StopTest> {
        let (players, by, test) = Test::of(experiment.sections().stop.as_ref()?)?;
        let [better, than] = players.map(|player| experiment.entries()[player].name.clone());
        let row = table.and_then(|table| table.typed().next()).filter(|row: &StopRow| {
            [&*row.player, &row.than, &row.by, &row.method]
                == [&better, &than, &by.to_string(), test.method()]
        });
        let end = row.and_then(|row| StopState::read(&row));
        Some(StopTest { better, than, by, test, end })
    }

    /// Returns the answer to a comparison of two players, by their names in the experiment, or
    /// `None` for other players.
    pub fn between(&self, players: [&str; 2]) -> Option<StopTestView<'_>> {
        let asked = [&*self.better, &*self.than];
        let is_asked = players == asked || players == [asked[1], asked[0]];
        let end = self.end.as_ref().filter(|_| is_asked)?;
        Some(StopTestView { result: self, end, is_turned: players != asked })
    }

    /// Returns true if the test decides whether a player is better, rather than worse.
    fn decides_better(&self) -> bool {
        !matches!(self.test, Test::Between([from, _], ..) if from < 0.0)
    }

    /// Returns the confidence level at which the test answers the question, or `None` if it answers
    /// another one.
    fn sureness(&self, question: &ComparisonQuestion) -> Option<f64> {
        let level = match self.test {
            Test::Between([0.0, _], [alpha, _], _) => 1.0 - alpha,
            Test::Between([_, 0.0], [_, beta], _) => 1.0 - beta,
            Test::Between(..) => return None,
            Test::Confidence(level) => level,
        };
        (question.by == self.by && question.margin.is_none()).then_some(level)
    }
}

impl StopTestView<'_> {
    /// Answers a comparison of these players, under their names there, on this number of blocks
    /// (`None` for independent games). If the question differs, `Err` may have a note about what
    /// was decided.
    pub(super) fn to(
        &self,
        question: &ComparisonQuestion,
        blocks: Option<u64>,
        [first, second]: [&str; 2],
    ) -> Result<StopConclusion, Option<String>> {
        let result = self.result;
        let is_of_all = blocks.is_none_or(|blocks| blocks == self.end.balance.iter().sum::<u64>());
        let names = if self.is_turned { [second, first] } else { [first, second] };
        let Some(shown) = self.shown(question).filter(|_| is_of_all) else {
            return Err(self.note(names, result.sureness(question).filter(|_| is_of_all)));
        };
        let asked = (shown == Conclusion::Nothing).then_some(question.level);
        let effect = self.effect();
        Ok(StopConclusion {
            shown,
            besides: self
                .besides()
                .map_or(Conclusion::Nothing, |(besides, _)| besides.turned(self.is_turned)),
            effect: if self.is_turned { effect.map(|it| it.turned(|it| -it)) } else { effect },
            answer: self.answer(),
            explanation: self.explanation(names, asked),
        })
    }

    /// Returns the result, or `None` if this test does not answer the question at its level.
    pub fn shown(&self, question: &ComparisonQuestion) -> Option<Conclusion> {
        let is_as_sure = |level: f64| question.level <= level + 1e-12;
        self.result.sureness(question).filter(|&level| is_as_sure(level))?;
        let decides_better = self.result.decides_better();
        let shown = match (self.end.decision, self.besides()) {
            (Some(SequentialDecision::Better), _) if decides_better => Conclusion::Yes,
            (Some(SequentialDecision::Worse), _) => Conclusion::Opposite,
            (Some(SequentialDecision::NotBetter), _) if !decides_better => Conclusion::Opposite,
            // The risks of the decision and of the bounds add up.
            (_, Some((besides, level))) if is_as_sure(level) => besides,
            _ => Conclusion::Nothing,
        };
        Some(shown.turned(self.is_turned))
    }

    /// Returns the result and the level of the bounds if the test decided only that a player is not
    /// better, or not worse: the estimate may be far from that border. `None` if the bounds include
    /// 0.
    pub(crate) fn besides(&self) -> Option<(Conclusion, f64)> {
        let (effect, decides_better) = (self.effect()?, self.result.decides_better());
        match self.end.decision? {
            SequentialDecision::NotBetter if decides_better && effect.high < 0.0 => {
                Some((Conclusion::Opposite, effect.level))
            }
            SequentialDecision::Better if !decides_better && effect.low > 0.0 => {
                Some((Conclusion::Yes, effect.level))
            }
            _ => None,
        }
    }

    pub(crate) fn effect(&self) -> Option<Estimate> {
        self.end.effect(self.result.test)
    }

    fn verdict(&self) -> Verdict {
        match self.end.decision {
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
    pub struct StopRow(STOP, None) of (it, is_duel): (StopTestView<'_>, bool) {
        /// The player named by `better`.
        player: String, words() = &*it.result.better;
        /// The player named by `than`.
        than: String, words() = &*it.result.than;
        /// Measure of the comparison.
        by: String, words() = it.result.by.to_string();
        /// Method of the test.
        method: String, words() = it.result.test.method();
        /// Number of blocks in the tables.
        blocks: u64, count() = it.end.blocks;
        /// Number of requested blocks.
        at_most: u64, count() = it.end.at_most;
        /// Blocks lost, tied and won by the first player; in a two-player game, by points of a
        /// pair.
        balance: Option<[u64; 3]>, count().parts(&["behind", "even", "ahead"]) = it.end.balance;
        /// Pairs by points of the first player, as in `duels.csv`; empty in one-player games.
        pairs: Option<[u64; 5]>, count().parts(&PAIRS).leading(PAIR_POINTS) = it.end.pairs;
        /// Log-likelihood ratio when the run ended.
        ratio: f64, number().to(4) = it.end.evidence.ratio;
        /// Lower bound of the test; empty for `confidence`.
        lower: Option<f64>, number().to(4) = it.end.evidence.lower;
        /// Upper bound of the test.
        upper: f64, number().to(4) = it.end.evidence.upper;
        /// `better`, `not worse`, `not better`, `worse` or `inconclusive`.
        verdict: Option<Verdict>, verdict(Verdict::word_of) = it.verdict();
        /// Difference with its interval, test and games, in one line.
        answer: String, answer() =
            format!("{} vs {}: {}", it.result.better, it.result.than, it.answer());
        /// What was decided, and its risk of error, in sentences.
        explanation: Option<String>, explanation() =
            Some(it.explanation([&it.result.better, &it.result.than], None));
        /// Difference of the players, corrected for early stopping, with bounds.
        estimate: TableEstimate, number() =
            (it.end.estimate, if is_duel { ELO_DECIMALS } else { DECIMALS });
        /// Confidence level of the bounds of `estimate`.
        level: Option<f64>, number() = it.end.estimate.map(|it| it.level);
    }
}

/// Makes the table, with one row, or returns `None` without an answer.
pub fn table(result: &StopTest) -> Option<Table> {
    let is_duel = matches!(result.test, Test::Between(_, _, Scale::Elo(_)));
    let answer = result.between([&result.better, &result.than]);
    answer.map(|answer| StopRow::table([StopRow::of((answer, is_duel))]))
}

#[cfg(test)]
mod tests;
