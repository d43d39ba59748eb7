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
//! The rule for the minimum number of games (`LEAST_GAMES`) was fixed before any of these runs.
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
use gauntlet::tally::clock::{PARTS, PlayerTimes, ThinkingTime};

use crate::play::played_pair;
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
const HOLD: f64 = 0.93;

/// Maximum share of differences with the wrong sign.
const WRONG: f64 = 0.025;

/// Thinking times of both players in their games on one seed.
type Game = [ThinkingTime; 2];

/// Plays runs of each kind and samples their games, given the number of runs and the number of
/// samples of each size.
pub(crate) fn print(numbers: &[f64]) {
    let [runs, draws] = [0, 1].map(|place| numbers[place] as u64);
    let folder = Scratch::new();
    let mut least = [true; GAMES.len()];
    for (name, algorithm, pair) in PAIRS {
        let games: Vec<Game> =
            (0..runs).flat_map(|run| run_of(folder.path(), algorithm, pair, run)).collect();
        let truth = sum(&games);
        let ratio = |[one, other]: Game| of(one) / of(other);
        let truth = ratio(truth);
        println!("{name}: {} games, the first takes {truth:.3} times the time of the second", games.len());
        for (place, count) in GAMES.into_iter().enumerate() {
            let rng = |draw| Seed::root(8).child("games", count as u64).child("draw", draw).rng();
            let found = (0..draws).filter_map(|draw| Found::of(&games, count, truth, &mut rng(draw)));
            let found: Vec<Found> = found.collect();
            let compared = found.len() as u64;
            if compared == 0 {
                println!("  {count} games: all refused");
                least[place] = false;
                continue;
            }
            let part = |is_so: fn(&Found) -> bool| found.iter().filter(|it| is_so(it)).count() as u64;
            let [holds, right, wrong] = [part(|it| it.holds), part(|it| it.right), part(|it| it.wrong)];
            println!(
                "  {count} games: holds {}, found {}, wrong way {}; {} refused",
                rate(holds, compared),
                rate(right, compared),
                rate(wrong, compared),
                draws - compared
            );
            let compared = compared as f64;
            least[place] &= holds as f64 >= HOLD * compared && wrong as f64 <= WRONG * compared;
        }
    }
    let from = GAMES.len() - least.iter().rev().take_while(|&&is_so| is_so).count();
    match GAMES.get(from) {
        Some(games) => println!("by the rule, times are compared from {games} games on"),
        None => println!("by the rule, no such number of games is enough"),
    }
}

/// Plays a run and returns its games, each in its own part of the run if it takes some
/// milliseconds.
fn run_of(folder: &Path, algorithm: &str, pair: [&str; 2], run: u64) -> Vec<Game> {
    let clocks = played_pair(folder, algorithm, pair, run + 1, PARTS).read_times().expect("times");
    let [one, other] = ["one", "other"].map(|name| &clocks[name].places);
    // Two games that a fast player plays in one batch are both timed in the part of the first.
    one.iter().filter_map(|(place, &one)| Some([one, *other.get(place)?])).collect()
}

/// Returns the nanoseconds per timed move.
fn of(thinking: ThinkingTime) -> f64 {
    thinking.ns as f64 / thinking.thoughts as f64
}

fn sum(games: &[Game]) -> Game {
    games.iter().fold(Game::default(), |sum, game| {
        let add = |side: usize| ThinkingTime {
            thoughts: sum[side].thoughts + game[side].thoughts,
            ns: sum[side].ns + game[side].ns,
            ..ThinkingTime::default()
        };
        [add(0), add(1)]
    })
}

/// Result of a comparison of sampled games.
struct Found {
    holds: bool,
    right: bool,
    wrong: bool,
}

impl Found {
    /// Samples and compares games; `None` if the comparison is refused.
    fn of(games: &[Game], count: usize, truth: f64, rng: &mut Rng) -> Option<Found> {
        let drawn: Vec<Game> = (0..count).map(|_| games[rng.below(games.len() as u64) as usize]).collect();
        let parts: Vec<Game> = drawn.chunks(count.div_ceil(PARTS as usize)).map(sum).collect();
        let clock = |side: usize| {
            let places = (0..).map(|part| (1, part)).zip(parts.iter().map(|part| part[side]));
            PlayerTimes { places: places.collect(), starts: 1, ..PlayerTimes::default() }
        };
        let (ratio, _) = log_ratio(&clock(0), &clock(1), true).ok()?;
        let ratio = ratio.interval(0.95);
        let is_on_side = (ratio.value < 1.0) == (truth < 1.0);
        Some(Found {
            holds: !ratio.excludes(truth),
            right: ratio.excludes(1.0) && is_on_side,
            wrong: ratio.excludes(1.0) && !is_on_side,
        })
    }
}
