//! The tables `claims` and `stop`: what the experiment announced, and what came of it.

use std::borrow::Cow;

use super::answer::{Worth, answer};
use super::comparison::{self, Comparison, Question, Shown, Side};
use crate::config::Experiment;
use crate::config::claim::Claim;
use crate::config::stop::{Method, Stop};
use crate::measure::Measure;
use crate::plan::Plan;
use crate::run::judge::{Answer, Ruling};
use crate::stats::holm;
use crate::table::{Cell, Column, Kind, Schema, Table};
use crate::tally::Tally;
use crate::tally::rows::Played;
use crate::text::{self, grouped, percent};

/// The table of claims.
pub const CLAIMS: Schema = comparison::schema("claims");

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

/// The claims of an experiment, each with its answer. The ruling is that of a run that may end early.
pub fn claims(
    experiment: &Experiment,
    played: &[Played],
    tallies: &[Tally],
    ruling: Option<&Ruling>,
) -> Table {
    let entries = experiment.entries();
    let none = Vec::new();
    let side = |player: usize, by: Measure| {
        let name = &entries[player].name;
        let games = played.iter().find(|played| played.name == *name).map_or(&none, |played| &played.games);
        let ms = if by.is_time() { tallies[player].cpu_ms() } else { None };
        Side { name: name.clone(), games, ms }
    };
    let sequential = experiment.stop().is_some();
    let mut comparisons = Vec::new();
    for claim in experiment.claims() {
        let (level, margin) = (claim.level.get(), claim.margin.map(|margin| margin.get()));
        let question = Question { by: claim.by, level, margin, sequential };
        let (better, than) = (side(claim.better, claim.by), side(claim.than, claim.by));
        let mut comparison = Comparison::of(&better, &than, question);
        if let (Some(stop), Some(ruling)) = (experiment.stop(), ruling)
            && let Some(decided) = decided(claim, stop, ruling)
        {
            comparison.decided = Some(decided);
            comparison.p = None;
        }
        comparisons.push(comparison);
    }
    let family = correct(&mut comparisons);
    let answered = comparisons.into_iter().map(|comparison| {
        let words = match (comparison.decided, experiment.stop(), ruling) {
            (Some(_), Some(stop), Some(ruling)) => {
                let name = |player: usize| &*entries[player].name;
                format!(
                    "as the run was stopped by it: {}",
                    decision(name(stop.better), name(stop.than), stop, ruling)
                )
            }
            _ => answer(&comparison, family, Worth::default()),
        };
        let words = match comparison.shown() {
            Shown::Opposite => format!("the opposite is shown: {words}"),
            Shown::Yes | Shown::Nothing => words,
        };
        (comparison, words)
    });
    comparison::table(&CLAIMS, &answered.collect::<Vec<_>>(), verdict)
}

/// What the test that ended the run says of a claim, if that is just what it tested, and at least as surely: no other test
/// on the same games may then say something else.
fn decided(claim: &Claim, stop: &Stop, ruling: &Ruling) -> Option<Shown> {
    let Method::Sprt { from, alpha, .. } = stop.method else { return None };
    let is_same = (claim.better, claim.than, claim.by) == (stop.better, stop.than, stop.by);
    let is_as_sure = from >= 0.0 && claim.level.get() <= 1.0 - alpha.get() + 1e-12;
    if !is_same || claim.margin.is_some() || !is_as_sure {
        return None;
    }
    match ruling.answer? {
        Answer::Better => Some(Shown::Yes),
        Answer::NotBetter | Answer::Worse => Some(Shown::Nothing),
    }
}

/// Corrects the p of comparisons for the number of those that have one, and returns that number.
pub fn correct(comparisons: &mut [Comparison]) -> usize {
    let p: Vec<f64> = comparisons.iter().filter_map(|comparison| comparison.p).collect();
    let tested = comparisons.iter_mut().filter(|comparison| comparison.p.is_some());
    for (comparison, adjusted) in tested.zip(holm(&p)) {
        comparison.adjusted = Some(adjusted);
    }
    p.len()
}

fn verdict(shown: Shown) -> &'static str {
    match shown {
        Shown::Yes => "shown",
        Shown::Opposite => "the opposite is shown",
        Shown::Nothing => "not shown",
    }
}

/// How the comparison stands that could end the run: a table of one row.
pub fn stop(plan: &Plan, stop: &Stop, ruling: &Ruling, at_most: u64) -> Table {
    let standing = ruling.standing;
    let row = vec![
        Cell::Text(plan.players[stop.better].name.to_owned()),
        Cell::Text(plan.players[stop.than].name.to_owned()),
        Cell::Text(stop.by.to_string()),
        Cell::Text(method(&stop.method).to_owned()),
        Cell::Whole(standing.blocks),
        Cell::Whole(at_most),
        Cell::Whole(standing.behind),
        Cell::Whole(standing.even),
        Cell::Whole(standing.ahead),
        Cell::real(Some(ruling.evidence.ratio), 4),
        Cell::real(ruling.evidence.lower, 4),
        Cell::real(Some(ruling.evidence.upper), 4),
        Cell::Text(word(stop, ruling.answer).to_owned()),
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

fn word(stop: &Stop, answer: Option<Answer>) -> &'static str {
    match (answer, stop.method) {
        (Some(Answer::Better), Method::Sprt { from, .. }) if from < 0.0 => "not worse",
        (Some(Answer::Better), _) => "better",
        (Some(Answer::NotBetter), _) => "not better",
        (Some(Answer::Worse), _) => "worse",
        (None, _) => "undecided",
    }
}

/// How the run ended, in words.
fn ended(plan: &Plan, stop: &Stop, ruling: &Ruling, at_most: u64) -> String {
    let decision = decision(plan.players[stop.better].name, plan.players[stop.than].name, stop, ruling);
    let (after, at_most) = (grouped(ruling.standing.blocks), grouped(at_most));
    match ruling.answer {
        Some(_) => format!("the run was stopped after {after} of at most {at_most} blocks: {decision}"),
        None => format!("the run went through all of its {at_most} blocks: {decision}"),
    }
}

/// What was decided, and how often that is wrong.
fn decision(better: &str, than: &str, stop: &Stop, ruling: &Ruling) -> String {
    let by = stop.by;
    let of = if by.is_rate() { "" } else { " of the blocks, won less lost" };
    let points = |difference: f64| text::points(difference.abs()) + of;
    match (ruling.answer, stop.method) {
        (Some(Answer::Better), Method::Sprt { from, alpha, .. }) => {
            let head = match from {
                0.0 => format!("{better} is better than {than}"),
                less if less < 0.0 => format!("{better} is not worse than {than} by {}", points(from)),
                _ => format!("{better} is better than {than} by more than {}", points(from)),
            };
            format!("by {by}, {head} (risk of error about {})", percent(alpha.get()))
        }
        (Some(_), Method::Sprt { to, beta, .. }) => {
            let head = match to {
                0.0 => format!("{better} is worse than {than}"),
                less if less < 0.0 => format!("{better} is worse than {than} by more than {}", points(to)),
                _ => format!("{better} is not better than {than} by {}", points(to)),
            };
            format!("by {by}, {head} (risk of error about {})", percent(beta.get()))
        }
        (Some(answer), Method::Confidence(level)) => {
            let word = if answer == Answer::Worse { "worse" } else { "better" };
            format!("by {by}, {better} is {word} than {than} ({} sure at every look)", percent(level.get()))
        }
        (None, _) => format!("by {by}, nothing is decided between {better} and {than}"),
    }
}
