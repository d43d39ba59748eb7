//! What games and unfinished runs are, in words.

use std::time::Duration;

use crate::config::Experiment;
use crate::game::{Outcome, Seat, Shape};
use crate::plan::Plan;
use crate::record::{Ending, GameRecord};
use crate::run::screen;
use crate::text::{counted, escape, games, grouped};

/// How a game ended.
pub(super) fn how(plan: &Plan, lineup: usize, leg: usize, record: &GameRecord) -> String {
    let mut how = match record.outcome {
        Outcome::Points { score, won } => {
            format!("{} points, {}", grouped(score), if won { "won" } else { "not won" })
        }
        Outcome::Won(seat) => {
            let member = plan.arena.shape.member_at(leg, seat);
            let first = if seat == Seat::First { "moving first" } else { "moving second" };
            format!("won by {}, {first}", plan.players[plan.lineups[lineup].members()[member]].name)
        }
        Outcome::Drawn => "drawn".to_owned(),
    };
    how += &format!(", {}", counted(u64::from(record.moves), "move"));
    if record.ending != Ending::GameOver {
        how += &format!(", {}", record.ending.name());
    }
    how
}

/// State of a game in play.
pub(super) fn standing(outcome: Outcome) -> String {
    match outcome {
        Outcome::Points { score, .. } => format!("{} points", grouped(score)),
        Outcome::Won(_) => "won".to_owned(),
        Outcome::Drawn => String::new(),
    }
}

/// By what players of such a game are shown.
pub(super) fn scale(shape: Shape) -> &'static str {
    match shape {
        Shape::Solo => "win rate",
        Shape::Duel => "Elo",
    }
}

/// What the numbers of a run that has not ended are, and are not.
pub(super) fn unfinished(experiment: &Experiment) -> String {
    let sections = experiment.sections();
    let verdicts = [
        (!sections.claims.is_empty(), "claims"),
        (!sections.published.is_empty(), "published numbers"),
        (sections.stop.is_some(), "`[stop]`"),
    ];
    let verdicts: Vec<&str> =
        verdicts.into_iter().filter_map(|(is_asked, what)| is_asked.then_some(what)).collect();
    let verdicts = match &verdicts[..] {
        [] => String::new(),
        verdicts => format!("; no verdict on {} before it is finished", verdicts.join(" and ")),
    };
    let what = if experiment.arena().shape == Shape::Duel { "ratings" } else { "win rates" };
    format!(
        "The run is not finished: {what} are of the games that are over by now, and of those begun at one time short ones are over \
         first{verdicts}; intervals hold for numbers of games that are fixed beforehand."
    )
}

/// How fast games are played, and the time that is left; nothing before the first.
pub(super) fn pace(played: u64, time: Duration, left: u64) -> Vec<String> {
    if played == 0 {
        return Vec::new();
    }
    let rate = played as f64 / time.as_secs_f64().max(1e-3);
    let left = Duration::from_secs_f64((left as f64 / rate).min(1e9));
    vec![format!("{} games/s", screen::pace(rate)), format!("{} left", screen::clock(left))]
}

/// Games that ended by a player's own fault, and how the first of them did.
pub(super) fn forfeits(who: &str, number: u64, why: &str) -> String {
    let have = if who == "players" { "have" } else { "has" };
    format!("{who} {have} forfeited {}; the first: {}", games(number), escape::line(why))
}

/// What is said of a folder into which nothing plays that can be seen.
pub(super) const NO_PROCESS: &str = "no process of this machine plays into this folder now";
