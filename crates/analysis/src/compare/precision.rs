//! The table `precision`: the result of a run that ends when a rate of every player is known well
//! enough.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::{Table, TypedRow, table};
use gauntlet_core::text::{self, grouped};
use gauntlet_run::early_stop::PrecisionStop;
use gauntlet_run::judge::precision::{PrecisionRuling, SuccessCount, games_needed, half_width};
use gauntlet_run::plan::Plan;
use gauntlet_stats::Estimate;

/// Name of the table.
pub const PRECISION: &str = "precision";

table! {
    /// A rate of a player, with its bounds.
    pub struct PrecisionRow(PRECISION, None) of
        (name, player, stop, ruling, at_most): (&str, usize, &PrecisionStop, &PrecisionRuling, u64)
    {
        /// Name of the player.
        player: String, words() = name;
        /// Measured rate, such as `win`.
        by: String, words() = stop.by.to_string();
        /// Confidence level of all rows together, valid whenever the run stops.
        level: Option<f64>, number() = stop.level.get();
        /// Required precision as a fraction: 0.01 is one percentage point.
        precision: Option<f64>, share().to(6) = stop.points.share();
        /// Number of blocks in the tables.
        blocks: Option<u64>, count() = ruling.blocks;
        /// Number of requested blocks.
        at_most: Option<u64>, count() = at_most;
        /// Number of games that did not end with `panic`.
        games: Option<u64>, count() = ruling.counts[player].games;
        /// Games that were won or reached the tile.
        successes: Option<u64>, count() = ruling.counts[player].successes;
        /// Successes divided by games, with bounds that allow for early stopping.
        rate: Option<Estimate>, share().first().to(6) = ruling.interval(player);
        /// Distance from the rate to the farther bound.
        half_width: Option<f64>, share().first().to(6) = ruling.interval(player).map(half_width);
        /// `yes` if `half_width` is at most `precision`, otherwise `no`.
        reached: String, words().first() = if ruling.is_known(player) { YES } else { "no" };
    }
}

/// Word for a rate that is known well enough.
const YES: &str = "yes";

/// Makes the table, with a row for each player: the rate, and how well it is known.
pub fn table(plan: &Plan, stop: &PrecisionStop, ruling: &PrecisionRuling, at_most: u64) -> Table {
    let row = |lineup: usize| PrecisionRow::of((&plan.title(lineup), lineup, stop, ruling, at_most));
    PrecisionRow::table((0..ruling.counts.len()).map(row))
}

/// Names a rate.
pub fn rate_of(by: &str) -> String {
    if by == Measure::Win.to_string() { "win rate".to_owned() } else { format!("rate of {by}") }
}

/// Says how the run ended, in words that continue a sentence. `None` for a table without rows.
pub fn told(table: &Table) -> Option<String> {
    let rows: Vec<PrecisionRow> = table.typed().collect();
    let first = rows.first()?;
    let (asked, level) = (text::points(first.precision?), text::level(first.level?));
    let (blocks, at_most) = (grouped(first.blocks?), grouped(first.at_most?));
    let (rate, is_alone) = (rate_of(&first.by), rows.len() == 1);
    let unknown: Vec<&PrecisionRow> = rows.iter().filter(|row| row.reached != YES).collect();
    let width = |row: &PrecisionRow| row.half_width.unwrap_or(1.0);
    let widest = unknown.iter().max_by(|one, other| width(one).total_cmp(&width(other)));
    let Some(widest) = widest else {
        let whose = if is_alone { format!("the {rate}") } else { format!("every {rate}") };
        return Some(format!(
            "the run ended after {blocks} of at most {at_most} blocks, because {whose} is known to {asked} ({level} at \
             every look)"
        ));
    };
    let known = text::points(text::rounded(width(widest), 4));
    let needed = |row: &&PrecisionRow| {
        let seen = SuccessCount { games: row.games?, successes: row.successes? };
        games_needed(row.precision?, row.level?, rows.len(), seen)
    };
    let needed: Option<Vec<u64>> = unknown.iter().map(needed).collect();
    let needed = needed.and_then(|needed| needed.into_iter().max()).map_or_else(String::new, |needed| {
        format!("; about {} of each player would be enough if rates stay the same", text::games(needed))
    });
    let whose = if is_alone { String::new() } else { format!(" of {}", widest.player) };
    Some(format!(
        "after all {blocks} blocks, the {rate}{whose} is known only to {known}, not to {asked} ({level} at every \
         look){needed}"
    ))
}
