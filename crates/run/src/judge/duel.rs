//! A run that ends when the test of two players by their games against each other is decided.

use std::collections::BTreeSet;

use gauntlet_stats::{EloTest, Estimate, PairCounts};

use super::pair::{Decision, Evidence};
use super::prefix::Prefix;
use crate::early_stop::DuelStop;
use crate::plan::Openings;

/// The state of the test, and whether that is the end of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuelRuling {
    /// Blocks looked at. If something is decided, the run is over after these.
    pub blocks: u64,
    /// Those that count: how many gave the player said to be stronger no point, half a point, and
    /// so on to two.
    ///
    /// Of blocks whose openings are images of each other only the first counts, for the others are
    /// no news. Blocks in which a player's program broke do not count either.
    pub pairs: PairCounts,
    /// Their worth as evidence.
    pub evidence: Evidence,
    /// The decision; none while nothing is decided.
    pub decision: Option<Decision>,
    /// The player's share of the points, corrected for stopping. None while more blocks may come,
    /// and where none counts.
    pub share: Option<Estimate>,
}

impl DuelRuling {
    /// After how many blocks the run is over, if it is.
    pub fn end(&self) -> Option<u64> {
        self.decision.map(|_| self.blocks)
    }
}

/// Looks at one block after the other until the test is decided.
#[derive(Debug)]
pub(super) struct DuelJudge {
    test: EloTest,
    /// The place of the player said to be stronger in its line-up.
    pub(super) place: usize,
    /// The half points of the player in a block; none if a program broke.
    pub(super) prefix: Prefix<Option<u64>>,
    openings: Openings,
    /// The openings looked at.
    seen: BTreeSet<u64>,
    ruling: DuelRuling,
}

impl DuelJudge {
    pub(super) fn new(stop: &DuelStop, place: usize, openings: Openings) -> DuelJudge {
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

    /// Looks as far as blocks are complete.
    pub(super) fn look(&mut self) {
        while let Some(words) = self.prefix.take() {
            let block = self.ruling.blocks;
            self.ruling.blocks += 1;
            // A block that broke leaves its opening to the next one like it.
            if let Some(half_points) = words[0]
                && self.seen.insert(self.openings.cluster(block))
            {
                self.ruling.pairs[half_points as usize] += 1;
                self.ruling.evidence = evidence(&self.test, self.ruling.pairs);
                self.ruling.decision = self.test.decide(self.ruling.pairs).map(Decision::from);
            }
            if self.ruling.decision.is_some() {
                self.prefix.close();
            }
        }
    }
}

fn evidence(test: &EloTest, pairs: PairCounts) -> Evidence {
    let bounds = test.bounds();
    Evidence { ratio: test.ratio(pairs), lower: Some(bounds.lower), upper: bounds.upper }
}
