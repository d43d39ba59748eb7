//! A line for each player: its name, a drawing, and a value; below all lines an axis. Names are
//! next to the drawing, or above it if there is little room.

use gauntlet_core::text::names;

use super::axis::Axis;
use super::canvas::{
    self, Anchor, Canvas, GRID, INK, Legend, MUTED, SMALL_TEXT_SIZE, ScreenSize, TEXT_SIZE, max_letters,
    text_width,
};
use super::plot_area::{horizontal_axis, tick_text_middle};

/// The most lines of a plot, which is then as high as two screens. The tables have all lines.
pub(in crate::page) const MAX_ROWS: usize = 60;

/// Texts of a line.
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a str,
    /// Short form of the value, for narrow screens.
    pub(super) short_value: &'a str,
}

impl<'a> Row<'a> {
    /// Returns a row whose value is short.
    pub(super) fn new(name: &'a str, value: &'a str) -> Row<'a> {
        Row { name, value, short_value: value }
    }
}

/// Positions of all parts.
pub(super) struct RowLayout {
    sheet: ScreenSize,
    legend: Option<Legend>,
    is_name_above: bool,
    left: i32,
    right: i32,
    top: i32,
    /// The height of a row's drawing.
    band_height: i32,
    row_height: i32,
    row_count: usize,
}

/// The maximum width of the column of names.
const MAX_NAME_WIDTH: i32 = 300;

impl RowLayout {
    /// Lays out these rows, each with a drawing of height `band_height`, below a legend.
    pub(super) fn new(
        sheet: ScreenSize,
        rows: &[Row],
        band_height: i32,
        legend: Option<Legend>,
    ) -> RowLayout {
        let name_widths = rows.iter().map(|row| text_width(row.name, TEXT_SIZE));
        let value_widths = rows.iter().map(|row| text_width(row.value, SMALL_TEXT_SIZE));
        let name_width = name_widths.max().unwrap_or(0) + 14;
        let value_width = value_widths.max().unwrap_or(0);
        let is_name_above = sheet == ScreenSize::Narrow || name_width > MAX_NAME_WIDTH;
        let (left, right) = if is_name_above {
            (12, sheet.width() - 20)
        } else {
            (name_width, sheet.width() - if value_width > 0 { value_width + 14 } else { 20 })
        };
        let row_height = if is_name_above { band_height + 26 } else { band_height + 8 };
        let top = 4 + legend.as_ref().map_or(0, |legend| legend.height);
        RowLayout {
            sheet,
            legend,
            is_name_above,
            left,
            right,
            top,
            band_height,
            row_height,
            row_count: rows.len(),
        }
    }

    /// Returns the ends of the axis.
    pub(super) fn axis_ends(&self) -> (i32, i32) {
        (self.left, self.right)
    }

    /// Makes the axis between its ends; `make_axis` makes one with at most so many ticks.
    pub(super) fn axis(&self, max_ticks: usize, make_axis: impl Fn((i32, i32), usize) -> Axis) -> Axis {
        horizontal_axis(max_ticks, (0, self.sheet.width()), |tick_limit| {
            make_axis(self.axis_ends(), tick_limit)
        })
    }

    fn bottom(&self) -> i32 {
        self.top + self.row_height * self.row_count as i32
    }

    /// Returns the height of the whole sheet.
    pub(super) fn height(&self) -> i32 {
        self.bottom() + 46
    }

    /// Returns the upper and the lower end of a row's drawing.
    pub(super) fn drawing_span(&self, row: usize) -> (i32, i32) {
        let bottom = self.top + self.row_height * (row as i32 + 1) - 4;
        (bottom - self.band_height, bottom)
    }

    /// Draws names, values and the axis; then the rows' drawings on top.
    pub(super) fn draw(
        &self,
        title: &str,
        rows: &[Row],
        axis: &Axis,
        label: &str,
        draw_rows: impl Fn(&Canvas),
    ) -> String {
        canvas::draw(title, self.sheet.width(), self.height(), |canvas| {
            let bottom = self.bottom();
            for (tick, text) in &axis.ticks {
                let x = axis.position(*tick);
                canvas.line((x, self.top), (x, bottom + 4), GRID, 1);
                let middle = tick_text_middle(axis, *tick, text, (0, self.sheet.width()));
                canvas.text(text, (middle, bottom + 14), SMALL_TEXT_SIZE, MUTED, Anchor::Middle);
            }
            let middle = (self.left + self.right) / 2;
            canvas.text(label, (middle, bottom + 34), SMALL_TEXT_SIZE, MUTED, Anchor::Middle);
            // Next to a name there is only room for the estimate; its interval is drawn below.
            let value_width =
                rows.iter().map(|row| text_width(row.short_value, SMALL_TEXT_SIZE)).max().unwrap_or(0);
            let max_name_width = self.sheet.width() - 4 - if value_width > 0 { value_width + 10 } else { 0 };
            let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
            let names = names::fit_names(&names, max_letters(max_name_width, TEXT_SIZE));
            for (row_index, (row, name)) in rows.iter().zip(&names).enumerate() {
                let (upper, lower) = self.drawing_span(row_index);
                if self.is_name_above {
                    canvas.text(name, (2, upper - 9), TEXT_SIZE, INK, Anchor::Start);
                    let right = self.sheet.width() - 2;
                    canvas.text(row.short_value, (right, upper - 9), SMALL_TEXT_SIZE, MUTED, Anchor::End);
                } else {
                    let y = (upper + lower) / 2;
                    canvas.text(row.name, (2, y), TEXT_SIZE, INK, Anchor::Start);
                    canvas.text(row.value, (self.right + 12, y), SMALL_TEXT_SIZE, MUTED, Anchor::Start);
                }
            }
            self.legend.iter().for_each(|legend| canvas.legend(legend, 0));
            draw_rows(canvas);
        })
    }
}
