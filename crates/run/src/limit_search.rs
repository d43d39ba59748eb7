//! Finds the largest limit of a search that takes at most a given time per move.

use gauntlet_core::search_limit::LimitKind;

/// Measurement of a player with some limit.
#[derive(Clone, Debug, PartialEq)]
pub enum LimitTrial {
    /// Milliseconds per move; infinite if there was no move.
    Measured(f64),
    /// The player does not accept this limit, for this reason.
    Refused(String),
}

/// Result of the search for a limit.
#[derive(Clone, Debug, PartialEq)]
pub enum LimitResult {
    /// Largest limit that takes at most the given time, and its milliseconds per move; also the
    /// smallest measured limit that takes longer, with its time.
    Fits { limit: u64, ms: f64, too_slow: Option<(u64, f64)> },
    /// The smallest limit takes longer.
    TooSlow { limit: u64, ms: f64 },
    /// The player accepts no limit, for this reason.
    Refused(String),
}

/// Consecutive depths that a player may refuse before it accepts another. Some have a smallest
/// depth of 2 or accept only even depths.
const MAX_REFUSED_DEPTHS: u64 = 2;

/// Finds the largest limit that takes at most `max_ms` milliseconds per move: depths one by one,
/// counts by doubling and then by bisection, with two significant digits.
pub fn find_limit(
    kind: LimitKind,
    max_ms: f64,
    mut measure: impl FnMut(u64) -> anyhow::Result<LimitTrial>,
) -> anyhow::Result<LimitResult> {
    let is_depth = kind == LimitKind::Depth;
    let (mut best, mut too_slow) = (None, None);
    let mut limit = u64::from(!is_depth);
    let mut refused_count = 0;
    // The first limit that is too large.
    let too_large = loop {
        match measure(limit)? {
            LimitTrial::Measured(ms) if ms <= max_ms => {
                best = Some((limit, ms));
                refused_count = 0;
                limit = if is_depth { limit + 1 } else { round_down(2 * limit) };
            }
            LimitTrial::Measured(ms) => match best {
                Some(_) => {
                    too_slow = Some((limit, ms));
                    break limit;
                }
                None => return Ok(LimitResult::TooSlow { limit, ms }),
            },
            LimitTrial::Refused(_) if is_depth && refused_count < MAX_REFUSED_DEPTHS => {
                refused_count += 1;
                limit += 1;
            }
            LimitTrial::Refused(reason) => match best {
                Some(_) => break limit,
                None => return Ok(LimitResult::Refused(reason)),
            },
        }
    };
    let (mut limit, mut ms) = best.expect("a limit fits");
    if !is_depth {
        let mut too_large = too_large;
        while limit + step(limit) < too_large {
            let middle = round_down(limit.midpoint(too_large)).max(limit + step(limit));
            match measure(middle)? {
                LimitTrial::Measured(middle_ms) if middle_ms <= max_ms => (limit, ms) = (middle, middle_ms),
                LimitTrial::Measured(middle_ms) => {
                    too_large = middle;
                    too_slow = Some((middle, middle_ms));
                }
                LimitTrial::Refused(_) => too_large = middle,
            }
        }
    }
    Ok(LimitResult::Fits { limit, ms, too_slow })
}

/// Returns the difference between numbers of this size that have two significant digits.
fn step(number: u64) -> u64 {
    10_u64.pow(number.max(1).ilog10().saturating_sub(1))
}

/// Rounds down to two significant digits.
fn round_down(number: u64) -> u64 {
    number - number % step(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the limit of a player whose moves take this time, and that accepts these limits. Also
    /// returns the measured limits.
    fn find(
        kind: LimitKind,
        max_ms: f64,
        ms: impl Fn(u64) -> f64,
        accepts: impl Fn(u64) -> bool,
    ) -> (LimitResult, Vec<u64>) {
        let mut measured_limits = Vec::new();
        let found = find_limit(kind, max_ms, |limit| {
            if !accepts(limit) {
                return Ok(LimitTrial::Refused(format!("not {limit}")));
            }
            measured_limits.push(limit);
            Ok(LimitTrial::Measured(ms(limit)))
        });
        (found.expect("no measurement fails"), measured_limits)
    }

    #[test]
    fn a_count_is_the_largest_of_two_digits() {
        for (max_ms, expected) in [
            (1.0, 1),
            (2.5, 2),
            (99.0, 99),
            (109.0, 100),
            (123.0, 120),
            (12_347.0, 12_000),
            (9.9e8, 990_000_000),
        ] {
            let (found, measured) = find(LimitKind::Count, max_ms, |limit| limit as f64, |limit| limit > 0);
            let next = expected + step(expected);
            let too_slow = Some((next, next as f64));
            assert_eq!(found, LimitResult::Fits { limit: expected, ms: expected as f64, too_slow });
            assert!(measured.len() < 50, "{measured:?}");
            assert!(measured.iter().all(|&limit| limit as f64 <= 2.0 * max_ms), "{measured:?}");
        }
        let (found, _) = find(LimitKind::Count, 5000.0, |limit| limit as f64, |limit| limit <= 1000);
        assert_eq!(found, LimitResult::Fits { limit: 1000, ms: 1000.0, too_slow: None });
    }

    #[test]
    fn a_depth_is_the_deepest_that_fits() {
        let power = |depth: u64| 3.0_f64.powi(depth as i32);
        let (found, measured) = find(LimitKind::Depth, 100.0, power, |_| true);
        assert_eq!(found, LimitResult::Fits { limit: 4, ms: 81.0, too_slow: Some((5, 243.0)) });
        assert_eq!(measured, [0, 1, 2, 3, 4, 5]);
        let (found, _) = find(LimitKind::Depth, 1e9, power, |depth| (1..=8).contains(&depth));
        assert_eq!(found, LimitResult::Fits { limit: 8, ms: power(8), too_slow: None });
        let (found, measured) =
            find(LimitKind::Depth, 1000.0, power, |depth| depth >= 2 && depth.is_multiple_of(2));
        let expected = LimitResult::Fits { limit: 6, ms: 729.0, too_slow: Some((8, power(8))) };
        assert_eq!((found, measured), (expected, vec![2, 4, 6, 8]));
    }

    #[test]
    fn no_limit_fits() {
        let slow = |_| f64::INFINITY;
        let (found, measured) = find(LimitKind::Count, 1e9, slow, |limit| limit > 0);
        assert_eq!((found, measured), (LimitResult::TooSlow { limit: 1, ms: f64::INFINITY }, vec![1]));
        let (found, _) = find(LimitKind::Depth, 1.0, |_| 2.0, |depth| depth >= 1);
        assert_eq!(found, LimitResult::TooSlow { limit: 1, ms: 2.0 });
        let (found, _) = find(LimitKind::Count, 1.0, slow, |_| false);
        assert_eq!(found, LimitResult::Refused("not 1".to_owned()));
    }
}
