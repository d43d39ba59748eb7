//! What every rule that may end a run has in common.

use std::fmt;

use gauntlet_stats::{
    Bounds, EloScale, EloTest, Estimate, Hypothesis, PairCounts, elo_estimate, normalized_elo,
};
use serde::Serialize;

use super::precision::PrecisionStopResult;

/// A rule that may end a run. It collects results in any order, and judges blocks in their order.
pub(super) trait StoppingRule: fmt::Debug + Send + Sync {
    /// Adds the result of a side in a block, more being better; `None` if its program broke.
    fn add(&mut self, side: usize, block: u64, result: Option<u64>);

    /// Judges all blocks that are complete, until the run ends.
    fn judge(&mut self);

    /// Returns the number of blocks judged.
    fn blocks(&self) -> u64;

    /// Returns true if the run ends after the blocks judged.
    fn is_over(&self) -> bool;

    /// Returns the state, relative to the bounds.
    fn position(&self) -> BoundsPosition;

    /// Describes the state in one line. `name` returns the name of a side.
    fn describe(&self, name: &dyn Fn(usize) -> String) -> String;

    /// Returns the state, with an estimate that is corrected for stopping after these blocks.
    fn stop_result(&self) -> StopResult;
}

/// State of the rule that may end a run, and whether it does.
#[derive(Clone, Debug, PartialEq)]
pub enum StopResult {
    /// Comparison of two players.
    Comparison(ComparisonStopResult),
    /// Rates of all players.
    Precision(PrecisionStopResult),
}

impl StopResult {
    /// Returns the number of blocks after which the run ends, if decided.
    pub fn end(&self) -> Option<u64> {
        match self {
            StopResult::Comparison(result) => result.decision.map(|_| result.blocks),
            StopResult::Precision(result) => result.is_over.then_some(result.blocks),
        }
    }
}

/// State of a comparison of two players, and whether it ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparisonStopResult {
    /// Number of blocks judged. If something is decided, the run ends after these. It includes
    /// blocks that do not count, such as those in which a player's program broke.
    pub blocks: u64,
    /// Blocks in which the player claimed to be better did worse, as well, and better.
    pub balance: [u64; 3],
    /// In a game of two, blocks by the points of this player, from 0 to 2 in halves.
    pub pairs: Option<PairCounts>,
    /// Weight of evidence of these blocks.
    pub evidence: LikelihoodRatio,
    /// The decision; `None` while nothing is decided.
    pub decision: Option<SequentialDecision>,
    /// Difference on the scale of the test, corrected for stopping. `None` if no block counts.
    pub estimate: Option<Estimate>,
}

/// Weight of evidence of blocks, and the bounds that end the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LikelihoodRatio {
    /// Logarithm of the likelihood ratio: how much better one hypothesis explains the blocks than
    /// another.
    pub ratio: f64,
    /// Ratio that ends the run in favour of no difference, if it can end so.
    pub lower: Option<f64>,
    /// Ratio that ends the run in favour of a difference.
    pub upper: f64,
}

impl ComparisonStopResult {
    /// Makes the ruling on pairs of games, without an estimate.
    pub fn from_pairs(test: &EloTest, blocks: u64, pairs: PairCounts) -> ComparisonStopResult {
        let [zero, half, one, one_and_half, two] = pairs;
        let Bounds { lower, upper } = test.bounds();
        ComparisonStopResult {
            blocks,
            balance: [zero + half, one, one_and_half + two],
            pairs: Some(pairs),
            evidence: LikelihoodRatio { ratio: test.ratio(pairs), lower: Some(lower), upper },
            decision: test.decide(pairs).map(SequentialDecision::from),
            estimate: None,
        }
    }

    /// Adds the estimate of a test of pairs of games.
    #[must_use]
    pub fn with_estimate(self, test: &EloTest) -> ComparisonStopResult {
        let estimate = self.pairs.and_then(|pairs| {
            let share = test.share(pairs)?;
            match test.model {
                EloScale::Logistic => Some(elo_estimate(share)),
                EloScale::Normalized => normalized_elo(share, pairs),
            }
        });
        ComparisonStopResult { estimate, ..self }
    }
}

/// Decision of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequentialDecision {
    /// The player is better.
    Better,
    /// The player is not better: the smaller of two differences explains the blocks.
    NotBetter,
    /// The player is worse.
    Worse,
}

impl From<Hypothesis> for SequentialDecision {
    fn from(hypothesis: Hypothesis) -> SequentialDecision {
        match hypothesis {
            Hypothesis::Alternative => SequentialDecision::Better,
            Hypothesis::Null => SequentialDecision::NotBetter,
        }
    }
}

/// State of a stopping rule, relative to its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BoundsPosition {
    /// Current value.
    pub value: f64,
    /// Lower bound, if there is one.
    pub lower: Option<f64>,
    /// Upper bound.
    pub upper: f64,
    /// Name of the value.
    pub what: &'static str,
}
