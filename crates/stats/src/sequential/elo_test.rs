//! Sequential test of a duel: whether one Elo difference explains pairs of games better than
//! another. Also the share of the points after such a test, corrected for stopping early.
//!
//! [`super::stop_correction`] explains the correction. The possible ends of the test are ordered,
//! and the estimate is the share at which half of all ends would be further up. In that module the
//! correction is exact; here it rests on two approximations. First, the log-likelihood ratio is
//! assumed to grow by a constant amount with each quarter of a pair won. So the test is a walk
//! between two straight lines. Second, the distribution of pairs at another share is assumed to be
//! the observed one, exponentially tilted.

use super::super::bisection::bisect;
use super::super::elo::share_of_elo;
use super::super::estimate::Estimate;
use super::gsprt::{EloScale, MIN_DISCORDANT, deviations_of_elo, elo_ratio, moments};
use super::wald::{Bounds, Hypothesis};
use super::walk_ends::{Ends, Walk};

/// Sequential test between two Elo differences, by pairs of games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloTest {
    /// Difference under the null hypothesis, and the larger one under the alternative.
    pub elo: [f64; 2],
    /// Elo scale of the differences.
    pub model: EloScale,
    /// Risk of accepting the larger difference if the smaller one is true.
    pub alpha: f64,
    /// Risk of accepting the smaller difference if the larger one is true.
    pub beta: f64,
}

/// Counts of pairs by points: 0, 0.5, 1, 1.5 and 2.
pub type PairCounts = [u64; 5];

impl EloTest {
    /// Returns the log-likelihood ratios at which the test ends.
    pub fn bounds(&self) -> Bounds {
        Bounds::new(self.alpha, self.beta)
    }

    /// Returns the log-likelihood ratio of the larger difference to the smaller one.
    pub fn ratio(&self, pairs: PairCounts) -> f64 {
        elo_ratio(pairs, self.elo[0], self.elo[1], self.model)
    }

    /// Returns the hypothesis that is accepted after these pairs; `None` while the test continues.
    ///
    /// It decides while all pairs are alike, because then the ratio is that of an exact test. It
    /// decides again once twelve pairs differ from the majority. A test that also decides in
    /// between, when few pairs differ, errs in up to 6.3 % of the runs at a nominal 5 %. This rule
    /// errs in up to 5.0 % (3,000 runs).
    pub fn decide(&self, pairs: PairCounts) -> Option<Hypothesis> {
        let discordant = pairs.iter().sum::<u64>() - pairs.into_iter().max().unwrap_or(0);
        if discordant > 0 && discordant < MIN_DISCORDANT {
            return None;
        }
        self.bounds().decide(self.ratio(pairs))
    }

    /// Returns the share of the points after a test that ended with these pairs, decided or not.
    /// Its bounds have the risks of the test. `None` without pairs.
    pub fn share(&self, pairs: PairCounts) -> Option<Estimate> {
        if pairs == [0; 5] {
            return None;
        }
        if self.decide(pairs) != Some(Hypothesis::Null) {
            return Some(self.share_from_above(pairs));
        }
        // Ends further up are ends further down from the other player's view.
        let [first, second] = self.elo;
        let (elo, alpha, beta) = ([-second, -first], self.beta, self.alpha);
        let mut swapped_pairs = pairs;
        swapped_pairs.reverse();
        let estimate = EloTest { elo, alpha, beta, ..*self }.share_from_above(swapped_pairs);
        Some(estimate.map_decreasing(|share| 1.0 - share))
    }

    /// Returns this share, if the ends further up are the earlier ones in favour of the larger
    /// difference.
    fn share_from_above(&self, pairs: PairCounts) -> Estimate {
        let walk = StraightWalk::new(self, pairs);
        let level = 1.0 - (self.alpha + self.beta);
        let ends = walk.ends();
        let [value, low, high] = [(0.5, 0.5), (1.0, self.alpha), (0.0, 1.0 - self.beta)]
            .map(|(end_fraction, target)| walk.share_with(&ends, end_fraction, target));
        Estimate { value, low: low.min(value), high: high.max(value), level }
    }
}

/// Count added to each result, so that each is possible.
const SMOOTHING: f64 = 0.1;

/// Test as a walk between straight lines, in quarters of pairs won, with 0 to 4 per pair.
struct StraightWalk {
    /// Probabilities of the results.
    probabilities: [f64; 5],
    pairs: u64,
    quarters: u64,
    /// Number of pairs before the first decision.
    first_decision: u64,
    /// Quarters per pair that leave the ratio unchanged, and the growth per further quarter.
    neutral_quarters: f64,
    slope: f64,
    bounds: Bounds,
}

