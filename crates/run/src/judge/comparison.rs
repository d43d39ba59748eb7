//! Ends a run when the comparison of two players is decided: by which one does better in a block,
//! or by the points of their games against each other.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use gauntlet_core::text::group_digits;
use gauntlet_stats::sequential::MIN_DISCORDANT;
use gauntlet_stats::{
    Bounds, EVEN_PRIOR, EloTest, Estimate, TrialSequence, difference_after_stop, mixture_interval,
    mixture_log_evidence, score_ratio, share_after_stop, wilson,
};

use super::prefix::Prefix;
use super::rule::{
    BoundsPosition, ComparisonStopResult, LikelihoodRatio, SequentialDecision, StopResult, StoppingRule,
};
use crate::early_stop::{SequentialTest, Sprt};
use crate::plan::BlockOpenings;

/// Sequential test of two players.
#[derive(Debug)]
pub(super) struct ComparisonRule {
    /// Result of each player in a block, more being better. In a game of two, the half points of
    /// the player claimed to be better. `None` if a program broke.
    prefix: Prefix<Option<u64>>,
    counter: BlockCounter,
    /// State without an estimate.
    stop_result: ComparisonStopResult,
}

/// What a test needs besides its counts.
#[derive(Debug)]
enum BlockCounter {
    /// For players of different games, which blocks differed, in order.
    Solo(SequentialTest, TrialSequence),
    /// For players of the same games, the openings judged so far. Of blocks whose openings are
    /// symmetric only the first counts, because the others add no information.
    Duel(EloTest, BlockOpenings, BTreeSet<u64>),
}

impl ComparisonRule {
    /// Creates the test of two solo players.
    pub(super) fn new(test: SequentialTest) -> ComparisonRule {
        let stop_result = ComparisonStopResult {
            blocks: 0,
            balance: [0; 3],
            pairs: None,
            evidence: evidence(&test, [0; 3]),
            decision: None,
            estimate: None,
        };
        let counter = BlockCounter::Solo(test, TrialSequence::default());
        ComparisonRule { prefix: Prefix::new(2), counter, stop_result }
    }

    /// Creates the test of two players by their games against each other.
    pub(super) fn from_duel(test: EloTest, openings: BlockOpenings) -> ComparisonRule {
        let stop_result = ComparisonStopResult::from_pairs(&test, 0, [0; 5]);
        let counter = BlockCounter::Duel(test, openings, BTreeSet::new());
        ComparisonRule { prefix: Prefix::new(1), counter, stop_result }
    }
}

impl StoppingRule for ComparisonRule {
    fn add(&mut self, side: usize, block: u64, result: Option<u64>) {
        self.prefix.note(side, block, result);
    }

    fn judge(&mut self) {
        while let Some((block, results)) = self.prefix.take() {
            let stop_result = &mut self.stop_result;
            stop_result.blocks += 1;
            match (&mut self.counter, &results[..]) {
                (BlockCounter::Solo(test, sequence), &[Some(one), Some(other)]) => {
                    let index = match one.cmp(&other) {
                        Ordering::Less => 0,
                        Ordering::Equal => 1,
                        Ordering::Greater => 2,
                    };
                    stop_result.balance[index] += 1;
                    sequence.add(one != other);
                    stop_result.evidence = evidence(test, stop_result.balance);
                    stop_result.decision = decide(test, &stop_result.evidence, stop_result.balance);
                }
                (BlockCounter::Duel(test, openings, seen_clusters), &[Some(half_points)]) => {
                    // If a block broke, the next symmetric opening counts.
                    if !seen_clusters.insert(openings.cluster(block)) {
                        continue;
                    }
                    let mut pairs = stop_result.pairs.unwrap_or_default();
                    pairs[half_points as usize] += 1;
                    *stop_result = ComparisonStopResult::from_pairs(test, stop_result.blocks, pairs);
                }
                _ => {}
            }
            self.prefix.close_if(self.stop_result.decision.is_some());
        }
    }

    fn blocks(&self) -> u64 {
        self.stop_result.blocks
    }

    fn is_over(&self) -> bool {
        self.stop_result.decision.is_some()
    }

    fn position(&self) -> BoundsPosition {
        let LikelihoodRatio { ratio, lower, upper } = self.stop_result.evidence;
        BoundsPosition { value: ratio, lower, upper, what: "log ratio" }
    }

