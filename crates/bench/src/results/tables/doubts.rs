//! Doubts in sentences about the tables of one run.

use crate::compare::growth::EarlierAnswers;
use crate::compare::precision::{self, PRECISION};
use crate::config::published::Published;
use crate::game::Shape;
use crate::num::Seconds;
use crate::plan::Plan;
use crate::record::Timed;
use crate::table::{Row, Table};
use crate::tally::Tally;
use crate::text::{games, grouped};

/// Reasons to doubt the tables of one run.
pub(crate) fn of_run(
    plan: &Plan,
    tallies: &[Tally],
    earlier: &EarlierAnswers,
    published: &[Published],
    verdicts: &[Table],
    was_stopped: bool,
    cores: usize,
) -> Vec<String> {
    let mut doubts = Vec::new();
    // A player that thinks elsewhere waits, and that is no overload; in a duel its rivals wait with it.
    let waits = |tally: &Tally| tally.clock.timed.is_elsewhere();
    let all_wait = plan.arena.shape == Shape::Duel && tallies.iter().any(waits);
    let (wall, cpu) = tallies
        .iter()
        .filter(|tally| !all_wait && !waits(tally))
        .map(|tally| (tally.times.wall_ns, tally.times.cpu_ns))
        .fold((0_u64, 0_u64), |sums, times| (sums.0.saturating_add(times.0), sums.1.saturating_add(times.1)));
    doubts.extend(overload(wall as f64 / 1e6, cpu as f64 / 1e6));
    let threads = tallies
        .iter()
        .flat_map(|tally| &tally.threads)
        .max()
        .map_or(0, |most| most * plan.threads_of_a_player());
    if threads > cores && tallies.iter().any(waits) {
        doubts.push(format!(
            "the machine may have been overloaded: {threads} threads thought on {cores} cores, and other programs had less of their time \
             for a move than their settings say; play again with fewer --threads"
        ));
    }
    if tallies.iter().any(|tally| tally.threads.len() > 1) {
        doubts.push("the times were taken with different numbers of --threads".to_owned());
    }
    // Of a duel both players are told, and one of them is to blame.
    let whose = if plan.arena.shape == Shape::Solo { "its" } else { "a player's" };
    for (entry, tally) in plan.players.iter().zip(tallies).filter(|(_, tally)| tally.broken > 0) {
        doubts.push(format!(
            "{} of {} broke {whose} program and are in no mean or rate",
            games(tally.broken),
            entry.name
        ));
    }
    for (entry, tally) in plan.players.iter().zip(tallies).filter(|(_, tally)| tally.out_of_time > 0) {
        let all = format!("{} of {}", games(tally.games), entry.name);
        doubts.push(cut(tally.out_of_time, &all, plan.max_seconds));
    }
    if let Some(told) = verdicts.iter().find(|table| table.name == PRECISION).and_then(precision::told) {
        doubts.push(format!(
            "{told}: what holds at every look stands in {PRECISION}.csv, and the other intervals, tests of scores and published \
             numbers are as if the number of games had been fixed beforehand"
        ));
    } else if was_stopped || earlier.is_of_a_stopped_run() {
        doubts.push(ended(plan.arena.shape));
    }
    doubts.extend(earlier.warning());
    if plan.blocks.len() < 30 && plan.arena.shape == Shape::Solo {
        doubts.push(format!(
            "{} of each player: trust the intervals of mean scores from 30 games on",
            games(plan.blocks.len())
        ));
    }
    if published.iter().any(|published| published.what.is_time()) {
        doubts.push("published times are of other machines than this, and are not judged".to_owned());
    }
    doubts
}

/// Doubt about a run that `[stop]` ended.
pub(crate) fn ended(shape: Shape) -> String {
    let what = match shape {
        Shape::Solo => {
            "rates and means lean to the side on which it was stopped, and tests of scores are too sure, but for \
             the one that ended it"
        }
        Shape::Duel => "ratings and shares of points lean to the side on which it was stopped",
    };
    format!("the run was ended by what its games had shown: {what}")
}

/// Doubt about times in which players waited for the CPU, from all of them in milliseconds.
pub(crate) fn overload(wall: f64, cpu: f64) -> Option<String> {
    // Below a tenth of a second the clocks of CPU time, which tick slowly on some systems, prove nothing.
    (wall > 100.0 && cpu < 0.9 * wall).then(|| {
        format!(
            "the machine was overloaded: players had the CPU for {:.0} % of the time they were timed by; compare cpu_ms_per_move, or play again with fewer --threads",
            100.0 * cpu / wall
        )
    })
}

/// The same doubt, from the table of times per move.
pub(crate) fn overload_in(times: &Table, shape: Shape) -> Option<String> {
    let waits = |row: Row| Timed::of(row.words("timed")).is_some_and(Timed::is_elsewhere);
    if shape == Shape::Duel && times.rows().any(waits) {
        return None;
    }
    let (mut wall, mut cpu) = (0.0, 0.0);
    for row in times.rows().filter(|&row| !waits(row)) {
        let (moves, mean, own) = (row.count("moves"), row.number("mean_ms"), row.number("cpu_ms_per_move"));
        if let (Some(moves), Some(mean), Some(own)) = (moves, mean, own) {
            (wall, cpu) = (wall + moves as f64 * mean, cpu + moves as f64 * own);
        }
    }
    overload(wall, cpu)
}

/// Games that the limit of time cut, of all these.
pub(crate) fn cut(cut: u64, all: &str, max_seconds: Option<Seconds>) -> String {
    let seconds = max_seconds.map_or_else(String::new, |seconds| format!(" at {seconds}"));
    format!(
        "{} of {all} were cut{seconds} (max_seconds): they count as they stood, and these are the long ones",
        grouped(cut)
    )
}
