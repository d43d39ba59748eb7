//! Values that a search tried: a strip for each setting, with a bar for each range of values.

use gauntlet_core::text::format_games;

use super::canvas::{self, Anchor, BLUE, GRID, INK, MUTED, SMALL_TEXT_SIZE, ScreenSize, TEXT_SIZE, fit_text};

/// The strip of one setting.
pub(in crate::page) struct Strip {
    /// Key of the setting.
    pub(in crate::page) name: String,
    /// Its ranges in order: smallest value, largest value, and games spent there.
    pub(in crate::page) parts: Vec<(String, String, u64)>,
}

/// The height of a strip, and of the bars in it.
const HEIGHT: i32 = 84;
const BAR_HEIGHT: i32 = 36;

/// Up to this many ranges are labelled one by one; otherwise only the ends.
const MAX_LABELS: usize = 6;

pub(in crate::page) fn draw(sheet: ScreenSize, title: &str, strips: &[Strip]) -> String {
    let columns = if sheet == ScreenSize::Wide && strips.len() > 1 { 2 } else { 1 };
    let width = sheet.width() / columns as i32;
    let rows = strips.len().div_ceil(columns) as i32;
    canvas::draw(title, sheet.width(), rows * HEIGHT, |canvas| {
        for (i, strip) in strips.iter().enumerate() {
            let (x, y) = ((i % columns) as i32 * width, (i / columns) as i32 * HEIGHT);
            let (left, right, bottom) = (x + 2, x + width - 24, y + 24 + BAR_HEIGHT);
            canvas.text(
                &fit_text(&strip.name, TEXT_SIZE, width - 12),
                (left, y + 12),
                TEXT_SIZE,
                INK,
                Anchor::Start,
            );
            let max_games = strip.parts.iter().map(|(.., games)| *games).max().unwrap_or(0).max(1);
            let part_start =
                |index: usize| left + (right - left) * index as i32 / strip.parts.len().max(1) as i32;
            canvas.line((left, bottom), (right, bottom), GRID, 1);
            for (index, (from, to, games)) in strip.parts.iter().enumerate() {
                let (bar_left, bar_right) = (part_start(index), part_start(index + 1) - 1);
                let height = (f64::from(BAR_HEIGHT) * *games as f64 / max_games as f64).ceil() as i32;
                if height > 0 {
                    canvas.rect((bar_left, bottom - height), (bar_right, bottom), BLUE);
                }
                let values = if from == to { from.clone() } else { format!("{from} to {to}") };
                canvas.add_tooltip(
                    (bar_left, bottom - BAR_HEIGHT),
                    (bar_right, bottom),
                    format!("{values}: {}", format_games(*games)),
                );
            }
            let write_label = |text: &str, position: i32, max_width: i32, anchor: Anchor| {
                canvas.text(
                    &fit_text(text, SMALL_TEXT_SIZE, max_width),
                    (position, bottom + 12),
                    SMALL_TEXT_SIZE,
                    MUTED,
                    anchor,
                );
            };
            match &strip.parts[..] {
                parts if parts.len() <= MAX_LABELS => {
                    for (index, (from, ..)) in parts.iter().enumerate() {
                        write_label(
                            from,
                            part_start(index),
                            part_start(index + 1) - part_start(index) - 6,
                            Anchor::Start,
                        );
                    }
                }
                [(smallest, ..), .., (_, largest, _)] => {
                    write_label(smallest, left, (right - left) / 2 - 8, Anchor::Start);
                    write_label(largest, right, (right - left) / 2 - 8, Anchor::End);
                }
                _ => {}
            }
        }
    })
}