impl StraightWalk {
    fn new(test: &EloTest, pairs: PairCounts) -> StraightWalk {
        let count = pairs.iter().sum::<u64>();
        let total = count as f64;
        let probabilities = pairs.map(|pairs| (pairs as f64 + SMOOTHING) / (total + 5.0 * SMOOTHING));
        let quarters = (0..).zip(pairs).map(|(cell, pairs)| cell * pairs).sum::<u64>();
        let (_, variance) = moments(&probabilities);
        let shares = test.elo.map(|elo| match test.model {
            EloScale::Logistic => share_of_elo(elo),
            EloScale::Normalized => 0.5 + deviations_of_elo::<5>(elo) * variance.sqrt(),
        });
        let neutral_quarters = 2.0 * (shares[0] + shares[1]);
        // Per quarter of a pair won.
        let normal_slope = (shares[1] - shares[0]) / (4.0 * variance);
        // If possible, use the slope at which the walk ends with the exact ratio of the test.
        // Otherwise use the normal approximation, which is inaccurate if nearly all pairs are
        // alike.
        let ratio = test.ratio(pairs);
        let exact_slope = ratio / (quarters as f64 - neutral_quarters * total);
        let slope = if ratio.abs() >= 1.0 && exact_slope > 0.0 { exact_slope } else { normal_slope };
        // Approximate number of pairs after which enough pairs differed for the first decision.
        let discordant = count - pairs.into_iter().max().unwrap_or(0);
        let first_decision = (count * MIN_DISCORDANT.min(discordant)).checked_div(discordant).unwrap_or(0);
        StraightWalk {
            probabilities,
            pairs: count,
            quarters,
            first_decision,
            neutral_quarters,
            slope,
            bounds: test.bounds(),
        }
    }

    fn decide(&self, pairs: u64, quarters: u64) -> Option<Hypothesis> {
        if pairs < self.first_decision {
            return None;
        }
        self.bounds.decide(self.slope * (quarters as f64 - self.neutral_quarters * pairs as f64))
    }

    /// Returns the ends further up than the actual one, and that end, by quarters won and number of
    /// pairs.
    fn ends(&self) -> Ends {
        let mut walk = Walk::new();
        for pairs in 1..=self.pairs {
            walk.step(&self.probabilities);
            if pairs < self.pairs {
                let decide = |quarters| self.decide(pairs, quarters).map(Hypothesis::side);
                walk.remove_ends(decide, |quarters| [quarters as f64, pairs as f64]);
            }
        }
        walk.close(self.quarters, |quarters| [quarters as f64, self.pairs as f64])
    }

    /// Returns the share at which all ends beyond and this part of the actual end have this
    /// probability.
    fn share_with(&self, ends: &Ends, end_fraction: f64, target: f64) -> f64 {
        let is_below = |tilt: f64| {
            let (_, log_sum) = tilt_results(self.probabilities, tilt);
            ends.probability(end_fraction, [tilt, -log_sum]) < target
        };
        // Search outwards from the observed results: far away, ends that were too rare to be
        // counted would be common.
        let side = if is_below(0.0) { 1.0 } else { -1.0 };
        let (mut inner, mut outer) = (0.0, FIRST_TILT * side);
        while is_below(outer) == (side > 0.0) && outer.abs() < MAX_TILT {
            (inner, outer) = (outer, 2.0 * outer);
        }
        let (low, high) = if side > 0.0 { (inner, outer) } else { (outer, inner) };
        let (low, high) = bisect(low, high, 50, |tilt| !is_below(tilt));
        let (tilted, _) = tilt_results(self.probabilities, f64::midpoint(low, high));
        moments(&tilted).0
    }
}

/// Tilt that moves a share by little, and one beyond which the share is 0 or 1 to all digits.
const FIRST_TILT: f64 = 1.0 / 64.0;
const MAX_TILT: f64 = 32.0;

