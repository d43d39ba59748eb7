//! The stages that games reached on the way to a goal, with the share of games lost in each.

use std::collections::BTreeMap;

use gauntlet_analysis::results::analysis::requested::stages_table;
use gauntlet_analysis::results::analysis::standing::{Standing, sort_rows};
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::tables::stages::{STAGES, StageRow};

use super::figures::{Figure, describe_cut};
use super::plots::values_ended::{self, ValueBar};
use super::plots::{MOST_ROWS, Plot};

/// Plots the stages on which games ended; `None` if none ended between the first stage and the
/// last, or if the games are missing.
pub(super) fn plot_stages(results: &Results, ranked: &[Standing]) -> anyhow::Result<Option<Figure>> {
    if !results.has_games() {
        return Ok(None);
    }
    let Some(table) = stages_table(results)? else { return Ok(None) };
    let (mut names, mut rates) = (Vec::new(), BTreeMap::<String, Vec<f64>>::new());
    for StageRow { player, stage, reached_rate, .. } in table.read_rows() {
        if !names.contains(&stage) {
            names.push(stage);
        }
        rates.entry(player).or_default().extend(reached_rate.estimate.map(|rate| rate.value));
    }
    let bar = |one: &Standing| {
        let rates = rates.get(&one.name).map_or(&[][..], |rates| rates);
        let share = |(place, &rate): (usize, &f64)| (place, rate - rates.get(place + 1).unwrap_or(&0.0));
        ValueBar { name: one.name.clone(), shares: rates.iter().enumerate().map(share).collect() }
    };
    let bars: Vec<ValueBar> = ranked.iter().take(MOST_ROWS).map(bar).collect();
    let is_between = |&(place, share): &(usize, f64)| (1..names.len() - 1).contains(&place) && share > 0.0;
    if !bars.iter().flat_map(|bar| &bar.shares).any(is_between) {
        return Ok(None);
    }
    let title = "Stages reached";
    let plot = Plot::new(|sheet| values_ended::draw(sheet, title, &names, &bars));
    let caption = "Share of games by the last stage that they reached. The right edge of the part for a stage is the share of games that reached it. A stage is a series of tiles on the board at once, each half of the previous tile. Stages are inferred from the score and the number of moves, so shares can be slightly too high.";
    let mut sorted = table.clone();
    sort_rows(&mut sorted, ranked.iter().map(|one| &*one.name));
    let figure = Figure::new(STAGES, title, caption, plot, &sorted).with_download(&table);
    Ok(Some(figure.with_note(describe_cut(ranked.len(), MOST_ROWS))))
}
