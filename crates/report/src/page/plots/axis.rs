//! Maps numbers to pixels on a sheet, with ticks at round numbers.

use std::ops::Range;

use gauntlet_core::text;
use gauntlet_stats::Estimate;

/// Scale of an axis. The range of a logarithmic scale contains logarithms.
enum Scale {
    Linear(Range<f64>),
    Log(Range<f64>),
}

/// Added to a position before it is rounded down to a whole pixel, so that no position depends on
/// the last bit of a number.
const SLACK: f64 = 1e-3;

/// An axis between two positions.
pub(super) struct Axis {
    scale: Scale,
    end_positions: (i32, i32),
    /// Round numbers, and their texts.
    pub(super) ticks: Vec<(f64, String)>,
}

/// The end of an interval on an axis.
#[derive(Clone, Copy)]
pub(super) struct IntervalEnd {
    /// Its position.
    pub(super) position: i32,
    /// True if the interval continues beyond the edge of the plot.
    pub(super) is_open: bool,
}

impl Axis {
    /// Returns true if the scale is logarithmic.
    pub(super) fn is_log(&self) -> bool {
        matches!(self.scale, Scale::Log(_))
    }

    /// Returns the position of a number.
    pub(super) fn position(&self, number: f64) -> i32 {
        let (Range { start, end }, number) = match &self.scale {
            Scale::Linear(range) => (range, number),
            Scale::Log(range) => (range, libm::log(number)),
        };
        let fraction = (number - start) / (end - start);
        let (first, last) = self.end_positions;
        let length = f64::from(last - first);
        // The cast saturates numbers that are too large.
        let offset = length * fraction.clamp(-1e3, 1e3);
        first + if length > 0.0 { libm::floor(offset + SLACK) } else { libm::ceil(offset - SLACK) } as i32
    }

    /// Returns the positions of the ends of an interval. An open end is at the edge of the plot.
    /// `None` if both are open.
    pub(super) fn interval_ends(&self, estimate: &Estimate) -> Option<[IntervalEnd; 2]> {
        let end = |bound: f64, edge: i32| match bound.is_finite() {
            true => IntervalEnd { position: self.position(bound), is_open: false },
            false => IntervalEnd { position: edge, is_open: true },
        };
        (!estimate.is_unbounded())
            .then(|| [end(estimate.low, self.end_positions.0), end(estimate.high, self.end_positions.1)])
    }

    /// Makes an axis in per cent around shares.
    pub(super) fn percent(numbers: impl Iterator<Item = f64>, ends: (i32, i32), max_ticks: usize) -> Axis {
        let (low, high) = extent(numbers.map(|number| 100.0 * number)).unwrap_or((0.0, 100.0));
        let (low, high, step) = round_range(low.max(0.0), high.min(100.0), max_ticks);
        let (low, high) = (low.max(0.0), high.min(100.0));
        let decimals = decimals_of(step);
        let ticks =
            tick_positions(low, high, step).map(|tick| (tick / 100.0, format!("{tick:.decimals$} %")));
        let (ticks, range) = (ticks.collect(), low / 100.0..high / 100.0);
        Axis { scale: Scale::Linear(range), end_positions: ends, ticks }
    }

    /// Makes an axis of differences in hundredths that contains 0.
    pub(super) fn differences(
        numbers: impl Iterator<Item = f64>,
        ends: (i32, i32),
        max_ticks: usize,
    ) -> Axis {
        let (low, high) = extent(numbers.chain([0.0])).unwrap_or((0.0, 1.0));
        let (low, high, step) = round_range(100.0 * low, 100.0 * high, max_ticks);
        let decimals = decimals_of(step);
        let format_tick =
            |tick: f64| if tick.abs() < step / 2.0 { "0".to_owned() } else { format!("{tick:+.decimals$}") };
        let ticks = tick_positions(low, high, step).map(|tick| (tick / 100.0, format_tick(tick))).collect();
        Axis { scale: Scale::Linear(low / 100.0..high / 100.0), end_positions: ends, ticks }
    }

    /// Makes an axis of plain numbers.
    pub(super) fn plain(numbers: impl Iterator<Item = f64>, ends: (i32, i32), max_ticks: usize) -> Axis {
        let (low, high) = extent(numbers).unwrap_or((0.0, 1.0));
        let (low, high, step) = round_range(low, high, max_ticks);
        let ticks = tick_positions(low, high, step)
            .map(|tick| (tick, text::group_decimal(tick, decimals_of(step))))
            .collect();
        Axis { scale: Scale::Linear(low..high), end_positions: ends, ticks }
    }

    /// Makes a logarithmic axis of milliseconds.
    pub(super) fn time(ms: impl Iterator<Item = f64>, ends: (i32, i32), max_ticks: usize) -> Axis {
        Axis::log(ms, ends, max_ticks, text::format_duration)
    }

