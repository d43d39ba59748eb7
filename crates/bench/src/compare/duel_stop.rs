//! The test of two players against each other that could end a run: a row of the table `stop`.

use super::stop::{Ended, layout, verdict};
use crate::config::stop::{DuelStop, scale};
use crate::measure::Measure;
use crate::plan::Plan;
use crate::run::judge::duel::DuelRuling;
use crate::run::judge::pair::Decision;
use crate::stats::{EloTest, Estimate, Model, elo, normalized_elo};
use crate::table::Table;
use crate::text::{self, decimals, grouped, percent, rounded};

/// The test that could end the run, as it stands: a table of one row.
pub fn table(plan: &Plan, stop: &DuelStop, ruling: &DuelRuling, at_most: u64) -> Table {
    let names = [stop.better, stop.than].map(|player| plan.players[player].name);
    let [none, half, one, more, two] = ruling.pairs;
    let row = Ended {
        players: names,
        by: Measure::Points,
        method: "sprt",
        blocks: ruling.blocks,
        at_most,
        balance: [none + half, one, more + two],
        evidence: ruling.evidence,
        verdict: verdict(ruling.decision, stop.test.elo[0] < 0.0),
        answer: ended(stop, ruling, names, at_most),
        estimate: lead(stop, ruling),
    };
    layout(DECIMALS).table([row])
}

/// The decimals of a difference in Elo in the table.
const DECIMALS: usize = 2;

/// The difference on the scale of the test, corrected for stopping.
fn lead(stop: &DuelStop, ruling: &DuelRuling) -> Option<Estimate> {
    let share = ruling.share?;
    match stop.test.model {
        Model::Logistic => Some(elo(share)),
        Model::Normalized => normalized_elo(share, ruling.pairs),
    }
}

/// The end of the run in words.
fn ended(stop: &DuelStop, ruling: &DuelRuling, names: [&str; 2], at_most: u64) -> String {
    let said = decided(stop, ruling.decision, names);
    let corrected = match (lead(stop, ruling), ruling.share) {
        (Some(lead), Some(share)) => {
            let whose = if ruling.decision.is_some() { "it" } else { names[0] };
            let scale = scale(stop.test.model);
            let decimals = if lead.half_width().is_finite() { decimals(lead.half_width()) } else { 0 };
            let told = |points: f64| match points {
                f64::INFINITY => "all".to_owned(),
                f64::NEG_INFINITY => "none".to_owned(),
                points => format!("{:+.decimals$}", rounded(points, decimals) + 0.0),
            };
            format!(
                "; corrected for stopping, {whose} gets {} of the points, {scale} {} ({} interval {} to {})",
                percent(rounded(share.value, 3)),
                told(lead.value),
                text::level(lead.level),
                told(lead.low),
                told(lead.high)
            )
        }
        _ => String::new(),
    };
    let (after, at_most) = (grouped(ruling.blocks), grouped(at_most));
    match ruling.decision {
        Some(_) => format!("the run was stopped after {after} of at most {at_most} pairs: {said}{corrected}"),
        None => format!("the run went through all of its {at_most} pairs: {said}{corrected}"),
    }
}

/// The decision in words, and its risk of error.
fn decided(stop: &DuelStop, decision: Option<Decision>, [better, than]: [&str; 2]) -> String {
    let EloTest { elo: [from, to], model, alpha, beta } = stop.test;
    let points = |elo: f64| format!("{} {}", elo.abs(), scale(model));
    let (said, risk) = match decision {
        None => return format!("by points, nothing is decided between {better} and {than}"),
        Some(Decision::Better) if from == 0.0 => (format!("{better} is better than {than}"), alpha),
        Some(Decision::Better) if from < 0.0 => {
            (format!("{better} is not worse than {than} by {}", points(from)), alpha)
        }
        Some(Decision::Better) => {
            (format!("{better} is better than {than} by more than {}", points(from)), alpha)
        }
        Some(_) if to == 0.0 => (format!("{better} is worse than {than}"), beta),
        Some(_) if to < 0.0 => (format!("{better} is worse than {than} by more than {}", points(to)), beta),
        Some(_) => (format!("{better} is not better than {than} by {}", points(to)), beta),
    };
    format!("by points, {said} (risk of error about {})", percent(risk))
}
