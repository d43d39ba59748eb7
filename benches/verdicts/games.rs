//! Errors of comparisons of times, by number of games. The time per move depends on the game, so
//! few games are not enough, however long they take.
//!
//! In each kind, two players whose games differ play runs of forty games, and each run has its own
//! seeds. So the time of each game is known, together with the other player's game on the same
//! seed. These games are the population, and the ratio of their total times is the truth. Random
//! samples of N paired games are compared with it. Prints how often the interval at 95 % contains
//! the true ratio. It also prints how often the difference is detected, and how often it has the
//! wrong sign.
//!
//! The rule for the minimum number of games (`MIN_GAMES`) was fixed before any of these runs.
//! There are 6 runs of each kind and 4,000 samples of each size. The rule takes the smallest size
//! that is sufficient, together with all larger sizes. A size is sufficient if two conditions hold
//! for every kind: at least 93 % of the intervals contain the truth, and at most 2.5 % of the
//! comparisons have the wrong sign. Samples whose comparison is refused do not count.
//!
//! The settings of the search that goes deeper on some boards were reduced before its games were
//! compared, because a game took minutes.

use std::path::Path;

use gauntlet::compare::time::log_ratio;
use gauntlet::rng::{Rng, Seed};
use gauntlet::tally::player_times::{PARTS, PlayerTimes, ThinkingTime};

use crate::play::run_pair;
use crate::rate;
use crate::scratch::Scratch;

/// Two players of each kind. Unless the name says that the second player does more work per move,
/// it does an equal amount of other work.
const PAIRS: [(&str, &str, [&str; 2]); 7] = [
    ("rollouts played out, 1.1 times as many", "flat-mc", ["rollouts = 10", "rollouts = 11"]),
    ("rollouts played out, 1.25 times as many", "flat-mc", ["rollouts = 8", "rollouts = 10"]),
    ("ronzil, 1.1 times as many runs", "ronzil", ["runs = 10", "runs = 11"]),
    ("mcts, 1.1 times as many nodes", "mcts", ["nodes = 20", "nodes = 22"]),
    (
        "a search to a depth, with another weight",
        "ovolve",
        ["depth = 3", "depth = 3\nweights = { empty = 2.6 }"],
    ),
    (
        "a search that goes deeper on some boards",
        "expectimax",
        [
            "evaluation = \"nneonneo\"\nadaptive = { least = 1, less = 6 }",
            "evaluation = \"macroxue\"\nadaptive = { least = 1, less = 6 }",
        ],
    ),
    ("expectimax, 1.1 times as many boards", "expectimax", ["nodes = 300", "nodes = 330"]),
];

/// Sample sizes: numbers of games.
const GAMES: [usize; 11] = [10, 12, 16, 20, 24, 30, 40, 60, 80, 120, 240];

/// Minimum share of intervals that contain the truth.
const MIN_COVERAGE: f64 = 0.93;

/// Maximum share of differences with the wrong sign.
const MAX_WRONG_SIGN: f64 = 0.025;

/// Thinking times of both players in their games on one seed.
type Game = [ThinkingTime; 2];

