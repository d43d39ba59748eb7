//! A heat map of a measure for each pair of values of two settings; brighter is higher.

use gauntlet_stats::Estimate;

use super::canvas::{self, Anchor, GRID, INK, MUTED, SMALL_TEXT_SIZE, ScreenSize, fit_text, text_width};
use super::end_values::shade;
use super::intervals::Unit;

/// A setting with its values, in order.
pub(in crate::page) struct SettingAxis {
    pub(in crate::page) setting: String,
    pub(in crate::page) values: Vec<String>,
}

/// The player of a square, and its result. `None` if no player has these settings.
pub(in crate::page) type Square = Option<(String, Estimate)>;

/// Draws the map: a row for each value of `down`, a column for each of `along`.
pub(in crate::page) fn draw(
    sheet: ScreenSize,
    title: &str,
    unit: Unit,
    [x_setting, y_setting]: [&SettingAxis; 2],
    squares: &[Vec<Square>],
) -> String {
    const ROW_HEIGHT: i32 = 34;
    let max_text_width =
        y_setting.values.iter().map(|value| text_width(value, SMALL_TEXT_SIZE)).max().unwrap_or(0);
    let left = (max_text_width + 16).clamp(40, sheet.width() / 3);
    let (right, top) = (sheet.width() - 8, 28);
    let bottom = top + ROW_HEIGHT * y_setting.values.len() as i32;
    let column_width = (right - left) / x_setting.values.len().max(1) as i32;
    let known_values = || squares.iter().flatten().flatten().map(|(_, estimate)| estimate.value);
    let (low, high) =
        (known_values().fold(f64::INFINITY, f64::min), known_values().fold(f64::NEG_INFINITY, f64::max));
    canvas::draw(title, sheet.width(), bottom + 46, |canvas| {
        canvas.text(&y_setting.setting, (2, 12), SMALL_TEXT_SIZE, MUTED, Anchor::Start);
        canvas.text(
            &x_setting.setting,
            ((left + right) / 2, bottom + 34),
            SMALL_TEXT_SIZE,
            MUTED,
            Anchor::Middle,
        );
        for (i, value) in x_setting.values.iter().enumerate() {
            let x = left + column_width * i as i32 + column_width / 2;
            canvas.text(
                &fit_text(value, SMALL_TEXT_SIZE, column_width - 4),
                (x, bottom + 14),
                SMALL_TEXT_SIZE,
                INK,
                Anchor::Middle,
            );
        }
        for (j, (value, row)) in y_setting.values.iter().zip(squares).enumerate() {
            let y = top + ROW_HEIGHT * j as i32;
            let value = fit_text(value, SMALL_TEXT_SIZE, left - 10);
            canvas.text(&value, (left - 8, y + ROW_HEIGHT / 2), SMALL_TEXT_SIZE, INK, Anchor::End);
            for (i, square) in row.iter().enumerate() {
                let x = left + column_width * i as i32;
                let (top_left, bottom_right) = ((x, y), (x + column_width - 1, y + ROW_HEIGHT - 1));
                let Some((name, estimate)) = square else {
                    canvas.rect(top_left, bottom_right, GRID);
                    continue;
                };
                let (fill, text_colour) = shade((estimate.value - low) / (high - low).max(1e-12));
                canvas.rect(top_left, bottom_right, fill);
                let text = [unit.format_estimate(estimate), unit.format_short(estimate.value)];
                let text =
                    text.into_iter().find(|text| text_width(text, SMALL_TEXT_SIZE) + 6 <= column_width);
                let middle = (x + column_width / 2, y + ROW_HEIGHT / 2);
                canvas.text(&text.unwrap_or_default(), middle, SMALL_TEXT_SIZE, text_colour, Anchor::Middle);
                canvas.add_tooltip(
                    top_left,
                    bottom_right,
                    format!("{name}: {}", unit.format_estimate(estimate)),
                );
            }
        }
    })
}
