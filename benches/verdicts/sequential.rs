//! Error rates of sequential tests that decide after every block, from many more runs than in the
//! tests.

use gauntlet::rng::{Rng, Seed};
use gauntlet::stats::sequential::LEAST_DISCORDANT;
use gauntlet::stats::{Bounds, Hypothesis, mixture_log_evidence, score_ratio};

use crate::errors;

/// Nominal error rate of either kind.
const ERROR: f64 = 0.05;

pub(crate) fn print(numbers: &[f64]) {
    let runs = numbers[0] as u64;
    for (score, parts) in [(0.51, &[0.03, 0.05, 0.1, 0.3, 0.5][..]), (0.55, &[0.12, 0.15, 0.25, 0.3, 0.5])] {
        for &part in parts {
            println!("A score of one half against {score}, where {part} of the blocks differ");
            for truth in [0.5, score] {
                for least in [1, LEAST_DISCORDANT] {
                    let wrong = wrong_part(runs, truth, f64::midpoint(0.5, score), |rng, bounds| {
                        generalized(rng, bounds, (0.5, score), (truth, part), least)
                    });
                    println!("  a score of {truth}, first look after {least} that differ: {wrong}");
                }
            }
        }
    }
    println!("The mixture's evidence against the true rate of one half, 10 000 looks");
    let alarms = (0..runs).filter(|&run| {
        let mut rng = Seed::root(20).child("mixture", run).rng();
        let mut successes = 0;
        (1..=10_000).any(|trials| {
            successes += rng.below(2);
            mixture_log_evidence(successes, trials, 0.5, (0.5, 0.5)) >= -ERROR.ln()
        })
    });
    println!("  {}", errors(alarms.count() as u64, runs));
}

/// Runs the test of two scores, given the true score and the share of blocks that differ.
fn generalized(
    rng: &mut Rng,
    bounds: Bounds,
    scores: (f64, f64),
    (truth, part): (f64, f64),
    least: u64,
) -> Option<Hypothesis> {
    let lost = (part - (2.0 * truth - 1.0)) / 2.0;
    let mut results = [0; 3];
    (1..100_000).find_map(|_| {
        let luck = rng.unit();
        let result = if luck < lost { 0 } else { 1 + usize::from(luck < part) };
        results[result] += 1;
        let differing = results[0] + results[2];
        if differing < least { None } else { bounds.decide(score_ratio(results, scores.0, scores.1)) }
    })
}

/// Returns the rate at which a test accepts the hypothesis that is further from the truth.
fn wrong_part(
    runs: u64,
    truth: f64,
    middle: f64,
    test: impl Fn(&mut Rng, Bounds) -> Option<Hypothesis>,
) -> String {
    let bounds = Bounds::new(ERROR, ERROR);
    let wrong = if truth < middle { Hypothesis::Alternative } else { Hypothesis::Null };
    let decides = |run: u64| test(&mut Seed::root(20).child("test", run).rng(), bounds);
    errors((0..runs).filter(|&run| decides(run) == Some(wrong)).count() as u64, runs)
}
