//! Ends a run when the test of two players by their games against each other is decided.

use std::collections::BTreeSet;

use gauntlet_stats::{EloTest, Estimate, PairCounts};

use super::pair::{LikelihoodRatio, SequentialDecision};
use super::prefix::Prefix;
use crate::early_stop::DuelStop;
use crate::plan::BlockOpenings;

/// State of the test, and whether it ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuelRuling {
    /// Number of blocks judged. If something is decided, the run ends after these.
    pub blocks: u64,
    /// Blocks that count: in how many the player claimed to be stronger got no point, half a point,
    /// and so on up to two.
    ///
    /// Of blocks whose openings are symmetric only the first counts, because the others add no
    /// information. Blocks in which a player's program broke do not count either.
    pub pairs: PairCounts,
    /// Weight of evidence of these blocks.
    pub evidence: LikelihoodRatio,
    /// The decision; `None` while nothing is decided.
    pub decision: Option<SequentialDecision>,
    /// The player's share of the points, corrected for stopping. `None` while more blocks may come,
    /// and if no block counts.
    pub share: Option<Estimate>,
}

impl DuelRuling {
    /// Returns the number of blocks after which the run ends, if decided.
    pub fn end(&self) -> Option<u64> {
        self.decision.map(|_| self.blocks)
    }
}

/// Judges blocks in order until the test is decided.
#[derive(Debug)]
pub(super) struct DuelJudge {
    test: EloTest,
    /// Index of the player claimed to be stronger in its line-up.
    pub(super) place: usize,
    /// The player's half points in a block; `None` if a program broke.
    pub(super) prefix: Prefix<Option<u64>>,
    openings: BlockOpenings,
    /// Openings judged so far.
    seen: BTreeSet<u64>,
    ruling: DuelRuling,
}

impl DuelJudge {
    pub(super) fn new(stop: &DuelStop, place: usize, openings: BlockOpenings) -> DuelJudge {
        let pairs = PairCounts::default();
        let evidence = evidence(&stop.test, pairs);
        let ruling = DuelRuling { blocks: 0, pairs, evidence, decision: None, share: None };
        let (prefix, seen) = (Prefix::of(1), BTreeSet::new());
        DuelJudge { test: stop.test, place, prefix, openings, seen, ruling }
    }

    pub(super) fn ruling(&self) -> &DuelRuling {
        &self.ruling
    }

    pub(super) fn close(self) -> DuelRuling {
        DuelRuling { share: self.test.share(self.ruling.pairs), ..self.ruling }
    }

    /// Judges all complete blocks.
    pub(super) fn look(&mut self) {
        while let Some(words) = self.prefix.take() {
            let block = self.ruling.blocks;
            self.ruling.blocks += 1;
            // If a block broke, the next symmetric opening counts.
            if let Some(half_points) = words[0]
                && self.seen.insert(self.openings.cluster(block))
            {
                self.ruling.pairs[half_points as usize] += 1;
                self.ruling.evidence = evidence(&self.test, self.ruling.pairs);
                self.ruling.decision = self.test.decide(self.ruling.pairs).map(SequentialDecision::from);
            }
            if self.ruling.decision.is_some() {
                self.prefix.close();
            }
        }
    }
}

fn evidence(test: &EloTest, pairs: PairCounts) -> LikelihoodRatio {
    let bounds = test.bounds();
    LikelihoodRatio { ratio: test.ratio(pairs), lower: Some(bounds.lower), upper: bounds.upper }
}