/// Tilts the results, so that each quarter is e^`tilt` times as likely, and returns the logarithm
/// of their sum.
fn tilt_results(mut probabilities: [f64; 5], tilt: f64) -> ([f64; 5], f64) {
    (0_u8..)
        .zip(&mut probabilities)
        .for_each(|(cell, probability)| *probability *= (tilt * f64::from(cell)).exp());
    let sum = probabilities.iter().sum::<f64>();
    (probabilities.map(|probability| probability / sum), sum.ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vigna's xorshift64*, seeded with the run, as numbers from 0 to 1.
    fn draws(run: u64) -> impl FnMut() -> f64 {
        let mut state = (run + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 53) as f64
        };
        // The first numbers of neighbouring seeds are similar.
        (0..10).for_each(|_| {
            next();
        });
        next
    }

    const TYPICAL: [f64; 5] = [0.05, 0.2, 0.5, 0.2, 0.05];
    const DRAWISH: [f64; 5] = [0.002, 0.03, 0.936, 0.03, 0.002];
    const COLOUR_DECIDES: [f64; 5] = [0.015, 0.0, 0.97, 0.0, 0.015];
    const WIDE: [f64; 5] = [0.25, 0.15, 0.2, 0.15, 0.25];
    const WON_OR_LOST: [f64; 5] = [0.5, 0.0, 0.0, 0.0, 0.5];

    /// Returns these results, tilted until the player is stronger by this many points.
    fn results(base: [f64; 5], elo: f64, model: EloScale) -> [f64; 5] {
        let (mut low, mut high) = (-20.0, 20.0);
        for _ in 0..80 {
            let tilt = f64::midpoint(low, high);
            let (mean, variance) = moments(&tilt_results(base, tilt).0);
            let is_stronger = match model {
                EloScale::Logistic => mean > share_of_elo(elo),
                EloScale::Normalized => (mean - 0.5) / variance.sqrt() > deviations_of_elo::<5>(elo),
            };
            if is_stronger { high = tilt } else { low = tilt }
        }
        tilt_results(base, low).0
    }

    /// Returns the pairs with which a test ends; undecided after `max_pairs`.
    fn play_test(test: EloTest, results: [f64; 5], max_pairs: u64, run: u64) -> PairCounts {
        let mut draw = draws(run);
        let mut pairs = [0; 5];
        for _ in 0..max_pairs {
            let mut roll = draw();
            let mut cell = 0;
            while cell < 4 && roll >= results[cell] {
                roll -= results[cell];
                cell += 1;
            }
            pairs[cell] += 1;
            if test.decide(pairs).is_some() {
                break;
            }
        }
        pairs
    }

    fn test(elo: [f64; 2], model: EloScale) -> EloTest {
        EloTest { elo, model, alpha: 0.05, beta: 0.05 }
    }

    /// Returns the error rate of the test if each difference is true, and the pairs it takes.
    fn errors(test: EloTest, base: [f64; 5], runs: u64) -> [(f64, f64); 2] {
        [(0, Hypothesis::Alternative), (1, Hypothesis::Null)].map(|(true_index, wrong_hypothesis)| {
            let results = results(base, test.elo[true_index], test.model);
            let (mut error_count, mut pair_count) = (0, 0);
            for run in 0..runs {
                let pairs = play_test(test, results, 20_000, run);
                error_count += u64::from(test.decide(pairs) == Some(wrong_hypothesis));
                pair_count += pairs.iter().sum::<u64>();
            }
            (error_count as f64 / runs as f64, pair_count as f64 / runs as f64)
        })
    }

    #[test]
    fn errors_are_as_rare_as_asked() {
        for (elo, model, base) in [
            ([0.0, 40.0], EloScale::Logistic, TYPICAL),
            ([0.0, 60.0], EloScale::Logistic, DRAWISH),
            ([-60.0, 0.0], EloScale::Logistic, COLOUR_DECIDES),
            ([150.0, 230.0], EloScale::Logistic, WIDE),
            ([0.0, 100.0], EloScale::Normalized, TYPICAL),
            ([-90.0, 0.0], EloScale::Normalized, WON_OR_LOST),
        ] {
            let errors = errors(test(elo, model), base, 600);
            // Three standard errors above 5 %.
            assert!(
                errors.iter().all(|(errs, _)| *errs <= 0.077),
                "{elo:?}, {model:?}, {base:?}: {errors:?}"
            );
        }
    }

    #[test]
    fn what_is_all_alike_ends() {
        let ends = |cell: usize| {
            let end = (1..3000).find_map(|count| {
                let mut pairs = [0; 5];
                pairs[cell] = count;
                test([0.0, 5.0], EloScale::Logistic).decide(pairs).map(|hypothesis| (count, hypothesis))
            });
            end.expect("an end")
        };
        // ln(0.95 / 0.05) over the logarithm of the share at 5 points over one half; likewise for
        // drawn pairs.
        assert_eq!(ends(4), (207, Hypothesis::Alternative));
        assert!(
            ends(0).1 == Hypothesis::Null && ends(2).1 == Hypothesis::Null,
            "{:?}, {:?}",
            ends(0),
            ends(2)
        );
        // A few pairs that differ are not yet conclusive.
        assert_eq!(test([0.0, 5.0], EloScale::Logistic).decide([3, 0, 0, 0, 400]), None);
    }

    /// Returns the proportion of runs in which the estimate is too large, and in which the bounds
    /// contain the truth.
    fn measure_corrected(test: EloTest, base: [f64; 5], elo: f64, runs: u64, max_pairs: u64) -> [f64; 3] {
        let results = results(base, elo, test.model);
        let true_share = moments(&results).0;
        let (mut too_large, mut covered, mut uncorrected) = (0, 0, 0);
        for run in 0..runs {
            let pairs = play_test(test, results, max_pairs, run);
            let estimate = test.share(pairs).expect("pairs");
            assert!(
                estimate.low <= estimate.value && estimate.value <= estimate.high,
                "{pairs:?}: {estimate:?}"
            );
            too_large += u64::from(estimate.value > true_share);
            covered += u64::from(!estimate.excludes(true_share));
            let count = pairs.iter().sum::<u64>() as f64;
            let share =
                (0_u8..).zip(pairs).map(|(cell, pairs)| f64::from(cell) / 4.0 * pairs as f64).sum::<f64>()
                    / count;
            uncorrected += u64::from(share > true_share);
        }
        [too_large, covered, uncorrected].map(|count| count as f64 / runs as f64)
    }

    #[test]
    fn an_estimate_is_corrected_for_stopping() {
        for (elo, base, true_elo) in [
            ([0.0, 40.0], TYPICAL, 40.0),
            ([0.0, 40.0], TYPICAL, -20.0),
            ([0.0, 60.0], WIDE, 60.0),
            ([0.0, 60.0], WIDE, 20.0),
        ] {
            let [too_large, covered, _] =
                measure_corrected(test(elo, EloScale::Logistic), base, true_elo, 200, 3000);
            assert!(
                (0.40..=0.60).contains(&too_large),
                "{elo:?}, {base:?}, {true_elo}: {too_large} are too large"
            );
            assert!(covered >= 0.85, "{elo:?}, {base:?}, {true_elo}: {covered} hold");
        }
    }

    #[test]
    fn turned_around_it_is_the_same() {
        for pairs in
            [[3, 10, 40, 25, 9], [1, 2, 300, 40, 3], [0, 0, 0, 0, 30], [0, 0, 7, 0, 0], [9, 20, 11, 3, 0]]
        {
            let one = EloTest { elo: [-10.0, 30.0], model: EloScale::Logistic, alpha: 0.05, beta: 0.1 };
            let other = EloTest { elo: [-30.0, 10.0], alpha: 0.1, beta: 0.05, ..one };
            let mut swapped_pairs = pairs;
            swapped_pairs.reverse();
            let [one, other] =
                [one.share(pairs), other.share(swapped_pairs)].map(|share| share.expect("pairs"));
            assert!((one.value + other.value - 1.0).abs() < 1e-6, "{pairs:?}: {one:?}, {other:?}");
            assert!((one.low + other.high - 1.0).abs() < 1e-6, "{pairs:?}: {one:?}, {other:?}");
        }
        assert_eq!(test([0.0, 5.0], EloScale::Logistic).share([0; 5]), None);
        // Far ends that are too rare to be counted distort no bound.
        let mostly_drawn = test([0.0, 5.0], EloScale::Logistic).share([0, 5, 200, 5, 0]).expect("pairs");
        assert!(
            (mostly_drawn.value - 0.5).abs() < 1e-9 && mostly_drawn.high < 0.52 && mostly_drawn.low > 0.48,
            "{mostly_drawn:?}"
        );
    }

    #[test]
    #[ignore = "measures: cargo bench --bench verdicts -- elo"]
    fn errors_of_the_test_of_elo() {
        let bases = [
            ("typical", TYPICAL),
            ("drawish", DRAWISH),
            ("colour decides", COLOUR_DECIDES),
            ("wide", WIDE),
            ("won or lost", WON_OR_LOST),
        ];
        for (elo, model) in [
            ([0.0, 10.0], EloScale::Logistic),
            ([0.0, 20.0], EloScale::Logistic),
            ([0.0, 60.0], EloScale::Logistic),
            ([-30.0, 0.0], EloScale::Logistic),
            ([200.0, 240.0], EloScale::Logistic),
            ([0.0, 20.0], EloScale::Normalized),
            ([0.0, 60.0], EloScale::Normalized),
        ] {
            for (name, base) in bases {
                let [false_alarm, miss] = errors(test(elo, model), base, 4000);
                let [too_large, covered, uncorrected] =
                    measure_corrected(test(elo, model), base, elo[1], 1000, 20_000);
                println!(
                    "{elo:?} {model:?}, {name}: {:.1} % after {:.0} pairs, {:.1} % after {:.0}; corrected {:.0} % too large \
                     (plainly {:.0} %), {:.0} % within",
                    100.0 * false_alarm.0,
                    false_alarm.1,
                    100.0 * miss.0,
                    miss.1,
                    100.0 * too_large,
                    100.0 * uncorrected,
                    100.0 * covered
                );
            }
        }
    }
}
