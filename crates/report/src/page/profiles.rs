//! Performance profiles: the share of games that reach each score.

use std::collections::BTreeMap;

use gauntlet_analysis::results::analysis::standing::{Standing, sort_rows};
use gauntlet_analysis::results::tables::scores::{PROFILE, ProfileRow};
use gauntlet_core::table::Table;
use gauntlet_core::text::group_digits;

use super::figures::{Figure, describe_omission};
use super::plots::curves::{Curve, MAX_CURVES, PlotPoint};
use super::plots::intervals::Unit;
use super::plots::{MAX_ROWS, Plot, ScreenSize, profiles};

/// Plots the profiles of the strongest players; `None` without games.
pub(super) fn plot_profiles(table: &Table, standings: &[Standing]) -> Option<Figure> {
    let mut points = BTreeMap::<String, Vec<PlotPoint>>::new();
    for row in table.read_rows::<ProfileRow>() {
        let Some(estimate) = row.reached_rate.estimate else { continue };
        let share = Unit::Share.format_estimate(&estimate);
        let hint = format!("{}: {share} of games score at least {}", row.player, group_digits(row.score));
        points.entry(row.player).or_default().push(PlotPoint { position: row.score as f64, estimate, hint });
    }
    let curve = |one: &Standing| {
        Some(Curve { name: one.name.clone(), points: points.remove(&one.name)?, zero_position: None })
    };
    let curves: Vec<Curve> = standings.iter().take(MAX_ROWS).filter_map(curve).collect();
    if curves.is_empty() {
        return None;
    }
    let title = "Performance profiles";
    let file = profiles::draw(ScreenSize::Wide, title, &curves[..curves.len().min(MAX_CURVES)], true);
    let plot = Plot::new(|sheet| profiles::draw(sheet, title, &curves, false)).with_file(file);
    let caption = "Share of games with at least each score. With a probability of 95 %, the band of a player contains its true shares for all scores together (Dvoretzky, Kiefer and Wolfowitz, with Massart's constant).";
    let mut sorted_table = table.clone();
    sort_rows(&mut sorted_table, standings.iter().map(|one| &*one.name));
    let figure = Figure::new(PROFILE, title, caption, plot, &sorted_table).with_download(table);
    Some(figure.with_choices(&curves).with_note(describe_omission(standings.len(), MAX_ROWS)))
}
