//! Comparison of two independent rates: whether their difference exceeds a border, and how large it
//! is.
//!
//! Everything here follows from a single one-sided p, for the hypothesis that the difference is no
//! larger than a border. The two-sided p is twice the one-sided p on the side of the estimate. A
//! bound is the furthest border whose p is at least half of one minus the level. So an interval
//! excludes a border exactly if p is below one minus its level.

mod exact;
mod score;

use std::cmp::Ordering;

use self::score::Score;
use super::{estimate::Estimate, interval::newcombe, special};

/// Smallest two-sided p. The exact test considers all true rates except those that the data reject
/// this clearly.
const MIN_P: f64 = 1e-12;

/// Maximum variance, at the common rate, of the number of successes on the side with fewer trials
/// for which p is exact. That covers up to 400 trials of that side, and up to a million if one in
/// 10,000 succeeds. On a machine with eight busy programs per core, an exact interval took 13 to
/// 160 ms, and 1.4 s for 400 trials against a million (`bounds_beside_their_twins`). Longer waits
/// are not acceptable. Above the limit an interval takes 10 µs: the normal distribution with
/// skewness correction is accurate to a tenth of p down to p = 0.001.
const EXACT_UP_TO: f64 = 100.0;

/// Precision of a bound, relative to its distance from the estimate.
const PRECISION: f64 = 1e-6;

/// Successes and trials of two independent players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoRates {
    first: (u64, u64),
    second: (u64, u64),
}

impl TwoRates {
    /// Creates the comparison from (successes, trials) of each. `None` if either has no trials.
    ///
    /// # Panics
    /// If there are more successes than trials.
    pub fn new(first: (u64, u64), second: (u64, u64)) -> Option<TwoRates> {
        for (successes, trials) in [first, second] {
            assert!(successes <= trials, "{successes} successes in {trials} trials");
        }
        (first.1 > 0 && second.1 > 0).then_some(TwoRates { first, second })
    }

    /// Returns the difference of the observed rates.
    pub fn value(self) -> f64 {
        rate(self.first) - rate(self.second)
    }

    /// Returns the p of the two-sided test that the difference equals the border: twice the
    /// one-sided p, at most 1, at least 1e-12.
    pub fn p(self, border: f64) -> f64 {
        (2.0 * self.one_sided_p(border)).min(1.0)
    }

    /// Returns the one-sided p on the side of the estimate. It is the probability that players
    /// whose rates differ by at most the border appear at least as far beyond it. It is 1 if the
    /// estimate equals the border.
    pub fn one_sided_p(self, border: f64) -> f64 {
        match self.value().partial_cmp(&border) {
            Some(Ordering::Greater) => self.p_above(border),
            Some(Ordering::Less) => self.swap().p_above(-border),
            _ => 1.0,
        }
    }

    /// Returns the difference with the bounds that match the two-sided p: they exclude the border
    /// exactly if its p is below one minus the level.
    ///
    /// # Panics
    /// If the level is not between 0 and 1.
    pub fn difference(self, level: f64, border: f64) -> Estimate {
        assert!(level > 0.0 && level < 1.0, "a level of {level}");
        let low = self.lower_bound(level, border);
        let high = -self.swap().lower_bound(level, -border);
        Estimate { value: self.value(), low, high, level }
    }

    fn swap(self) -> TwoRates {
        TwoRates { first: self.second, second: self.first }
    }

    /// Returns the p of at least the observed difference, if the rates differ by at most the
    /// border.
    fn p_above(self, border: f64) -> f64 {
        if self.is_small() {
            return self.exact_p_above((border, border));
        }
        let score = Score::new(self.first.1, self.second.1, border);
        special::normal_above(score.corrected_statistic(self.first.0, self.second.0)).clamp(MIN_P / 2.0, 1.0)
    }

