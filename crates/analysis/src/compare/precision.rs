//! The table `precision`: the result of a run that ends when a rate of every player is known well
//! enough.

use gauntlet_core::table::{Table, TypedRow, table};
use gauntlet_run::early_stop::PrecisionStop;
use gauntlet_run::judge::precision::{PrecisionStopResult, half_width};
use gauntlet_run::plan::Plan;
use gauntlet_stats::Estimate;

/// Name of the table.
pub const PRECISION: &str = "precision";

table! {
    /// A rate of a player, with its bounds.
    pub struct PrecisionRow(PRECISION, None) of
        (name, player, stop, result, max_blocks): (&str, usize, &PrecisionStop, &PrecisionStopResult, u64)
    {
        /// Name of the player.
        player: String, words() = name;
        /// Measured rate, such as `win`.
        by: String, words() = stop.measure.to_string();
        /// Confidence level of all rows together, valid whenever the run stops.
        level: Option<f64>, number() = stop.level.get();
        /// Required precision as a fraction: 0.01 is one percentage point.
        precision: Option<f64>, share().with_decimals(6) = stop.points.share();
        /// Number of blocks in the tables.
        blocks: Option<u64>, count() = result.blocks;
        /// Number of requested blocks.
        at_most: Option<u64>, count() = max_blocks;
        /// Number of games that did not end with `panic`.
        games: Option<u64>, count() = result.counts[player].games;
        /// Games that were won or reached the tile.
        successes: Option<u64>, count() = result.counts[player].successes;
        /// Successes divided by games, with bounds that allow for early stopping.
        rate: Option<Estimate>, share().as_first().with_decimals(6) = result.interval(player);
        /// Distance from the rate to the farther bound.
        half_width: Option<f64>, share().as_first().with_decimals(6) = result.interval(player).map(half_width);
        /// `yes` if `half_width` is at most `precision`, otherwise `no`.
        reached: String, words().as_first() = if result.is_known(player) { YES } else { "no" };
    }
}

/// Word for a rate that is known well enough.
pub(crate) const YES: &str = "yes";

/// Makes the table, with a row for each player: the rate, and how well it is known.
pub fn table(plan: &Plan, stop: &PrecisionStop, result: &PrecisionStopResult, max_blocks: u64) -> Table {
    let row = |lineup: usize| PrecisionRow::new((&plan.title(lineup), lineup, stop, result, max_blocks));
    PrecisionRow::table((0..result.counts.len()).map(row))
}
