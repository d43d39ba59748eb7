//! Errors of comparisons within one run: two players that do the same work, of runs that are short
//! and long, compared as `gauntlet compare --by ms` does.
//!
//! It prints a line for each kind of player and each length: how many of the runs call one of both
//! faster, how far they differ, in the mean (what being the first costs) and as a standard
//! deviation, and how much of that can be seen within a run; then how many runs of a CPU second a
//! side find a player that takes 1.1 and 1.25 times as long.
//!
//! The rule by which `WITHIN_RUN` was set, written down before: 100 runs of each kind at 20, 60 and
//! 200 ms a side, with that error at 0. From the difference and what is seen of it follows what is
//! not seen, by squares; the root mean square of that over kinds and lengths is rounded up to the
//! next half per cent. Then 250 fresh runs of each kind, 1,000 of each length, say what comparisons
//! are worth.
//!
//! Later, after 250 runs of `ovolve` at 20 ms of which 17 were called different, came `WARM_UP`:
//! the first of both was 1 % slower there, and in the learning runs as in these that is 0.2 to 0.4
//! ms whatever the length. Then all fresh runs were played anew.
//!
//! Later still the batches of both came to end at the same block, so that each is as often the
//! first. So `WITHIN_RUN` is set anew by the same rule, with `WARM_UP` as it is: 100 runs of each
//! kind at 20, 60 and 200 ms, then 250 fresh ones of each, and 100 of a second.
//!
//! Then the validation of a tuning, 80 seconds a side by `swift-expectimax` at depth 4, called one
//! side 2.2 % faster, and the same games played again did not. So that player was added to the
//! kinds before the runs of a second were played. If the mean square of what is not seen, over all
//! kinds and lengths, is over 0.5 % with them, `WITHIN_RUN` is rounded up anew. It was 1.06 %,
//! nearly all of it from `ovolve` at a second, on a machine with a load of 4 to 11: so it is 1.5 %.
//! Then 100 fresh runs of each kind and length follow.

use std::path::Path;

use gauntlet::compare::question::Conclusion;
use gauntlet::compare::time::{WARM_UP, WITHIN_RUN};
use gauntlet::measure::Measure;
use gauntlet::results::analysis::contestants::contestants;
use gauntlet::results::analysis::pairwise::{PairwiseQuestion, compare};
use gauntlet::results::store::read::Results;
use gauntlet::stats::Estimate;

use crate::play::played_pair;
use crate::rate;
use crate::scratch::Scratch;

/// Two players of each kind that do the same work: all their moves are the same.
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

/// Two players of which the second takes about this many times as long: as many random games, of
/// ten moves each.
const SLOWER: [(f64, &str, [&str; 2]); 2] = [
    (1.1, "flat-mc", ["rollouts = 40\nrollout_moves = 10", "rollouts = 44\nrollout_moves = 10"]),
    (1.25, "flat-mc", ["rollouts = 40\nrollout_moves = 10", "rollouts = 50\nrollout_moves = 10"]),
];

/// Games by which it is learned how long a game takes.
const PILOT: u64 = 20;

/// Plays and compares runs of each kind and each length, given their number and the lengths in CPU
/// milliseconds a side.
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

/// Plays this number of runs of each two players of which one is slower, a CPU second a side.
pub(crate) fn print_slower(numbers: &[f64]) {
    let runs = numbers[0] as usize;
    let folder = Scratch::new();
    for (times, algorithm, pair) in SLOWER {
        let found = Found::of(folder.path(), algorithm, pair, 1000.0, runs).count(Conclusion::Yes);
        println!("{times} times as long, 1000 ms a side: found in {}", rate(found as u64, runs as u64));
    }
}

/// Comparisons of the first player with the second; none where there was too little for one.
struct Found(Vec<Option<(Estimate, Conclusion)>>);

impl Found {
    /// Plays the pair again and again, as many games as take so many CPU milliseconds a side.
    fn of(folder: &Path, algorithm: &str, pair: [&str; 2], length: f64, runs: usize) -> Found {
        let run = |games: u64| played_pair(folder, algorithm, pair, 1, games);
        let clock = &run(PILOT).clocks().expect("times")["one"];
        let game = clock.mean_ms().expect("thoughts") * clock.thoughts() as f64 / PILOT as f64;
        let games = (length / game).ceil() as u64;
        Found((0..runs).map(|_| comparison(&[run(games)])).collect())
    }

    fn count(&self, shown: Conclusion) -> usize {
        self.0.iter().flatten().filter(|(_, found)| *found == shown).count()
    }

    /// The comparisons in words, of sides that took this number of milliseconds.
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

/// Standard errors to a bound at 95 %.
const NORMAL: f64 = 1.96;

fn comparison(results: &[Results; 1]) -> Option<(Estimate, Conclusion)> {
    let by = [Measure::MsPerMove];
    let players = contestants(results, &by).expect("results");
    let asked = PairwiseQuestion { by: by.to_vec(), ..PairwiseQuestion::default() };
    let comparison = compare(&players, &[(0, 1)], &asked).remove(0);
    comparison.finding.effect.map(|effect| (effect.estimate(), comparison.shown()))
}
