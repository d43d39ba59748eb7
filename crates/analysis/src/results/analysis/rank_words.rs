//! Ranks in sentences.

use gauntlet_core::table::Row;
use gauntlet_core::text::{format_games, format_level};

use crate::results::analysis::order;
use crate::results::analysis::rank::{Leaderboard, RankRow};

impl Leaderboard {
    /// Describes each player in a sentence.
    pub fn sentences(&self) -> Vec<String> {
        let table = self.table();
        let value = order::value_column(self.measure).name;
        let sentence = |(row, table_row): (&RankRow, Row)| {
            let RankRow { player, rank_best: best, rank_worst: worst, better_than, worse_than, .. } = row;
            let ranks = if best < worst { format!("{best} to {worst}") } else { best.to_string() };
            let text = table_row.format_estimate(value);
            let bounds = text.interval().map_or_else(String::new, |bounds| {
                format!(" ({} interval {bounds})", format_level(self.level))
            });
            format!(
                "{player}: rank {ranks} of {}, {} {}{bounds} in {}; significantly better than {better_than} and worse than {worse_than} of the others",
                self.rows.len(),
                value.replace('_', " "),
                text.value(),
                format_games(row.games),
            )
        };
        self.rows.iter().zip(table.rows()).map(sentence).collect()
    }
}
