//! Share of the points in pairs of games, if pairs come in clusters: an opening and its mirror
//! images, whose games are not independent.
//!
//! The unit of randomness is the cluster. The share is the share over all pairs, points divided by
//! possible points. Its bounds are those of Gaffke (2005; Learned-Miller and Thomas 2020) for the
//! mean of bounded values of any distribution. For the lower bound, a cluster without any point is
//! added to those seen. The clusters then get random weights, all weightings being equally likely
//! (the Bayesian bootstrap of Rubin 1981). The bound is the quantile of the weighted share at the
//! permitted risk. For the upper bound, the added cluster has all points. So even if all pairs
//! ended alike, the interval has a sensible width: for 20 of 20 pairs won it equals Clopper and
//! Pearson's. A normal or Student interval would have no width.
//!
//! `crates/stats/tests/clusters.rs` measures the coverage of the bounds, and how often equal
//! players are declared different; `docs/EVIDENCE.md` has the table.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::f64::consts::PI;

use super::bisection::bisect;
use super::estimate::Estimate;
use super::sign_flips::p_of_flips;

/// Pairs of games in one cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cluster {
    /// Half points of the player, 0 to 4 per pair.
    pub half_points: u64,
    /// Number of pairs.
    pub pairs: u64,
}

impl Cluster {
    /// Returns the points beyond this share, in pairs won.
    fn excess_points(self, share: f64) -> f64 {
        self.half_points as f64 / 4.0 - share * self.pairs as f64
    }
}

/// Share of the points in pairs of games, by clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterCounts {
    /// Number of clusters of each kind.
    kinds: BTreeMap<Cluster, u64>,
    total: Cluster,
    /// Size of the added cluster: the mean number of pairs in the cluster of a pair, so that a few
    /// large clusters among small ones count.
    size: f64,
}

impl ClusterCounts {
    /// Collects the clusters and leaves out empty ones. `None` without pairs.
    ///
    /// # Panics
    /// If a cluster has more points than its pairs can give.
    pub fn new(clusters: impl IntoIterator<Item = Cluster>) -> Option<ClusterCounts> {
        let (mut kinds, mut total, mut squares) = (BTreeMap::new(), Cluster::default(), 0.0);
        for cluster in clusters.into_iter().filter(|cluster| cluster.pairs > 0) {
            let Cluster { half_points, pairs } = cluster;
            assert!(
                half_points <= 4 * pairs,
                "{half_points} half points exceed the maximum of {pairs} pairs"
            );
            *kinds.entry(cluster).or_default() += 1;
            total = Cluster { half_points: total.half_points + half_points, pairs: total.pairs + pairs };
            squares += (pairs as f64) * (pairs as f64);
        }
        (total.pairs > 0).then(|| ClusterCounts { kinds, total, size: squares / total.pairs as f64 })
    }

    /// Returns the number of clusters.
    pub fn clusters(&self) -> u64 {
        self.kinds.values().sum()
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.total.pairs
    }

    /// Returns the share of the points.
    pub fn share(&self) -> f64 {
        self.total.half_points as f64 / (4 * self.total.pairs) as f64
    }

    /// Returns the share with bounds, valid for a number of pairs that was fixed in advance.
    ///
    /// # Panics
    /// If the level is not between 0 and 1.
    pub fn interval(&self, level: f64) -> Estimate {
        assert!(level > 0.0 && level < 1.0, "a level of {level}");
        let (value, risk) = (self.share(), (1.0 - level) / 2.0);
        // The further a share is from the observed one, the less likely clusters appear to be on
        // the other side.
        let bound = |extreme: f64, side: Ordering| {
            bisect(value, extreme, 48, |share| self.one_sided_p(share, side) < risk).0
        };
        let low = if value > 0.0 { bound(0.0, Ordering::Greater) } else { 0.0 };
        let high = if value < 1.0 { bound(1.0, Ordering::Less) } else { 1.0 };
        Estimate { value, low, high, level }
    }

