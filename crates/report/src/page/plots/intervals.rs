//! Estimates with their intervals, one per line, with published ranges if there are any.

use gauntlet_analysis::results::analysis::standing::StrengthMeasure;
use gauntlet_core::text::group_decimal;
use gauntlet_stats::Estimate;

use super::axis::Axis;
use super::canvas::{BLUE, Legend, Mark, ScreenSize, VERMILION};
use super::rows::{Row, RowLayout};

/// A line of the plot.
pub(in crate::page) struct IntervalLine {
    /// Name of what is estimated.
    pub(in crate::page) name: String,
    /// Text of the estimate.
    pub(in crate::page) value: String,
    /// Short text of the estimate, for narrow screens.
    pub(in crate::page) short_value: String,
    pub(in crate::page) estimate: Estimate,
    /// A published range to compare it with.
    pub(in crate::page) published: Option<(f64, f64)>,
}

/// Unit of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::page) enum Unit {
    /// Shares, shown in per cent.
    Share,
    /// Plain numbers.
    Plain,
    /// Ratios to another number, minus 1.
    Relative,
    /// Differences of shares, shown in percentage points.
    Points,
}

impl Unit {
    /// Returns the unit of a measure of strength.
    pub(in crate::page) fn from_measure(measure: StrengthMeasure) -> Unit {
        match measure {
            StrengthMeasure::WinRate => Unit::Share,
            StrengthMeasure::Score | StrengthMeasure::Elo => Unit::Plain,
        }
    }

    /// Formats a number, and returns the sign that follows it.
    fn format_parts(self, number: f64) -> (&'static str, String) {
        match self {
            Unit::Share => (" %", format!("{:.2}", 100.0 * number)),
            Unit::Plain => ("", group_decimal(number, 0)),
            Unit::Relative => (" %", format_signed(100.0 * number)),
            Unit::Points => (" points", format_signed(100.0 * number)),
        }
    }

    /// Formats a number with its sign.
    pub(in crate::page) fn format_number(self, number: f64) -> String {
        let (suffix, number) = self.format_parts(number);
        number + suffix
    }

    /// Makes an axis around these numbers.
    pub(super) fn axis(self, numbers: impl Iterator<Item = f64>, ends: (i32, i32), max_ticks: usize) -> Axis {
        match self {
            Unit::Share => Axis::percent(numbers, ends, max_ticks),
            Unit::Plain => Axis::plain(numbers, ends, max_ticks),
            Unit::Relative | Unit::Points => Axis::differences(numbers, ends, max_ticks),
        }
    }

    /// Formats a number for narrow screens.
    pub(super) fn format_short(self, number: f64) -> String {
        match self {
            Unit::Share => format!("{:.0} %", 100.0 * number),
            Unit::Plain => group_decimal(number, 0),
            Unit::Relative | Unit::Points => self.format_number(number),
        }
    }

    /// Formats an estimate with its interval.
    pub(in crate::page) fn format_estimate(self, estimate: &Estimate) -> String {
        let format_bound =
            |number: f64| if number.is_finite() { self.format_parts(number).1 } else { "open".to_owned() };
        let value = self.format_number(estimate.value);
        if estimate.is_unbounded() {
            return value;
        }
        format!("{value} [{}, {}]", format_bound(estimate.low), format_bound(estimate.high))
    }
}

/// Formats a difference with its sign; zero has no sign.
fn format_signed(number: f64) -> String {
    if number.abs() < 0.05 { "0.0".to_owned() } else { format!("{number:+.1}") }
}

