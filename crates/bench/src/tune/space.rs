//! From points of the box to values of settings, and back.

use crate::config::tune::{Param, Scale};
use crate::methods::method::{Point, Space};

/// A setting that was tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// Its key.
    pub key: String,
    /// Its value at the start, as it is written.
    pub before: String,
    /// Its value now.
    pub now: String,
    /// True if it came to an end of its range, so that a wider one may hold better values.
    pub is_at_the_edge: bool,
}

/// Edge of a range: a value nearer to an end than this part of it has come to the end.
const EDGE: f64 = 0.02;

/// The axes of a box: each a setting that is tuned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes<'a>(&'a [Param]);

impl<'a> Axes<'a> {
    pub(super) fn of(params: &'a [Param]) -> Axes<'a> {
        Axes(params)
    }

    /// The box, and the start in it.
    pub(super) fn space(self) -> Space {
        let start = self.0.iter().map(|param| param.place(param.start)).collect();
        Space { start, grain: self.0.iter().map(Param::grain).collect() }
    }

    /// The values at a point.
    pub(super) fn values(self, point: &Point) -> Vec<f64> {
        self.0.iter().zip(point).map(|(param, &place)| param.value(place)).collect()
    }

    /// Change of each setting between these values.
    pub(super) fn tuned(self, before: &[f64], now: &[f64]) -> Vec<Tuned> {
        let each = self.0.iter().zip(before).zip(now).map(|((param, &before), &now)| Tuned {
            key: param.key.clone(),
            before: param.shown(before),
            now: param.shown(now),
            is_at_the_edge: param.choices.is_empty() && !(EDGE..=1.0 - EDGE).contains(&param.place(now)),
        });
        each.collect()
    }
}

impl Param {
    /// The value at a place from 0 to 1.
    pub(super) fn value(&self, place: f64) -> f64 {
        let between = match self.scale {
            Scale::Linear => self.min + place * (self.max - self.min),
            Scale::Log => libm::exp(libm::log(self.min) + place * libm::log(self.max / self.min)),
        };
        let value = if self.is_whole { between.round() } else { between };
        // The start is written exactly as it was, and rounding leads nowhere outside.
        if place == self.place(self.start) { self.start } else { value.clamp(self.min, self.max) }
    }

    /// The place of a value.
    fn place(&self, value: f64) -> f64 {
        let place = match self.scale {
            Scale::Linear => (value - self.min) / (self.max - self.min),
            Scale::Log => libm::log(value / self.min) / libm::log(self.max / self.min),
        };
        place.clamp(0.0, 1.0)
    }

    /// The distance of two neighbours: of whole numbers on a logarithmic scale, that of the middle.
    fn grain(&self) -> f64 {
        match (self.is_whole, self.scale) {
            (false, _) => 0.0,
            (true, Scale::Linear) => 1.0 / (self.max - self.min),
            (true, Scale::Log) => {
                let middle = self.value(0.5);
                self.place(middle + 1.0) - self.place(middle)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(min: f64, max: f64, scale: Scale, is_whole: bool, start: f64) -> Param {
        Param { key: "x".to_owned(), min, max, scale, is_whole, choices: Vec::new(), start, tied: Vec::new() }
    }

    #[test]
    fn ends_of_ranges_are_told() {
        let params = [param(0.1, 10.0, Scale::Log, false, 1.0), param(0.0, 10.0, Scale::Linear, false, 1.0)];
        let tuned = Axes::of(&params).tuned(&[1.0, 1.0], &[9.5, 9.5]);
        assert_eq!(tuned.iter().map(|one| one.is_at_the_edge).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn points_become_values_and_back() {
        let linear = param(-2.0, 8.0, Scale::Linear, false, 0.1);
        assert_eq!([0.0, 0.5, 1.0].map(|place| linear.value(place)), [-2.0, 3.0, 8.0]);
        assert_eq!(linear.value(linear.place(0.1)), 0.1, "the start is exactly what was written");
        let log = param(0.01, 100.0, Scale::Log, false, 1.0);
        assert!((log.value(0.25) - 0.1).abs() < 1e-12);
        assert_eq!([0.0, 1.0].map(|place| log.value(place)), [0.01, 100.0]);
        let whole = param(1.0, 5.0, Scale::Linear, true, 2.0);
        assert_eq!([0.0, 0.3, 0.4, 1.0].map(|place| whole.value(place)), [1.0, 2.0, 3.0, 5.0]);
        assert_eq!(whole.grain(), 0.25);
        assert_eq!(linear.grain(), 0.0);
        let steps = param(1.0, 1024.0, Scale::Log, true, 1.0);
        assert!((0.0044..0.0045).contains(&steps.grain()), "{}", steps.grain());
    }
}
