//! Intervals contain the truth as often as their level requires, and tests err no more often than
//! their level permits. Rates are checked by summing over all outcomes, and everything else by
//! simulation from fixed seeds.

use gauntlet::rng::{Rng, Seed};
use gauntlet::stats::sequential::MIN_DISCORDANT;
use gauntlet::stats::{
    Bounds, ContingencyTable, Estimate, Hypothesis, LogRatio, MeanLogRatio, RatioSums, hodges_lehmann,
    interquartile_mean, mixture_log_evidence, newcombe, performance_profile, probability_of_improvement,
    score_ratio, student_mean, wilson,
};

const LEVEL: f64 = 0.95;

/// The accepted coverage for a nominal 95 %.
const ACCEPTED_COVERAGE: std::ops::RangeInclusive<f64> = 0.94..=0.965;

/// Returns a uniform number from 0 to 1.
pub(crate) fn uniform(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns a nearly normal number with mean 0 and variance 1: the sum of twelve uniform ones.
fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0
}

/// Returns the number of successes in these trials.
fn successes(rng: &mut Rng, trials: u64, rate: f64) -> u64 {
    (0..trials).filter(|_| uniform(rng) < rate).count() as u64
}

/// Returns the share of the runs in which a condition holds.
fn share_of_runs(name: &str, runs: u64, condition: impl Fn(&mut Rng) -> bool) -> f64 {
    let count = (0..runs).filter(|&run| condition(&mut Seed::root(2048).child(name, run).rng())).count();
    count as f64 / runs as f64
}

/// Checks the coverage of an interval over simulated runs.
#[track_caller]
fn assert_coverage(name: &str, runs: u64, truth: f64, interval: impl Fn(&mut Rng) -> Estimate) {
    let coverage = share_of_runs(name, runs, |rng| {
        let Estimate { low, high, .. } = interval(rng);
        low <= truth && truth <= high
    });
    assert!(ACCEPTED_COVERAGE.contains(&coverage), "{name} covers {coverage}");
}

/// Returns the coverage of Wilson's interval: the total probability of all success counts whose
/// interval contains the rate.
fn exact_coverage(trials: u64, rate: f64) -> f64 {
    // Logarithms, because the first probabilities are close to 0.
    let (mut log_probability, mut coverage) = (trials as f64 * (1.0 - rate).ln(), 0.0);
    for successes in 0..=trials {
        let Estimate { low, high, .. } = wilson(successes, trials, LEVEL).expect("there are trials");
        if low <= rate && rate <= high {
            coverage += log_probability.exp();
        }
        log_probability += (rate / (1.0 - rate) * (trials - successes) as f64 / (successes + 1) as f64).ln();
    }
    coverage
}

/// Success counts are integers, so the coverage varies around its level. It is high enough at most
/// rates that are not near 0 or 1.
#[test]
fn rates() {
    let coverages: Vec<f64> =
        (5..=95).step_by(2).map(|rate| exact_coverage(400, f64::from(rate) / 100.0)).collect();
    let accepted_count = coverages.iter().filter(|coverage| ACCEPTED_COVERAGE.contains(coverage)).count();
    let mean = coverages.iter().sum::<f64>() / coverages.len() as f64;
    assert!(
        accepted_count >= 40 && (0.945..0.955).contains(&mean),
        "{accepted_count} of {}, {mean}",
        coverages.len()
    );
}

#[test]
fn differences_of_rates() {
    assert_coverage("newcombe", 5000, 0.07, |rng| {
        let (first, second) = (successes(rng, 300, 0.37), successes(rng, 400, 0.30));
        newcombe((first, 300), (second, 400), LEVEL).expect("there are trials")
    });
    assert_coverage("paired difference", 5000, 0.1, |rng| {
        let mut pairs = ContingencyTable::default();
        for _ in 0..400 {
            // Both players share a common part, and each has its own.
            let common = uniform(rng);
            let mut succeeds =
                |rate: f64| if uniform(rng) < 0.5 { common < rate } else { uniform(rng) < rate };
            pairs.add(succeeds(0.6), succeeds(0.5));
        }
        pairs.difference(LEVEL).expect("there are trials")
    });
}

