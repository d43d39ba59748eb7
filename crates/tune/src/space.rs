//! Converts points of the search box to values of settings, and back.

use gauntlet_methods::method::{Point, Space};

use crate::section::Param;

/// A setting that was tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedSetting {
    pub key: String,
    /// Its value at the start, as written in the file.
    pub before: String,
    /// Its value in the answer.
    pub now: String,
    /// True if it reached an end of its range: a wider range may contain better values.
    pub is_at_the_edge: bool,
}

/// Part of the range near each end in which a value counts as at the end.
pub(crate) const EDGE: f64 = 0.02;

/// The axes of a search box: one for each tuned setting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes<'a>(&'a [Param]);

impl<'a> Axes<'a> {
    pub(super) fn of(params: &'a [Param]) -> Axes<'a> {
        Axes(params)
    }

    /// Returns the box and the start in it.
    pub(super) fn space(self) -> Space {
        let start = self.0.iter().map(|param| param.place(param.start)).collect();
        Space { start, grain: self.0.iter().map(Param::grain).collect() }
    }

    /// Returns the values of the settings at a point.
    pub(super) fn values(self, point: &Point) -> Vec<f64> {
        self.0.iter().zip(point).map(|(param, &place)| param.value(place)).collect()
    }

    /// Returns each setting with its value before and now.
    pub(super) fn tuned(self, before: &[f64], now: &[f64]) -> Vec<TunedSetting> {
        let each = self.0.iter().zip(before).zip(now).map(|((param, &before), &now)| TunedSetting {
            key: param.key.clone(),
            before: param.shown(before),
            now: param.shown(now),
            is_at_the_edge: param.choices.is_empty() && !(EDGE..=1.0 - EDGE).contains(&param.place(now)),
        });
        each.collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::section::Scale;

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
}
