//! Plots the gain of a search over its start against the games spent, with a mark for each check.

use gauntlet_core::text::group_digits;
use gauntlet_stats::Estimate;

use super::axis::Axis;
use super::canvas::{self, Anchor, BLUE, Colour, INK, Legend, MUTED, Mark, SMALL, Sheet, VERMILION};
use super::field::{self, EDGES, Field};
use super::intervals::Unit;

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
pub(super) fn mark(is_kept: bool) -> (Mark, Colour) {
    let (mark, colour, _) = if is_kept { KEPT } else { NOT_KEPT };
    (mark, colour)
}

/// Draws the gains; `label` names the unit of the gain.
pub(in crate::page) fn draw(sheet: Sheet, title: &str, label: &str, unit: Unit, checks: &[Check]) -> String {
    let legend = Legend::full_width(sheet, [KEPT, NOT_KEPT]);
    let top = legend.height + 34;
    let field = Field { left: 54, right: sheet.width() - 20, top, bottom: top + 230 };
    let Field { left, right, bottom, .. } = field;
    let ends = checks.iter().flat_map(|check| <[f64; 2]>::from(check.gain.span()));
    let up = unit.axis(ends, (bottom, top), 7);
    let last = checks.iter().map(|check| check.games).max().unwrap_or(0);
    let games = |most| Axis::plain([0.0, last as f64].into_iter(), (left, right), most);
    let along = field::horizontal_axis(sheet.ticks(), EDGES, games);
    canvas::draw(title, sheet.width(), bottom + 46, |canvas| {
        canvas.legend(&legend, 0);
        canvas.text(label, (2, legend.height + 12), SMALL, MUTED, Anchor::Start);
        field.draw_horizontal_lines(canvas, &up);
        canvas.line((left, up.position(0.0)), (right, up.position(0.0)), INK, 1);
        field.draw_vertical_lines(canvas, &along, bottom);
        field.write_axis_name(canvas, "games of the search");
        for check in checks {
            let (x, y) = (along.position(check.games as f64), up.position(check.gain.value));
            let (mark, colour) = mark(check.is_kept);
            if let Some(ends) = up.interval_ends(&check.gain) {
                canvas.interval(ends, |along, aside| (x + aside, along), colour, 2);
            }
            canvas.mark(mark, (x, y), colour);
            let told = unit.format_estimate(&check.gain);
            canvas.hint_at((x, y), format!("after {} games: {told}", group_digits(check.games)));
        }
    })
}
