//! A line for each player: its name, a drawing, and a value; below all lines an axis. Names are
//! next to the drawing, or above it if there is little room.

use gauntlet_core::text::names;

use super::axis::Axis;
use super::canvas::{
    self, Anchor, Canvas, GRID, INK, Legend, MUTED, SMALL, Sheet, TEXT, columns, text_width,
};
use super::field::{horizontal_axis, tick_text_middle};

/// The most lines of a plot, which is then as high as two screens. The tables have all lines.
pub(in crate::page) const MOST_ROWS: usize = 60;

/// Texts of a line.
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a str,
    /// Short form of the value, for narrow screens.
    pub(super) short: &'a str,
}

impl<'a> Row<'a> {
    /// Returns a row whose value is short.
    pub(super) fn new(name: &'a str, value: &'a str) -> Row<'a> {
        Row { name, value, short: value }
    }
}

/// Positions of all parts.
pub(super) struct Frame {
    sheet: Sheet,
    legend: Option<Legend>,
    above: bool,
    left: i32,
    right: i32,
    top: i32,
    /// The height of a row's drawing.
    band: i32,
    step: i32,
    count: usize,
}

/// The maximum width of the column of names.
const WIDEST: i32 = 300;

impl Frame {
    /// Lays out these rows, each with a drawing of height `band`, below a legend.
    pub(super) fn new(sheet: Sheet, rows: &[Row], band: i32, legend: Option<Legend>) -> Frame {
        let widest = |size: f64, text: fn(&'_ Row) -> usize| {
            rows.iter().map(text).max().map_or(0, |columns| (columns as f64 * size * 0.6).ceil() as i32)
        };
        let names = widest(TEXT, |row| text_width(row.name, 100.0) as usize / 60) + 14;
        let values = widest(SMALL, |row| text_width(row.value, 100.0) as usize / 60);
        let above = sheet == Sheet::Narrow || names > WIDEST;
        let (left, right) = if above {
            (12, sheet.width() - 20)
        } else {
            (names, sheet.width() - if values > 0 { values + 14 } else { 20 })
        };
        let step = if above { band + 26 } else { band + 8 };
        let top = 4 + legend.as_ref().map_or(0, |legend| legend.height);
        Frame { sheet, legend, above, left, right, top, band, step, count: rows.len() }
    }

    /// Returns the ends of the axis.
    pub(super) fn ends(&self) -> (i32, i32) {
        (self.left, self.right)
    }

    /// Makes the axis between its ends; `make` makes one with at most so many ticks.
    pub(super) fn axis(&self, most: usize, make: impl Fn((i32, i32), usize) -> Axis) -> Axis {
        horizontal_axis(most, (0, self.sheet.width()), |most| make(self.ends(), most))
    }

    fn bottom(&self) -> i32 {
        self.top + self.step * self.count as i32
    }

    /// Returns the height of the whole sheet.
    pub(super) fn height(&self) -> i32 {
        self.bottom() + 46
    }

    /// Returns the upper and the lower end of a row's drawing.
    pub(super) fn band(&self, row: usize) -> (i32, i32) {
        let bottom = self.top + self.step * (row as i32 + 1) - 4;
        (bottom - self.band, bottom)
    }

    /// Draws names, values and the axis; then the rows' drawings on top.
    pub(super) fn draw(
        &self,
        title: &str,
        rows: &[Row],
        axis: &Axis,
        label: &str,
        inside: impl Fn(&Canvas),
    ) -> String {
        canvas::draw(title, self.sheet.width(), self.height(), |canvas| {
            let bottom = self.bottom();
            for (tick, text) in &axis.ticks {
                let x = axis.position(*tick);
                canvas.line((x, self.top), (x, bottom + 4), GRID, 1);
                let middle = tick_text_middle(axis, *tick, text, (0, self.sheet.width()));
                canvas.text(text, (middle, bottom + 14), SMALL, MUTED, Anchor::Middle);
            }
            let middle = (self.left + self.right) / 2;
            canvas.text(label, (middle, bottom + 34), SMALL, MUTED, Anchor::Middle);
            // Next to a name there is only room for the estimate; its interval is drawn below.
            let values = rows.iter().map(|row| text_width(row.short, SMALL)).max().unwrap_or(0);
            let width = self.sheet.width() - 4 - if values > 0 { values + 10 } else { 0 };
            let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
            let names = names::fit_names(&names, columns(width, TEXT));
            for (i, (row, name)) in rows.iter().zip(&names).enumerate() {
                let (upper, lower) = self.band(i);
                if self.above {
                    canvas.text(name, (2, upper - 9), TEXT, INK, Anchor::Start);
                    let right = self.sheet.width() - 2;
                    canvas.text(row.short, (right, upper - 9), SMALL, MUTED, Anchor::End);
                } else {
                    let y = (upper + lower) / 2;
                    canvas.text(row.name, (2, y), TEXT, INK, Anchor::Start);
                    canvas.text(row.value, (self.right + 12, y), SMALL, MUTED, Anchor::Start);
                }
            }
            self.legend.iter().for_each(|legend| canvas.legend(legend, 0));
            inside(canvas);
        })
    }
}
