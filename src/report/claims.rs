//! The tables `claims` and `stop`: what the experiment announced, and what came of it.

use super::answer::{Worth, answer};
use super::comparison::{self, Comparison, Question, Shown, Side};
use super::games::Played;
use super::table::{Cell, Table};
use crate::config::Experiment;
use crate::config::stop::{Method, Stop};
use crate::plan::Plan;
use crate::run::progress::grouped;
use crate::run::stop::{Answer, Ruling};
use crate::stats::{Interval, holm};

/// The names of the tables.
pub(super) const CLAIMS: &str = "claims";
pub(super) const STOP: &str = "stop";

/// The claims of an experiment, each with its answer. Times come in the order of players.
pub(super) fn claims(experiment: &Experiment, played: &[Played], times: &[Option<Interval>]) -> Table {
    let entries = experiment.entries();
    let none = Vec::new();
    let side = |player: usize| {
        let name = &entries[player].name;
        let games = played.iter().find(|played| played.name == *name).map_or(&none, |played| &played.games);
        Side { name: name.clone(), games, ms: times[player] }
    };
    let sequential = experiment.stop().is_some();
    let mut comparisons: Vec<_> = experiment
        .claims()
        .iter()
        .map(|claim| {
            let (level, margin) = (claim.level.get(), claim.margin.map(|margin| margin.get()));
            let question = Question { by: claim.by, level, margin, sequential };
            Comparison::of(&side(claim.better), &side(claim.than), question)
        })
        .collect();
    correct(&mut comparisons);
    let family = comparisons.len();
    let answered: Vec<_> = comparisons
        .into_iter()
        .map(|comparison| {
            let words = answer(&comparison, family, Worth::default());
            let words = match comparison.shown() {
                Shown::Opposite => format!("the opposite is shown: {words}"),
                Shown::Yes | Shown::Nothing => words,
            };
            (comparison, words)
        })
        .collect();
    comparison::table(CLAIMS, &answered, verdict)
}

/// Corrects the p of comparisons for their number.
pub(super) fn correct(comparisons: &mut [Comparison]) {
    let p: Vec<f64> = comparisons.iter().map(|comparison| comparison.p.unwrap_or(1.0)).collect();
    for (comparison, adjusted) in comparisons.iter_mut().zip(holm(&p)) {
        comparison.adjusted = comparison.p.map(|_| adjusted);
    }
}

fn verdict(shown: Shown) -> &'static str {
    match shown {
        Shown::Yes => "shown",
        Shown::Opposite => "the opposite is shown",
        Shown::Nothing => "not shown",
    }
}

/// How the comparison stands that could end the run: a table of one row.
pub(super) fn stop(plan: &Plan, stop: &Stop, ruling: &Ruling, at_most: u64) -> Table {
    let columns = [
        "player", "than", "by", "method", "blocks", "at_most", "behind", "level", "ahead", "ratio", "lower",
        "upper", "verdict", "answer",
    ];
    let standing = ruling.standing;
    let row = vec![
        Cell::Text(plan.entries[stop.better].name.to_owned()),
        Cell::Text(plan.entries[stop.than].name.to_owned()),
        Cell::Text(stop.by.to_string()),
        Cell::Text(method(&stop.method).to_owned()),
        Cell::Whole(standing.blocks),
        Cell::Whole(at_most),
        Cell::Whole(standing.behind),
        Cell::Whole(standing.level),
        Cell::Whole(standing.ahead),
        Cell::real(Some(ruling.evidence.ratio), 4),
        Cell::real(ruling.evidence.lower, 4),
        Cell::real(Some(ruling.evidence.upper), 4),
        Cell::Text(word(ruling.answer).to_owned()),
        Cell::Text(ended(plan, stop, ruling, at_most)),
    ];
    Table::new(STOP, &columns, vec![row])
}

fn method(method: &Method) -> &'static str {
    match method {
        Method::Sprt { .. } => "sprt",
        Method::Confidence(_) => "confidence",
    }
}

fn word(answer: Option<Answer>) -> &'static str {
    match answer {
        Some(Answer::Better) => "better",
        Some(Answer::NotBetter) => "not better",
        Some(Answer::Worse) => "worse",
        None => "undecided",
    }
}

/// How the run ended, in words.
fn ended(plan: &Plan, stop: &Stop, ruling: &Ruling, at_most: u64) -> String {
    let (better, than) = (plan.entries[stop.better].name, plan.entries[stop.than].name);
    let points = |difference: f64| format!("{}", (10_000.0 * difference).round() / 100.0);
    let verdict = match (ruling.answer, stop.method) {
        (Some(Answer::Better), Method::Sprt { from, alpha, .. }) => format!(
            "{better} is better than {than} by more than {} points, which a player who is not is called in at most {} % \
             of such runs",
            points(from),
            100.0 * alpha.get()
        ),
        (Some(Answer::NotBetter), Method::Sprt { to, beta, .. }) => format!(
            "{better} is not better than {than} by {} points, which a player who is is called in at most {} % of such \
             runs",
            points(to),
            100.0 * beta.get()
        ),
        (Some(Answer::Worse), _) => format!("{better} is worse than {than}"),
        (Some(_), _) => format!("{better} is better than {than}"),
        (None, _) => format!("nothing is decided between {better} and {than}"),
    };
    let sure = match (ruling.answer, stop.method) {
        (Some(_), Method::Confidence(level)) => format!(" ({} % sure at every look)", 100.0 * level.get()),
        _ => String::new(),
    };
    let by = stop.by;
    let (after, at_most) = (grouped(ruling.standing.blocks), grouped(at_most));
    match ruling.answer {
        Some(_) => {
            format!("the run was stopped after {after} of at most {at_most} blocks: by {by}, {verdict}{sure}")
        }
        None => format!("the run went through all of its {at_most} blocks: by {by}, {verdict}"),
    }
}
