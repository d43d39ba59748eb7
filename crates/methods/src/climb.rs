//! Coordinate search: improves a point by small changes along each axis in turn.

use super::method::Point;

/// Step sizes and limits of a climb.
pub(super) struct Reach {
    /// Initial step size.
    pub(super) first: f64,
    /// Smallest step size.
    pub(super) last: f64,
    /// Maximum number of sweeps over all axes.
    pub(super) sweeps: usize,
}

/// Returns the best point that the climb reaches. `changed` moves a point along an axis; step sizes
/// are halved if no step improves the point.
pub(super) fn climb(
    mut best: Point,
    reach: &Reach,
    changed: impl Fn(&Point, usize, f64) -> Point,
    worth: impl Fn(&Point) -> f64,
) -> Point {
    let mut reached = worth(&best);
    let mut change = reach.first;
    for _ in 0..reach.sweeps {
        if change < reach.last {
            break;
        }
        let before = reached;
        for axis in 0..best.len() {
            for change in [change, -change] {
                let other = changed(&best, axis, change);
                let worth = worth(&other);
                if worth > reached {
                    (best, reached) = (other, worth);
                    break;
                }
            }
        }
        if reached == before {
            change /= 2.0;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const REACH: Reach = Reach { first: 1.0, last: 0.01, sweeps: 100 };

    fn move_along(point: &Point, axis: usize, change: f64) -> Point {
        let mut other = point.clone();
        other[axis] += change;
        other
    }

    #[test]
    fn it_comes_to_the_top() {
        let worth =
            |point: &Point| -(point[0] - 3.0) * (point[0] - 3.0) - (point[1] + 1.0) * (point[1] + 1.0);
        let top = climb(vec![0.3, 0.4], &REACH, move_along, worth);
        assert!((top[0] - 3.0).abs() < 0.02 && (top[1] + 1.0).abs() < 0.02, "{top:?}");
    }

    /// It ends even if every step is an improvement.
    #[test]
    fn it_ends_on_an_endless_slope() {
        assert_eq!(climb(vec![0.0], &Reach { sweeps: 7, ..REACH }, move_along, |point| point[0]), [7.0]);
    }
}