#[test]
fn means_and_ratios() {
    assert_coverage("mean", 5000, 500.0, |rng| {
        let values: Vec<u64> = (0..20).map(|_| rng.below(1001)).collect();
        let squares = values.iter().map(|&value| u128::from(value).pow(2)).sum();
        let mean = student_mean(20, values.iter().copied().map(i128::from).sum(), squares, LEVEL);
        mean.expect("several values")
    });
    assert_coverage("paired ratio", 5000, 1.1, |rng| {
        let pairs = (0..15).map(|_| {
            let shared_factor = (10.0 + normal(rng)).exp();
            (shared_factor * 1.1 * (0.4 * normal(rng)).exp(), shared_factor * (0.4 * normal(rng)).exp())
        });
        MeanLogRatio::from_pairs(pairs.collect::<Vec<_>>()).expect("pairs").ratio(LEVEL).estimate
    });
    assert_coverage("ratio of samples", 5000, 1.1, |rng| {
        let first: Vec<f64> = (0..12).map(|_| 1.1 * (0.3 * normal(rng)).exp()).collect();
        let second: Vec<f64> = (0..25).map(|_| (0.8 * normal(rng)).exp()).collect();
        MeanLogRatio::from_samples(first, second).expect("values").ratio(LEVEL).estimate
    });
}

/// Scores are the squares of uniform numbers, so the quantile p of a million is p². The mean of the
/// middle half is 2/3 of 0.75³ - 0.25³; rounding down subtracts a half. METHOD.md states these
/// shares.
#[test]
fn interquartile_means() {
    let truth = 2e6 / 3.0 * (0.75_f64.powi(3) - 0.25_f64.powi(3)) - 0.5;
    for (games, documented_percent) in [(20, 92.3), (100, 94.5), (400, 94.5)] {
        let name = format!("interquartile mean of {games}");
        let coverage = share_of_runs(&name, 5000, |rng| {
            let scores = (0..games).map(|_| (1e6 * uniform(rng).powi(2)) as u64);
            !interquartile_mean(&scores.collect(), LEVEL).expect("scores").excludes(truth)
        });
        let percent = 100.0 * coverage;
        assert!((percent - documented_percent).abs() < 0.051, "{games} games: {percent} %");
    }
}

/// Half of the seeds are won, and a fifth are tied. The bounds err on the safe side.
#[test]
fn probabilities_of_improvement() {
    let coverage = share_of_runs("improvement", 2000, |rng| {
        let difference = |rng: &mut Rng| match uniform(rng) {
            number if number < 0.5 => 7.0,
            number if number < 0.7 => 0.0,
            _ => -3.0,
        };
        let differences = (0..60).map(|_| difference(rng)).collect();
        !probability_of_improvement(&differences, LEVEL).expect("differences").excludes(0.6)
    });
    assert!((LEVEL..0.99).contains(&coverage), "{coverage}");
}

/// The band contains all true shares at once; intervals for single shares do not.
#[test]
fn performance_profiles() {
    let thresholds: Vec<u64> = (0..=100).map(|index| 100 * index).collect();
    let truth = |threshold: u64| 1.0 - threshold as f64 / 1e4;
    let covers = |shares: Vec<Estimate>| {
        thresholds.iter().zip(shares).all(|(&threshold, share)| !share.excludes(truth(threshold)))
    };
    let profile = |rng: &mut Rng| {
        let scores = (0..100).map(|_| rng.below(10_000)).collect();
        performance_profile(&scores, &thresholds, LEVEL)
    };
    let coverage = share_of_runs("profile", 2000, |rng| covers(profile(rng)));
    assert!((LEVEL..0.98).contains(&coverage), "{coverage}");
    let single_coverage = share_of_runs("profile", 2000, |rng| {
        let interval = |share: Estimate| wilson((100.0 * share.value).round() as u64, 100, LEVEL);
        covers(profile(rng).into_iter().map(|share| interval(share).expect("games")).collect())
    });
    assert!(single_coverage < 0.6, "{single_coverage}");
}

/// A sharp peak and heavy tails: sometimes ten times as far from the centre.
fn heavy_tailed(rng: &mut Rng) -> f64 {
    let is_far = uniform(rng) < 0.1;
    normal(rng) * if is_far { 10.0 } else { 1.0 }
}

