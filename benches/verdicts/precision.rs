//! Number of games until each rate is known to within one point, compared with a fixed number of
//! games. The latter is the number after which the interval of a single player is as narrow.

use gauntlet::rng::Seed;
use gauntlet::stats::{PrecisionGoal, wilson};

/// Requested half-width of the intervals.
const WITHIN: f64 = 0.01;

pub(crate) fn print(numbers: &[f64]) {
    let runs = numbers[0] as u64;
    for players in [1, 5, 20] {
        for rate in [0.5, 0.2, 0.05] {
            let goal = PrecisionGoal::new(WITHIN, 1.0 - 0.05 / f64::from(players));
            let (mut all, mut covered, mut sum) = (0, 0, 0.0);
            for run in 0..runs {
                let mut rng = Seed::root(29).child("run", run).rng();
                let (mut successes, mut trials) = (0, 0);
                while !goal.is_reached(successes, trials) {
                    trials += 1;
                    successes += u64::from(rng.unit() < rate);
                }
                let interval = goal.interval(successes, trials).expect("there are trials");
                all += trials;
                sum += interval.value - rate;
                covered += u64::from(interval.low <= rate && rate <= interval.high);
            }
            let is_narrow = |trials: &u64| {
                wilson((rate * *trials as f64).round() as u64, *trials, 0.95)
                    .is_some_and(|interval| (interval.high - interval.low) / 2.0 <= WITHIN)
            };
            let fixed = (20..).step_by(20).find(is_narrow).expect("there is such a number");
            let mean = all as f64 / runs as f64;
            println!(
                "{players} players, rate {rate}: {mean:.0} games ({:.2} times {fixed}), bias {:+.5}, {:.4} covered",
                mean / fixed as f64,
                sum / runs as f64,
                covered as f64 / runs as f64
            );
            assert!(covered as f64 >= 0.95 * runs as f64);
        }
    }
}
