//! Intervals of differences compared with their p and with plain definitions, and the power of the
//! tests.

use gauntlet_core::rng::{Rng, Seed};
use gauntlet_stats::{ContingencyTable, Estimate, MeanLogRatio, TwoRates, exact_power, power, wilson};

/// Pairs of equal players: the number of seeds, the share of seeds on which both succeed, and the
/// share on which exactly one succeeds.
const EQUALS: [(u64, f64, f64); 7] = [
    (50, 0.1, 0.2),
    (100, 0.4, 0.2),
    (200, 0.0, 0.05),
    (200, 0.8, 0.1),
    (500, 0.25, 0.5),
    (1000, 0.05, 0.05),
    (1000, 0.45, 0.1),
];

/// Returns the numbers of runs of equal players in which the 95 % interval excludes 0, in which p
/// is at most 0.05, and in which the two disagree.
fn compare_equals(runs: u64) -> [u64; 3] {
    let mut counts = [0; 3];
    for (index, (seeds, both_rate, discordant_rate)) in (0..).zip(EQUALS) {
        for run in 0..runs {
            let mut rng = Seed::root(31).child("equals", index).child("run", run).rng();
            let mut pairs = ContingencyTable::default();
            for _ in 0..seeds {
                let roll = uniform(&mut rng);
                let is_one = roll < both_rate + discordant_rate / 2.0;
                let is_other = roll < both_rate
                    || (both_rate + discordant_rate / 2.0..both_rate + discordant_rate).contains(&roll);
                pairs.add(is_one, is_other);
            }
            let is_excluded = pairs.difference(0.95).is_some_and(|difference| difference.excludes(0.0));
            let is_significant = pairs.mcnemar() <= 0.05;
            let findings = [is_excluded, is_significant, is_excluded != is_significant];
            counts.iter_mut().zip(findings).for_each(|(count, is_true)| *count += u64::from(is_true));
        }
    }
    counts
}

#[test]
fn paired_intervals_and_p_err_about_as_often_as_they_say() {
    let runs = 200;
    let [excluded, significant, _] = compare_equals(runs);
    let run_count = EQUALS.len() as u64 * runs;
    // Newcombe's interval errs slightly more often than McNemar's exact test, which is
    // conservative.
    assert!(
        significant < excluded && excluded < run_count * 7 / 100,
        "{excluded} and {significant} of {run_count}"
    );
}

#[test]
#[ignore = "measures: cargo bench --bench verdicts -- paired"]
fn paired_intervals_beside_p() {
    let runs = 6_000;
    let [excluded, significant, disagreements] = compare_equals(runs);
    let run_count = EQUALS.len() as u64 * runs;
    println!(
        "of {run_count} runs of equals the interval leaves out 0 in {excluded}, p is at most 0.05 in {significant}; {disagreements} disagree"
    );
}

/// Numbers of trials of two players for which all outcomes are checked.
const TRIALS: [(u64, u64); 5] = [(5, 10), (10, 10), (10, 60), (15, 20), (20, 20)];

/// Step of the plain search for the lower bound.
const STEP: f64 = 0.002;

/// Returns the lower bound of the 95 % interval, and its value by a plain search. The search tries
/// differences from -1 to the estimate in equal steps, and returns the smallest with p ≥ 5 %.
fn lower_bound_and_search(first: (u64, u64), second: (u64, u64)) -> [f64; 2] {
    let two_rates = TwoRates::new(first, second).expect("both have trials");
    let steps = ((two_rates.value() + 1.0) / STEP) as u32;
    let differences = (0..=steps).map(|step| -1.0 + STEP * f64::from(step)).chain([two_rates.value()]);
    // With a border of -1, because a border of 0 would cut the interval there if 0 is excluded.
    [
        two_rates.difference(0.95, -1.0).low,
        differences.into_iter().find(|&difference| two_rates.p(difference) >= 0.05).expect("the estimate"),
    ]
}

/// Checks a bound by the plain search. The search may step over a difference that the bound
/// includes, but must not find one below the bound.
#[track_caller]
fn check_lower_bound(first: (u64, u64), second: (u64, u64)) {
    let [low, searched_bound] = lower_bound_and_search(first, second);
    assert!(low <= searched_bound + 1e-6, "{first:?}, {second:?}: {low} is above {searched_bound}");
    let two_rates = TwoRates::new(first, second).expect("both have trials");
    assert!(
        low == -1.0 || two_rates.p(low) >= 0.05 * (1.0 - 1e-4),
        "{first:?}, {second:?}: {low} is left out"
    );
}

