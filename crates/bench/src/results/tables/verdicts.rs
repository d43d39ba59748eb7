//! The tables of verdicts: on published numbers, on claims, and of a run that could end early.

use crate::compare::claims::{self, Samples};
use crate::compare::growth::EarlierAnswers;
use crate::compare::{precision, published, stop};
use crate::config::Experiment;
use crate::config::stop::EarlyStop;
use crate::plan::Plan;
use crate::run::judge::Ruling;
use crate::table::Table;
use crate::tally::Tally;

/// Those that the experiment asks for, in the order in which they are printed. The games were played under these
/// [rules](crate::stats::RULES), after these earlier answers.
pub(crate) fn verdicts(
    experiment: &Experiment,
    plan: &Plan,
    tallies: &[Tally],
    samples: &Samples,
    ruling: Option<&Ruling>,
    rules: u32,
    earlier: &EarlierAnswers,
) -> Vec<Table> {
    let mut tables = Vec::new();
    if !experiment.sections().published.is_empty() {
        tables.push(published::table(plan, tallies, &experiment.sections().published, earlier));
    }
    if !experiment.sections().claims.is_empty() {
        tables.push(claims::table(experiment, samples, tallies, ruling, rules, earlier));
    }
    let at_most = experiment.blocks().len();
    if let Some((asked, ruling)) = experiment.sections().stop.as_ref().zip(ruling) {
        tables.extend(stop::table(plan, asked, ruling, at_most));
        if let (EarlyStop::Precision(asked), Ruling::Precision(ruling)) = (asked, ruling) {
            tables.push(precision::table(plan, asked, ruling, at_most));
        }
    }
    tables
}