/// Draws the plot.
pub(in crate::page) fn draw(
    sheet: ScreenSize,
    title: &str,
    label: &str,
    unit: Unit,
    lines: &[IntervalLine],
) -> String {
    let rows: Vec<Row> = lines
        .iter()
        .map(|line| Row { name: &line.name, value: &line.value, short_value: &line.short_value })
        .collect();
    let has_published = lines.iter().any(|line| line.published.is_some());
    let legend =
        [(Mark::Dot, BLUE, "measured, with its 95 % interval"), (Mark::Diamond, VERMILION, "published")];
    let legend = has_published.then(|| Legend::full_width(sheet, legend));
    let frame = RowLayout::new(sheet, &rows, if has_published { 22 } else { 18 }, legend);
    let bounds = || {
        lines.iter().flat_map(|line| {
            let published = line.published.into_iter().flat_map(<[f64; 2]>::from);
            <[f64; 2]>::from(line.estimate.span()).into_iter().chain(published)
        })
    };
    // The axis of rates has its whole range, because small differences would look large on a
    // shorter axis.
    let full_range = if unit == Unit::Share { &[0.0, 1.0][..] } else { &[] };
    let max_ticks = if unit == Unit::Share { sheet.max_ticks() } else { sheet.max_ticks() - 1 };
    let axis = frame.axis(max_ticks, |ends, tick_limit| {
        unit.axis(bounds().chain(full_range.iter().copied()), ends, tick_limit)
    });
    frame.draw(title, &rows, &axis, label, |canvas| {
        for (i, line) in lines.iter().enumerate() {
            let (upper, lower) = frame.drawing_span(i);
            let middle = (upper + lower) / 2;
            let (left, right) = (0, sheet.width());
            canvas.add_tooltip((left, upper), (right, lower), describe_line(unit, line));
            let y = if has_published { middle - 5 } else { middle };
            let interval = axis.interval_ends(&line.estimate);
            let mark = if interval.is_some() { Mark::Dot } else { Mark::Ring };
            if let Some(ends) = interval {
                canvas.interval(ends, |bound, offset| (bound, y + offset), BLUE, 2);
            }
            canvas.mark(mark, (axis.position(line.estimate.value), y), BLUE);
            if let Some((from, to)) = line.published {
                let (y, from, to) = (middle + 7, axis.position(from), axis.position(to));
                if to - from > 2 {
                    canvas.line((from, y), (to, y), VERMILION, 2);
                    canvas.mark(Mark::Diamond, (from, y), VERMILION);
                }
                canvas.mark(Mark::Diamond, (to, y), VERMILION);
            }
        }
    })
}

/// Describes the numbers of a line, as its tooltip.
fn describe_line(unit: Unit, line: &IntervalLine) -> String {
    let format_value = |number: f64| unit.format_number(number);
    let published = line.published.map_or_else(String::new, |(from, to)| {
        let range = if from == to {
            format_value(to)
        } else {
            format!("{} to {}", format_value(from), format_value(to))
        };
        format!("; published {range}: {}", line.value)
    });
    format!("{}: {}{published}", line.name, unit.format_estimate(&line.estimate))
}

#[cfg(test)]
mod tests {
    use super::super::canvas;
    use super::*;

    /// A bound has a bar, an open end an arrow at the edge of the plot. An unknown interval has
    /// neither.
    #[test]
    fn an_open_end_is_drawn_as_open() {
        const OPEN: f64 = f64::INFINITY;
        for (low, high, expected) in [
            (40.0, 60.0, vec!["40,9 60,9", "40,5 40,13", "60,5 60,13"]),
            (-OPEN, 60.0, vec!["0,9 60,9", "5,5 0,9 5,13", "60,5 60,13"]),
            (40.0, OPEN, vec!["40,9 100,9", "40,5 40,13", "95,5 100,9 95,13"]),
            (-OPEN, OPEN, vec![]),
        ] {
            let axis = Unit::Plain.axis([0.0, 100.0].into_iter(), (0, 100), 6);
            let estimate = Estimate { value: 50.0, low, high, level: 0.95 };
            let svg = canvas::draw("t", 100, 20, |canvas| {
                if let Some(ends) = axis.interval_ends(&estimate) {
                    canvas.interval(ends, |bound, offset| (bound, 9 + offset), BLUE, 2);
                }
            });
            let strokes = svg.split("points=\"").skip(1).filter_map(|rest| rest.split_once('"'));
            assert_eq!(
                strokes.map(|(points, _)| points.trim()).collect::<Vec<_>>(),
                expected,
                "{estimate:?}"
            );
        }
        let estimate = Estimate { value: 50.0, low: -OPEN, high: 60.0, level: 0.95 };
        assert_eq!(Unit::Plain.format_estimate(&estimate), "50 [open, 60]");
    }
}
