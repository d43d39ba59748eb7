//! A run that ends when the comparison of two players is decided.

use std::cmp::Ordering;

use gauntlet_core::text::grouped;
use gauntlet_stats::sequential::LEAST_DISCORDANT;
use gauntlet_stats::{
    Bounds, Course, EVEN_PRIOR, Estimate, Hypothesis, difference_of_stopped, mixture_interval,
    mixture_log_evidence, score_ratio, share_of_stopped, wilson,
};

use super::between::Between;
use super::prefix::Prefix;
use crate::early_stop::{Sprt, StopRule};

/// Blocks counted by who did better, as far as all blocks before are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// Blocks looked at; those in which a player's program broke are among them, and in none of the
    /// three counts.
    pub blocks: u64,
    /// Blocks in which the player said to be better did worse.
    pub behind: u64,
    /// Blocks in which both did the same.
    pub even: u64,
    /// Blocks in which it did better.
    pub ahead: u64,
}

/// The worth of blocks as evidence, and where that ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// The logarithm of a ratio: how much better one assumption explains the blocks than another.
    pub ratio: f64,
    /// The ratio at which the run ends in favour of no difference, if it can.
    pub lower: Option<f64>,
    /// The ratio at which it ends in favour of one.
    pub upper: f64,
}

/// The decision of the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The player is better.
    Better,
    /// It is not: the smaller of two differences explains the blocks.
    NotBetter,
    /// It is worse.
    Worse,
}

impl From<Hypothesis> for Decision {
    fn from(accepted: Hypothesis) -> Decision {
        match accepted {
            Hypothesis::Alternative => Decision::Better,
            Hypothesis::Null => Decision::NotBetter,
        }
    }
}

/// The state of the comparison, and whether that is the end of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairRuling {
    /// The blocks that it rests on. If something is decided, the run is over after these.
    pub balance: Balance,
    /// Their worth as evidence.
    pub evidence: Evidence,
    /// The decision; none while nothing is decided.
    pub decision: Option<Decision>,
    /// By how much the parts of the blocks won and lost differ, corrected for stopping. None while
    /// more blocks may come, and where none counts.
    pub effect: Option<Estimate>,
}

/// The worth of blocks as evidence by the rule of a `[stop]`.
pub fn evidence(rule: &StopRule, balance: &Balance) -> Evidence {
    let Balance { behind, even, ahead, .. } = *balance;
    match rule {
        StopRule::Sprt(Sprt { from, to, alpha, beta }) => {
            let bounds = Bounds::of(alpha.get(), beta.get());
            // A block counts 1, 1/2 or 0, so a difference of d between the parts won and lost is a
            // mean of 1/2 + d/2.
            let mean = |difference: &f64| 0.5 + difference / 2.0;
            let ratio = score_ratio([behind, even, ahead], mean(from), mean(to));
            Evidence { ratio, lower: Some(bounds.lower), upper: bounds.upper }
        }
        StopRule::Confidence(sure) => {
            // Among equals every block that differs is a toss of a coin.
            let ratio = mixture_log_evidence(ahead, ahead + behind, 0.5, EVEN_PRIOR);
            Evidence { ratio, lower: None, upper: -(1.0 - sure.get()).ln() }
        }
    }
}

fn decide(rule: &StopRule, evidence: &Evidence, balance: &Balance) -> Option<Decision> {
    let Balance { behind, ahead, .. } = *balance;
    match rule {
        // Of the first few blocks that differ the ratio is no guide.
        StopRule::Sprt(_) if behind + ahead < LEAST_DISCORDANT => None,
        StopRule::Sprt(Sprt { alpha, beta, .. }) => {
            Bounds::of(alpha.get(), beta.get()).decide(evidence.ratio).map(Decision::from)
        }
        StopRule::Confidence(_) if evidence.ratio < evidence.upper => None,
        StopRule::Confidence(_) => Some(if ahead > behind { Decision::Better } else { Decision::Worse }),
    }
}

/// By how much the parts of the blocks won and lost differ, after a run that came to its end with
/// these blocks.
///
/// The bounds of `sprt` have the risks of the test itself, so they agree with what it decided.
/// Those of `confidence` are of the sequence that ends the run, and hold at every look.
fn effect(rule: &StopRule, balance: &Balance, course: &Course) -> Option<Estimate> {
    let Balance { behind, even, ahead, .. } = *balance;
    let (differing, blocks) = (behind + ahead, behind + even + ahead);
    let side = |[behind, even, ahead]: [u64; 3]| {
        let balance = Balance { blocks: behind + even + ahead, behind, even, ahead };
        Some(match decide(rule, &evidence(rule, &balance), &balance)? {
            Decision::Better => Ordering::Greater,
            Decision::NotBetter | Decision::Worse => Ordering::Less,
        })
    };
    Some(match rule {
        StopRule::Sprt(Sprt { alpha, beta, .. }) => {
            let risks = [alpha.get(), beta.get()];
            let [low, high] = risks.map(|risk| wilson(differing, blocks, 1.0 - 2.0 * risk));
            difference_of_stopped(share_of_stopped(course, ahead, &side, risks), [low?, high?])
        }
        StopRule::Confidence(level) => {
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
    /// After how many blocks the run is over, if it is.
    pub fn end(&self) -> Option<u64> {
        self.decision.map(|_| self.balance.blocks)
    }
}

/// Looks at one block after the other until the comparison is decided.
#[derive(Debug)]
pub(super) struct PairJudge {
    rule: StopRule,
    /// The result of each player in a block, more being better; none if its program broke.
    pub(super) prefix: Prefix<Option<u64>>,
    /// The course of the blocks: which of them differed.
    course: Course,
    ruling: PairRuling,
}

impl PairJudge {
    pub(super) fn new(rule: StopRule) -> PairJudge {
        let balance = Balance::default();
        let evidence = evidence(&rule, &balance);
        let ruling = PairRuling { balance, evidence, decision: None, effect: None };
        PairJudge { rule, prefix: Prefix::of(2), course: Course::default(), ruling }
    }

    pub(super) fn ruling(&self) -> &PairRuling {
        &self.ruling
    }

    pub(super) fn close(self) -> PairRuling {
        let effect = effect(&self.rule, &self.ruling.balance, &self.course);
        PairRuling { effect, ..self.ruling }
    }

    /// Looks as far as blocks are complete.
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

impl Evidence {
    /// The evidence between its bounds.
    pub(super) fn between(self) -> Between {
        Between { value: self.ratio, lower: self.lower, upper: self.upper, what: "log ratio" }
    }

    /// The evidence after some blocks, in words.
    pub(super) fn in_words(self, blocks: u64) -> String {
        let Evidence { ratio, lower, upper } = self;
        let ends = lower.map_or_else(String::new, |lower| format!("{lower:.2} or "));
        let blocks = grouped(blocks);
        // A little below 0 is written as 0, not as -0.
        let ratio = if ratio.abs() < 0.005 { 0.0 } else { ratio };
        format!("log ratio {ratio:.2} after {blocks} blocks, ends at {ends}{upper:.2}")
    }
}
