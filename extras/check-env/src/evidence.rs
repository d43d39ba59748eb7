//! Evidence about rules: how often each was checked, violated, and which faults explain the
//! violations.

use std::collections::BTreeMap;

use gauntlet_twenty48::rules::{Cells, Direction};

use crate::fault::Fault;

/// Share of the violations that a fault must explain to be the diagnosis.
const DIAGNOSIS_SHARE: f64 = 0.9;

/// Evidence about one rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) checks: u64,
    pub(crate) violations: u64,
    faults: BTreeMap<Fault, u64>,
    example: Option<Example>,
}

/// Violation of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// Board before the move.
    pub before: Option<Cells>,
    /// Action and its direction.
    pub action: Option<(usize, Option<Direction>)>,
    /// Expected board, without the new tile after a legal move.
    pub expected: Option<Cells>,
    /// Observed board.
    pub actual: Option<Cells>,
    /// What is wrong.
    pub message: String,
}

impl Tally {
    /// Notes a check.
    pub(crate) fn add_check(&mut self) {
        self.checks += 1;
    }

    /// Notes a violation with all faults that explain it, the likeliest first. The first example is
    /// kept.
    pub(crate) fn add_violation(&mut self, faults: &[Fault], example: impl FnOnce() -> Example) {
        self.violations += 1;
        for &fault in faults {
            *self.faults.entry(fault).or_default() += 1;
        }
        self.example.get_or_insert_with(example);
    }

    /// Returns the fault that explains the most violations, if it explains nearly all of them.
    pub(crate) fn diagnosis(&self) -> Option<Fault> {
        let mut best: Option<(Fault, u64)> = None;
        for (&fault, &count) in &self.faults {
            if best.is_none_or(|(_, best_count)| count > best_count) {
                best = Some((fault, count));
            }
        }
        best.filter(|&(_, count)| count as f64 >= DIAGNOSIS_SHARE * self.violations as f64)
            .map(|(fault, _)| fault)
    }

    pub(crate) fn example(&self) -> Option<&Example> {
        self.example.as_ref()
    }

    /// Adds the evidence of another tally.
    pub(crate) fn add(&mut self, other: &Tally) {
        self.checks += other.checks;
        self.violations += other.violations;
        for (&fault, &count) in &other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        if self.example.is_none() {
            self.example.clone_from(&other.example);
        }
    }
}
