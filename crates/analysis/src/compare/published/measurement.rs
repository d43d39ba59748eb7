//! Values measured here, of the kinds that are published: a rate, a mean, a median. Each kind has
//! its interval, its margin and its test against a published number.

use gauntlet_run::tally::LEVEL;
use gauntlet_stats::{Estimate, Histogram, SampleMoments, TwoRates, median_p, median_ranks, rate_p, wilson};

/// Margin of a single rate on the arcsine square root scale, on which the variance of all rates is
/// equal. It is five percentage points at 1/2, and less towards 0 and 1.
const RATE_MARGIN: f64 = 0.05;

/// Largest part of the distance to 0 or 1 that a margin covers.
const MAX_MARGIN_PART: f64 = 0.5;

/// Margin of a single mean or median, relative to the published number.
const MEAN_MARGIN: f64 = 0.1;

/// A value that was measured here.
#[derive(Clone, Copy, Debug)]
pub(super) enum Measurement<'a> {
    /// A share of games.
    Rate { successes: u64, games: u64 },
    /// Mean over games.
    Mean(SampleMoments),
    /// Median of the values of games. `games` may differ from the number of values, to compute with
    /// more games of equal distribution.
    Median { values: &'a Histogram, games: u64 },
}

impl Measurement<'_> {
    /// Returns the number of games measured.
    pub(super) fn games(&self) -> u64 {
        match *self {
            Measurement::Rate { games, .. } | Measurement::Median { games, .. } => games,
            Measurement::Mean(mean) => mean.count,
        }
    }

    /// Returns the measured value as if another number of games had the same distribution.
    #[must_use]
    pub(super) fn with_games(self, games: u64) -> Self {
        match self {
            Measurement::Rate { successes, games: old_games } => Measurement::Rate {
                successes: rounded_share(games, successes as f64 / old_games as f64),
                games,
            },
            Measurement::Mean(mean) => Measurement::Mean(SampleMoments { count: games, ..mean }),
            Measurement::Median { values, .. } => Measurement::Median { values, games },
        }
    }

    /// Returns the value.
    pub(super) fn value(&self) -> f64 {
        match *self {
            Measurement::Rate { successes, games } => successes as f64 / games as f64,
            Measurement::Mean(mean) => mean.value,
            Measurement::Median { values, .. } => values.median().unwrap_or(f64::NAN),
        }
    }

    /// Returns the interval at this level, or `None` with too few games.
    pub(super) fn interval(&self, level: f64) -> Option<(f64, f64)> {
        match *self {
            Measurement::Rate { successes, games } => wilson(successes, games, level)?.bounds(),
            Measurement::Mean(mean) => Some(mean.interval(level)),
            Measurement::Median { values, games } => {
                let (low, high) = median_ranks(games, level)?;
                // For another number of games: the value at the same relative rank.
                let value_at = |rank: u64| {
                    let index = (rank as f64 + 0.5) / games as f64 * values.count() as f64;
                    values.value_at_rank(index as u64).map(|value| value as f64)
                };
                value_at(low).zip(value_at(high))
            }
        }
    }

    /// Returns the p of the hypothesis that a number is the true value here. If the number comes
    /// from `source_games` games, the hypothesis is that both have equal true values.
    pub(super) fn p(&self, number: f64, source_games: Option<u64>) -> f64 {
        match *self {
            Measurement::Rate { successes, games } => match source_games {
                None => rate_p(successes, games, number),
                // A printed rate stands for a whole number of successes.
                Some(source_games) => {
                    TwoRates::new((successes, games), (rounded_share(source_games, number), source_games))
                        .map_or(1.0, |rates| rates.p(0.0))
                }
            },
            Measurement::Mean(mean) => mean.p(number, source_games),
            Measurement::Median { values, games } => {
                let (below, equal) = values.count_below(number);
                let scale = |count: u64| rounded_share(games, count as f64 / values.count() as f64);
                let (below, at_or_below) = (scale(below), scale(below + equal));
                median_p(below, at_or_below - below, games, source_games)
            }
        }
    }

    /// Returns the margin around a number: values that are equal for all practical purposes.
    pub(super) fn margin_around(&self, number: f64) -> (f64, f64) {
        match self {
            Measurement::Rate { .. } => {
                let low = lower_margin(number);
                (low, 1.0 - lower_margin(1.0 - number))
            }
            Measurement::Mean(_) | Measurement::Median { .. } => {
                ((1.0 - MEAN_MARGIN) * number, (1.0 + MEAN_MARGIN) * number)
            }
        }
    }

    /// Returns the number of games over which the rounding of a printed share to whole games goes
    /// through one full cycle.
    pub(super) fn games_per_rounding_cycle(&self, number: f64) -> u64 {
        let smaller_rate = number.min(1.0 - number);
        match self {
            Measurement::Rate { .. } if smaller_rate > 0.0 => (1.0 / smaller_rate).ceil().min(50.0) as u64,
            _ => 0,
        }
    }

    /// Returns true if `source_games` games elsewhere determine a number as precisely as its margin
    /// requires.
    pub(super) fn is_precise_enough(&self, number: f64, source_games: u64) -> bool {
        match self {
            Measurement::Rate { .. } => {
                let (low, high) = self.margin_around(number);
                // A printed rate stands for a whole number of successes.
                let interval = wilson(rounded_share(source_games, number), source_games, LEVEL)
                    .and_then(Estimate::bounds);
                interval.is_some_and(|(lower, upper)| {
                    (low <= lower && upper <= high) || upper - lower <= high - low
                })
            }
            // The source gives no spread, so the spread of the games played here is assumed.
            Measurement::Mean(_) | Measurement::Median { .. } => {
                let interval =
                    if source_games > 1 { self.with_games(source_games).interval(LEVEL) } else { None };
                interval.is_some_and(|(low, high)| (high - low) / 2.0 <= MEAN_MARGIN * number)
            }
        }
    }
}

