//! Error rates of sequential tests that decide after every block, from many more runs than in the
//! tests.

use gauntlet::rng::{Rng, Seed};
use gauntlet::stats::sequential::MIN_DISCORDANT;
use gauntlet::stats::{Bounds, Hypothesis, mixture_log_evidence, score_ratio};

use crate::errors;

/// Nominal error rate of either kind.
const ERROR: f64 = 0.05;

pub(crate) fn print(numbers: &[f64]) {
    let runs = numbers[0] as u64;
    for (score, differing_shares) in
        [(0.51, &[0.03, 0.05, 0.1, 0.3, 0.5][..]), (0.55, &[0.12, 0.15, 0.25, 0.3, 0.5])]
    {
        for &share in differing_shares {
            println!("A score of one half against {score}, where {share} of the blocks differ");
            for truth in [0.5, score] {
                for min_differing in [1, MIN_DISCORDANT] {
                    let error_text = error_rate(runs, truth, f64::midpoint(0.5, score), |rng, bounds| {
                        run_test(rng, bounds, (0.5, score), (truth, share), min_differing)
                    });
                    println!(
                        "  a score of {truth}, first look after {min_differing} that differ: {error_text}"
                    );
                }
            }
        }
    }
    println!("The mixture's evidence against the true rate of one half, 10 000 looks");
    let false_alarms = (0..runs).filter(|&run| {
        let mut rng = Seed::root(20).child("mixture", run).rng();
        let mut successes = 0;
        (1..=10_000).any(|trials| {
            successes += rng.below(2);
            mixture_log_evidence(successes, trials, 0.5, (0.5, 0.5)) >= -ERROR.ln()
        })
    });
    println!("  {}", errors(false_alarms.count() as u64, runs));
}

/// Runs the test of two scores, given the true score and the share of blocks that differ.
fn run_test(
    rng: &mut Rng,
    bounds: Bounds,
    scores: (f64, f64),
    (truth, share): (f64, f64),
    min_differing: u64,
) -> Option<Hypothesis> {
    let loss_share = (share - (2.0 * truth - 1.0)) / 2.0;
    let mut results = [0; 3];
    (1..100_000).find_map(|_| {
        let draw = rng.unit();
        let result = if draw < loss_share { 0 } else { 1 + usize::from(draw < share) };
        results[result] += 1;
        let differing = results[0] + results[2];
        if differing < min_differing { None } else { bounds.decide(score_ratio(results, scores.0, scores.1)) }
    })
}

/// Returns the rate at which a test accepts the hypothesis that is further from the truth.
fn error_rate(
    runs: u64,
    truth: f64,
    middle: f64,
    test: impl Fn(&mut Rng, Bounds) -> Option<Hypothesis>,
) -> String {
    let bounds = Bounds::new(ERROR, ERROR);
    let wrong_hypothesis = if truth < middle { Hypothesis::Alternative } else { Hypothesis::Null };
    let decides = |run: u64| test(&mut Seed::root(20).child("test", run).rng(), bounds);
    errors((0..runs).filter(|&run| decides(run) == Some(wrong_hypothesis)).count() as u64, runs)
}