    fn describe(&self, _: &dyn Fn(usize) -> String) -> String {
        let LikelihoodRatio { ratio, lower, upper } = self.stop_result.evidence;
        let ends = lower.map_or_else(String::new, |lower| format!("{lower:.2} or "));
        let blocks = group_digits(self.stop_result.blocks);
        // Prints 0 rather than -0 for values slightly below 0.
        let ratio = if ratio.abs() < 0.005 { 0.0 } else { ratio };
        format!("log ratio {ratio:.2} after {blocks} blocks; the test ends at {ends}{upper:.2}")
    }

    fn stop_result(&self) -> StopResult {
        StopResult::Comparison(match &self.counter {
            BlockCounter::Duel(test, ..) => self.stop_result.with_estimate(test),
            BlockCounter::Solo(test, sequence) => {
                let estimate = estimate(test, self.stop_result.balance, sequence);
                ComparisonStopResult { estimate, ..self.stop_result }
            }
        })
    }
}

/// Computes the weight of evidence.
fn evidence(test: &SequentialTest, [losses, ties, wins]: [u64; 3]) -> LikelihoodRatio {
    match test {
        SequentialTest::Sprt(Sprt { from: null_difference, to: true_difference, alpha, beta, .. }) => {
            let bounds = Bounds::new(alpha.get(), beta.get());
            // A block counts 1, 1/2 or 0, so a difference of d between the shares won and lost is a
            // mean of 1/2 + d/2.
            let mean = |difference: &f64| 0.5 + difference / 2.0;
            let ratio = score_ratio([losses, ties, wins], mean(null_difference), mean(true_difference));
            LikelihoodRatio { ratio, lower: Some(bounds.lower), upper: bounds.upper }
        }
        SequentialTest::Confidence(level) => {
            // Between equal players every block that differs is a coin toss.
            let ratio = mixture_log_evidence(wins, wins + losses, 0.5, EVEN_PRIOR);
            LikelihoodRatio { ratio, lower: None, upper: -(1.0 - level.get()).ln() }
        }
    }
}

fn decide(
    test: &SequentialTest,
    evidence: &LikelihoodRatio,
    [losses, _, wins]: [u64; 3],
) -> Option<SequentialDecision> {
    match test {
        // With few differing blocks the ratio is unreliable.
        SequentialTest::Sprt(_) if losses + wins < MIN_DISCORDANT => None,
        SequentialTest::Sprt(Sprt { alpha, beta, .. }) => {
            Bounds::new(alpha.get(), beta.get()).decide(evidence.ratio).map(SequentialDecision::from)
        }
        SequentialTest::Confidence(_) if evidence.ratio < evidence.upper => None,
        SequentialTest::Confidence(_) => {
            Some(if wins > losses { SequentialDecision::Better } else { SequentialDecision::Worse })
        }
    }
}

/// Estimates the share of blocks won minus the share of blocks lost, after a run that ended with
/// these blocks.
///
/// For `sprt`, the bounds have the risks of the test, so they agree with its decision. For
/// `confidence`, they are those of the sequence that ends the run, and hold at every look.
fn estimate(test: &SequentialTest, balance: [u64; 3], sequence: &TrialSequence) -> Option<Estimate> {
    let [losses, ties, wins] = balance;
    let (discordant, blocks) = (losses + wins, losses + ties + wins);
    let decided_side = |balance: [u64; 3]| {
        Some(match decide(test, &evidence(test, balance), balance)? {
            SequentialDecision::Better => Ordering::Greater,
            SequentialDecision::NotBetter | SequentialDecision::Worse => Ordering::Less,
        })
    };
    Some(match test {
        SequentialTest::Sprt(Sprt { alpha, beta, .. }) => {
            let risks = [alpha.get(), beta.get()];
            let [low, high] = risks.map(|risk| wilson(discordant, blocks, 1.0 - 2.0 * risk));
            difference_after_stop(share_after_stop(sequence, wins, &decided_side, risks), [low?, high?])
        }
        SequentialTest::Confidence(level) => {
            let interval = |successes, trials| mixture_interval(successes, trials, level.get(), EVEN_PRIOR);
            let bounds = interval(wins, discordant);
            let median = share_after_stop(
                sequence,
                wins,
                &decided_side,
                [1.0 - level.get(); 2].map(|risk| risk / 2.0),
            );
            let value = median.value.clamp(bounds.low, bounds.high);
            let share = (blocks > 0).then(|| interval(discordant, blocks))?;
            difference_after_stop(Estimate { value, ..bounds }, [share; 2])
        }
    })
}