#[test]
fn ranks() {
    assert_coverage("hodges lehmann, counted out", 4000, 3.0, |rng| {
        let values = (0..30).map(|_| 3.0 + heavy_tailed(rng));
        hodges_lehmann(&values.collect(), LEVEL).expect("values")
    });
    assert_coverage("hodges lehmann, as normal", 1500, 3.0, |rng| {
        let values = (0..250).map(|_| 3.0 + heavy_tailed(rng));
        hodges_lehmann(&values.collect(), LEVEL).expect("values")
    });
}

/// Games of 1 to 2 moves. A move in a game of m moves takes 0.5 + 0.5 m. The mean of 0.5 m + 0.5 m²
/// divided by the mean of m is 23/18.
fn time_and_moves(rng: &mut Rng) -> RatioSums {
    let moves = 1.0 + uniform(rng);
    (moves * (0.5 + 0.5 * moves) * (0.5 + uniform(rng)), moves)
}

#[test]
fn ratios_of_sums() {
    let ratio = |rng: &mut Rng, groups| {
        let groups: Vec<RatioSums> = (0..groups).map(|_| time_and_moves(rng)).collect();
        LogRatio::new(&groups).expect("groups").interval(LEVEL)
    };
    assert_coverage("ratio of sums", 4000, 23.0 / 18.0, |rng| ratio(rng, 40));
    assert_coverage("ratio of sums, few groups", 4000, 23.0 / 18.0, |rng| ratio(rng, 16));
    assert_coverage("ratio of paired sums", 4000, 2.0, |rng| {
        let pair = |rng: &mut Rng| {
            let (time, moves) = time_and_moves(rng);
            // Both have the same mean for any value of the first.
            let factor = 0.5 + uniform(rng);
            [(2.0 * time * factor, moves), (time, moves)]
        };
        let groups: Vec<[RatioSums; 2]> = (0..20).map(|_| pair(rng)).collect();
        LogRatio::from_pairs(&groups).expect("groups").interval(LEVEL)
    });
    assert_coverage("ratio of sums apart", 4000, 1.0, |rng| {
        let [one, other] = [30, 16].map(|groups| {
            let groups: Vec<RatioSums> = (0..groups).map(|_| time_and_moves(rng)).collect();
            LogRatio::new(&groups).expect("groups")
        });
        one.divide_by(other).interval(LEVEL)
    });
}

/// Returns the decision of a test that looks after every trial. `None` if it is undecided after
/// `max_trials`.
fn first_decision(max_trials: u64, mut decide: impl FnMut(u64) -> Option<Hypothesis>) -> Option<Hypothesis> {
    (1..=max_trials).find_map(&mut decide)
}

#[test]
fn sequential_tests_of_equals() {
    let bounds = Bounds::new(0.05, 0.05);
    for (name, discordant) in [("a tenth differs", 0.1), ("half differ", 0.5)] {
        let alarm_rate = share_of_runs(name, 3000, |rng| {
            let mut results = [0; 3];
            let decision = first_decision(5000, |_| {
                let sample = uniform(rng);
                let result =
                    if sample >= discordant { 1 } else { 2 * usize::from(sample < discordant / 2.0) };
                results[result] += 1;
                let discordant_count = results[0] + results[2];
                if discordant_count < MIN_DISCORDANT {
                    None
                } else {
                    bounds.decide(score_ratio(results, 0.5, 0.55))
                }
            });
            decision == Some(Hypothesis::Alternative)
        });
        assert!(alarm_rate <= 0.05, "{name}: {alarm_rate}");
    }
}

#[test]
fn mixtures_are_honest_at_all_times() {
    let alarm_rate = share_of_runs("mixture", 1000, |rng| {
        let mut successes = 0;
        let alarm_trial = (1..=2000).find(|&trials| {
            successes += rng.below(2);
            mixture_log_evidence(successes, trials, 0.5, (0.5, 0.5)) >= 20_f64.ln()
        });
        alarm_trial.is_some()
    });
    assert!(alarm_rate <= 0.05, "{alarm_rate}");
}
