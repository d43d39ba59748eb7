//! Errors of comparisons within one run: two players that do equal work, in short and long runs,
//! compared as by `gauntlet compare --by ms`.
//!
//! Prints a line for each kind of player and each length. It shows how many runs find one player
//! faster and how far the players differ, as a mean and as a standard deviation. The mean is the
//! cost of being first. It also shows how much of the difference is visible within a run.
//! `slower-player` prints how many runs of one CPU second per player detect a player that needs 1.1
//! and 1.25 times as long.
//!
//! The rule for `WITHIN_RUN` was fixed before the first measurement. There are 100 runs of each
//! kind at 20, 60 and 200 ms per player, with `WITHIN_RUN` set to 0. The variance that is not
//! visible within runs is the total variance minus the visible one. `WITHIN_RUN` is its root mean
//! square over kinds and lengths, rounded up to the next half per cent. Then 250 fresh runs of each
//! kind, 1,000 of each length, show how good the comparisons are.
//!
//! Changes after that:
//!
//! - `WARM_UP` was added after 17 of 250 runs of `ovolve` at 20 ms found a difference. The first
//!   player was 1 % slower there. In all these runs that is 0.2 to 0.4 ms, regardless of the
//!   length. Then all fresh runs were repeated.
//! - Batches of both players now end at the same block, so that each player is first equally often.
//!   `WITHIN_RUN` was determined again by the same rule, with `WARM_UP` unchanged. There were 100
//!   runs of each kind at 20, 60 and 200 ms, then 250 fresh runs of each, and 100 of one second.
//! - `swift-expectimax` at depth 4 was added to the kinds, before the runs of one second. In the
//!   validation of a tuning, with 80 seconds per player, one side seemed 2.2 % faster, but not when
//!   the games were repeated. If the root mean square over all kinds and lengths exceeded 0.5 %
//!   with it, `WITHIN_RUN` would be rounded up again. It was 1.06 %, nearly all of it from `ovolve`
//!   at one second, on a machine with a load of 4 to 11. Therefore `WITHIN_RUN` is 1.5 %. Then 100
//!   fresh runs of each kind and length followed.

use std::path::Path;

use gauntlet::compare::question::Conclusion;
use gauntlet::compare::time::{WARM_UP, WITHIN_RUN};
use gauntlet::measure::Measure;
use gauntlet::results::analysis::contestants::read_contestants;
use gauntlet::results::analysis::pairwise::{PairwiseQuestion, compare};
use gauntlet::results::store::read::Results;
use gauntlet::stats::Estimate;

use crate::play::run_pair;
use crate::rate;
use crate::scratch::Scratch;

/// Two players of each kind that do equal work: all their moves are equal.
const EQUALS: [(&str, [&str; 2]); 5] = [
    ("ovolve", ["depth = 1\nweights = { empty = 2.7 }", "depth = 1\nweights = { empty = 2.7000000001 }"]),
    ("swift-expectimax", ["depth = 1\nempty_weight = 11.7", "depth = 1\nempty_weight = 11.7000000001"]),
    (
        "swift-expectimax",
        [
            "family = \"repository\"\ndepth = 4\nempty_weight = 2.7",
            "family = \"repository\"\ndepth = 4\nempty_weight = 2.7000000001",
        ],
    ),
    ("mcts", ["nodes = 10\nexploration = 0.5", "nodes = 10\nexploration = 0.5000000001"]),
    ("flat-mc", ["rollouts = 2\nrollout_moves = 50000", "rollouts = 2\nrollout_moves = 50001"]),
];

/// Two players, the second of which needs about this many times as long. It plays that many times
/// as many random games, of ten moves each.
const SLOWER: [(f64, &str, [&str; 2]); 2] = [
    (1.1, "flat-mc", ["rollouts = 40\nrollout_moves = 10", "rollouts = 44\nrollout_moves = 10"]),
    (1.25, "flat-mc", ["rollouts = 40\nrollout_moves = 10", "rollouts = 50\nrollout_moves = 10"]),
];