/// Here p first reaches 0.05 at 0.298, and again from 0.245 on.
#[test]
fn a_bound_is_the_last_difference_that_is_not_left_out() {
    let [low, searched_bound] = lower_bound_and_search((12, 16), (3, 22));
    assert!(
        (low - 0.245).abs() < 0.001 && (low..low + STEP).contains(&searched_bound),
        "{low}, {searched_bound}"
    );
    for (first, second) in
        [((12, 16), (3, 22)), ((8, 10), (15, 60)), ((19, 20), (14, 20)), ((3, 40), (0, 35))]
    {
        check_lower_bound(first, second);
    }
    for (x, y) in (0..=5).flat_map(|x| (0..=7).map(move |y| (x, y))) {
        check_lower_bound((x, 5), (y, 7));
    }
}

#[test]
#[ignore = "measures: cargo bench --bench verdicts -- rates"]
fn bounds_beside_their_twins() {
    let outcomes = TRIALS
        .into_iter()
        .flat_map(|(m, n)| (0..=m).flat_map(move |x| (0..=n).map(move |y| ((x, m), (y, n)))));
    let mut rng = Seed::root(43).rng();
    let mut others = (0..200).map(|_| {
        let mut draw_counts = || {
            let trials = 1 + rng.below(100);
            (rng.below(trials + 1), trials)
        };
        (draw_counts(), draw_counts())
    });
    let (mut total, mut lower_count, mut cut_count, mut higher_count, mut max_excess) = (0, 0, 0, 0, 0.0_f64);
    for (first, second) in outcomes.chain(others.by_ref()) {
        check_lower_bound(first, second);
        let [low, searched_bound] = lower_bound_and_search(first, second);
        total += 1;
        lower_count += u64::from(low < searched_bound - STEP);
        let two_rates = TwoRates::new(first, second).expect("both have trials");
        // The program uses the border 0. If p excludes 0, the interval does not go beyond it.
        let bound_with_zero = two_rates.difference(0.95, 0.0).low;
        let is_cut = low < 0.0 && bound_with_zero >= 0.0;
        assert_eq!(
            is_cut,
            low < 0.0 && two_rates.value() > 0.0 && two_rates.p(0.0) < 0.05,
            "{first:?}, {second:?}"
        );
        cut_count += u64::from(is_cut);
        if !is_cut && bound_with_zero > searched_bound + 1e-6 {
            higher_count += 1;
            max_excess = max_excess.max(bound_with_zero - searched_bound);
        }
    }
    println!("no bound of {total} is above its twin; {lower_count} are more than {STEP} below it");
    println!("with 0 asked first, {cut_count} of {total} intervals are cut at 0;");
    println!("of the others {higher_count} have a bound above the twin, by at most {max_excess}");
    for (first, second) in [
        ((8, 10), (15, 60)),
        ((60, 100), (50, 100)),
        ((200, 400), (180, 400)),
        ((1, 10), (2, 1500)),
        ((3, 400), (2000, 1_000_000)),
        ((200, 400), (480_000, 1_000_000)),
    ] {
        let two_rates = TwoRates::new(first, second).expect("both have trials");
        let start = std::time::Instant::now();
        let difference = two_rates.difference(0.95, 0.0);
        println!(
            "{first:?}, {second:?}: {:?} to {:?} in {:?}",
            difference.low,
            difference.high,
            start.elapsed()
        );
    }
}

/// Difference that one of the tests should detect in 80 % of the runs, with the smallest sufficient
/// number of trials.
enum DetectionGoal {
    /// Rates at which only the first or only the second succeeds, on common trials.
    Paired([f64; 2]),
    /// Rates of both players, on independent trials.
    Independent([f64; 2]),
    /// Standard deviation of logarithms of amounts, and their ratio.
    Ratio(f64, f64),
}

impl DetectionGoal {
    /// Returns the number of trials by the formula of the normal approximation, and by the test
    /// itself.
    fn trials(&self) -> [u64; 2] {
        let numbers = match *self {
            DetectionGoal::Paired([one, other]) => [
                power::common_trials_for_rates(one, other, 0.95, 0.8),
                exact_power::pairs_needed(one, other, 0.95, 0.8),
            ],
            DetectionGoal::Independent([one, other]) => [
                power::trials_for_rates(one, other, 0.95, 0.8),
                exact_power::trials_needed(one, other, 0.95, 0.8),
            ],
            DetectionGoal::Ratio(spread, ratio) => [
                power::common_trials_for_ratio(ratio, spread, 0.95, 0.8),
                exact_power::pairs_needed_for_ratio(ratio, spread, 0.95, 0.8),
            ],
        };
        numbers.map(|trials| trials.ceil() as u64)
    }

