//! A heat map of a measure for each pair of values of two settings; brighter is higher.

use gauntlet_stats::Estimate;

use super::canvas::{self, Anchor, GRID, INK, MUTED, SMALL, Sheet, fit_text, text_width};
use super::intervals::Unit;
use super::values_ended::shade;

/// A setting with its values, in order.
pub(in crate::page) struct Side {
    pub(in crate::page) setting: String,
    pub(in crate::page) values: Vec<String>,
}

/// The player of a square, and its result. `None` if no player has these settings.
pub(in crate::page) type Square = Option<(String, Estimate)>;

/// Draws the map: a row for each value of `down`, a column for each of `along`.
pub(in crate::page) fn draw(
    sheet: Sheet,
    title: &str,
    unit: Unit,
    [along, down]: [&Side; 2],
    fields: &[Vec<Square>],
) -> String {
    const STEP: i32 = 34;
    let widest = down.values.iter().map(|value| text_width(value, SMALL)).max().unwrap_or(0);
    let left = (widest + 16).clamp(40, sheet.width() / 3);
    let (right, top) = (sheet.width() - 8, 28);
    let bottom = top + STEP * down.values.len() as i32;
    let step = (right - left) / along.values.len().max(1) as i32;
    let known = || fields.iter().flatten().flatten().map(|(_, estimate)| estimate.value);
    let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    canvas::draw(title, sheet.width(), bottom + 46, |canvas| {
        canvas.text(&down.setting, (2, 12), SMALL, MUTED, Anchor::Start);
        canvas.text(&along.setting, ((left + right) / 2, bottom + 34), SMALL, MUTED, Anchor::Middle);
        for (i, value) in along.values.iter().enumerate() {
            let x = left + step * i as i32 + step / 2;
            canvas.text(&fit_text(value, SMALL, step - 4), (x, bottom + 14), SMALL, INK, Anchor::Middle);
        }
        for (j, (value, row)) in down.values.iter().zip(fields).enumerate() {
            let y = top + STEP * j as i32;
            let value = fit_text(value, SMALL, left - 10);
            canvas.text(&value, (left - 8, y + STEP / 2), SMALL, INK, Anchor::End);
            for (i, field) in row.iter().enumerate() {
                let x = left + step * i as i32;
                let (from, to) = ((x, y), (x + step - 1, y + STEP - 1));
                let Some((name, estimate)) = field else {
                    canvas.rect(from, to, GRID);
                    continue;
                };
                let (fill, ink) = shade((estimate.value - low) / (high - low).max(1e-12));
                canvas.rect(from, to, fill);
                let text = [unit.format_estimate(estimate), unit.format_short(estimate.value)];
                let text = text.into_iter().find(|text| text_width(text, SMALL) + 6 <= step);
                let middle = (x + step / 2, y + STEP / 2);
                canvas.text(&text.unwrap_or_default(), middle, SMALL, ink, Anchor::Middle);
                canvas.hint(from, to, format!("{name}: {}", unit.format_estimate(estimate)));
            }
        }
    })
}
