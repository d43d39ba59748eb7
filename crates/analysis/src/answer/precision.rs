//! Words about runs that end when every rate is known.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::Table;
use gauntlet_core::text::{self, group_digits};
use gauntlet_run::judge::precision::{SuccessCount, games_needed};

use crate::compare::precision::{PrecisionRow, YES};

/// Names a rate.
pub fn rate_name(measure: &str) -> String {
    if measure == Measure::Win.to_string() { "win rate".to_owned() } else { format!("rate of {measure}") }
}

/// Says how the run ended, in words that continue a sentence. `None` for a table without rows.
pub fn describe_end(table: &Table) -> Option<String> {
    let rows: Vec<PrecisionRow> = table.read_rows().collect();
    let first = rows.first()?;
    let (precision, level) = (text::format_points(first.precision?), text::format_level(first.level?));
    let (blocks, max_blocks) = (group_digits(first.blocks?), group_digits(first.at_most?));
    let (rate, is_alone) = (rate_name(&first.by), rows.len() == 1);
    let imprecise_rows: Vec<&PrecisionRow> = rows.iter().filter(|row| row.reached != YES).collect();
    let width = |row: &PrecisionRow| row.half_width.unwrap_or(1.0);
    let widest_row = imprecise_rows.iter().max_by(|one, other| width(one).total_cmp(&width(other)));
    let Some(widest_row) = widest_row else {
        let rate_phrase = if is_alone { format!("the {rate}") } else { format!("every {rate}") };
        return Some(format!(
            "the run ended after {blocks} of at most {max_blocks} blocks, because {rate_phrase} is known to {precision} ({level} at \
             every look)"
        ));
    };
    let half_width = text::format_points(text::round_to(width(widest_row), 4));
    let row_games_needed = |row: &&PrecisionRow| {
        let success_count = SuccessCount { games: row.games?, successes: row.successes? };
        games_needed(row.precision?, row.level?, rows.len(), success_count)
    };
    let game_counts: Option<Vec<u64>> = imprecise_rows.iter().map(row_games_needed).collect();
    let advice = game_counts.and_then(|needed| needed.into_iter().max()).map_or_else(String::new, |needed| {
        format!(
            "; about {} of each player would be enough if rates stay the same",
            text::format_games(needed)
        )
    });
    let player_suffix = if is_alone { String::new() } else { format!(" of {}", widest_row.player) };
    Some(format!(
        "after all {blocks} blocks, the {rate}{player_suffix} is known only to {half_width}, not to {precision} ({level} at every \
         look){advice}"
    ))
}
