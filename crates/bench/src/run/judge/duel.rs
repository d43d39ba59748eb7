//! A run that ends when the test of two players by their games against each other is decided.

use std::collections::BTreeSet;
use std::fmt;

use super::pair::{Decision, Evidence, PairRuling};
use super::prefix::Prefix;
use crate::config::stop::DuelStop;
use crate::stats::{EloTest, Estimate, Hypothesis, PairCounts};

/// The state of the test, and whether that is the end of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuelRuling {
    /// Blocks looked at. If something is decided, the run is over after these.
    pub blocks: u64,
    /// Those that count: how many gave the player said to be stronger no point, half a point, and so on to two.
    ///
    /// Of blocks whose openings are images of each other only the first counts, for the others are no news. Blocks in which
    /// a player's program broke do not count either.
    pub pairs: PairCounts,
    /// Their worth as evidence.
    pub evidence: Evidence,
    /// The decision; none while nothing is decided.
    pub decision: Option<Decision>,
    /// The player's share of the points, corrected for stopping. None while more blocks may come, and where none counts.
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
    /// The half points of the player in a block; none if a program broke.
    prefix: Prefix<Option<u64>>,
    /// For each block the number that it shares with those whose openings are images of its own; empty in a game without
    /// openings.
    clusters: Vec<u64>,
    /// The openings looked at.
    seen: BTreeSet<u64>,
    ruling: DuelRuling,
}

impl DuelJudge {
    pub(super) fn new(stop: &DuelStop, clusters: Vec<u64>) -> DuelJudge {
        let pairs = PairCounts::default();
        let evidence = evidence(&stop.test, pairs);
        let ruling = DuelRuling { blocks: 0, pairs, evidence, decision: None, share: None };
        DuelJudge { test: stop.test, prefix: Prefix::of(1), clusters, seen: BTreeSet::new(), ruling }
    }

    pub(super) fn ruling(&self) -> &DuelRuling {
        &self.ruling
    }

    pub(super) fn close(self) -> DuelRuling {
        DuelRuling { share: self.test.share(self.ruling.pairs), ..self.ruling }
    }

    pub(super) fn note(&mut self, block: u64, half_points: Option<u64>) {
        if self.ruling.decision.is_none() {
            self.prefix.note(0, block, half_points);
        }
    }

    /// Looks as far as blocks are complete.
    pub(super) fn rule(&mut self) {
        while self.ruling.decision.is_none()
            && let Some(words) = self.prefix.take()
        {
            let block = self.ruling.blocks;
            self.ruling.blocks += 1;
            // A block that broke leaves its opening to the next one like it.
            if let Some(half_points) = words[0]
                && self.clusters.get(block as usize).is_none_or(|&cluster| self.seen.insert(cluster))
            {
                self.ruling.pairs[half_points as usize] += 1;
                self.ruling.evidence = evidence(&self.test, self.ruling.pairs);
                self.ruling.decision = self.test.decide(self.ruling.pairs).map(|decided| match decided {
                    Hypothesis::Alternative => Decision::Better,
                    Hypothesis::Null => Decision::NotBetter,
                });
            }
        }
        if self.ruling.decision.is_some() {
            self.prefix.close();
        }
    }
}

fn evidence(test: &EloTest, pairs: PairCounts) -> Evidence {
    let bounds = test.bounds();
    Evidence { ratio: test.ratio(pairs), lower: Some(bounds.lower), upper: bounds.upper }
}

impl fmt::Display for DuelRuling {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        PairRuling::stands(&self.evidence, self.blocks, f)
    }
}
