//! Numbers measured here, of the kinds that are published: a rate, a mean, a median. Each kind says
//! how sure it is, what its margin is, and how well it agrees with a number.

use gauntlet_run::tally::LEVEL;
use gauntlet_stats::{Distribution, Estimate, Mean, TwoRates, median_p, median_ranks, rate_p, wilson};

/// The margin of a single rate, on the scale on which chance spreads all rates alike: the arcsine
/// of the square root. At 1/2 it is five percentage points, and less towards 0 and 1.
const RATE_MARGIN: f64 = 0.05;

/// Towards 0 and 1 a margin goes no further than this part of the way.
const TO_AN_END: f64 = 0.5;

/// The margin of a single mean or median, as a part of it.
const MEAN_MARGIN: f64 = 0.1;

/// A number that was measured here.
#[derive(Clone, Copy, Debug)]
pub(super) enum Measured<'a> {
    /// A share of games.
    Rate { successes: u64, games: u64 },
    /// A mean over games.
    Mean(Mean),
    /// The median of the values of games. It may be asked as if it were of another number of games
    /// with the same values.
    Median { values: &'a Distribution, games: u64 },
}

impl Measured<'_> {
    /// The number of games that it is of.
    pub(super) fn games(&self) -> u64 {
        match *self {
            Measured::Rate { games, .. } | Measured::Median { games, .. } => games,
            Measured::Mean(mean) => mean.count,
        }
    }

    /// The same with another number of games, if these go on as they did.
    #[must_use]
    pub(super) fn with(self, games: u64) -> Self {
        match self {
            Measured::Rate { successes, games: old } => {
                Measured::Rate { successes: part_of(games, successes as f64 / old as f64), games }
            }
            Measured::Mean(mean) => Measured::Mean(Mean { count: games, ..mean }),
            Measured::Median { values, .. } => Measured::Median { values, games },
        }
    }

    /// The number itself.
    pub(super) fn value(&self) -> f64 {
        match *self {
            Measured::Rate { successes, games } => successes as f64 / games as f64,
            Measured::Mean(mean) => mean.value,
            Measured::Median { values, .. } => values.median().unwrap_or(f64::NAN),
        }
    }

    /// Its interval at this level; none of too few games.
    pub(super) fn within(&self, level: f64) -> Option<(f64, f64)> {
        match *self {
            Measured::Rate { successes, games } => wilson(successes, games, level)?.bounds(),
            Measured::Mean(mean) => Some(mean.within(level)),
            Measured::Median { values, games } => {
                let (low, high) = median_ranks(games, level)?;
                // Of other games than there are: what lies as far up among these.
                let ranked = |rank: u64| {
                    let place = (rank as f64 + 0.5) / games as f64 * values.count() as f64;
                    values.ranked(place as u64).map(|value| value as f64)
                };
                ranked(low).zip(ranked(high))
            }
        }
    }

    /// The p of the hypothesis that a number is the true one here; or, where it rests on games of
    /// its own, that both are of one truth.
    pub(super) fn p(&self, number: f64, theirs: Option<u64>) -> f64 {
        match *self {
            Measured::Rate { successes, games } => match theirs {
                None => rate_p(successes, games, number),
                // What was printed is the share of whole games.
                Some(theirs) => TwoRates::new((successes, games), (part_of(theirs, number), theirs))
                    .map_or(1.0, |two| two.p(0.0)),
            },
            Measured::Mean(mean) => mean.p(number, theirs),
            Measured::Median { values, games } => {
                let (below, equal) = values.below(number);
                let scaled = |count: u64| part_of(games, count as f64 / values.count() as f64);
                let (below, up_to) = (scaled(below), scaled(below + equal));
                median_p(below, up_to - below, games, theirs)
            }
        }
    }

    /// Around a single number, what is the same for all practical purposes.
    pub(super) fn around(&self, number: f64) -> (f64, f64) {
        match self {
            Measured::Rate { .. } => {
                let low = rate_below(number);
                (low, 1.0 - rate_below(1.0 - number))
            }
            Measured::Mean(_) | Measured::Median { .. } => {
                ((1.0 - MEAN_MARGIN) * number, (1.0 + MEAN_MARGIN) * number)
            }
        }
    }

    /// The number of games in which a printed share goes once through all that rounding to whole
    /// games makes of it.
    pub(super) fn games_of_a_round(&self, number: f64) -> u64 {
        let rarer = number.min(1.0 - number);
        match self {
            Measured::Rate { .. } if rarer > 0.0 => (1.0 / rarer).ceil().min(50.0) as u64,
            _ => 0,
        }
    }

    /// True if this number of games elsewhere knows a number as well as its margin asks.
    pub(super) fn is_known(&self, number: f64, theirs: u64) -> bool {
        match self {
            Measured::Rate { .. } => {
                let (low, high) = self.around(number);
                // What was printed is the share of whole games.
                let within = wilson(part_of(theirs, number), theirs, LEVEL).and_then(Estimate::bounds);
                within.is_some_and(|(from, to)| (low <= from && to <= high) || to - from <= high - low)
            }
            // They come without their spread: that of the games played here is taken for both.
            Measured::Mean(_) | Measured::Median { .. } => {
                let within = if theirs > 1 { self.with(theirs).within(LEVEL) } else { None };
                within.is_some_and(|(low, high)| (high - low) / 2.0 <= MEAN_MARGIN * number)
            }
        }
    }
}

