//! Gain of a search over its start, against the games that it spent: a mark for each check.

use super::axis::Axis;
use super::canvas::{
    self, Anchor, BLUE, Colour, GRID, INK, MUTED, Mark, SMALL, Sheet, VERMILION, legend_height,
};
use super::intervals::Unit;
use crate::stats::Estimate;
use crate::text::grouped;

/// A check of a search.
pub(in crate::page) struct Check {
    /// The games spent by then.
    pub(in crate::page) games: u64,
    /// The gain.
    pub(in crate::page) gain: Estimate,
    /// True if the search kept its candidate.
    pub(in crate::page) is_kept: bool,
}

const KEPT: (Mark, Colour, &str) = (Mark::Dot, BLUE, "kept");
const NOT_KEPT: (Mark, Colour, &str) = (Mark::Cross, VERMILION, "not kept");

/// Mark of a check.
pub(super) fn mark(is_kept: bool) -> (Mark, Colour) {
    let (mark, colour, _) = if is_kept { KEPT } else { NOT_KEPT };
    (mark, colour)
}

/// Draws it; `label` says what the gain is.
pub(in crate::page) fn draw(sheet: Sheet, title: &str, label: &str, unit: Unit, checks: &[Check]) -> String {
    let legend = [KEPT, NOT_KEPT].map(|(mark, colour, text)| (mark, colour, text.to_owned()));
    let head = legend_height(legend.iter().map(|(.., text)| text.as_str()), 2, sheet.width());
    let (left, right, top) = (54, sheet.width() - 20, head + 34);
    let bottom = top + 230;
    let ends = checks.iter().flat_map(|check| {
        let (low, high) = check.gain.span();
        [low, high]
    });
    let up = unit.axis(ends, (bottom, top), 7);
    let last = checks.iter().map(|check| check.games).max().unwrap_or(0);
    let along = Axis::plain([0.0, last as f64].into_iter(), (left, right), sheet.ticks());
    canvas::draw(title, sheet.width(), bottom + 46, |canvas| {
        canvas.legend(&legend, (2, 0), sheet.width());
        canvas.text(label, (2, head + 12), SMALL, MUTED, Anchor::Start);
        for (tick, text) in &up.ticks {
            let y = up.at(*tick);
            canvas.line((left, y), (right, y), if text == "0" { INK } else { GRID }, 1);
            canvas.text(text, (left - 8, y), SMALL, MUTED, Anchor::End);
        }
        for (tick, text) in &along.ticks {
            let x = along.at(*tick);
            canvas.line((x, bottom), (x, bottom + 4), GRID, 1);
            canvas.text(text, (x, bottom + 14), SMALL, MUTED, Anchor::Middle);
        }
        canvas.text("games of the search", ((left + right) / 2, bottom + 34), SMALL, MUTED, Anchor::Middle);
        for check in checks {
            let (x, y) = (along.at(check.games as f64), up.at(check.gain.value));
            let (mark, colour) = mark(check.is_kept);
            if let Some(ends) = up.interval(&check.gain) {
                canvas.interval(ends, |along, aside| (x + aside, along), colour, 2);
            }
            canvas.mark(mark, (x, y), colour);
            let told = unit.estimate(&check.gain);
            canvas.hint_at((x, y), format!("after {} games: {told}", grouped(check.games)));
        }
    })
}