    /// Returns the one-sided p that matches the bounds: the probability that clusters of a player
    /// with this share appear at least as far above it (greater), or below it (less).
    pub fn one_sided_p(&self, share: f64, side: Ordering) -> f64 {
        match side {
            Ordering::Greater => self.probability_below(share, [1.0, 0.0]),
            Ordering::Less => 1.0 - self.probability_below(share, [0.0, 1.0]),
            Ordering::Equal => 1.0,
        }
    }

    /// Returns the p of the test that both players are equal: the probability of points at least as
    /// uneven under random signs of the clusters. It is exact. A player may score half of the
    /// points without being equal; that is a different hypothesis.
    pub fn p_of_equals(&self) -> f64 {
        let (mut leads, mut sum) = (BTreeMap::new(), 0_i128);
        for (cluster, &count) in &self.kinds {
            let [half_points, expected] = [cluster.half_points, 2 * cluster.pairs];
            *leads.entry(half_points.abs_diff(expected)).or_default() += count;
            sum += (i128::from(half_points) - i128::from(expected)) * i128::from(count);
        }
        p_of_flips(&leads, sum.unsigned_abs() as u64)
    }

    /// Returns the two-sided p of this share that matches the bounds: twice the one-sided p on the
    /// side of the observed share.
    pub fn p(&self, share: f64) -> f64 {
        let tails = [Ordering::Greater, Ordering::Less].map(|side| self.one_sided_p(share, side));
        (2.0 * tails[0].min(tails[1])).min(1.0)
    }

    /// Returns the likelihood of superiority (LOS): the probability of scoring more than half of
    /// the points. Half a cluster is added at either end, which is Jeffreys' prior if every pair is
    /// won or lost.
    pub fn superiority(&self) -> f64 {
        1.0 - self.probability_below(0.5, [0.5; 2])
    }

    /// Returns the probability that the randomly weighted share is below this one, after adding
    /// parts of a cluster without points and of a cluster with all points.
    fn probability_below(&self, share: f64, [lost_weight, won_weight]: [f64; 2]) -> f64 {
        let observed =
            self.kinds.iter().map(|(cluster, &count)| (cluster.excess_points(share), count as f64));
        let added = [(-share * self.size, lost_weight), ((1.0 - share) * self.size, won_weight)];
        probability_below_zero(
            &observed.chain(added).filter(|&(value, count)| value != 0.0 && count > 0.0).collect::<Vec<_>>(),
        )
    }
}

/// Step of the sum in `probability_below_zero`, far finer than needed, and the maximum number of
/// steps.
const STEP: f64 = 0.125;
const MAX_STEPS: u32 = 400;