/// The lower end of the margin of a rate.
fn rate_below(rate: f64) -> f64 {
    let angle = libm::asin(rate.sqrt());
    let sine = libm::sin((angle - RATE_MARGIN).max(angle * TO_AN_END));
    sine * sine
}

/// This part of a number of games, in whole games.
fn part_of(games: u64, part: f64) -> u64 {
    ((part * games as f64).round() as u64).min(games)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The margin of a rate in per cent, to two digits after the point.
    #[track_caller]
    fn margin(per_cent: f64, expected: (f64, f64)) {
        let rate = Measured::Rate { successes: 0, games: 1 };
        let (low, high) = rate.around(per_cent / 100.0);
        let rounded = |rate: f64| (rate * 10_000.0).round() / 100.0;
        assert_eq!((rounded(low), rounded(high)), expected, "{per_cent} %");
    }

    #[test]
    fn margins_shrink_towards_the_ends() {
        margin(50.0, (45.01, 54.99));
        margin(20.0, (16.16, 24.14));
        margin(10.0, (7.2, 13.19));
        margin(5.0, (3.05, 7.4));
        margin(1.0, (0.25, 2.24));
        margin(0.1, (0.03, 0.66));
        margin(0.0, (0.0, 0.25));
        margin(90.0, (86.81, 92.8));
        margin(100.0, (99.75, 100.0));
        // Only what never happens may be 0, and only what always does may be 1.
        let rate = Measured::Rate { successes: 0, games: 1 };
        assert!(rate.around(1e-9).0 > 0.0 && rate.around(1.0 - 1e-9).1 < 1.0);
    }

    #[test]
    fn the_games_that_know_a_rate_to_its_margin() {
        let rate = Measured::Rate { successes: 0, games: 1 };
        assert!(rate.is_known(0.5, 385) && rate.is_known(0.2, 385) && !rate.is_known(0.5, 375));
        // The interval of 385 games that show nothing reaches to 1 %, and the margin to 0.25 %.
        for end in [0.0, 1.0] {
            assert!(
                !rate.is_known(end, 385) && !rate.is_known(end, 1500) && rate.is_known(end, 1540),
                "{end}"
            );
        }
        assert!(!rate.is_known(0.5, 0));
    }

    #[test]
    fn a_median_has_an_interval_and_a_p() {
        let values: Distribution = (1..=100).map(|value| 10 * value).collect();
        let median = Measured::Median { values: &values, games: 100 };
        assert_eq!((median.value(), median.within(LEVEL)), (505.0, Some((400.0, 610.0))));
        // Outside of its interval p is below 0.05, and inside above.
        assert!(median.p(399.0, None) < 0.05 && median.p(401.0, None) > 0.05);
        assert!(median.p(611.0, None) < 0.05 && median.p(609.0, None) > 0.05);
        assert!(median.p(399.0, Some(100)) > 0.1);
        // A hundred times as many games see ten times as much.
        assert_eq!(median.with(10_000).within(LEVEL), Some((500.0, 510.0)));
        assert!(median.with(10_000).p(480.0, None) < 0.001);
        // 505 to a tenth: 40 games of these are not enough, 1,000 are.
        assert!(!median.is_known(505.0, 40) && median.is_known(505.0, 1000));
    }
}
