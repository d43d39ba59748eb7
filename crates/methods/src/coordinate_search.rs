//! Coordinate search: improves a point by small changes along each axis in turn.

use super::method::Point;

/// Step sizes and limits of a climb.
pub(super) struct ClimbSettings {
    /// Initial step size.
    pub(super) first_step: f64,
    /// Smallest step size.
    pub(super) min_step: f64,
    /// Maximum number of sweeps over all axes.
    pub(super) max_sweeps: usize,
}

/// Returns the best point that the climb reaches. `move_along` moves a point along an axis; step
/// sizes are halved if no step improves the point.
pub(super) fn climb(
    mut best: Point,
    settings: &ClimbSettings,
    move_along: impl Fn(&Point, usize, f64) -> Point,
    evaluate: impl Fn(&Point) -> f64,
) -> Point {
    let mut best_value = evaluate(&best);
    let mut step = settings.first_step;
    for _ in 0..settings.max_sweeps {
        if step < settings.min_step {
            break;
        }
        let previous_value = best_value;
        for axis in 0..best.len() {
            for change in [step, -step] {
                let candidate = move_along(&best, axis, change);
                let value = evaluate(&candidate);
                if value > best_value {
                    (best, best_value) = (candidate, value);
                    break;
                }
            }
        }
        if best_value == previous_value {
            step /= 2.0;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIMB_SETTINGS: ClimbSettings = ClimbSettings { first_step: 1.0, min_step: 0.01, max_sweeps: 100 };

    fn move_along(point: &Point, axis: usize, change: f64) -> Point {
        let mut other = point.clone();
        other[axis] += change;
        other
    }

    #[test]
    fn it_comes_to_the_top() {
        let evaluate =
            |point: &Point| -(point[0] - 3.0) * (point[0] - 3.0) - (point[1] + 1.0) * (point[1] + 1.0);
        let top = climb(vec![0.3, 0.4], &CLIMB_SETTINGS, move_along, evaluate);
        assert!((top[0] - 3.0).abs() < 0.02 && (top[1] + 1.0).abs() < 0.02, "{top:?}");
    }

    /// It ends even if every step is an improvement.
    #[test]
    fn it_ends_on_an_endless_slope() {
        assert_eq!(
            climb(vec![0.0], &ClimbSettings { max_sweeps: 7, ..CLIMB_SETTINGS }, move_along, |point| point
                [0]),
            [7.0]
        );
    }
}
