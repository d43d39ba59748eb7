//! The learning curve of a training in the folder of the results.

use std::io;

use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::store::training::FOLDER;
use gauntlet_analysis::results::tables::curve::{CURVE, CurveRow, TRAINING};
use gauntlet_core::disk::read_regular;
use gauntlet_core::table::{Table, TypedRow};
use gauntlet_core::text::{display_path, format_games, group_decimal, group_digits};
use gauntlet_stats::Estimate;

use super::figures::Figure;
use super::plots::Plot;
use super::plots::curves::{Curve, Curves, PlotPoint};
use super::plots::intervals::Unit;
use super::table_view::TableView;

/// The most bytes of a learning curve's file.
const MAX_BYTES: usize = 64 << 20;

/// Returns the figure, if there is a training.
pub(super) fn plot_training(results: &Results) -> Option<Figure> {
    let title = "Learning curve";
    let path = results.folder.join(FOLDER).join(format!("{CURVE}.csv"));
    let table = match read_regular(&path, MAX_BYTES) {
        Ok(bytes) => Table::from_csv(&CurveRow::schema(), &bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => Err(error.into()),
    };
    let table = match table {
        Ok(table) => table,
        Err(error) => {
            let reason = format!("{} cannot be read: {error:#}.", display_path(&path));
            return Some(Figure::without_plot("learning", title, reason));
        }
    };
    let tests = table.read_rows::<CurveRow>().filter_map(|row| Some((row.games, row.score_mean?)));
    let tests: Vec<(u64, Estimate)> = tests.collect();
    // Most is learned in the first games, so the axis is logarithmic.
    let plot = plot_scores(title, &tests, true, false);
    let caption = "Mean score of test games without learning, on the same seeds each time. Bars are 95 % intervals over games; other training runs can differ by more. The curve belongs to the training run in this folder; players above may use other networks. The x axis is logarithmic.";
    let mut figure = Figure::new("learning", title, caption, plot, &table);
    // Means over training games could be mistaken for results, so they are omitted.
    let test_columns: Vec<&str> =
        table.columns.iter().map(|column| column.name).filter(|name| !TRAINING.contains(name)).collect();
    figure.table = Some(TableView::new(&table).select_columns(&test_columns));
    Some(figure)
}

/// Plots mean scores after numbers of games, optionally on a logarithmic axis. The key is below the
/// drawing, or in a list next to it.
pub(super) fn plot_scores(title: &str, tests: &[(u64, Estimate)], is_log: bool, has_key: bool) -> Plot {
    let position = |games: u64| if is_log { libm::log10(games.max(1) as f64) } else { games as f64 };
    let point = |&(games, estimate): &(u64, Estimate)| PlotPoint {
        position: position(games),
        estimate,
        hint: format!("after {}: {}", format_games(games), group_decimal(estimate.value, 0)),
    };
    let ticks: Vec<(f64, String)> =
        tests.iter().map(|&(games, _)| (position(games), group_digits(games))).collect();
    let name = "mean score of test games".to_owned();
    let curves = Curves {
        title,
        axes: ["training games", "mean score"],
        unit: Unit::Plain,
        required_values: &[0.0],
        ticks: &ticks,
        curves: &[Curve { name, points: tests.iter().map(point).collect(), zero_position: None }],
    };
    Plot::new(|sheet| curves.draw(sheet, has_key))
}
