//! Warnings about the games of a run, from sums or from tables.

use gauntlet_core::game::Shape;
use gauntlet_core::num::Seconds;
use gauntlet_core::table::Table;
use gauntlet_core::text::{format_games, group_digits};
use gauntlet_run::tally::Tally;

use super::times::MoveTimeRow;

/// Returns the warning about a run that `[stop]` ended.
pub(crate) fn early_end_warning(shape: Shape) -> String {
    let consequence = match shape {
        Shape::Solo => {
            "rates and means are biased, and tests of scores are too confident, except the test in [stop]"
        }
        Shape::Duel => "ratings and shares of points are biased",
    };
    format!("the run stopped early: {consequence}")
}

/// Returns the warning about a Python function without an identity.
pub(crate) fn unidentified_warning(name: &str) -> String {
    format!("{name} has no identity: its games are always played again")
}

/// Returns the warning about players that waited for the CPU, from the milliseconds of all players.
pub(crate) fn overload_warning(wall: f64, cpu: f64) -> Option<String> {
    // Below a tenth of a second the CPU clocks of some systems are too coarse to prove anything.
    (wall > 100.0 && cpu < 0.9 * wall).then(|| {
        format!(
            "machine overloaded: players ran for {:.0} % of wall time; compare cpu per move, or use fewer --threads",
            100.0 * cpu / wall
        )
    })
}

/// Returns the warning about players that waited for the CPU, from the table of times per move.
pub fn table_overload_warning(times: &Table, shape: Shape) -> Option<String> {
    let rows: Vec<MoveTimeRow> = times.read_rows::<MoveTimeRow>().collect();
    let runs_elsewhere = |row: &&MoveTimeRow| row.timed.is_elsewhere();
    if shape == Shape::Duel && rows.iter().any(|row| runs_elsewhere(&row)) {
        return None;
    }
    let (mut wall, mut cpu) = (0.0, 0.0);
    for row in rows.iter().filter(|row| !runs_elsewhere(row)) {
        if let (Some(mean), Some(cpu_time)) = (row.mean_ms, row.cpu_ms_per_move) {
            (wall, cpu) = (wall + row.moves as f64 * mean, cpu + row.moves as f64 * cpu_time.value);
        }
    }
    overload_warning(wall, cpu)
}

/// Returns the warning about games that a player forfeited, with the most common reason.
pub(crate) fn forfeits_warning(name: &str, tally: &Tally) -> String {
    let reason = tally.faults.iter().max_by_key(|(_, games)| **games).map_or("", |(fault, _)| fault.name());
    let mostly = if tally.faults.len() > 1 { "mostly " } else { "" };
    format!(
        "{name} forfeited {} of {} ({mostly}{})",
        group_digits(tally.forfeits()),
        format_games(tally.games),
        reason.replace('-', " ")
    )
}

/// Returns the warning about games that the time limit cut.
pub(crate) fn cut_games_warning(cut: u64, total: &str, max_seconds: Option<Seconds>) -> String {
    let seconds = max_seconds.map_or_else(String::new, |seconds| format!(" at {seconds}"));
    format!(
        "{} of {total} were cut{seconds} (max_seconds) and count with their score at that time; long games are affected most",
        group_digits(cut)
    )
}
