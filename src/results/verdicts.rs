//! The tables of verdicts: on published numbers, on claims, and of a run that could end early.

use crate::compare::claims::{self, Samples};
use crate::compare::{published, stop};
use crate::config::Experiment;
use crate::plan::Plan;
use crate::run::judge::Ruling;
use crate::table::Table;
use crate::tally::Tally;

/// Those that the experiment asks for, in the order in which they are printed.
pub(super) fn verdicts(
    experiment: &Experiment,
    plan: &Plan,
    tallies: &[Tally],
    samples: &Samples,
    ruling: Option<&Ruling>,
) -> Vec<Table> {
    let mut tables = Vec::new();
    if !experiment.published().is_empty() {
        tables.push(published::table(plan, tallies, experiment.published()));
    }
    if !experiment.claims().is_empty() {
        tables.push(claims::table(experiment, samples, tallies, ruling));
    }
    if let (Some(asked), Some(ruling)) = (experiment.stop(), ruling) {
        tables.push(stop::table(plan, asked, ruling, experiment.blocks().len()));
    }
    tables
}