    /// Returns true if the test finds the better player in a run with this number of trials.
    fn is_detected(&self, trials: u64, rng: &mut Rng) -> bool {
        match *self {
            DetectionGoal::Paired([one, other]) => {
                let mut pairs = ContingencyTable::default();
                for _ in 0..trials {
                    let roll = uniform(rng);
                    pairs.add(roll < one, (one..one + other).contains(&roll));
                }
                pairs.only_first > pairs.only_second && pairs.mcnemar() <= 0.05
            }
            DetectionGoal::Independent(rates) => {
                let [one, other] =
                    rates.map(|rate| (0..trials).filter(|_| uniform(rng) < rate).count() as u64);
                let two_rates = TwoRates::new((one, trials), (other, trials)).expect("both have trials");
                one > other && two_rates.p(0.0) <= 0.05
            }
            DetectionGoal::Ratio(spread, ratio) => {
                let logs = (0..trials).map(|_| ((ratio.ln() + spread * normal(rng)).exp(), 1.0));
                let (measured_ratio, p) =
                    MeanLogRatio::from_pairs(logs.collect::<Vec<_>>()).expect("two pairs").test();
                measured_ratio > 1.0 && p <= 0.05
            }
        }
    }

    /// Returns the number of runs in which the test finds the better player.
    fn count_detections(&self, trials: u64, runs: u64) -> u64 {
        let root = Seed::root(80).child("trials", trials);
        (0..runs).filter(|&run| self.is_detected(trials, &mut root.child("run", run).rng())).count() as u64
    }
}

fn uniform(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Draws from the standard normal distribution (Box and Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(rng)).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * uniform(rng)).cos()
}

const GOALS: [(&str, DetectionGoal); 16] = [
    ("paired, 60 % to 10 %", DetectionGoal::Paired([0.6, 0.1])),
    ("paired, 40 % to 15 %", DetectionGoal::Paired([0.4, 0.15])),
    ("paired, 10 % to 2 %", DetectionGoal::Paired([0.1, 0.02])),
    ("paired, 30 % to 20 %", DetectionGoal::Paired([0.3, 0.2])),
    ("paired, 55 % to 45 %", DetectionGoal::Paired([0.55, 0.45])),
    ("paired, 5 % to 2 %", DetectionGoal::Paired([0.05, 0.02])),
    ("apart, 90 % and 50 %", DetectionGoal::Independent([0.9, 0.5])),
    ("apart, 70 % and 50 %", DetectionGoal::Independent([0.7, 0.5])),
    ("apart, 30 % and 10 %", DetectionGoal::Independent([0.3, 0.1])),
    ("apart, 5 % and 1 %", DetectionGoal::Independent([0.05, 0.01])),
    ("apart, 60 % and 50 %", DetectionGoal::Independent([0.6, 0.5])),
    ("apart, 95 % and 90 %", DetectionGoal::Independent([0.95, 0.9])),
    ("scores, 3 times at a spread of 0.6", DetectionGoal::Ratio(0.6, 3.0)),
    ("scores, 1.5 times at a spread of 0.6", DetectionGoal::Ratio(0.6, 1.5)),
    ("scores, 1.2 times at a spread of 0.6", DetectionGoal::Ratio(0.6, 1.2)),
    ("scores, 1.06 times at a spread of 0.6", DetectionGoal::Ratio(0.6, 1.06)),
];

/// Checks the first aim of each kind, for which the formulas are least accurate.
#[test]
fn so_many_trials_find_a_difference_as_often_as_they_say() {
    for (name, goal) in [&GOALS[0], &GOALS[6], &GOALS[12]].map(|(name, aim)| (name, aim)) {
        let trials = goal.trials()[1];
        let detections = goal.count_detections(trials, 2000);
        // Two and a half standard errors below 80 %. For so large a difference, each further trial
        // raises the power.
        assert!(detections >= 1555, "{name}: {detections} of 2000 with {trials}");
        assert!(goal.count_detections(trials - 2, 2000) < detections, "{name}");
    }
}

#[test]
#[ignore = "measures: cargo bench --bench verdicts -- power"]
fn power_by_formulas_and_by_the_tests() {
    let runs = 20_000;
    println!("{runs} runs each; trials, and how often they find the difference (95 % interval):");
    for (name, goal) in GOALS {
        let descriptions = goal.trials().map(|trials| {
            let Estimate { value, low, high, .. } = wilson(goal.count_detections(trials, runs), runs, 0.95)
                .expect("there are runs")
                .map(|rate| 100.0 * rate);
            format!("{trials}: {value:.1} % ({low:.1} to {high:.1} %)")
        });
        println!("{name}: formula {}; exact {}", descriptions[0], descriptions[1]);
    }
}