/// Returns the probability that a weighted sum of the values is below 0. Each value is multiplied
/// by an independent gamma variate, whose shape is its count. Divided by their sum, such variates
/// are weights that are all equally likely (Dirichlet distribution). Values of 0 have no effect.
///
/// The probability is an integral over the characteristic function, which is a product. The path of
/// integration passes through the saddle point, where nothing cancels, so small probabilities keep
/// their digits.
fn probability_below_zero(values: &[(f64, f64)]) -> f64 {
    let has_value = |predicate: fn(f64) -> bool| values.iter().any(|&(value, _)| predicate(value));
    match (has_value(|value| value < 0.0), has_value(|value| value > 0.0)) {
        (false, false) => return 0.5,
        (false, true) => return 0.0,
        (true, false) => return 1.0,
        (true, true) => {}
    }
    // Compute the smaller tail: flip the values so that it is the one above 0.
    let mean: f64 = values.iter().map(|(value, count)| value * count).sum();
    if mean < 0.0 {
        let negated: Vec<_> = values.iter().map(|&(value, count)| (-value, count)).collect();
        return 1.0 - probability_below_zero(&negated);
    }
    let values: Vec<_> = values.iter().map(|&(value, count)| (-value, count)).collect();
    // On the real axis between 0 and the first pole, exp(K(s)) / s is smallest where K'(s) = 1 / s.
    // K is the logarithm of the moment generating function, -Σ count ln(1 - s value).
    let largest = values.iter().map(|value| value.0).fold(0.0, f64::max);
    let slope = |s: f64| values.iter().map(|(value, count)| count * value / (1.0 - s * value)).sum::<f64>();
    let (low, high) = bisect(0.0, 1.0 / largest, 40, |s| slope(s) > 1.0 / s);
    let saddle = f64::midpoint(low, high);
    let curvature = values.iter().map(|&(value, count)| {
        let ratio = value / (1.0 - saddle * value);
        count * ratio * ratio
    });
    let width = 1.0 / (curvature.sum::<f64>() + 1.0 / (saddle * saddle)).sqrt();
    let integrand = |height: f64| {
        let (mut log, mut angle) = (0.0, 0.0);
        for &(value, count) in &values {
            let (real, imaginary) = (1.0 - saddle * value, height * value);
            log -= count / 2.0 * (real * real + imaginary * imaginary).ln();
            angle += count * (imaginary / real).atan();
        }
        log -= (saddle * saddle + height * height).ln() / 2.0;
        angle -= (height / saddle).atan();
        log.exp() * angle.cos()
    };
    // Substitute the hyperbolic sine, so that a slow decay becomes a fast one.
    let first = integrand(0.0);
    let mut sum = first / 2.0;
    for step in 1..=MAX_STEPS {
        let position = STEP * f64::from(step);
        let term = integrand(width * position.sinh()) * position.cosh();
        sum += term;
        if position > 1.0 && term.abs() <= 1e-16 * first {
            break;
        }
    }
    (sum * STEP * width / PI).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::{Beta, Binomial};

    fn cluster_counts(clusters: &[(u64, u64)]) -> ClusterCounts {
        let clusters = clusters.iter().map(|&(half_points, pairs)| Cluster { half_points, pairs });
        ClusterCounts::new(clusters).expect("pairs")
    }

    /// Pairs that are each won or lost.
    fn won_pairs(won: u64, pairs: u64) -> ClusterCounts {
        cluster_counts(&(0..pairs).map(|pair| (if pair < won { 4 } else { 0 }, 1)).collect::<Vec<_>>())
    }

    #[track_caller]
    fn assert_close(got: f64, expected: f64) {
        assert!((got - expected).abs() <= 1e-9 * expected.abs() + 1e-15, "{got} is not {expected}");
    }

    #[test]
    fn of_wins_and_losses_alone_it_is_clopper_and_pearsons() {
        // R: binom.test(7, 10), binom.test(20, 20).
        let interval = won_pairs(7, 10).interval(0.95);
        assert!(
            (interval.low - 0.347_547_1).abs() < 1e-7 && (interval.high - 0.933_260_5).abs() < 1e-7,
            "{interval:?}"
        );
        let perfect = won_pairs(20, 20).interval(0.95);
        assert!(
            (perfect.low - 0.831_566_5).abs() < 1e-7 && (perfect.value, perfect.high) == (1.0, 1.0),
            "{perfect:?}"
        );
        for (wins, pairs) in
            [(0, 1), (1, 1), (1, 2), (5, 5), (12, 20), (190, 200), (499, 1000), (100_000, 190_000)]
        {
            for share in [0.001, 0.3, 0.5, 0.9] {
                let counts = won_pairs(wins, pairs);
                let at_least = Binomial::new(pairs, 1.0 - share).cdf(pairs - wins);
                assert_close(counts.one_sided_p(share, Ordering::Greater), at_least);
                assert_close(
                    counts.one_sided_p(share, Ordering::Less),
                    Binomial::new(pairs, share).cdf(wins),
                );
            }
            let (alpha, beta) = (wins as f64 + 0.5, (pairs - wins) as f64 + 0.5);
            assert_close(won_pairs(wins, pairs).superiority(), Beta::new(alpha, beta).tails(0.5, 0.5).1);
        }
        // A far tail keeps its digits.
        assert_close(won_pairs(100, 100).p(0.5), 2.0 * 0.5_f64.powi(100));
    }

    /// Two values of one sign and one of the other: the sum of exponential variates by hand.
    #[test]
    fn a_sum_of_exponentials_by_hand() {
        // Compare X = aE + bF with cG: P(X < cG) = 1 / ((1 + a / c) (1 + b / c)).
        for (a, b, c) in [(1.0, 2.0, 3.0), (0.1, 5.0, 0.2), (1e-3, 1e-3, 1.0)] {
            let expected = 1.0 / ((1.0 + a / c) * (1.0 + b / c));
            assert_close(probability_below_zero(&[(a, 1.0), (b, 1.0), (-c, 1.0)]), expected);
            assert_close(probability_below_zero(&[(-a, 1.0), (-b, 1.0), (c, 1.0)]), 1.0 - expected);
        }
    }

    #[test]
    fn what_is_alike_is_not_known_exactly() {
        // All pairs drawn, or won by the same colour: equal, and a few of the next pairs may
        // differ.
        let all_drawn = cluster_counts(&[(2, 1); 20]);
        let Estimate { value, low, high, .. } = all_drawn.interval(0.95);
        assert!(
            value == 0.5 && (0.40..0.43).contains(&low) && (low + high - 1.0).abs() < 1e-9,
            "{low}, {high}"
        );
        assert_close(all_drawn.p(0.5), 1.0);
        assert_close(all_drawn.superiority(), 0.5);
        // A single cluster shows little, however many pairs it has.
        let single_cluster = cluster_counts(&[(4_000, 1_000)]).interval(0.95);
        assert_eq!((single_cluster.value, single_cluster.high), (1.0, 1.0));
        assert_close(single_cluster.low, 0.025);
        assert_eq!(ClusterCounts::new([]), None);
        assert_eq!(ClusterCounts::new([Cluster::default()]), None);
    }

    #[test]
    fn bounds_and_p_are_one_test() {
        let counts =
            cluster_counts(&[(3, 1), (2, 1), (4, 1), (2, 1), (9, 3), (1, 1), (3, 1), (6, 2), (4, 1)]);
        assert_eq!((counts.clusters(), counts.pairs(), counts.share()), (9, 12, 34.0 / 48.0));
        let mut wider = 0.0;
        for level in [0.5, 0.9, 0.95, 0.999, 0.999_999] {
            let Estimate { value, low, high, .. } = counts.interval(level);
            assert!(low < value && value < high && high - low > wider, "{level}: {low}, {high}");
            wider = high - low;
            for bound in [low, high] {
                assert!((counts.p(bound) / (1.0 - level) - 1.0).abs() < 1e-6, "{level}: {}", counts.p(bound));
            }
        }
        // The other player has the rest.
        let other = cluster_counts(&[(1, 1), (2, 1), (0, 1), (2, 1), (3, 3), (3, 1), (1, 1), (2, 2), (0, 1)]);
        let (one, rest) = (counts.interval(0.95), other.interval(0.95));
        assert!((one.low + rest.high - 1.0).abs() < 1e-9 && (one.high + rest.low - 1.0).abs() < 1e-9);
        assert_close(counts.superiority() + other.superiority(), 1.0);
        assert_close(counts.p(0.5), other.p(0.5));
        // Equal pairs in fewer clusters give a wider interval.
        let fewer_clusters = cluster_counts(&[(9, 3), (9, 3), (7, 3), (9, 3)]).interval(0.95);
        assert!(fewer_clusters.high - fewer_clusters.low > one.high - one.low, "{fewer_clusters:?}");
    }

    #[test]
    fn many_clusters_are_nearly_normal() {
        let interval =
            cluster_counts(&(0..100_000).map(|pair| (pair * 7 % 5, 1)).collect::<Vec<_>>()).interval(0.95);
        let half_width = 1.959_964 * (0.125_f64 / 100_000.0).sqrt();
        assert!(((interval.high - interval.low) / 2.0 / half_width - 1.0).abs() < 0.01, "{interval:?}");
    }

    #[test]
    #[should_panic(expected = "9 half points exceed the maximum of 2 pairs")]
    fn more_points_than_there_are_is_refused() {
        cluster_counts(&[(9, 2)]);
    }
}