/// Number of games from which the time of a game is estimated.
const PILOT_GAMES: u64 = 20;

/// Plays and compares runs of each kind and length. Arguments: the number of runs, and the lengths
/// in CPU milliseconds per player.
pub(crate) fn print(numbers: &[f64]) {
    let [runs, ref lengths @ ..] = *numbers else { panic!("a number of runs") };
    let folder = Scratch::new();
    println!("runs of two players that do the same work, and how many call one of both faster:");
    for (algorithm, pair) in EQUALS {
        for &length in lengths {
            let comparisons = PairComparisons::measure(folder.path(), algorithm, pair, length, runs as usize);
            println!("{algorithm}, {length} ms a side: {}", comparisons.describe(length));
        }
    }
}

/// Plays this number of runs for each pair with a slower player, with one CPU second per player.
pub(crate) fn print_slower(numbers: &[f64]) {
    let runs = numbers[0] as usize;
    let folder = Scratch::new();
    for (factor, algorithm, pair) in SLOWER {
        let detected =
            PairComparisons::measure(folder.path(), algorithm, pair, 1000.0, runs).count(Conclusion::Yes);
        println!("{factor} times as long, 1000 ms a side: found in {}", rate(detected as u64, runs as u64));
    }
}

/// Comparisons of the first player with the second; `None` if a comparison was refused.
struct PairComparisons(Vec<Option<(Estimate, Conclusion)>>);

impl PairComparisons {
    /// Plays the pair repeatedly, with as many games as take `length` CPU milliseconds per player.
    fn measure(folder: &Path, algorithm: &str, pair: [&str; 2], length: f64, runs: usize) -> PairComparisons {
        let run = |games: u64| run_pair(folder, algorithm, pair, 1, games);
        let clock = &run(PILOT_GAMES).read_times().expect("times")["one"];
        let ms_per_game = clock.mean_ms().expect("thoughts") * clock.moves() as f64 / PILOT_GAMES as f64;
        let games = (length / ms_per_game).ceil() as u64;
        PairComparisons((0..runs).map(|_| comparison(&[run(games)])).collect())
    }

    fn count(&self, conclusion: Conclusion) -> usize {
        self.0.iter().flatten().filter(|(_, result)| *result == conclusion).count()
    }

    /// Formats the comparisons, given the milliseconds per player.
    fn describe(&self, length: f64) -> String {
        let ratios: Vec<Estimate> = self.0.iter().flatten().map(|(ratio, _)| *ratio).collect();
        let mean =
            |statistic: fn(&Estimate) -> f64| ratios.iter().map(statistic).sum::<f64>() / ratios.len() as f64;
        let difference_spread = mean(|ratio| ratio.value.ln().powi(2)).sqrt();
        let hidden_spread = WITHIN_RUN.hypot(WARM_UP / 1e6 / length);
        let visible_variance = mean(|ratio| ((ratio.high / ratio.low).ln() / 2.0 / NORMAL_QUANTILE).powi(2))
            - hidden_spread.powi(2);
        format!(
            "{}, {} refused; they differ by {:.2} % ({:+.2} % in the mean), of which {:.2} % is seen within the run",
            rate(
                (self.count(Conclusion::Yes) + self.count(Conclusion::Opposite)) as u64,
                ratios.len() as u64
            ),
            self.0.len() - ratios.len(),
            100.0 * difference_spread,
            100.0 * mean(|ratio| ratio.value.ln()),
            100.0 * visible_variance.max(0.0).sqrt(),
        )
    }
}

/// Number of standard errors between an estimate and its 95 % bound.
const NORMAL_QUANTILE: f64 = 1.96;

fn comparison(results: &[Results; 1]) -> Option<(Estimate, Conclusion)> {
    let measures = [Measure::MsPerMove];
    let players = read_contestants(results, &measures).expect("results");
    let question = PairwiseQuestion { measures: measures.to_vec(), ..PairwiseQuestion::default() };
    let comparison = compare(&players, &[(0, 1)], &question).remove(0);
    comparison.finding.effect.map(|effect| (effect.estimate(), comparison.conclusion()))
}
