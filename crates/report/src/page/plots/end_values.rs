//! Plots where games ended: on which value of a fact, such as the largest tile in 2048. Each player
//! has a bar that begins with the largest value. So a part of the bar ends at the share of games
//! that reached its value.

use super::axis::Axis;
use super::canvas::{Anchor, Colour, INK, Legend, Mark, SMALL_TEXT_SIZE, ScreenSize, fit_text, text_width};
use super::rows::{Row, RowLayout};

/// The bar of a player.
pub(in crate::page) struct ValueBar {
    pub(in crate::page) name: String,
    /// Indices of values in ascending order, and the share of games that ended on each.
    pub(in crate::page) shares: Vec<(usize, f64)>,
}

/// From small values to large ones: viridis, whose lightness increases throughout, so that the
/// order is visible to colour-blind readers and on paper.
const COLOURS: [Colour; 9] = [
    Colour(0x48, 0x28, 0x78),
    Colour(0x3e, 0x49, 0x89),
    Colour(0x31, 0x68, 0x8e),
    Colour(0x26, 0x82, 0x8e),
    Colour(0x1f, 0x9e, 0x89),
    Colour(0x35, 0xb7, 0x79),
    Colour(0x6d, 0xcd, 0x59),
    Colour(0xb4, 0xde, 0x2c),
    Colour(0xfd, 0xe7, 0x25),
];

const WHITE: Colour = Colour(0xff, 0xff, 0xff);
const BLACK: Colour = Colour(0x10, 0x10, 0x10);

/// Returns the colour of a value among `count` values, and a text colour that is readable on it.
fn colours(index: usize, count: usize) -> (Colour, Colour) {
    // The largest value is always the brightest. If there are more values than colours, the
    // smallest values share colours.
    let steps = (count - 1).max(COLOURS.len() / 2);
    let from_top = ((count - 1 - index) * (COLOURS.len() - 1)).div_ceil(steps.min(COLOURS.len() - 1));
    let colour_index = COLOURS.len() - 1 - from_top.min(COLOURS.len() - 1);
    (COLOURS[colour_index], if colour_index < 4 { WHITE } else { BLACK })
}

/// Returns the colour of a fraction between the minimum and the maximum, and a readable text
/// colour.
pub(super) fn shade(fraction: f64) -> (Colour, Colour) {
    let last = (COLOURS.len() - 1) as f64;
    let colour_index = (last * fraction).round().clamp(0.0, last) as usize;
    (COLOURS[colour_index], if colour_index < 4 { WHITE } else { BLACK })
}

/// Draws the plot of values with these names.
pub(in crate::page) fn draw(sheet: ScreenSize, title: &str, values: &[String], bars: &[ValueBar]) -> String {
    let entries = values.iter().enumerate().rev();
    let entries = entries.map(|(index, name)| (Mark::Square, colours(index, values.len()).0, &**name));
    let rows: Vec<Row> = bars.iter().map(|bar| Row::new(&bar.name, "")).collect();
    let frame = RowLayout::new(sheet, &rows, 22, Some(Legend::full_width(sheet, entries)));
    let max_ticks = sheet.max_ticks().max(6);
    let axis =
        frame.axis(max_ticks, |ends, tick_limit| Axis::percent([0.0, 1.0].into_iter(), ends, tick_limit));
    frame.draw(title, &rows, &axis, "share of games", |canvas| {
        for (i, bar) in bars.iter().enumerate() {
            let (upper, lower) = frame.drawing_span(i);
            let mut left_share = 0.0;
            for &(index, share) in bar.shares.iter().rev() {
                let (left, right) = (axis.position(left_share), axis.position(left_share + share));
                left_share += share;
                if right <= left {
                    continue;
                }
                let value = &values[index];
                let hint = format!("{}: {} % of games ended on {value}", bar.name, share_text(share));
                canvas.add_tooltip((left, upper), (right.max(left + 4), lower), hint);
                let (fill, text_colour) = colours(index, values.len());
                // A gap of a pixel between neighbours, unless the part is too narrow.
                canvas.rect((left, upper), (if right - left > 2 { right - 1 } else { right }, lower), fill);
                if text_width(value, SMALL_TEXT_SIZE) + 4 < right - left {
                    canvas.text(
                        value,
                        ((left + right) / 2, (upper + lower) / 2),
                        SMALL_TEXT_SIZE,
                        text_colour,
                        Anchor::Middle,
                    );
                }
            }
            if bar.shares.is_empty() {
                let text = fit_text("no games", SMALL_TEXT_SIZE, frame.axis_ends().1 - frame.axis_ends().0);
                canvas.text(
                    &text,
                    (frame.axis_ends().0 + 6, (upper + lower) / 2),
                    SMALL_TEXT_SIZE,
                    INK,
                    Anchor::Start,
                );
            }
        }
    })
}

fn share_text(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}
