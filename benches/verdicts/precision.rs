//! Number of games until each rate is known to within one point, compared with a fixed number of
//! games. The latter is the number after which the interval of a single player is as narrow.

use gauntlet::rng::Seed;
use gauntlet::stats::{PrecisionGoal, wilson};

/// Requested half-width of the intervals.
const HALF_WIDTH: f64 = 0.01;

pub(crate) fn print(numbers: &[f64]) {
    let runs = numbers[0] as u64;
    for players in [1, 5, 20] {
        for rate in [0.5, 0.2, 0.05] {
            let goal = PrecisionGoal::new(HALF_WIDTH, 1.0 - 0.05 / f64::from(players));
            let (mut total_trials, mut covered_runs, mut bias_sum) = (0, 0, 0.0);
            for run in 0..runs {
                let mut rng = Seed::root(29).child("run", run).rng();
                let (mut successes, mut trials) = (0, 0);
                while !goal.is_reached(successes, trials) {
                    trials += 1;
                    successes += u64::from(rng.unit() < rate);
                }
                let interval = goal.interval(successes, trials).expect("there are trials");
                total_trials += trials;
                bias_sum += interval.value - rate;
                covered_runs += u64::from(interval.low <= rate && rate <= interval.high);
            }
            let is_narrow = |trials: &u64| {
                wilson((rate * *trials as f64).round() as u64, *trials, 0.95)
                    .is_some_and(|interval| (interval.high - interval.low) / 2.0 <= HALF_WIDTH)
            };
            let fixed_games = (20..).step_by(20).find(is_narrow).expect("there is such a number");
            let mean = total_trials as f64 / runs as f64;
            println!(
                "{players} players, rate {rate}: {mean:.0} games ({:.2} times {fixed_games}), bias {:+.5}, {:.4} covered",
                mean / fixed_games as f64,
                bias_sum / runs as f64,
                covered_runs as f64 / runs as f64
            );
            assert!(covered_runs as f64 >= 0.95 * runs as f64);
        }
    }
}
