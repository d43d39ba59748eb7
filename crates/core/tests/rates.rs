//! Intervals of differences of rates beside the p that stands next to them.

use gauntlet_core::rng::Seed;
use gauntlet_core::stats::{Pairs, TwoRates};

/// Seeds, and the parts of them on which both of two equal players succeed, and only the one or only the other.
const EQUALS: [(u64, f64, f64); 7] = [
    (50, 0.1, 0.2),
    (100, 0.4, 0.2),
    (200, 0.0, 0.05),
    (200, 0.8, 0.1),
    (500, 0.25, 0.5),
    (1000, 0.05, 0.05),
    (1000, 0.45, 0.1),
];

/// The numbers of runs among equals in which the interval at 95 % leaves out 0, p is at most 0.05, and they disagree.
fn between_equals(runs: u64) -> [u64; 3] {
    let mut counts = [0; 3];
    for (place, (seeds, both, differ)) in (0..).zip(EQUALS) {
        for run in 0..runs {
            let mut rng = Seed::root(31).child("equals", place).child("run", run).rng();
            let mut pairs = Pairs::default();
            for _ in 0..seeds {
                let luck = (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64;
                let is_one = luck < both + differ / 2.0;
                let is_other = luck < both || (both + differ / 2.0..both + differ).contains(&luck);
                pairs.add(is_one, is_other);
            }
            let is_out = pairs.difference(0.95).is_some_and(|difference| difference.excludes(0.0));
            let is_shown = pairs.mcnemar() <= 0.05;
            let said = [is_out, is_shown, is_out != is_shown];
            counts.iter_mut().zip(said).for_each(|(count, said)| *count += u64::from(said));
        }
    }
    counts
}

#[test]
fn paired_intervals_and_p_err_about_as_often_as_they_say() {
    let runs = 200;
    let [out, shown, _] = between_equals(runs);
    let all = EQUALS.len() as u64 * runs;
    // Newcombe's interval errs a little more often than McNemar's exact test, which is cautious.
    assert!(shown < out && out < all * 7 / 100, "{out} and {shown} of {all}");
}

#[test]
#[ignore = "measures; cargo test --release -p gauntlet-core --test rates -- --ignored --nocapture"]
fn paired_intervals_beside_p() {
    let runs = 6_000;
    let [out, shown, apart] = between_equals(runs);
    let all = EQUALS.len() as u64 * runs;
    println!(
        "of {all} runs of equals the interval leaves out 0 in {out}, p is at most 0.05 in {shown}; {apart} disagree"
    );
}

/// Trials of two whose outcomes are all gone through.
const TRIALS: [(u64, u64); 5] = [(5, 10), (10, 10), (10, 60), (15, 20), (20, 20)];

#[test]
#[ignore = "measures; cargo test --release -p gauntlet-core --test rates -- --ignored --nocapture"]
fn bounds_beside_exact_p() {
    let (mut all, mut beyond) = (0, 0);
    for (m, n) in TRIALS {
        for (x, y) in (0..=m).flat_map(|x| (0..=n).map(move |y| (x, y))) {
            let two = TwoRates::new((x, m), (y, n)).expect("both have trials");
            let low = two.difference(0.95, 0.0).low;
            all += 1;
            // From 0.2 points beyond the bound on, in steps of 0.2 points.
            let mut further = (1..).map(|step| low - 0.002 * f64::from(step)).take_while(|&at| at > -1.0);
            beyond += u64::from(further.any(|at| two.p(at) >= 0.05));
        }
    }
    println!(
        "in {beyond} of {all} tables p is 0.05 or more again further than 0.2 points beyond the lower bound"
    );
    let two = TwoRates::new((8, 10), (15, 60)).expect("both have trials");
    println!("8 of 10 against 15 of 60: {:?}", two.difference(0.95, 0.0));
}
