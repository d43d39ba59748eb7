//! Intervals of differences beside the p that stands next to them and beside plain twins.

use gauntlet_core::rng::{Rng, Seed};
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
                let luck = uniform(&mut rng);
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

/// The steps of the plain twin of the lower bound.
const STEP: f64 = 0.002;

/// The lower bound of the interval at 95 %, and its plain twin: of the differences from -1 to the estimate, in even steps, the
/// least whose p is not below 5 %.
fn low_and_twin(first: (u64, u64), second: (u64, u64)) -> [f64; 2] {
    let two = TwoRates::new(first, second).expect("both have trials");
    let steps = ((two.value() + 1.0) / STEP) as u32;
    let all = (0..=steps).map(|step| -1.0 + STEP * f64::from(step)).chain([two.value()]);
    // Without the question whether 0 is left out, which cuts the interval there.
    [two.difference(0.95, -1.0).low, all.into_iter().find(|&at| two.p(at) >= 0.05).expect("the estimate")]
}

/// The twin may step over what the bound sees, and sees nothing that the bound does not.
#[track_caller]
fn check_low(first: (u64, u64), second: (u64, u64)) {
    let [low, twin] = low_and_twin(first, second);
    assert!(low <= twin + 1e-6, "{first:?}, {second:?}: {low} is above {twin}");
    let two = TwoRates::new(first, second).expect("both have trials");
    assert!(low == -1.0 || two.p(low) >= 0.05 * (1.0 - 1e-4), "{first:?}, {second:?}: {low} is left out");
}

/// p is 0.05 first at 0.298, and again from 0.245 on.
#[test]
fn a_bound_is_the_last_difference_that_is_not_left_out() {
    let [low, twin] = low_and_twin((12, 16), (3, 22));
    assert!((low - 0.245).abs() < 0.001 && (low..low + STEP).contains(&twin), "{low}, {twin}");
    for (first, second) in
        [((12, 16), (3, 22)), ((8, 10), (15, 60)), ((19, 20), (14, 20)), ((3, 40), (0, 35))]
    {
        check_low(first, second);
    }
    for (x, y) in (0..=5).flat_map(|x| (0..=7).map(move |y| (x, y))) {
        check_low((x, 5), (y, 7));
    }
}

#[test]
#[ignore = "measures; cargo test --release -p gauntlet-core --test rates -- --ignored --nocapture"]
fn bounds_beside_their_twins() {
    let outcomes = TRIALS
        .into_iter()
        .flat_map(|(m, n)| (0..=m).flat_map(move |x| (0..=n).map(move |y| ((x, m), (y, n)))));
    let mut rng = Seed::root(43).rng();
    let mut others = (0..200).map(|_| {
        let mut one = || {
            let trials = 1 + rng.below(100);
            (rng.below(trials + 1), trials)
        };
        (one(), one())
    });
    let (mut all, mut further) = (0, 0);
    for (first, second) in outcomes.chain(others.by_ref()) {
        check_low(first, second);
        let [low, twin] = low_and_twin(first, second);
        all += 1;
        further += u64::from(low < twin - STEP);
    }
    println!("no bound of {all} is above its twin; {further} are more than {STEP} below it");
    for (first, second) in [
        ((8, 10), (15, 60)),
        ((60, 100), (50, 100)),
        ((200, 400), (180, 400)),
        ((1, 10), (2, 1500)),
        ((3, 400), (2000, 1_000_000)),
        ((200, 400), (480_000, 1_000_000)),
    ] {
        let two = TwoRates::new(first, second).expect("both have trials");
        let start = std::time::Instant::now();
        let difference = two.difference(0.95, 0.0);
        println!(
            "{first:?}, {second:?}: {:?} to {:?} in {:?}",
            difference.low,
            difference.high,
            start.elapsed()
        );
    }
}

fn uniform(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64
}
