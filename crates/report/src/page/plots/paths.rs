//! Path of a search by games spent: a small plot for each setting.

use gauntlet_core::text::{format_significant, group_digits};

use super::axis::Axis;
use super::canvas::{
    self, Anchor, BLUE, INK, MUTED, SMALL_TEXT_SIZE, ScreenSize, TEXT_SIZE, fit_text, text_width,
};
use super::gain::check_style;
use super::plot_area::{self, NO_EDGES, PlotArea};

/// The path of one setting.
pub(in crate::page) struct SettingPath {
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

pub(in crate::page) fn draw(sheet: ScreenSize, title: &str, paths: &[SettingPath]) -> String {
    let columns = if sheet == ScreenSize::Wide && paths.len() > 1 { 2 } else { 1 };
    let width = sheet.width() / columns as i32;
    let rows = paths.len().div_ceil(columns) as i32;
    let max_games = paths.iter().flat_map(|path| &path.points).map(|(games, _)| *games).max().unwrap_or(0);
    canvas::draw(title, sheet.width(), rows * HEIGHT + 28, |canvas| {
        for (i, path) in paths.iter().enumerate() {
            let (x, y) = ((i % columns) as i32 * width, (i / columns) as i32 * HEIGHT);
            let (top, bottom) = (y + 30, y + HEIGHT - 26);
            let values = path.points.iter().map(|(_, value)| *value).chain([path.start]);
            let y_axis = if path.is_log {
                Axis::log(values, (bottom, top), 4, format_short)
            } else {
                Axis::plain(values, (bottom, top), 5)
            };
            let text_widths = y_axis.ticks.iter().map(|(_, text)| text_width(text, SMALL_TEXT_SIZE));
            let left = x + text_widths.map(|width| width + 10).max().unwrap_or(0).max(54);
            let area = PlotArea { left, right: x + width - 24, top, bottom };
            let right = area.right;
            let games_axis =
                |max_ticks| Axis::plain([0.0, max_games as f64].into_iter(), (left, right), max_ticks);
            let x_axis = plot_area::horizontal_axis(4, NO_EDGES, games_axis);
            canvas.text(
                &fit_text(&path.name, TEXT_SIZE, width - 12),
                (x + 2, y + 12),
                TEXT_SIZE,
                INK,
                Anchor::Start,
            );
            area.draw_horizontal_lines(canvas, &y_axis);
            area.draw_vertical_lines(canvas, &x_axis, bottom);
            let start = y_axis.position(path.start);
            canvas.line((left, start), (right, start), MUTED, 1);
            // If several steps share a pixel, the last one is drawn.
            let mut line = vec![(left, start)];
            for (games, value) in &path.points {
                let point = (x_axis.position(*games as f64), y_axis.position(*value));
                match line.last_mut() {
                    Some(previous) if previous.0 == point.0 => *previous = point,
                    _ => line.push(point),
                }
            }
            canvas.path(&line, BLUE, 2);
            for (games, value, is_kept) in &path.checks {
                let point = (x_axis.position(*games as f64), y_axis.position(*value));
                let (mark, colour) = check_style(*is_kept);
                canvas.mark(mark, point, colour);
                let status = if *is_kept { "kept" } else { "not kept" };
                let value = format_significant(*value);
                canvas.hint_at(point, format!("after {} games: {value}, {status}", group_digits(*games)));
            }
        }
        let middle = sheet.width() / 2;
        canvas.text(
            "games of the search",
            (middle, rows * HEIGHT + 14),
            SMALL_TEXT_SIZE,
            MUTED,
            Anchor::Middle,
        );
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