    /// Returns an upper bound on the exact p-values of all differences between these borders; the
    /// exact p if both borders are equal.
    fn exact_p_above(self, borders: (f64, f64)) -> f64 {
        exact::p_above(borders, self.first, self.second, MIN_P / 4.0).clamp(MIN_P / 2.0, 1.0)
    }

    /// Returns the two-sided p of a border below the estimate.
    fn two_sided_p_above(self, border: f64) -> f64 {
        (2.0 * self.p_above(border)).min(1.0)
    }

    /// Returns true if p is exact.
    fn is_small(self) -> bool {
        let successes = self.first.0 as f64 + self.second.0 as f64;
        let common_rate = successes / (self.first.1 as f64 + self.second.1 as f64);
        self.first.1.min(self.second.1) as f64 * common_rate * (1.0 - common_rate) <= EXACT_UP_TO
    }

    /// Returns the lower bound: the smallest difference that is not excluded.
    fn lower_bound(self, level: f64, border: f64) -> f64 {
        let (value, risk) = (self.value(), 1.0 - level);
        let is_excluded = |difference: f64| self.two_sided_p_above(difference) < risk;
        // An excluded difference, and one that is not. The border is evaluated first, exactly as in
        // the test, so that interval and p agree to the last bit.
        let (mut outside, mut inside) = (-1.0, value);
        if -1.0 < border && border < value {
            if is_excluded(border) { outside = border } else { inside = border }
        }
        if !is_excluded(outside) {
            return outside;
        }
        if is_excluded(inside) {
            // Only if the level is so low that even the estimate would be excluded.
            return inside;
        }
        if self.is_small() {
            self.search_lower_bound(outside, inside, risk)
        } else {
            self.bisect_lower_bound(outside, inside, risk, level)
        }
    }

    /// Returns the smallest difference that is not excluded, except for single points. An exact p
    /// may fall and rise again outwards, so a part of the range is discarded only if p is small
    /// enough in all of it. Other parts are halved, the outer half first.
    fn search_lower_bound(self, outside: f64, inside: f64, risk: f64) -> f64 {
        let mut parts = vec![(outside, inside)];
        while let Some((low, high)) = parts.pop() {
            if 2.0 * self.exact_p_above((low, high)) < risk {
                continue;
            }
            let middle = f64::midpoint(low, high);
            let is_narrow = high - low <= PRECISION * (self.value() - low);
            if !(is_narrow || middle <= low || high <= middle) {
                parts.extend([(middle, high), (low, middle)]);
            } else if self.two_sided_p_above(high) >= risk {
                return high;
            }
        }
        inside
    }

    /// Narrows the range between an excluded difference and one that is not excluded, and returns a
    /// difference that is not excluded. Requires that p falls monotonically outwards.
    fn bisect_lower_bound(self, outside: f64, inside: f64, risk: f64, level: f64) -> f64 {
        let value = self.value();
        // p falls like exp(-d²) with the distance from the estimate; on this scale it is nearly
        // linear.
        let height = |p: f64| (-2.0 * libm::log(risk)).sqrt() - (-2.0 * libm::log(p)).sqrt();
        let (mut below, mut above) = (outside, inside);
        let [mut below_height, mut above_height] =
            [below, above].map(|difference| height(self.two_sided_p_above(difference)));
        // The first guess is the bound of Newcombe's interval. Later guesses interpolate linearly,
        // shifted a little towards the further end, so that both ends approach; every fourth is the
        // middle.
        let mut guess = newcombe(self.first, self.second, level).map_or(value, |estimate| estimate.low);
        for round in 1..200 {
            let precision = PRECISION * (value - below);
            if above - below <= precision {
                break;
            }
            if !(below < guess && guess < above) || round % 4 == 0 {
                guess = f64::midpoint(below, above);
            }
            let p = self.two_sided_p_above(guess);
            if p < risk {
                (below, below_height) = (guess, height(p));
            } else {
                (above, above_height) = (guess, height(p));
            }
            let on_line = below + (above - below) * below_height / (below_height - above_height);
            let nudge = (0.1 * (on_line - guess).abs()).max(0.4 * precision);
            guess = if on_line - below > above - on_line { on_line - nudge } else { on_line + nudge };
        }
        above
    }
}

