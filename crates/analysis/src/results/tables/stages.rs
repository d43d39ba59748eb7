//! `stages`: the games of each player that reached each stage of the game, which shows where its
//! games are lost. It has no file: it is made from single games on request.

use gauntlet_core::table::{Table, TableEstimate, TypedRow, table};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::wilson;

/// Name of the table of stages.
pub const STAGES: &str = "stages";

table! {
    /// Games of a player that reached a stage.
    pub struct StageRow(STAGES, Some(LEVEL)) of
        (player, stage, reached, reached_next, games): (&str, &str, u64, Option<u64>, u64)
    {
        /// Name of the player.
        player: String, words() = player;
        /// Tiles on the board at once: `1024-256` means 1024, 512 and 256.
        stage: String, words() = stage;
        /// Number of games that reached the stage.
        reached: u64, count() = reached;
        /// `reached` divided by all games of the player, with Wilson's 95 % interval.
        reached_rate: TableEstimate, share().with_decimals(6) = wilson(reached, games, LEVEL);
        /// Share of these games that reached the next stage, with Wilson's 95 % interval.
        next_rate: TableEstimate, share().with_decimals(6) = reached_next.and_then(|next| wilson(next, reached, LEVEL));
    }
}

/// The first row of a player is the last stage that at least this percentage of its games reached.
const MIN_FIRST_PERCENT: u64 = 99;

/// Makes the table of a game's stages. `stage_counts` has for each player the number of games by
/// the number of stages that they reached, from 0. The last row of a player is the last stage that
/// any of its games reached.
pub(in crate::results) fn table<'a>(
    stages: &[String],
    stage_counts: impl Iterator<Item = (&'a str, Vec<u64>)>,
) -> Table {
    let rows = stage_counts.flat_map(|(player, counts)| {
        let count_reached = |stage: usize| counts[stage..].iter().sum::<u64>();
        let games = count_reached(0);
        let is_first = |&stage: &usize| 100 * count_reached(stage) >= MIN_FIRST_PERCENT * games;
        let first = (1..counts.len()).rev().find(is_first).unwrap_or(1);
        let last = counts.iter().rposition(|&count| count > 0).unwrap_or(0);
        let row = |stage: usize| {
            let next = (stage < stages.len()).then(|| count_reached(stage + 1));
            StageRow::new((player, &stages[stage - 1], count_reached(stage), next, games))
        };
        (first..=last).map(row).collect::<Vec<_>>()
    });
    StageRow::table(rows)
}
