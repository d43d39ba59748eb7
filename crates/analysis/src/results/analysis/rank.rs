//! The leaderboard: players sorted by one measure, each with the range of ranks that its games
//! support.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::{Table, TypedRow, table};
use gauntlet_core::text::display_path;
use gauntlet_stats::Estimate;

use super::contestants::{Contestant, sort_by_strength};
use super::order;
use super::pairwise::test_all_pairs;
use crate::compare::question::Conclusion;
use crate::results::store::read::Results;

table! {
    /// A player in the leaderboard. Its number stands behind its games.
    pub(crate) struct RankRow("rank", None) {
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

table! {
    /// The same for people: open ranks in one column.
    struct RankRange("rank", None) of it: &RankRow {
        rank_best: u64, count().start_of("rank") = it.rank_best;
        rank_worst: u64, count().end_of("rank") = it.rank_worst;
        player: String, words() = &*it.player;
        better_than: u64, count() = it.better_than;
        worse_than: u64, count() = it.worse_than;
        games: u64, count() = it.games;
        results: String, words() = &*it.results;
    }
}

/// Players, the best first, with their ranks and values.
#[derive(Debug)]
pub struct Leaderboard {
    pub(crate) measure: Measure,
    pub(crate) level: f64,
    pub(crate) rows: Vec<RankRow>,
    /// Value of each player.
    values: Vec<Option<Estimate>>,
}

impl Leaderboard {
    /// Ranks players. A player that is better with this certainty, for all pairs together, precedes
    /// the other; otherwise the order is open.
    pub fn new(results: &[Results], contestants: &[Contestant], measure: Measure, level: f64) -> Leaderboard {
        let mut better_than = vec![0_u64; contestants.len()];
        let mut worse_than = better_than.clone();
        for ((one, other), conclusion) in test_all_pairs(contestants, measure, level) {
            let (winner, loser) = match conclusion {
                Conclusion::Yes => (one, other),
                Conclusion::Opposite => (other, one),
                Conclusion::Inconclusive => continue,
            };
            better_than[winner] += 1;
            worse_than[loser] += 1;
        }
        let (order, values) = sort_by_strength(contestants, measure, level);
        let row = |(rank, &index): (u64, &usize)| {
            let (rank_best, rank_worst) =
                (worse_than[index] + 1, contestants.len() as u64 - better_than[index]);
            RankRow {
                player: contestants[index].label.clone(),
                results: display_path(&results[contestants[index].results_index].folder).to_string(),
                // A test may order two players differently than their means.
                rank: rank.clamp(rank_best, rank_worst),
                rank_best,
                rank_worst,
                games: contestants[index].games,
                level,
                better_than: better_than[index],
                worse_than: worse_than[index],
            }
        };
        let rows = (1..).zip(&order).map(row).collect();
        Leaderboard { measure, level, rows, values: order.iter().map(|&index| values[index]).collect() }
    }

    /// Returns the best and the worst rank of each player, the strongest first.
    pub(super) fn rank_ranges(&self) -> impl Iterator<Item = [u64; 2]> {
        self.rows.iter().map(|row| [row.rank_best, row.rank_worst])
    }

    /// Returns the table for programs.
    pub fn table(&self) -> Table {
        let mut table = RankRow::table(&self.rows);
        table.insert(
            table.column_index("level"),
            order::value_column(self.measure),
            self.values.iter().copied(),
        );
        table
    }

    /// Returns the table for people: open ranks in one column, and folders only if there are
    /// several.
    pub fn table_for_people(&self) -> Table {
        let mut table = RankRange::table(self.rows.iter().map(RankRange::new));
        table.level = Some(self.level);
        table.insert(
            table.column_index("better_than"),
            order::value_column(self.measure),
            self.values.iter().copied(),
        );
        if self.rows.iter().all(|row| row.results == self.rows[0].results) {
            table.drop_column("results");
        }
        table
    }
}
