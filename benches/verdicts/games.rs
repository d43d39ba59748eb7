//! Comparisons of times by how many games they rest on: what a move takes depends on the game,
//! however long all games take.
//!
//! Two players of each kind, whose games differ, play runs of forty games, each on seeds of its
//! own. So it is known what each game took, beside the other player's game on the same seed. These
//! games are all that there is: comparisons of N of them, drawn again and again with their
//! counterparts, are held against the ratio of all. It prints how often the interval at 95 % holds
//! that ratio, and how often the difference is found, and found the wrong way round.
//!
//! The rule for the least number of games that are compared (`LEAST_GAMES`), written down before
//! any of this was played: with 6 runs of each kind and 4,000 draws of each number, the least of
//! these numbers from which on, for every kind, the interval holds in at least 93 % and the
//! difference is found the wrong way round in at most 2.5 %. Draws in which so few games take so
//! much of the time that they are refused anyway do not count. The settings of the search that goes
//! deeper on some boards became smaller before its games were compared, because a game took
//! minutes.

use std::path::Path;

use gauntlet::compare::time::log_ratio;
use gauntlet::rng::{Rng, Seed};
use gauntlet::tally::clock::{PARTS, PlayerTimes, ThinkingTime};

use crate::play::played_pair;
use crate::rate;
use crate::scratch::Scratch;

/// Two players of each kind. The second does more work for a move where that is said, else other
/// work that is as much.
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

/// Numbers of games that are compared.
const GAMES: [usize; 11] = [10, 12, 16, 20, 24, 30, 40, 60, 80, 120, 240];

/// The part of the intervals that must hold.
const HOLD: f64 = 0.93;

/// The part of the comparisons that may be the wrong way round.
const WRONG: f64 = 0.025;

/// What a game of each player took.
type Game = [ThinkingTime; 2];

/// Plays runs of each kind and draws from their games, given the number of runs and the number of
/// draws for each number of games.
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

/// The games of a run, each of a part of its own if it takes some milliseconds.
fn run_of(folder: &Path, algorithm: &str, pair: [&str; 2], run: u64) -> Vec<Game> {
    let clocks = played_pair(folder, algorithm, pair, run + 1, PARTS).clocks().expect("times");
    let [one, other] = ["one", "other"].map(|name| &clocks[name].places);
    // Two games that a fast player plays in one go have their time in the part of the first.
    one.iter().filter_map(|(place, &one)| Some([one, *other.get(place)?])).collect()
}

/// Nanoseconds of a thought.
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

/// A comparison of some games.
struct Found {
    holds: bool,
    right: bool,
    wrong: bool,
}

impl Found {
    /// None where too few games count for as many.
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
