//! Ends a run when the comparison of two players is decided: by which one does better in a block, or
//! by the points of their games against each other.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use gauntlet_core::text::group_digits;
use gauntlet_stats::sequential::LEAST_DISCORDANT;
use gauntlet_stats::{
    Bounds, EVEN_PRIOR, EloTest, Estimate, TrialSequence, difference_after_stop, mixture_interval,
    mixture_log_evidence, score_ratio, share_after_stop, wilson,
};

use super::prefix::Prefix;
use super::rule::{
    BoundsPosition, ComparisonRuling, LikelihoodRatio, SequentialDecision, StopResult, StoppingRule,
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
    ruling: ComparisonRuling,
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
        let ruling = ComparisonRuling {
            blocks: 0,
            balance: [0; 3],
            pairs: None,
            evidence: evidence(&test, [0; 3]),
            decision: None,
            estimate: None,
        };
        let counter = BlockCounter::Solo(test, TrialSequence::default());
        ComparisonRule { prefix: Prefix::new(2), counter, ruling }
    }

    /// Creates the test of two players by their games against each other.
    pub(super) fn from_duel(test: EloTest, openings: BlockOpenings) -> ComparisonRule {
        let ruling = ComparisonRuling::from_pairs(&test, 0, [0; 5]);
        let counter = BlockCounter::Duel(test, openings, BTreeSet::new());
        ComparisonRule { prefix: Prefix::new(1), counter, ruling }
    }
}

impl StoppingRule for ComparisonRule {
    fn add(&mut self, side: usize, block: u64, result: Option<u64>) {
        self.prefix.note(side, block, result);
    }

    fn judge(&mut self) {
        while let Some((block, results)) = self.prefix.take() {
            let ruling = &mut self.ruling;
            ruling.blocks += 1;
            match (&mut self.counter, &results[..]) {
                (BlockCounter::Solo(test, course), &[Some(one), Some(other)]) => {
                    let place = match one.cmp(&other) {
                        Ordering::Less => 0,
                        Ordering::Equal => 1,
                        Ordering::Greater => 2,
                    };
                    ruling.balance[place] += 1;
                    course.add(one != other);
                    ruling.evidence = evidence(test, ruling.balance);
                    ruling.decision = decide(test, &ruling.evidence, ruling.balance);
                }
                (BlockCounter::Duel(test, openings, seen), &[Some(half_points)]) => {
                    // If a block broke, the next symmetric opening counts.
                    if !seen.insert(openings.cluster(block)) {
                        continue;
                    }
                    let mut pairs = ruling.pairs.unwrap_or_default();
                    pairs[half_points as usize] += 1;
                    *ruling = ComparisonRuling::from_pairs(test, ruling.blocks, pairs);
                }
                _ => {}
            }
            self.prefix.close_if(self.ruling.decision.is_some());
        }
    }

    fn blocks(&self) -> u64 {
        self.ruling.blocks
    }

    fn is_over(&self) -> bool {
        self.ruling.decision.is_some()
    }

    fn position(&self) -> BoundsPosition {
        let LikelihoodRatio { ratio, lower, upper } = self.ruling.evidence;
        BoundsPosition { value: ratio, lower, upper, what: "log ratio" }
    }

    fn describe(&self, _: &dyn Fn(usize) -> String) -> String {
        let LikelihoodRatio { ratio, lower, upper } = self.ruling.evidence;
        let ends = lower.map_or_else(String::new, |lower| format!("{lower:.2} or "));
        let blocks = group_digits(self.ruling.blocks);
        // Prints 0 rather than -0 for values slightly below 0.
        let ratio = if ratio.abs() < 0.005 { 0.0 } else { ratio };
        format!("log ratio {ratio:.2} after {blocks} blocks; the test ends at {ends}{upper:.2}")
    }

    fn ruling(&self) -> StopResult {
        StopResult::Comparison(match &self.counter {
            BlockCounter::Duel(test, ..) => self.ruling.estimated(test),
            BlockCounter::Solo(test, course) => {
                let estimate = estimate(test, self.ruling.balance, course);
                ComparisonRuling { estimate, ..self.ruling }
            }
        })
    }
}

/// Computes the weight of evidence.
fn evidence(test: &SequentialTest, [behind, even, ahead]: [u64; 3]) -> LikelihoodRatio {
    match test {
        SequentialTest::Sprt(Sprt { from, to, alpha, beta, .. }) => {
            let bounds = Bounds::new(alpha.get(), beta.get());
            // A block counts 1, 1/2 or 0, so a difference of d between the shares won and lost is a
            // mean of 1/2 + d/2.
            let mean = |difference: &f64| 0.5 + difference / 2.0;
            let ratio = score_ratio([behind, even, ahead], mean(from), mean(to));
            LikelihoodRatio { ratio, lower: Some(bounds.lower), upper: bounds.upper }
        }
        SequentialTest::Confidence(sure) => {
            // Between equal players every block that differs is a coin toss.
            let ratio = mixture_log_evidence(ahead, ahead + behind, 0.5, EVEN_PRIOR);
            LikelihoodRatio { ratio, lower: None, upper: -(1.0 - sure.get()).ln() }
        }
    }
}

fn decide(
    test: &SequentialTest,
    evidence: &LikelihoodRatio,
    [behind, _, ahead]: [u64; 3],
) -> Option<SequentialDecision> {
    match test {
        // With few differing blocks the ratio is unreliable.
        SequentialTest::Sprt(_) if behind + ahead < LEAST_DISCORDANT => None,
        SequentialTest::Sprt(Sprt { alpha, beta, .. }) => {
            Bounds::new(alpha.get(), beta.get()).decide(evidence.ratio).map(SequentialDecision::from)
        }
        SequentialTest::Confidence(_) if evidence.ratio < evidence.upper => None,
        SequentialTest::Confidence(_) => {
            Some(if ahead > behind { SequentialDecision::Better } else { SequentialDecision::Worse })
        }
    }
}

/// Estimates the share of blocks won minus the share of blocks lost, after a run that ended with
/// these blocks.
///
/// For `sprt`, the bounds have the risks of the test, so they agree with its decision. For
/// `confidence`, they are those of the sequence that ends the run, and hold at every look.
fn estimate(test: &SequentialTest, balance: [u64; 3], course: &TrialSequence) -> Option<Estimate> {
    let [behind, even, ahead] = balance;
    let (differing, blocks) = (behind + ahead, behind + even + ahead);
    let side = |balance: [u64; 3]| {
        Some(match decide(test, &evidence(test, balance), balance)? {
            SequentialDecision::Better => Ordering::Greater,
            SequentialDecision::NotBetter | SequentialDecision::Worse => Ordering::Less,
        })
    };
    Some(match test {
        SequentialTest::Sprt(Sprt { alpha, beta, .. }) => {
            let risks = [alpha.get(), beta.get()];
            let [low, high] = risks.map(|risk| wilson(differing, blocks, 1.0 - 2.0 * risk));
            difference_after_stop(share_after_stop(course, ahead, &side, risks), [low?, high?])
        }
        SequentialTest::Confidence(level) => {
            let of = |successes, trials| mixture_interval(successes, trials, level.get(), EVEN_PRIOR);
            let within = of(ahead, differing);
            let median =
                share_after_stop(course, ahead, &side, [1.0 - level.get(); 2].map(|risk| risk / 2.0));
            let value = median.value.clamp(within.low, within.high);
            let part = (blocks > 0).then(|| of(differing, blocks))?;
            difference_after_stop(Estimate { value, ..within }, [part; 2])
        }
    })
}
