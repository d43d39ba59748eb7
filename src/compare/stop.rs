//! The table `stop`: what a run that could end early decided.

use std::borrow::Cow;

use crate::config::stop::{EarlyStop, Method};
use crate::plan::Plan;
use crate::run::judge::{Decision, Ruling};
use crate::table::{Cell, Column, Kind, Schema, Table};
use crate::text::{self, grouped, percent};

/// The table of the comparison that may end a run.
pub const STOP: Schema = Schema {
    name: "stop",
    columns: Cow::Borrowed(&[
        Column::words("player"),
        Column::words("than"),
        Column::words("by"),
        Column::words("method"),
        Column::count("blocks"),
        Column::count("at_most"),
        Column::count("behind"),
        Column::count("even"),
        Column::count("ahead"),
        Column::number("ratio"),
        Column::number("lower"),
        Column::number("upper"),
        Column::words("verdict"),
        Column::new("answer", Kind::Answer),
    ]),
    level: None,
};

/// How the comparison stands that could end the run: a table of one row.
pub fn table(plan: &Plan, stop: &EarlyStop, ruling: &Ruling, at_most: u64) -> Table {
    let balance = ruling.balance;
    let row = vec![
        Cell::Text(plan.players[stop.better].name.to_owned()),
        Cell::Text(plan.players[stop.than].name.to_owned()),
        Cell::Text(stop.by.to_string()),
        Cell::Text(method(&stop.method).to_owned()),
        Cell::Whole(balance.blocks),
        Cell::Whole(at_most),
        Cell::Whole(balance.behind),
        Cell::Whole(balance.even),
        Cell::Whole(balance.ahead),
        Cell::real(Some(ruling.evidence.ratio), 4),
        Cell::real(ruling.evidence.lower, 4),
        Cell::real(Some(ruling.evidence.upper), 4),
        Cell::Text(verdict(stop, ruling.decision).to_owned()),
        Cell::Text(ended(plan, stop, ruling, at_most)),
    ];
    Table::new(&STOP, vec![row])
}

fn method(method: &Method) -> &'static str {
    match method {
        Method::Sprt { .. } => "sprt",
        Method::Confidence(_) => "confidence",
    }
}

fn verdict(stop: &EarlyStop, decision: Option<Decision>) -> &'static str {
    match (decision, stop.method) {
        (Some(Decision::Better), Method::Sprt { from, .. }) if from < 0.0 => "not worse",
        (Some(Decision::Better), _) => "better",
        (Some(Decision::NotBetter), _) => "not better",
        (Some(Decision::Worse), _) => "worse",
        (None, _) => "undecided",
    }
}

/// How the run ended, in words.
fn ended(plan: &Plan, stop: &EarlyStop, ruling: &Ruling, at_most: u64) -> String {
    let decided = decided(plan.players[stop.better].name, plan.players[stop.than].name, stop, ruling);
    let (after, at_most) = (grouped(ruling.balance.blocks), grouped(at_most));
    match ruling.decision {
        Some(_) => format!("the run was stopped after {after} of at most {at_most} blocks: {decided}"),
        None => format!("the run went through all of its {at_most} blocks: {decided}"),
    }
}

/// What was decided, and how often that is wrong.
pub(super) fn decided(better: &str, than: &str, stop: &EarlyStop, ruling: &Ruling) -> String {
    let by = stop.by;
    let of = if by.is_rate() { "" } else { " of the blocks, won less lost" };
    let points = |difference: f64| text::points(difference.abs()) + of;
    match (ruling.decision, stop.method) {
        (Some(Decision::Better), Method::Sprt { from, alpha, .. }) => {
            let said = match from {
                0.0 => format!("{better} is better than {than}"),
                less if less < 0.0 => format!("{better} is not worse than {than} by {}", points(from)),
                _ => format!("{better} is better than {than} by more than {}", points(from)),
            };
            format!("by {by}, {said} (risk of error about {})", percent(alpha.get()))
        }
        (Some(_), Method::Sprt { to, beta, .. }) => {
            let said = match to {
                0.0 => format!("{better} is worse than {than}"),
                less if less < 0.0 => format!("{better} is worse than {than} by more than {}", points(to)),
                _ => format!("{better} is not better than {than} by {}", points(to)),
            };
            format!("by {by}, {said} (risk of error about {})", percent(beta.get()))
        }
        (Some(decision), Method::Confidence(level)) => {
            let word = if decision == Decision::Worse { "worse" } else { "better" };
            format!("by {by}, {better} is {word} than {than} ({} sure at every look)", percent(level.get()))
        }
        (None, _) => format!("by {by}, nothing is decided between {better} and {than}"),
    }
}