/// Plays runs of each kind and samples their games, given the number of runs and the number of
/// samples of each size.
pub(crate) fn print(numbers: &[f64]) {
    let [runs, draws] = [0, 1].map(|index| numbers[index] as u64);
    let folder = Scratch::new();
    let mut sufficient = [true; GAMES.len()];
    for (name, algorithm, pair) in PAIRS {
        let games: Vec<Game> =
            (0..runs).flat_map(|run| play_run(folder.path(), algorithm, pair, run)).collect();
        let truth = sum(&games);
        let ratio = |[one, other]: Game| ns_per_move(one) / ns_per_move(other);
        let truth = ratio(truth);
        println!("{name}: {} games, the first takes {truth:.3} times the time of the second", games.len());
        for (index, count) in GAMES.into_iter().enumerate() {
            let rng = |draw| Seed::root(8).child("games", count as u64).child("draw", draw).rng();
            let results =
                (0..draws).filter_map(|draw| SampleResult::compare(&games, count, truth, &mut rng(draw)));
            let results: Vec<SampleResult> = results.collect();
            let comparisons = results.len() as u64;
            if comparisons == 0 {
                println!("  {count} games: all refused");
                sufficient[index] = false;
                continue;
            }
            let count_if = |predicate: fn(&SampleResult) -> bool| {
                results.iter().filter(|result| predicate(result)).count() as u64
            };
            let [covered, detected, wrong_signs] = [
                count_if(|result| result.contains_truth),
                count_if(|result| result.is_detected),
                count_if(|result| result.has_wrong_sign),
            ];
            println!(
                "  {count} games: holds {}, found {}, wrong way {}; {} refused",
                rate(covered, comparisons),
                rate(detected, comparisons),
                rate(wrong_signs, comparisons),
                draws - comparisons
            );
            let comparisons = comparisons as f64;
            sufficient[index] &= covered as f64 >= MIN_COVERAGE * comparisons
                && wrong_signs as f64 <= MAX_WRONG_SIGN * comparisons;
        }
    }
    let first = GAMES.len() - sufficient.iter().rev().take_while(|&&is_enough| is_enough).count();
    match GAMES.get(first) {
        Some(games) => println!("by the rule, times are compared from {games} games on"),
        None => println!("by the rule, no such number of games is enough"),
    }
}

/// Plays a run and returns its games, each in its own part of the run if it takes some
/// milliseconds.
fn play_run(folder: &Path, algorithm: &str, pair: [&str; 2], run: u64) -> Vec<Game> {
    let clocks = run_pair(folder, algorithm, pair, run + 1, PARTS).read_times().expect("times");
    let [one, other] = ["one", "other"].map(|name| &clocks[name].strata);
    // Two games that a fast player plays in one batch are both timed in the part of the first.
    one.iter().filter_map(|(part, &one)| Some([one, *other.get(part)?])).collect()
}

/// Returns the nanoseconds per timed move.
fn ns_per_move(thinking: ThinkingTime) -> f64 {
    thinking.ns as f64 / thinking.moves as f64
}

fn sum(games: &[Game]) -> Game {
    games.iter().fold(Game::default(), |sum, game| {
        let add = |side: usize| ThinkingTime {
            moves: sum[side].moves + game[side].moves,
            ns: sum[side].ns + game[side].ns,
            ..ThinkingTime::default()
        };
        [add(0), add(1)]
    })
}

/// Result of a comparison of sampled games.
struct SampleResult {
    contains_truth: bool,
    is_detected: bool,
    has_wrong_sign: bool,
}

impl SampleResult {
    /// Samples and compares games; `None` if the comparison is refused.
    fn compare(games: &[Game], count: usize, truth: f64, rng: &mut Rng) -> Option<SampleResult> {
        let sample: Vec<Game> = (0..count).map(|_| games[rng.below(games.len() as u64) as usize]).collect();
        let parts: Vec<Game> = sample.chunks(count.div_ceil(PARTS as usize)).map(sum).collect();
        let clock = |side: usize| {
            let places = (0..).map(|part| (1, part)).zip(parts.iter().map(|part| part[side]));
            PlayerTimes { strata: places.collect(), cold_starts: 1, ..PlayerTimes::default() }
        };
        let (ratio, _) = log_ratio(&clock(0), &clock(1), true).ok()?;
        let ratio = ratio.interval(0.95);
        let is_on_side = (ratio.value < 1.0) == (truth < 1.0);
        Some(SampleResult {
            contains_truth: !ratio.excludes(truth),
            is_detected: ratio.excludes(1.0) && is_on_side,
            has_wrong_sign: ratio.excludes(1.0) && !is_on_side,
        })
    }
}
