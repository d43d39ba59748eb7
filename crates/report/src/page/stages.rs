//! The stages that games reached: a funnel for each player, which shows where its games are lost.

use std::collections::BTreeMap;

use gauntlet_analysis::results::analysis::standing::{Standing, sort_rows};
use gauntlet_analysis::results::tables::stages::{STAGES, StageRow};
use gauntlet_core::table::{Table, TableEstimate};

use super::figures::{Figure, describe_omission};
use super::plots::curves::{Curve, MAX_CURVES, PlotPoint};
use super::plots::intervals::Unit;
use super::plots::{MAX_ROWS, Plot, ScreenSize, funnel};

/// Plots the share of games that reached each stage. `stages` are all stages of the game in order;
/// those of the table are drawn. `None` if there are fewer than two.
pub(super) fn plot_stages(table: &Table, stages: &[String], standings: &[Standing]) -> Option<Figure> {
    let mut rows = BTreeMap::<String, Vec<(usize, StageRow)>>::new();
    for row in table.read_rows::<StageRow>() {
        if let Some(stage) = stages.iter().position(|stage| *stage == row.stage) {
            rows.entry(row.player.clone()).or_default().push((stage, row));
        }
    }
    let drawn_players: Vec<&Standing> = standings.iter().take(MAX_ROWS).collect();
    let rows_of = |one: &Standing| rows.get(&one.name).map_or(&[][..], |rows| rows);
    let drawn_stages = || drawn_players.iter().flat_map(|one| rows_of(one)).map(|(stage, _)| *stage);
    let (first, last) = (drawn_stages().min()?, drawn_stages().max()?);
    if first == last {
        return None;
    }
    let position = |stage: usize| (stage - first) as f64;
    let curve = |one: &&Standing| {
        let point = |(stage, row): &(usize, StageRow)| {
            let estimate = row.reached_rate.estimate?;
            Some(PlotPoint {
                position: position(*stage),
                estimate,
                hint: describe_row(row, stages.get(stage + 1)),
            })
        };
        let rows = rows_of(one);
        // No game reached the stage after the last row; the line falls to 0 at this stage.
        let next_stage = rows.last().map(|(stage, _)| stage + 1).filter(|&next| next <= last);
        Curve {
            name: one.name.clone(),
            points: rows.iter().filter_map(point).collect(),
            zero_position: next_stage.map(position),
        }
    };
    let curves: Vec<Curve> = drawn_players.iter().map(curve).collect();
    let title = "Stages reached";
    let names = &stages[first..=last];
    let file = funnel::draw(ScreenSize::Wide, title, names, &curves[..curves.len().min(MAX_CURVES)], true);
    let plot = Plot::new(|sheet| funnel::draw(sheet, title, names, &curves, false)).with_file(file);
    let caption = "Share of games that reached each stage, with 95 % intervals. Tooltips also show the share of these games that reached the next stage. A stage is a series of tiles on the board at once, each half of the previous tile. Stages are inferred from the score and the number of moves, so some games count for a later stage. A curve begins at the last stage that 99 % of the player's games reached.";
    let mut sorted_table = table.clone();
    sort_rows(&mut sorted_table, standings.iter().map(|one| &*one.name));
    let figure = Figure::new(STAGES, title, caption, plot, &sorted_table).with_download(table);
    Some(figure.with_choices(&curves).with_note(describe_omission(standings.len(), MAX_ROWS)))
}

/// Describes a row, as its tooltip.
fn describe_row(
    StageRow { player, stage, reached_rate, next_rate, .. }: &StageRow,
    next: Option<&String>,
) -> String {
    let format_rate = |rate: &TableEstimate| rate.estimate.map(|rate| Unit::Share.format_estimate(&rate));
    let reached = format_rate(reached_rate).unwrap_or_default();
    let passed = format_rate(next_rate).zip(next);
    let passed = passed.map_or_else(String::new, |(rate, next)| format!("; {rate} of these reached {next}"));
    format!("{player}: {reached} of games reached {stage}{passed}")
}