    /// Makes a logarithmic axis; numbers that are not above 0 are ignored.
    pub(super) fn log(
        numbers: impl Iterator<Item = f64>,
        ends: (i32, i32),
        max_ticks: usize,
        format_number: fn(f64) -> String,
    ) -> Axis {
        let (low, high) = extent(numbers.filter(|&number| number > 0.0)).unwrap_or((0.1, 10.0));
        // A small margin (0.08 of a decade) on each side, so that no mark is on the edge.
        let (low, high) = (libm::log10(low) - 0.08, libm::log10(high) + 0.08);
        let (low, high) =
            if high - low < 1.0 { (0.5 * (low + high) - 0.5, 0.5 * (low + high) + 0.5) } else { (low, high) };
        let powers: Vec<i32> = (libm::ceil(low) as i32..=libm::floor(high) as i32).collect();
        let step = powers.len().div_ceil(max_ticks.max(1)).max(1);
        let tick_at = |power: i32, factor: f64| {
            let number = factor * libm::pow(10.0, f64::from(power));
            let is_inside = (libm::pow(10.0, low)..=libm::pow(10.0, high)).contains(&number);
            is_inside.then(|| (number, format_number(number)))
        };
        let ticks = if powers.len() < 3 || 3 * powers.len() <= max_ticks {
            let first_power = libm::floor(low) as i32;
            let last_power = (first_power + 3).max(libm::floor(high) as i32);
            let ticks_at = |factors: &[f64]| -> Vec<_> {
                let candidates = (first_power..=last_power)
                    .flat_map(|power| factors.iter().map(move |&factor| (power, factor)));
                candidates.filter_map(|(power, factor)| tick_at(power, factor)).collect()
            };
            let ticks = ticks_at(&[1.0, 2.0, 5.0]);
            if ticks.len() <= max_ticks { ticks } else { ticks_at(&[1.0, 3.0]) }
        } else {
            powers.into_iter().step_by(step).filter_map(|power| tick_at(power, 1.0)).collect()
        };
        let natural_log = |power: f64| libm::log(libm::pow(10.0, power));
        Axis { scale: Scale::Log(natural_log(low)..natural_log(high)), end_positions: ends, ticks }
    }
}

/// Returns the smallest and the largest finite number.
fn extent(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let numbers = numbers.filter(|number| number.is_finite());
    numbers.map(|number| (number, number)).reduce(|range, other| (range.0.min(other.0), range.1.max(other.1)))
}

/// Returns a range with round ends around another, and the step between its ticks, of which there
/// are at most `max_ticks`.
fn round_range(low: f64, high: f64, max_ticks: usize) -> (f64, f64, f64) {
    let span = (high - low).max(1e-9).max(1e-6 * high.abs());
    let power = libm::pow(10.0, libm::floor(libm::log10(span)) - 1.0);
    let round_to = |step: f64| (step * libm::floor(low / step), step * libm::ceil(high / step));
    let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0].map(|factor| factor * power);
    let fits = |step: &f64| {
        let (low, high) = round_to(*step);
        (high - low) / step < max_ticks.max(2) as f64 - 0.5
    };
    let step = steps.into_iter().find(fits).unwrap_or(100.0 * power);
    let (low, high) = round_to(step);
    if low < high { (low, high, step) } else { (low - step, high + step, step) }
}

fn tick_positions(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let count = libm::round((high - low) / step) as u32;
    (0..=count).map(move |i| low + step * f64::from(i))
}

/// Returns the number of decimals that the multiples of a step need.
fn decimals_of(step: f64) -> usize {
    (-libm::floor(libm::log10(step) + 1e-9)).clamp(0.0, 9.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick_texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round() {
        #[track_caller]
        fn assert_ticks(numbers: &[f64], expected: &[&str]) {
            let axis = Axis::percent(numbers.iter().copied(), (0, 100), 6);
            assert_eq!(tick_texts(&axis), expected);
        }
        assert_ticks(&[0.0, 0.17], &["0 %", "5 %", "10 %", "15 %", "20 %"]);
        assert_ticks(&[0.66, 0.92], &["60 %", "70 %", "80 %", "90 %", "100 %"]);
        assert_ticks(&[0.0, 1.0], &["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]);
        let plain_axis = Axis::plain([0.0, 70_000.0].into_iter(), (0, 100), 5);
        assert_eq!(tick_texts(&plain_axis), ["0", "20,000", "40,000", "60,000", "80,000"]);
        let time_axis = Axis::time([0.002, 300.0].into_iter(), (0, 100), 8);
        assert_eq!(tick_texts(&time_axis), ["10 µs", "100 µs", "1 ms", "10 ms", "100 ms"]);
        let few_decades = |max_ticks| Axis::time([7.0, 150.0].into_iter(), (0, 100), max_ticks);
        assert_eq!(tick_texts(&few_decades(8)), ["10 ms", "20 ms", "50 ms", "100 ms"]);
        assert_eq!(tick_texts(&few_decades(3)), ["10 ms", "30 ms", "100 ms"]);
    }

    /// No numbers, one number, equal numbers or zeros: there is always an axis, and it has ends.
    #[test]
    fn every_set_of_numbers_has_an_axis() {
        for numbers in [&[][..], &[0.0], &[1.0], &[0.5, 0.5], &[f64::NAN], &[1e-9], &[0.0, 1e-7]] {
            let axes = [Axis::percent, Axis::plain, Axis::time]
                .map(|axis| axis(numbers.iter().copied(), (0, 100), 5));
            for axis in axes {
                assert!(!axis.ticks.is_empty() && axis.ticks.len() < 12, "{numbers:?}: {:?}", axis.ticks);
                for (tick, text) in &axis.ticks {
                    assert!((0..=100).contains(&axis.position(*tick)), "{numbers:?}: {text}");
                }
            }
        }
    }
}
