//! Ends a run when the comparison of two players is decided.

use std::cmp::Ordering;

use gauntlet_core::text::grouped;
use gauntlet_stats::sequential::LEAST_DISCORDANT;
use gauntlet_stats::{
    Bounds, EVEN_PRIOR, Estimate, Hypothesis, TrialSequence, difference_of_stopped, mixture_interval,
    mixture_log_evidence, score_ratio, share_of_stopped, wilson,
};

use super::between::BoundsPosition;
use super::prefix::Prefix;
use crate::early_stop::{SequentialTest, Sprt};

/// Counts of blocks by which player did better, over the blocks judged so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockOutcomes {
    /// Number of blocks judged. It includes blocks in which a player's program broke, which are in
    /// none of the three counts.
    pub blocks: u64,
    /// Blocks in which the player claimed to be better did worse.
    pub behind: u64,
    /// Blocks in which both results were equal.
    pub even: u64,
    /// Blocks in which the player claimed to be better did better.
    pub ahead: u64,
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
    fn from(accepted: Hypothesis) -> SequentialDecision {
        match accepted {
            Hypothesis::Alternative => SequentialDecision::Better,
            Hypothesis::Null => SequentialDecision::NotBetter,
        }
    }
}

/// State of the comparison, and whether it ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairRuling {
    /// Counts of blocks. If something is decided, the run ends after these.
    pub balance: BlockOutcomes,
    /// Weight of evidence of these blocks.
    pub evidence: LikelihoodRatio,
    /// The decision; `None` while nothing is decided.
    pub decision: Option<SequentialDecision>,
    /// Share of blocks won minus share of blocks lost, corrected for stopping. `None` while more
    /// blocks may come, and if no block counts.
    pub effect: Option<Estimate>,
}

/// Computes the weight of evidence by the rule of a `[stop]`.
pub fn evidence(rule: &SequentialTest, balance: &BlockOutcomes) -> LikelihoodRatio {
    let BlockOutcomes { behind, even, ahead, .. } = *balance;
    match rule {
        SequentialTest::Sprt(Sprt { from, to, alpha, beta }) => {
            let bounds = Bounds::of(alpha.get(), beta.get());
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
    rule: &SequentialTest,
    evidence: &LikelihoodRatio,
    balance: &BlockOutcomes,
) -> Option<SequentialDecision> {
    let BlockOutcomes { behind, ahead, .. } = *balance;
    match rule {
        // With few differing blocks the ratio is unreliable.
        SequentialTest::Sprt(_) if behind + ahead < LEAST_DISCORDANT => None,
        SequentialTest::Sprt(Sprt { alpha, beta, .. }) => {
            Bounds::of(alpha.get(), beta.get()).decide(evidence.ratio).map(SequentialDecision::from)
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
fn effect(rule: &SequentialTest, balance: &BlockOutcomes, course: &TrialSequence) -> Option<Estimate> {
    let BlockOutcomes { behind, even, ahead, .. } = *balance;
    let (differing, blocks) = (behind + ahead, behind + even + ahead);
    let side = |[behind, even, ahead]: [u64; 3]| {
        let balance = BlockOutcomes { blocks: behind + even + ahead, behind, even, ahead };
        Some(match decide(rule, &evidence(rule, &balance), &balance)? {
            SequentialDecision::Better => Ordering::Greater,
            SequentialDecision::NotBetter | SequentialDecision::Worse => Ordering::Less,
        })
    };
    Some(match rule {
        SequentialTest::Sprt(Sprt { alpha, beta, .. }) => {
            let risks = [alpha.get(), beta.get()];
            let [low, high] = risks.map(|risk| wilson(differing, blocks, 1.0 - 2.0 * risk));
            difference_of_stopped(share_of_stopped(course, ahead, &side, risks), [low?, high?])
        }
        SequentialTest::Confidence(level) => {
            let of = |successes, trials| mixture_interval(successes, trials, level.get(), EVEN_PRIOR);
            let within = of(ahead, differing);
            let median =
                share_of_stopped(course, ahead, &side, [1.0 - level.get(); 2].map(|risk| risk / 2.0));
            let value = median.value.clamp(within.low, within.high);
            let part = (blocks > 0).then(|| of(differing, blocks))?;
            difference_of_stopped(Estimate { value, ..within }, [part; 2])
        }
    })
}

impl PairRuling {
    /// Returns the number of blocks after which the run ends, if decided.
    pub fn end(&self) -> Option<u64> {
        self.decision.map(|_| self.balance.blocks)
    }
}

/// Judges blocks in order until the comparison is decided.
#[derive(Debug)]
pub(super) struct PairJudge {
    rule: SequentialTest,
    /// Result of each player in a block, more being better; `None` if its program broke.
    pub(super) prefix: Prefix<Option<u64>>,
    /// Which blocks differed, in order.
    course: TrialSequence,
    ruling: PairRuling,
}

impl PairJudge {
    pub(super) fn new(rule: SequentialTest) -> PairJudge {
        let balance = BlockOutcomes::default();
        let evidence = evidence(&rule, &balance);
        let ruling = PairRuling { balance, evidence, decision: None, effect: None };
        PairJudge { rule, prefix: Prefix::of(2), course: TrialSequence::default(), ruling }
    }

    pub(super) fn ruling(&self) -> &PairRuling {
        &self.ruling
    }

    pub(super) fn close(self) -> PairRuling {
        let effect = effect(&self.rule, &self.ruling.balance, &self.course);
        PairRuling { effect, ..self.ruling }
    }

    /// Judges all complete blocks.
    pub(super) fn look(&mut self) {
        while let Some(words) = self.prefix.take() {
            let balance = &mut self.ruling.balance;
            balance.blocks += 1;
            if let [Some(one), Some(other)] = words[..] {
                match one.cmp(&other) {
                    Ordering::Less => balance.behind += 1,
                    Ordering::Equal => balance.even += 1,
                    Ordering::Greater => balance.ahead += 1,
                }
                self.course.add(one != other);
            }
            self.ruling.evidence = evidence(&self.rule, &self.ruling.balance);
            self.ruling.decision = decide(&self.rule, &self.ruling.evidence, &self.ruling.balance);
            if self.ruling.decision.is_some() {
                self.prefix.close();
            }
        }
    }
}

impl LikelihoodRatio {
    /// Returns the evidence, relative to its bounds.
    pub(super) fn between(self) -> BoundsPosition {
        BoundsPosition { value: self.ratio, lower: self.lower, upper: self.upper, what: "log ratio" }
    }

    /// Describes the evidence after some blocks.
    pub(super) fn in_words(self, blocks: u64) -> String {
        let LikelihoodRatio { ratio, lower, upper } = self;
        let ends = lower.map_or_else(String::new, |lower| format!("{lower:.2} or "));
        let blocks = grouped(blocks);
        // Prints 0 rather than -0 for values slightly below 0.
        let ratio = if ratio.abs() < 0.005 { 0.0 } else { ratio };
        format!("log ratio {ratio:.2} after {blocks} blocks; the test ends at {ends}{upper:.2}")
    }
}
