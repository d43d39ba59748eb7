//! The leaderboard: players sorted by one measure, each with the range of ranks that its games
//! support.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::{Column, Row, Table, TypedRow, table};
use gauntlet_core::text::{games, level, shown};

use super::contestants::{Contestant, strongest_first};
use super::order;
use super::pairwise::shown_of_all;
use crate::compare::question::Conclusion;
use crate::results::store::read::Results;

table! {
    /// A player in the leaderboard. Its number stands behind its games.
    pub(in crate::results) struct RankRow("rank", None) {
        /// Name of the player.
        player: String, words();
        /// Results folder of the player.
        results: String, words();
        /// Rank, 1 for the best.
        rank: u64, count();
        /// Best rank that the tests allow.
        rank_best: u64, count();
        /// Worst rank that the tests allow.
        rank_worst: u64, count();
        /// Number of games of the player.
        games: u64, count();
        /// Confidence level of the ranks.
        level: f64, number();
        /// Number of players that are significantly worse.
        better_than: u64, count();
        /// Number of players that are significantly better.
        worse_than: u64, count();
    }
}

/// Makes the leaderboard. A player that is better with this certainty, for all pairs together,
/// precedes the other; otherwise the order is open.
pub fn rank(results: &[Results], contestants: &[Contestant], by: Measure, sure: f64) -> Table {
    let mut better = vec![0_u64; contestants.len()];
    let mut worse = better.clone();
    for ((one, other), shown) in shown_of_all(contestants, by, sure) {
        let (winner, loser) = match shown {
            Conclusion::Yes => (one, other),
            Conclusion::Opposite => (other, one),
            Conclusion::Nothing => continue,
        };
        better[winner] += 1;
        worse[loser] += 1;
    }
    let (order, values) = strongest_first(contestants, by, sure);
    let best = |place: usize| worse[place] + 1;
    let worst = |place: usize| contestants.len() as u64 - better[place];
    let row = |(rank, &place): (u64, &usize)| {
        let (rank_best, rank_worst) = (best(place), worst(place));
        RankRow {
            player: contestants[place].label.clone(),
            results: shown(&results[contestants[place].results].folder).to_string(),
            // A test may order two players differently than their means.
            rank: rank.clamp(rank_best, rank_worst),
            rank_best,
            rank_worst,
            games: contestants[place].games,
            level: sure,
            better_than: better[place],
            worse_than: worse[place],
        }
    };
    let mut table = RankRow::table((1..).zip(&order).map(row));
    table.insert(6, order::values(by), order.iter().map(|&place| values[place]));
    table
}

/// Formats the leaderboard for people: open ranks in one column, and folders only if there are
/// several.
pub fn for_people(rank: &Table) -> Table {
    let level = rank.typed().next().map(|row: RankRow| row.level);
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
    // Settings, if they were requested.
    columns.extend(&rank.columns[rank.place("worse_than") + 1..]);
    let places: Vec<usize> = columns.iter().map(|column| rank.place(column.name)).collect();
    let rows = rank.rows.iter().map(|row| places.iter().map(|&place| row[place].clone()).collect());
    Table { name: "rank", columns, level, rows: rows.collect() }
}

/// Formats the leaderboard as sentences.
pub fn sentences(rank: &Table) -> Vec<String> {
    let value = rank.columns[rank.place("games") + 1].name;
    let row = |(row, of): (RankRow, Row)| {
        let RankRow { player, rank_best: best, rank_worst: worst, better_than, worse_than, .. } = row;
        let open = if best < worst { format!("{best} to {worst}") } else { best.to_string() };
        let written = of.written(value);
        let bounds = written
            .interval()
            .map_or_else(String::new, |bounds| format!(" ({} interval {bounds})", level(row.level)));
        format!(
            "{player}: rank {open} of {}, {} {}{bounds} in {}; significantly better than {better_than} and worse than {worse_than} of the others",
            rank.rows.len(),
            value.replace('_', " "),
            written.value(),
            games(row.games),
        )
    };
    rank.typed().zip(rank.rows()).map(row).collect()
}
