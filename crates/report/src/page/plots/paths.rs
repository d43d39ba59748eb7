//! Path of a search by games spent: a small plot for each setting.

use gauntlet_core::text::{format_significant, group_digits};

use super::axis::Axis;
use super::canvas::{self, Anchor, BLUE, INK, MUTED, SMALL, Sheet, TEXT, fit_text};
use super::field::{self, EDGES, Field};
use super::gain::mark;

/// The path of one setting.
pub(in crate::page) struct Path {
    /// Key of the setting.
    pub(in crate::page) name: String,
    /// True if its scale is logarithmic.
    pub(in crate::page) is_log: bool,
    /// Its value at the start.
    pub(in crate::page) start: f64,
    /// Its value after each number of games.
    pub(in crate::page) points: Vec<(u64, f64)>,
    /// Its value at each check, and whether it was kept.
    pub(in crate::page) checks: Vec<(u64, f64, bool)>,
}

/// The height of the plot of one setting.
const HEIGHT: i32 = 176;

pub(in crate::page) fn draw(sheet: Sheet, title: &str, paths: &[Path]) -> String {
    let columns = if sheet == Sheet::Wide && paths.len() > 1 { 2 } else { 1 };
    let width = sheet.width() / columns as i32;
    let rows = paths.len().div_ceil(columns) as i32;
    let last = paths.iter().flat_map(|path| &path.points).map(|(games, _)| *games).max().unwrap_or(0);
    canvas::draw(title, sheet.width(), rows * HEIGHT + 28, |canvas| {
        for (i, path) in paths.iter().enumerate() {
            let (x, y) = ((i % columns) as i32 * width, (i / columns) as i32 * HEIGHT);
            let field = Field { left: x + 54, right: x + width - 24, top: y + 30, bottom: y + HEIGHT - 26 };
            let Field { left, right, top, bottom } = field;
            let games = |most| Axis::plain([0.0, last as f64].into_iter(), (left, right), most);
            let along = field::horizontal_axis(4, EDGES, games);
            let values = path.points.iter().map(|(_, value)| *value).chain([path.start]);
            let up = if path.is_log {
                Axis::log(values, (bottom, top), 4, format_short)
            } else {
                Axis::plain(values, (bottom, top), 5)
            };
            canvas.text(&fit_text(&path.name, TEXT, width - 12), (x + 2, y + 12), TEXT, INK, Anchor::Start);
            field.draw_horizontal_lines(canvas, &up);
            field.draw_vertical_lines(canvas, &along, bottom);
            let start = up.position(path.start);
            canvas.line((left, start), (right, start), MUTED, 1);
            // If several steps share a pixel, the last one is drawn.
            let mut line = vec![(left, start)];
            for (games, value) in &path.points {
                let spot = (along.position(*games as f64), up.position(*value));
                match line.last_mut() {
                    Some(before) if before.0 == spot.0 => *before = spot,
                    _ => line.push(spot),
                }
            }
            canvas.path(&line, BLUE, 2);
            for (games, value, is_kept) in &path.checks {
                let spot = (along.position(*games as f64), up.position(*value));
                let (mark, colour) = mark(*is_kept);
                canvas.mark(mark, spot, colour);
                let kept = if *is_kept { "kept" } else { "not kept" };
                let value = format_significant(*value);
                canvas.hint_at(spot, format!("after {} games: {value}, {kept}", group_digits(*games)));
            }
        }
        let middle = sheet.width() / 2;
        canvas.text("games of the search", (middle, rows * HEIGHT + 14), SMALL, MUTED, Anchor::Middle);
    })
}

/// Formats a round number of a logarithmic axis.
fn format_short(number: f64) -> String {
    if (1e-4..1e5).contains(&number) {
        gauntlet_core::text::format_plain(number)
    } else {
        format!("{number:.0e}")
    }
}
