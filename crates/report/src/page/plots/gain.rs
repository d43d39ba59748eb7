//! Plots the gain of a search over its start against the games spent, with a mark for each check.

use gauntlet_core::text::group_digits;
use gauntlet_stats::Estimate;

use super::axis::Axis;
use super::canvas::{
    self, Anchor, BLUE, Colour, INK, Legend, MUTED, Mark, SMALL_TEXT_SIZE, ScreenSize, VERMILION,
};
use super::intervals::Unit;
use super::plot_area::{self, NO_EDGES, PlotArea};

/// A check of a search.
pub(in crate::page) struct Check {
    /// The games spent by then.
    pub(in crate::page) games: u64,
    pub(in crate::page) gain: Estimate,
    /// True if the search kept its candidate.
    pub(in crate::page) is_kept: bool,
}

const KEPT: (Mark, Colour, &str) = (Mark::Dot, BLUE, "kept");
const NOT_KEPT: (Mark, Colour, &str) = (Mark::Cross, VERMILION, "not kept");

/// Returns mark and colour of a check.
pub(super) fn check_style(is_kept: bool) -> (Mark, Colour) {
    let (mark, colour, _) = if is_kept { KEPT } else { NOT_KEPT };
    (mark, colour)
}

/// Draws the gains; `label` names the unit of the gain.
pub(in crate::page) fn draw(
    sheet: ScreenSize,
    title: &str,
    label: &str,
    unit: Unit,
    checks: &[Check],
) -> String {
    let legend = Legend::full_width(sheet, [KEPT, NOT_KEPT]);
    let top = legend.height + 34;
    let area = PlotArea { left: 54, right: sheet.width() - 28, top, bottom: top + 230 };
    let PlotArea { left, right, bottom, .. } = area;
    let ends = checks.iter().flat_map(|check| <[f64; 2]>::from(check.gain.span()));
    let y_axis = unit.axis(ends, (bottom, top), 7);
    let max_games = checks.iter().map(|check| check.games).max().unwrap_or(0);
    let games_axis = |max_ticks| Axis::plain([0.0, max_games as f64].into_iter(), (left, right), max_ticks);
    let x_axis = plot_area::horizontal_axis(sheet.max_ticks(), NO_EDGES, games_axis);
    canvas::draw(title, sheet.width(), bottom + 46, |canvas| {
        canvas.legend(&legend, 0);
        canvas.text(label, (2, legend.height + 12), SMALL_TEXT_SIZE, MUTED, Anchor::Start);
        area.draw_horizontal_lines(canvas, &y_axis);
        canvas.line((left, y_axis.position(0.0)), (right, y_axis.position(0.0)), INK, 1);
        area.draw_vertical_lines(canvas, &x_axis, bottom);
        area.write_axis_name(canvas, "games of the search");
        for check in checks {
            let (x, y) = (x_axis.position(check.games as f64), y_axis.position(check.gain.value));
            let (mark, colour) = check_style(check.is_kept);
            if let Some(ends) = y_axis.interval_ends(&check.gain) {
                canvas.interval(ends, |bound, offset| (x + offset, bound), colour, 2);
            }
            canvas.mark(mark, (x, y), colour);
            let gain = unit.format_estimate(&check.gain);
            canvas.hint_at((x, y), format!("after {} games: {gain}", group_digits(check.games)));
        }
    })
}