/// Returns the probability that [`TwoRates::p`] finds the first rate higher at this level, with
/// equal trials and these true rates. `None` if p is not exact.
pub(super) fn exact_power(p1: f64, p2: f64, trials: u64, level: f64) -> Option<f64> {
    let common = (p1 + p2) / 2.0;
    let is_small = trials as f64 * common * (1.0 - common) <= EXACT_UP_TO;
    is_small.then(|| exact::power((p1, p2), trials, (1.0 - level) / 2.0, MIN_P / 4.0))
}

fn rate((successes, trials): (u64, u64)) -> f64 {
    successes as f64 / trials as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make_rates(first: (u64, u64), second: (u64, u64)) -> TwoRates {
        TwoRates::new(first, second).expect("both have trials")
    }

    /// Returns the probability of each number of successes.
    fn binomial(trials: u64, rate: f64) -> Vec<f64> {
        let odds = rate / (1.0 - rate);
        let (mut log, mut probabilities) = (trials as f64 * libm::log1p(-rate), Vec::new());
        for successes in 0..=trials {
            probabilities.push(libm::exp(log));
            log += libm::log(odds * (trials - successes) as f64 / (successes + 1) as f64);
        }
        probabilities
    }

    #[test]
    fn barnard_as_scipy_has_it() {
        // scipy.stats.barnard_exact (SciPy 1.17.1), alternative "greater", pooled.
        for (first, second, p) in [
            ((1, 10), (2, 1500), 0.009118491404850531),
            ((7, 12), (1, 8), 0.03297118422240421),
            ((10, 20), (3, 20), 0.011263893039186575),
            ((56, 70), (48, 80), 0.0049634168295646245),
            ((20, 30), (9, 30), 0.0031097145573484555),
            ((2, 100), (3, 2000), 0.018740399598556792),
        ] {
            let rates = make_rates(first, second);
            let got = rates.one_sided_p(0.0);
            assert!((got / p - 1.0).abs() < 2e-5, "{first:?}, {second:?}: {got} is not {p}");
            assert_eq!(rates.p(0.0), 2.0 * got);
        }
        // Fisher's p of the first, two-sided, is 0.0197.
        assert_eq!(make_rates((3, 10), (3, 10)).p(0.0), 1.0);
        assert_eq!(TwoRates::new((0, 0), (1, 2)), None);
        assert_eq!(TwoRates::new((1, 2), (0, 0)), None);
    }

    /// Returns the one-sided p by definition. It enumerates every outcome at 4,000 pairs of rates
    /// whose difference is the border. Outcomes are ordered by the statistic, with the most likely
    /// rates by Farrington and Manning's printed formula.
    fn p_by_definition((x, m): (u64, u64), (y, n): (u64, u64), border: f64) -> f64 {
        let statistic = |x: u64, y: u64| {
            let (p1, p2) = (x as f64 / m as f64, y as f64 / n as f64);
            let theta = n as f64 / m as f64;
            let a = 1.0 + theta;
            let b = -(1.0 + theta + p1 + theta * p2 + border * (theta + 2.0));
            let c = border * border + border * (2.0 * p1 + theta + 1.0) + p1 + theta * p2;
            let d = -p1 * border * (1.0 + border);
            let v = b.powi(3) / (3.0 * a).powi(3) - b * c / (6.0 * a * a) + d / (2.0 * a);
            let u = ((b / (3.0 * a)).powi(2) - c / (3.0 * a)).max(0.0).sqrt().copysign(v);
            let w = (std::f64::consts::PI + libm::acos((v / u.powi(3)).clamp(-1.0, 1.0))) / 3.0;
            let q1 = (2.0 * u * libm::cos(w) - b / (3.0 * a)).clamp(border.max(0.0), (1.0 + border).min(1.0));
            let q2 = q1 - border;
            let variance = q1 * (1.0 - q1) / m as f64 + q2 * (1.0 - q2) / n as f64;
            (p1 - p2 - border) / variance.max(1e-18).sqrt()
        };
        let observed = statistic(x, y) - 1e-6;
        let counts: Vec<(usize, usize)> = (0..=m)
            .flat_map(|x| (0..=n).map(move |y| (x, y)))
            .filter(|&(x, y)| statistic(x, y) >= observed)
            .map(|(x, y)| (x as usize, y as usize))
            .collect();
        let (low, high) = ((-border).max(0.0), (1.0 - border).min(1.0));
        let p_at = |q: f64| {
            let (one, other) = (binomial(m, q + border), binomial(n, q));
            counts.iter().map(|&(x, y)| one[x] * other[y]).sum::<f64>()
        };
        (1..4000).map(|step| p_at(low + (high - low) * f64::from(step) / 4000.0)).fold(0.0, f64::max)
    }

    #[test]
    fn with_a_margin_by_the_definition() {
        for (first, second, border) in
            [((4, 6), (6, 8), -0.3), ((5, 5), (3, 9), 0.2), ((3, 9), (2, 4), -0.25), ((7, 7), (6, 7), -0.1)]
        {
            let (got, p) =
                (make_rates(first, second).one_sided_p(border), p_by_definition(first, second, border));
            assert!((got / p - 1.0).abs() < 1e-4, "{first:?}, {second:?}, {border}: {got} is not {p}");
        }
    }

    #[test]
    fn the_statistic() {
        // Roots of the slope of the likelihood by scipy.optimize.brentq (SciPy 1.17.1).
        for (first, second, border, expected) in [
            ((56, 70), (48, 80), 0.0, 2.650171951258533),
            ((56, 70), (48, 80), 0.05, 2.0033682158061747),
            ((56, 70), (48, 80), -0.1, 3.934206074514594),
            ((190, 1_000_000), (230, 1_000_000), -1e-5, -1.4652520219376972),
            ((3, 10), (40, 50), -0.2, -1.7847087529561056),
            ((0, 10), (0, 20), -0.1, 1.4907119849996275),
            ((10, 10), (0, 10), 0.5, 2.581988897471611),
        ] {
            let got = Score::new(first.1, second.1, border).statistic(first.0, second.0);
            assert!(
                (got / expected - 1.0_f64).abs() < 1e-9,
                "{first:?}, {second:?}: {got} is not {expected}"
            );
        }
    }

    /// Upper bounds of p over several borders rely on this.
    #[test]
    fn the_statistic_falls_as_the_border_rises() {
        for (m, n) in [(1, 1), (3, 10), (10, 60), (12, 12), (400, 30)] {
            for (x, y) in (0..=m).step_by(1 + m as usize / 12).flat_map(|x| (0..=n).map(move |y| (x, y))) {
                let statistic_at = |step: i32| Score::new(m, n, f64::from(step) / 500.0).statistic(x, y);
                let statistics: Vec<f64> = (-500..=500).map(statistic_at).collect();
                assert!(
                    statistics.is_sorted_by(|one, next| *next <= one + 1e-9 * one.abs().max(1.0)),
                    "{x} of {m}, {y} of {n}"
                );
            }
        }
    }

    /// Returns the error rate of the two-sided test at this level between two equal rates.
    fn sizes(trials: [u64; 2], level: f64, rates: &[f64]) -> Vec<f64> {
        let [m, n] = trials;
        let is_significant = |x: u64, y: u64| make_rates((x, m), (y, n)).p(0.0) <= level;
        // Numbers of successes of the second player that are possible at one of the rates.
        let second_distributions: Vec<Vec<f64>> = rates.iter().map(|&rate| binomial(n, rate)).collect();
        let happens = |y: u64| second_distributions.iter().any(|other| other[y as usize] > 1e-9);
        // Numbers of successes of the first player from which on, or below which, a difference is
        // shown.
        let (mut above, mut below) = (0, 0);
        let edges: Vec<(u64, (u64, u64))> = (0..=n)
            .filter(|&y| happens(y))
            .map(|y| {
                let same = y * m / n;
                above = first_satisfying(above.max(same), m + 1, |x| x * n > y * m && is_significant(x, y));
                below = first_satisfying(below, same + 1, |x| x * n >= y * m || !is_significant(x, y));
                (y, (below, above))
            })
            .collect();
        let error_rate = |(&rate, other): (&f64, &Vec<f64>)| {
            let one = binomial(m, rate);
            let beyond = |below: u64, above: u64| {
                one[..below as usize].iter().sum::<f64>() + one[above as usize..].iter().sum::<f64>()
            };
            edges.iter().map(|&(y, (below, above))| other[y as usize] * beyond(below, above)).sum()
        };
        rates.iter().zip(&second_distributions).map(error_rate).collect()
    }

    /// Returns the first number that satisfies a monotone condition.
    fn first_satisfying(from: u64, to: u64, condition: impl Fn(u64) -> bool) -> u64 {
        let (mut low, mut high) = (from, to);
        while low < high {
            let middle = u64::midpoint(low, high);
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        low
    }

    const RATES: [f64; 9] = [0.0005, 0.002, 0.01, 0.05, 0.2, 0.5, 0.9, 0.985, 0.999];

    #[test]
    fn the_exact_test_keeps_its_level() {
        for trials in [[2000, 100], [1500, 10], [20, 20]] {
            for level in [0.05, 0.001] {
                let sizes = sizes(trials, level, &RATES);
                assert!(sizes.iter().all(|&size| size <= level), "{trials:?}, {level}: {sizes:?}");
                // A test that never finds a difference would also keep its level.
                assert!(sizes.iter().any(|&size| size > level / 10.0), "{trials:?}, {level}: {sizes:?}");
            }
        }
    }

    #[test]
    fn the_score_test_nearly_keeps_its_level() {
        for (trials, rates) in [([6000, 1000], [0.2, 0.5, 0.8]), ([1500, 1500], [0.1, 0.3, 0.9])] {
            for level in [0.05, 0.001] {
                for size in sizes(trials, level, &rates) {
                    assert!((0.9..1.1).contains(&(size / level)), "{trials:?}, {level}: {size}");
                }
            }
        }
    }

    #[test]
    fn interval_and_p_agree() {
        let outcomes = (0..=5).flat_map(|x| (0..=7).map(move |y| ((x, 5), (y, 7))));
        let others = [
            ((1, 10), (2, 1500)),
            ((25, 29), (384, 400)),
            ((2, 100), (3, 2000)),
            ((9000, 10_000), (8900, 10_000)),
        ];
        for (first, second) in outcomes.chain(others) {
            let rates = make_rates(first, second);
            for border in [0.0, -0.1] {
                for level in [0.8, 0.95] {
                    let Estimate { low, value, high, .. } = rates.difference(level, border);
                    assert!(
                        -1.0 <= low && low <= value && value <= high && high <= 1.0,
                        "{first:?}, {second:?}"
                    );
                    let is_excluded = border < low || high < border;
                    assert_eq!(
                        rates.p(border) < 1.0 - level,
                        is_excluded,
                        "{first:?}, {second:?}, {border}, {level}"
                    );
                    // The interval that matches the one-sided p.
                    let one_sided_interval = rates.difference(2.0 * level - 1.0, border);
                    assert_eq!(rates.one_sided_p(border) < 1.0 - level, one_sided_interval.excludes(border));
                }
            }
        }
    }

    #[test]
    fn an_interval_holds_the_difference() {
        let (m, n) = (6, 15);
        let intervals: Vec<Vec<Estimate>> = (0..=m)
            .map(|x| (0..=n).map(|y| make_rates((x, m), (y, n)).difference(0.9, 0.0)).collect())
            .collect();
        for (p, q) in [(0.5, 0.5), (0.02, 0.02), (0.3, 0.1), (0.1, 0.4), (0.9, 0.2), (0.95, 0.99)] {
            let (one, other) = (binomial(m, p), binomial(n, q));
            let coverage: f64 = (0..=m as usize)
                .flat_map(|x| (0..=n as usize).map(move |y| (x, y)))
                .filter(|&(x, y)| !intervals[x][y].excludes(p - q))
                .map(|(x, y)| one[x] * other[y])
                .sum();
            assert!(coverage >= 0.9, "{p}, {q}: {coverage}");
        }
    }

    #[test]
    fn sides_and_failures_may_be_swapped() {
        for (first, second) in
            [((7, 12), (1, 8)), ((0, 10), (0, 20)), ((2, 100), (3, 2000)), ((700, 1000), (650, 1000))]
        {
            let (original, swapped) = (make_rates(first, second), make_rates(second, first));
            assert_eq!(original.p(0.0), swapped.p(0.0));
            assert_eq!(original.one_sided_p(-0.1), swapped.one_sided_p(0.1));
            let (interval, other) = (original.difference(0.95, 0.0), swapped.difference(0.95, 0.0));
            assert_eq!((interval.low, interval.high), (-other.high, -other.low));
            let failures = |(successes, trials): (u64, u64)| (trials - successes, trials);
            let failures_p = make_rates(failures(first), failures(second)).p(0.0);
            assert!((failures_p / original.p(0.0) - 1.0).abs() < 1e-4, "{failures_p}");
        }
    }

    #[test]
    fn more_successes_are_more_evidence() {
        for (m, second) in [(25, (3, 40)), (12, (1, 300)), (2000, (130, 600))] {
            for border in [0.0, -0.05] {
                let p: Vec<f64> = (0..=m)
                    .map(|x| make_rates((x, m), second))
                    .filter(|rates| rates.value() > border)
                    .step_by(1 + m as usize / 100)
                    .map(|rates| rates.one_sided_p(border))
                    .collect();
                assert!(
                    p.is_sorted_by(|one, next| *next <= one * 1.0001),
                    "{m}, {second:?}, {border}: {p:?}"
                );
            }
        }
    }

    #[test]
    fn a_million_trials() {
        // Twice the normal tail, to the precision of a million trials: z is 2.1213 and 1.9520
        // (SciPy).
        let assert_near = |got: f64, expected: f64| assert!((got / expected - 1.0).abs() < 0.002, "{got}");
        assert_near(make_rates((500_000, 1_000_000), (501_500, 1_000_000)).p(0.0), 0.033895);
        assert_near(make_rates((190, 1_000_000), (230, 1_000_000)).p(0.0), 0.050938);
        // With so few successes p is exact, whatever the number of trials: 1 of 10 and 200 of a
        // million.
        let p = make_rates((1, 10), (200, 1_000_000)).p(0.0);
        assert!((0.002..0.005).contains(&p), "{p}");
        let no_successes = make_rates((0, 1_000_000), (0, 1_000_000)).difference(0.95, 0.0);
        assert!(
            no_successes.low == -no_successes.high && (3e-6..4e-6).contains(&no_successes.high),
            "{no_successes:?}"
        );
        for (first, second) in
            [((0, 1_000_000), (1_000_000, 1_000_000)), ((999_999, 1_000_000), (3, 1_000_000))]
        {
            let rates = make_rates(first, second);
            assert_eq!(rates.p(0.0), MIN_P);
            assert!(rates.difference(0.95, 0.0).half_width() < 1e-5);
        }
    }
}
