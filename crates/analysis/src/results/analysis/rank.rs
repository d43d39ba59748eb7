//! The leaderboard: players in the order of one measure, each with the ranks that their games leave open.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::layout::Layout;
use gauntlet_core::table::{Cell, Column, Row, Table};
use gauntlet_core::text::{games, level, shown};

use super::contestants::{Contestant, strongest_first};
use super::order;
use super::pairwise::shown_of_all;
use crate::compare::question::Shown;
use crate::results::store::read::Results;

/// The leaderboard as a table. A player that is shown to be better, at this level for all pairs together, stands before
/// the other; without that either may.
pub fn rank(results: &[Results], contestants: &[Contestant], by: Measure, sure: f64) -> Table {
    let mut better = vec![0_u64; contestants.len()];
    let mut worse = better.clone();
    for ((one, other), shown) in shown_of_all(contestants, by, sure) {
        let (winner, loser) = match shown {
            Shown::Yes => (one, other),
            Shown::Opposite => (other, one),
            Shown::Nothing => continue,
        };
        better[winner] += 1;
        worse[loser] += 1;
    }
    let (order, values) = strongest_first(contestants, by, sure);
    let best = |place: usize| worse[place] + 1;
    let worst = |place: usize| contestants.len() as u64 - better[place];
    let (column, bounds, decimals) = order::values(by);
    Layout::new("rank", None)
        .words("player", |&(_, place): &(u64, usize)| &*contestants[place].label)
        .words("results", |&(_, place)| shown(&results[contestants[place].results].folder).to_string())
        // A test may order two otherwise than their means do.
        .count("rank", |&(rank, place)| rank.clamp(best(place), worst(place)))
        .count("rank_best", |&(_, place)| best(place))
        .count("rank_worst", |&(_, place)| worst(place))
        .count("games", |&(_, place)| contestants[place].games)
        .estimate(column, bounds, decimals, |&(_, place)| values[place])
        .column(Column::number("level"), |_| Cell::as_printed(sure))
        .count("better_than", |&(_, place)| better[place])
        .count("worse_than", |&(_, place)| worse[place])
        .table((1..).zip(order))
}

/// The leaderboard as a person reads it: the ranks that are left open in one, the folders only where there are several.
pub fn for_people(rank: &Table) -> Table {
    let level = rank.rows().next().and_then(|row| row.number("level"));
    let column = |name: &str| rank.columns[rank.place(name)];
    let value = rank.columns[rank.place("games") + 1].name;
    let [low, high] = [1, 2].map(|after| rank.columns[rank.place(value) + after]);
    let mut columns = vec![
        Column::count("rank_best").from_of("rank"),
        Column::count("rank_worst").to_of("rank"),
        column("player"),
        column(value),
        low,
        high,
        column("better_than"),
        column("worse_than"),
        column("games"),
    ];
    let folder = rank.place("results");
    if rank.rows.iter().any(|row| row[folder] != rank.rows[0][folder]) {
        columns.push(column("results"));
    }
    // Settings, where they were asked for.
    columns.extend(&rank.columns[rank.place("worse_than") + 1..]);
    let places: Vec<usize> = columns.iter().map(|column| rank.place(column.name)).collect();
    let rows = rank.rows.iter().map(|row| places.iter().map(|&place| row[place].clone()).collect());
    Table { name: "rank", columns, level, rows: rows.collect() }
}

/// The leaderboard in sentences.
pub fn sentences(rank: &Table) -> Vec<String> {
    let value = rank.columns[rank.place("games") + 1].name;
    let row = |row: Row| {
        let open = match (row.count("rank_best"), row.count("rank_worst")) {
            (Some(best), Some(worst)) if best < worst => format!("{best} to {worst}"),
            (best, _) => best.unwrap_or(0).to_string(),
        };
        let written = row.written(value);
        let bounds = written.interval().map_or_else(String::new, |bounds| {
            format!(" ({} interval {bounds})", level(row.number("level").unwrap_or(0.0)))
        });
        let others = |column: &str| row.count(column).unwrap_or(0);
        format!(
            "{}: rank {open} of {}, {} {}{bounds} in {}; shown to be better than {} of the others and worse than {}",
            row.words("player"),
            rank.rows.len(),
            value.replace('_', " "),
            written.value(),
            games(row.count("games").unwrap_or(0)),
            others("better_than"),
            others("worse_than"),
        )
    };
    rank.rows().map(row).collect()
}
