//! Average of the last half of a path, without knowing its length in advance.

use super::method::Point;

/// Path, kept as cumulative sums of its points.
#[derive(Debug)]
pub(super) struct TailAverage(Vec<Point>);

impl TailAverage {
    /// Creates a path from its first point.
    pub(super) fn new(point: &Point) -> TailAverage {
        TailAverage(vec![vec![0.0; point.len()], point.clone()])
    }

    /// Appends a point.
    pub(super) fn push(&mut self, point: &Point) {
        let last = self.0.last().expect("the sum of none");
        self.0.push(last.iter().zip(point).map(|(sum, x)| sum + x).collect());
    }

    /// Returns the average of the last half of the points; with an odd number, of the larger half.
    pub(super) fn average(&self) -> Point {
        let points = self.0.len() - 1;
        let skipped = points / 2;
        let sums = self.0[points].iter().zip(&self.0[skipped]);
        sums.map(|(total, before)| (total - before) / (points - skipped) as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_points_count() {
        let mut tail = TailAverage::new(&vec![0.25]);
        assert_eq!(tail.average(), [0.25]);
        for (x, expected) in [(0.5, 0.5), (1.0, 0.75), (0.0, 0.5)] {
            tail.push(&vec![x]);
            assert_eq!(tail.average(), [expected]);
        }
    }
}
