//! The stages that games reached on the way to a goal, with the share of games lost in each.

use std::collections::BTreeMap;

use gauntlet_analysis::results::analysis::standing::{Standing, sort_rows};
use gauntlet_analysis::results::tables::stages::{STAGES, StageRow};
use gauntlet_core::table::Table;

use super::figures::{Figure, describe_omission};
use super::plots::end_values::{self, ValueBar};
use super::plots::{MAX_ROWS, Plot};

/// Plots the stages on which games ended; `None` if none ended between the first stage and the
/// last.
pub(super) fn plot_stages(table: &Table, standings: &[Standing]) -> Option<Figure> {
    let (mut names, mut rates) = (Vec::new(), BTreeMap::<String, Vec<f64>>::new());
    for StageRow { player, stage, reached_rate, .. } in table.read_rows() {
        if !names.contains(&stage) {
            names.push(stage);
        }
        rates.entry(player).or_default().extend(reached_rate.estimate.map(|rate| rate.value));
    }
    let bar = |one: &Standing| {
        let rates = rates.get(&one.name).map_or(&[][..], |rates| rates);
        let share = |(index, &rate): (usize, &f64)| (index, rate - rates.get(index + 1).unwrap_or(&0.0));
        ValueBar { name: one.name.clone(), shares: rates.iter().enumerate().map(share).collect() }
    };
    let bars: Vec<ValueBar> = standings.iter().take(MAX_ROWS).map(bar).collect();
    let is_between = |&(index, share): &(usize, f64)| (1..names.len() - 1).contains(&index) && share > 0.0;
    if !bars.iter().flat_map(|bar| &bar.shares).any(is_between) {
        return None;
    }
    let title = "Stages reached";
    let plot = Plot::new(|sheet| end_values::draw(sheet, title, &names, &bars));
    let caption = "Share of games by the last stage that they reached. The right edge of the part for a stage is the share of games that reached it. A stage is a series of tiles on the board at once, each half of the previous tile. Stages are inferred from the score and the number of moves, so shares can be slightly too high.";
    let mut sorted_table = table.clone();
    sort_rows(&mut sorted_table, standings.iter().map(|one| &*one.name));
    let figure = Figure::new(STAGES, title, caption, plot, &sorted_table).with_download(table);
    Some(figure.with_note(describe_omission(standings.len(), MAX_ROWS)))
}
