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
    ends: (i32, i32),
    /// Round numbers, and their texts.
    pub(super) ticks: Vec<(f64, String)>,
}

/// The end of an interval on an axis.
#[derive(Clone, Copy)]
pub(super) struct End {
    /// Its position.
    pub(super) at: i32,
    /// True if the interval continues beyond the edge of the plot.
    pub(super) is_open: bool,
}

impl Axis {
    /// Returns the position of a number.
    pub(super) fn position(&self, number: f64) -> i32 {
        let (Range { start, end }, number) = match &self.scale {
            Scale::Linear(range) => (range, number),
            Scale::Log(range) => (range, libm::log(number)),
        };
        let part = (number - start) / (end - start);
        let (first, last) = self.ends;
        let length = f64::from(last - first);
        // The cast saturates numbers that are too large.
        let place = length * part.clamp(-1e3, 1e3);
        first + if length > 0.0 { libm::floor(place + SLACK) } else { libm::ceil(place - SLACK) } as i32
    }

    /// Returns the positions of the ends of an interval. An open end is at the edge of the plot.
    /// `None` if both are open.
    pub(super) fn interval_ends(&self, of: &Estimate) -> Option<[End; 2]> {
        let end = |bound: f64, edge: i32| match bound.is_finite() {
            true => End { at: self.position(bound), is_open: false },
            false => End { at: edge, is_open: true },
        };
        (!of.is_unbounded()).then(|| [end(of.low, self.ends.0), end(of.high, self.ends.1)])
    }

    /// Makes an axis in per cent around shares.
    pub(super) fn percent(numbers: impl Iterator<Item = f64>, ends: (i32, i32), most: usize) -> Axis {
        let (low, high) = extent(numbers.map(|number| 100.0 * number)).unwrap_or((0.0, 100.0));
        let (low, high, step) = round_range(low.max(0.0), high.min(100.0), most);
        let (low, high) = (low.max(0.0), high.min(100.0));
        let decimals = decimals_of(step);
        let ticks =
            tick_positions(low, high, step).map(|tick| (tick / 100.0, format!("{tick:.decimals$} %")));
        let (ticks, range) = (ticks.collect(), low / 100.0..high / 100.0);
        Axis { scale: Scale::Linear(range), ends, ticks }
    }

    /// Makes an axis of differences in hundredths that contains 0.
    pub(super) fn differences(numbers: impl Iterator<Item = f64>, ends: (i32, i32), most: usize) -> Axis {
        let (low, high) = extent(numbers.chain([0.0])).unwrap_or((0.0, 1.0));
        let (low, high, step) = round_range(100.0 * low, 100.0 * high, most);
        let decimals = decimals_of(step);
        let written =
            |tick: f64| if tick.abs() < step / 2.0 { "0".to_owned() } else { format!("{tick:+.decimals$}") };
        let ticks = tick_positions(low, high, step).map(|tick| (tick / 100.0, written(tick))).collect();
        Axis { scale: Scale::Linear(low / 100.0..high / 100.0), ends, ticks }
    }

    /// Makes an axis of plain numbers.
    pub(super) fn plain(numbers: impl Iterator<Item = f64>, ends: (i32, i32), most: usize) -> Axis {
        let (low, high) = extent(numbers).unwrap_or((0.0, 1.0));
        let (low, high, step) = round_range(low, high, most);
        let ticks = tick_positions(low, high, step)
            .map(|tick| (tick, text::group_decimal(tick, decimals_of(step))))
            .collect();
        Axis { scale: Scale::Linear(low..high), ends, ticks }
    }

    /// Makes a logarithmic axis of milliseconds.
    pub(super) fn time(ms: impl Iterator<Item = f64>, ends: (i32, i32), most: usize) -> Axis {
        Axis::log(ms, ends, most, text::format_duration)
    }

    /// Makes a logarithmic axis; numbers that are not above 0 are ignored.
    pub(super) fn log(
        numbers: impl Iterator<Item = f64>,
        ends: (i32, i32),
        most: usize,
        written: fn(f64) -> String,
    ) -> Axis {
        let (low, high) = extent(numbers.filter(|&number| number > 0.0)).unwrap_or((0.1, 10.0));
        // A small margin (0.08 of a decade) on each side, so that no mark is on the edge.
        let (low, high) = (libm::log10(low) - 0.08, libm::log10(high) + 0.08);
        let (low, high) =
            if high - low < 1.0 { (0.5 * (low + high) - 0.5, 0.5 * (low + high) + 0.5) } else { (low, high) };
        let powers: Vec<i32> = (libm::ceil(low) as i32..=libm::floor(high) as i32).collect();
        let every = powers.len().div_ceil(most.max(1)).max(1);
        let within = |power: i32, times: f64| {
            let number = times * libm::pow(10.0, f64::from(power));
            let is_on = (libm::pow(10.0, low)..=libm::pow(10.0, high)).contains(&number);
            is_on.then(|| (number, written(number)))
        };
        let ticks = if powers.len() < 3 || 3 * powers.len() <= most {
            let from = libm::floor(low) as i32;
            let to = (from + 3).max(libm::floor(high) as i32);
            let between = (from..=to).flat_map(|power| [1.0, 2.0, 5.0].map(|times| (power, times)));
            between.filter_map(|(power, times)| within(power, times)).collect()
        } else {
            powers.into_iter().step_by(every).filter_map(|power| within(power, 1.0)).collect()
        };
        let edge = |power: f64| libm::log(libm::pow(10.0, power));
        Axis { scale: Scale::Log(edge(low)..edge(high)), ends, ticks }
    }
}

/// Returns the smallest and the largest finite number.
fn extent(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let numbers = numbers.filter(|number| number.is_finite());
    numbers.map(|number| (number, number)).reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
}

/// Returns a range with round ends around another, and the step between its ticks, of which there
/// are at most `most`.
fn round_range(low: f64, high: f64, most: usize) -> (f64, f64, f64) {
    let span = (high - low).max(1e-9).max(1e-6 * high.abs());
    let power = libm::pow(10.0, libm::floor(libm::log10(span)) - 1.0);
    let rounded = |step: f64| (step * libm::floor(low / step), step * libm::ceil(high / step));
    let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0].map(|times| times * power);
    let fits = |step: &f64| {
        let (low, high) = rounded(*step);
        (high - low) / step < most.max(2) as f64 - 0.5
    };
    let step = steps.into_iter().find(fits).unwrap_or(100.0 * power);
    let (low, high) = rounded(step);
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
        let plain = Axis::plain([0.0, 70_000.0].into_iter(), (0, 100), 5);
        assert_eq!(tick_texts(&plain), ["0", "20,000", "40,000", "60,000", "80,000"]);
        let time = Axis::time([0.002, 300.0].into_iter(), (0, 100), 8);
        assert_eq!(tick_texts(&time), ["10 µs", "100 µs", "1 ms", "10 ms", "100 ms"]);
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
