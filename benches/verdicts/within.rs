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

use crate::play::played_pair;
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
const PILOT: u64 = 20;

/// Plays and compares runs of each kind and length. Arguments: the number of runs, and the lengths
/// in CPU milliseconds per player.
pub(crate) fn print(numbers: &[f64]) {
    let [runs, ref lengths @ ..] = *numbers else { panic!("a number of runs") };
    let folder = Scratch::new();
    println!("runs of two players that do the same work, and how many call one of both faster:");
    for (algorithm, pair) in EQUALS {
        for &length in lengths {
            let found = Found::of(folder.path(), algorithm, pair, length, runs as usize);
            println!("{algorithm}, {length} ms a side: {}", found.told(length));
        }
    }
}

/// Plays this number of runs for each pair with a slower player, with one CPU second per player.
pub(crate) fn print_slower(numbers: &[f64]) {
    let runs = numbers[0] as usize;
    let folder = Scratch::new();
    for (times, algorithm, pair) in SLOWER {
        let found = Found::of(folder.path(), algorithm, pair, 1000.0, runs).count(Conclusion::Yes);
        println!("{times} times as long, 1000 ms a side: found in {}", rate(found as u64, runs as u64));
    }
}

/// Comparisons of the first player with the second; `None` if a comparison was refused.
struct Found(Vec<Option<(Estimate, Conclusion)>>);

impl Found {
    /// Plays the pair repeatedly, with as many games as take `length` CPU milliseconds per player.
    fn of(folder: &Path, algorithm: &str, pair: [&str; 2], length: f64, runs: usize) -> Found {
        let run = |games: u64| played_pair(folder, algorithm, pair, 1, games);
        let clock = &run(PILOT).read_times().expect("times")["one"];
        let game = clock.mean_ms().expect("thoughts") * clock.moves() as f64 / PILOT as f64;
        let games = (length / game).ceil() as u64;
        Found((0..runs).map(|_| comparison(&[run(games)])).collect())
    }

    fn count(&self, shown: Conclusion) -> usize {
        self.0.iter().flatten().filter(|(_, found)| *found == shown).count()
    }

    /// Formats the comparisons, given the milliseconds per player.
    fn told(&self, length: f64) -> String {
        let compared: Vec<Estimate> = self.0.iter().flatten().map(|(ratio, _)| *ratio).collect();
        let mean = |of: fn(&Estimate) -> f64| compared.iter().map(of).sum::<f64>() / compared.len() as f64;
        let differs = mean(|ratio| ratio.value.ln().powi(2)).sqrt();
        let unseen = WITHIN_RUN.hypot(WARM_UP / 1e6 / length);
        let seen = mean(|ratio| ((ratio.high / ratio.low).ln() / 2.0 / NORMAL).powi(2)) - unseen.powi(2);
        format!(
            "{}, {} refused; they differ by {:.2} % ({:+.2} % in the mean), of which {:.2} % is seen within the run",
            rate(
                (self.count(Conclusion::Yes) + self.count(Conclusion::Opposite)) as u64,
                compared.len() as u64
            ),
            self.0.len() - compared.len(),
            100.0 * differs,
            100.0 * mean(|ratio| ratio.value.ln()),
            100.0 * seen.max(0.0).sqrt(),
        )
    }
}

/// Number of standard errors between an estimate and its 95 % bound.
const NORMAL: f64 = 1.96;

fn comparison(results: &[Results; 1]) -> Option<(Estimate, Conclusion)> {
    let by = [Measure::MsPerMove];
    let players = read_contestants(results, &by).expect("results");
    let asked = PairwiseQuestion { by: by.to_vec(), ..PairwiseQuestion::default() };
    let comparison = compare(&players, &[(0, 1)], &asked).remove(0);
    comparison.finding.effect.map(|effect| (effect.estimate(), comparison.conclusion()))
}
