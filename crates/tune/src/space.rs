//! Converts points of the search box to values of settings, and back.

use gauntlet_methods::method::{Point, Space};

use crate::section::Param;

/// The axes of a search box: one for each tuned setting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes<'a>(&'a [Param]);

impl<'a> Axes<'a> {
    pub(super) fn new(params: &'a [Param]) -> Axes<'a> {
        Axes(params)
    }

    /// Returns the box and the start in it.
    pub(super) fn space(self) -> Space {
        let start = self.0.iter().map(|param| param.position(param.start)).collect();
        Space { start, resolution: self.0.iter().map(Param::resolution).collect() }
    }

    /// Returns the values of the settings at a point.
    pub(super) fn values(self, point: &Point) -> Vec<f64> {
        self.0.iter().zip(point).map(|(param, &position)| param.value(position)).collect()
    }
}