/// Returns the lower end of the margin of a rate.
fn lower_margin(rate: f64) -> f64 {
    let angle = libm::asin(rate.sqrt());
    let sine = libm::sin((angle - RATE_MARGIN).max(angle * MAX_MARGIN_PART));
    sine * sine
}

/// Returns this part of a number of games, rounded to whole games.
fn rounded_share(games: u64, share: f64) -> u64 {
    ((share * games as f64).round() as u64).min(games)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the margin of a rate in per cent, to two decimals.
    #[track_caller]
    fn assert_margin(per_cent: f64, expected: (f64, f64)) {
        let rate = Measurement::Rate { successes: 0, games: 1 };
        let (low, high) = rate.margin_around(per_cent / 100.0);
        let to_per_cent = |rate: f64| (rate * 10_000.0).round() / 100.0;
        assert_eq!((to_per_cent(low), to_per_cent(high)), expected, "{per_cent} %");
    }

    #[test]
    fn margins_shrink_towards_the_ends() {
        assert_margin(50.0, (45.01, 54.99));
        assert_margin(20.0, (16.16, 24.14));
        assert_margin(10.0, (7.2, 13.19));
        assert_margin(5.0, (3.05, 7.4));
        assert_margin(1.0, (0.25, 2.24));
        assert_margin(0.1, (0.03, 0.66));
        assert_margin(0.0, (0.0, 0.25));
        assert_margin(90.0, (86.81, 92.8));
        assert_margin(100.0, (99.75, 100.0));
        // Only an event that never happens may have rate 0, and only one that always happens rate
        // 1.
        let rate = Measurement::Rate { successes: 0, games: 1 };
        assert!(rate.margin_around(1e-9).0 > 0.0 && rate.margin_around(1.0 - 1e-9).1 < 1.0);
    }

    #[test]
    fn the_games_that_know_a_rate_to_its_margin() {
        let rate = Measurement::Rate { successes: 0, games: 1 };
        assert!(
            rate.is_precise_enough(0.5, 385)
                && rate.is_precise_enough(0.2, 385)
                && !rate.is_precise_enough(0.5, 375)
        );
        // The interval of 0 in 385 games reaches to 1 %, and the margin to 0.25 %.
        for end in [0.0, 1.0] {
            assert!(
                !rate.is_precise_enough(end, 385)
                    && !rate.is_precise_enough(end, 1500)
                    && rate.is_precise_enough(end, 1540),
                "{end}"
            );
        }
        assert!(!rate.is_precise_enough(0.5, 0));
    }

    #[test]
    fn a_median_has_an_interval_and_a_p() {
        let values: Histogram = (1..=100).map(|value| 10 * value).collect();
        let median = Measurement::Median { values: &values, games: 100 };
        assert_eq!((median.value(), median.interval(LEVEL)), (505.0, Some((400.0, 610.0))));
        // p is below 0.05 outside the interval, and above it inside.
        assert!(median.p(399.0, None) < 0.05 && median.p(401.0, None) > 0.05);
        assert!(median.p(611.0, None) < 0.05 && median.p(609.0, None) > 0.05);
        assert!(median.p(399.0, Some(100)) > 0.1);
        // A hundred times as many games are ten times as precise.
        assert_eq!(median.with_games(10_000).interval(LEVEL), Some((500.0, 510.0)));
        assert!(median.with_games(10_000).p(480.0, None) < 0.001);
        // 505 within a tenth: 40 such games are not enough, 1,000 are.
        assert!(!median.is_precise_enough(505.0, 40) && median.is_precise_enough(505.0, 1000));
    }
}
