//! Quantiles: which values bound one, whatever the distribution.

use super::special::Binomial;

/// Which of the values, sorted, bound a quantile. The smallest has rank 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantileRanks {
    /// The lower bound's rank. None where all values might lie above the quantile.
    pub lower: Option<u64>,
    /// The upper bound's rank. None where all values might lie below the quantile.
    pub upper: Option<u64>,
    /// How often the quantile lies between such bounds, of a distribution without gaps; of others more often.
    pub coverage: f64,
}

/// The ranks that bound the quantile below which a `part` of all values lies, by a sample of so many `trials`. To
/// either side they miss it no more often than half of what the level leaves: how many values lie below a quantile is
/// a binomial number (Thompson, 1936).
///
/// # Panics
/// If the part or the level is not between 0 and 1.
pub fn quantile_ranks(trials: u64, part: f64, level: f64) -> QuantileRanks {
    assert!(part > 0.0 && part < 1.0, "a part of {part}");
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    // Sums that are meant to be equal may differ in their last digits.
    let tail = (1.0 - level) / 2.0 * (1.0 + 1e-12);
    let below = Binomial::new(trials, part);
    // How many ranks may serve, the most improbable first: counted by halves, for there may be millions.
    let serving = |miss: &dyn Fn(u64) -> f64| {
        let (mut serve, mut too_many) = (0, trials + 1);
        while too_many - serve > 1 {
            let middle = serve + (too_many - serve) / 2;
            if miss(middle) <= tail {
                serve = middle;
            } else {
                too_many = middle;
            }
        }
        serve
    };
    let lower = serving(&|rank| below.at_most(rank - 1));
    let upper = serving(&|from_above| below.above(trials - from_above));
    let lower = (lower > 0).then_some(lower);
    let upper = (upper > 0).then(|| trials + 1 - upper);
    let missed_below = lower.map_or(0.0, |rank| below.at_most(rank - 1));
    let missed_above = upper.map_or(0.0, |rank| below.above(rank - 1));
    QuantileRanks { lower, upper, coverage: 1.0 - missed_below - missed_above }
}

/// A quantile of whole numbers, with bounds where there are enough values for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile {
    /// The smallest value at which, together with all below it, lies at least the part that was asked for.
    pub value: u64,
    /// The lower bound. None where even the smallest value is none.
    pub low: Option<u64>,
    /// The upper bound. None where even the largest value is none.
    pub high: Option<u64>,
    /// The level for which the bounds were made.
    pub level: f64,
    /// How often such bounds hold the quantile at least.
    pub coverage: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_bound_nothing() {
        let nothing = QuantileRanks { lower: None, upper: None, coverage: 1.0 };
        for trials in [0, 1, 5] {
            assert_eq!(quantile_ranks(trials, 0.5, 0.95), nothing);
        }
        // With six, all lie to one side once in 32.
        let six = quantile_ranks(6, 0.5, 0.95);
        assert_eq!((six.lower, six.upper), (Some(1), Some(6)));
        assert!((six.coverage - (1.0 - 1.0 / 32.0)).abs() < 1e-15);
        // Exactly what the level leaves is not too much.
        assert_eq!(quantile_ranks(6, 0.5, 1.0 - 1.0 / 32.0).lower, Some(1));
        assert_eq!(quantile_ranks(1000, 0.999, 0.95).upper, None);
    }

    #[test]
    fn ranks_are_the_outermost_that_serve() {
        for trials in [6, 59, 100, 1_000_000, 10_000_000] {
            for part in [0.01, 0.5, 0.9, 0.999] {
                let ranks = quantile_ranks(trials, part, 0.95);
                let below = Binomial::new(trials, part);
                if let Some(lower) = ranks.lower {
                    assert!(below.at_most(lower - 1) <= 0.025 && below.at_most(lower) > 0.025);
                }
                if let Some(upper) = ranks.upper {
                    assert!(below.above(upper - 1) <= 0.025 && below.above(upper - 2) > 0.025);
                }
                assert!((0.95..=1.0).contains(&ranks.coverage), "{ranks:?}");
            }
        }
    }
}
