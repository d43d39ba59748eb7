//! Words about runs that end when every rate is known.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::Table;
use gauntlet_core::text::{self, group_digits};
use gauntlet_run::judge::precision::{SuccessCount, games_needed};

use crate::compare::precision::{PrecisionRow, YES};

/// Names a rate.
pub fn rate_name(by: &str) -> String {
    if by == Measure::Win.to_string() { "win rate".to_owned() } else { format!("rate of {by}") }
}

/// Says how the run ended, in words that continue a sentence. `None` for a table without rows.
pub fn describe_end(table: &Table) -> Option<String> {
    let rows: Vec<PrecisionRow> = table.read_rows().collect();
    let first = rows.first()?;
    let (asked, level) = (text::format_points(first.precision?), text::format_level(first.level?));
    let (blocks, at_most) = (group_digits(first.blocks?), group_digits(first.at_most?));
    let (rate, is_alone) = (rate_name(&first.by), rows.len() == 1);
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
    let known = text::format_points(text::round_to(width(widest), 4));
    let needed = |row: &&PrecisionRow| {
        let seen = SuccessCount { games: row.games?, successes: row.successes? };
        games_needed(row.precision?, row.level?, rows.len(), seen)
    };
    let needed: Option<Vec<u64>> = unknown.iter().map(needed).collect();
    let needed = needed.and_then(|needed| needed.into_iter().max()).map_or_else(String::new, |needed| {
        format!(
            "; about {} of each player would be enough if rates stay the same",
            text::format_games(needed)
        )
    });
    let whose = if is_alone { String::new() } else { format!(" of {}", widest.player) };
    Some(format!(
        "after all {blocks} blocks, the {rate}{whose} is known only to {known}, not to {asked} ({level} at every \
         look){needed}"
    ))
}
