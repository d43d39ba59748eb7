//! Values that a search tried: a strip for each setting, with a bar for each range of values.

use gauntlet_core::text::format_games;

use super::canvas::{self, Anchor, BLUE, GRID, INK, MUTED, SMALL, Sheet, TEXT, fit_text};

/// The strip of one setting.
pub(in crate::page) struct Strip {
    /// Key of the setting.
    pub(in crate::page) name: String,
    /// Its ranges in order: smallest value, largest value, and games spent there.
    pub(in crate::page) parts: Vec<(String, String, u64)>,
}

/// The height of a strip, and of the bars in it.
const HEIGHT: i32 = 84;
const BARS: i32 = 36;

/// Up to this many ranges are labelled one by one; otherwise only the ends.
const MOST_LABELLED: usize = 6;

pub(in crate::page) fn draw(sheet: Sheet, title: &str, strips: &[Strip]) -> String {
    let columns = if sheet == Sheet::Wide && strips.len() > 1 { 2 } else { 1 };
    let width = sheet.width() / columns as i32;
    let rows = strips.len().div_ceil(columns) as i32;
    canvas::draw(title, sheet.width(), rows * HEIGHT, |canvas| {
        for (i, strip) in strips.iter().enumerate() {
            let (x, y) = ((i % columns) as i32 * width, (i / columns) as i32 * HEIGHT);
            let (left, right, bottom) = (x + 2, x + width - 24, y + 24 + BARS);
            canvas.text(&fit_text(&strip.name, TEXT, width - 12), (left, y + 12), TEXT, INK, Anchor::Start);
            let most = strip.parts.iter().map(|(.., games)| *games).max().unwrap_or(0).max(1);
            let border =
                |place: usize| left + (right - left) * place as i32 / strip.parts.len().max(1) as i32;
            canvas.line((left, bottom), (right, bottom), GRID, 1);
            for (place, (from, to, spent)) in strip.parts.iter().enumerate() {
                let (one, other) = (border(place), border(place + 1) - 1);
                let up = (f64::from(BARS) * *spent as f64 / most as f64).ceil() as i32;
                if up > 0 {
                    canvas.rect((one, bottom - up), (other, bottom), BLUE);
                }
                let values = if from == to { from.clone() } else { format!("{from} to {to}") };
                canvas.hint(
                    (one, bottom - BARS),
                    (other, bottom),
                    format!("{values}: {}", format_games(*spent)),
                );
            }
            let named = |text: &str, at: i32, room: i32, anchor: Anchor| {
                canvas.text(&fit_text(text, SMALL, room), (at, bottom + 12), SMALL, MUTED, anchor);
            };
            match &strip.parts[..] {
                few if few.len() <= MOST_LABELLED => {
                    for (place, (from, ..)) in few.iter().enumerate() {
                        named(from, border(place), border(place + 1) - border(place) - 6, Anchor::Start);
                    }
                }
                [(least, ..), .., (_, largest, _)] => {
                    named(least, left, (right - left) / 2 - 8, Anchor::Start);
                    named(largest, right, (right - left) / 2 - 8, Anchor::End);
                }
                _ => {}
            }
        }
    })
}
