//! Timings of the hot loops of 2048. Each benchmark asserts its result, so that a fast but wrong
//! engine fails.
//!
//! `cargo bench --bench twenty48`; an item is a move or an evaluated board. A complete run also
//! asserts that parallel games in lanes are several times as fast as one game at a time.

use std::ops::ControlFlow;
use std::time::Duration;

use cpu_time::ThreadTime;
use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet::game::{Game, RandomPlay};
use gauntlet::rng::Seed;
use gauntlet::twenty48::eval::{self as eval, Evaluation, Weights};
use gauntlet::twenty48::rules::batch::{OrderedMoves, ordered_games, random_games, run_playouts};
use gauntlet::twenty48::rules::{Afterstate, Cells, Direction, Rules, Twenty48};

const GAMES: u64 = 4096;
/// Moves of random play in these games.
const MOVES: u64 = 486_604;
const SCORE: u64 = 4_517_760;

fn main() {
    divan::main();
    // Only for a complete run: not for selected benchmarks or tests.
    if std::env::args().skip(1).eq(["--bench"]) {
        lanes_are_much_faster();
    }
}

/// Asserts that lanes are several times as fast as one game at a time. It compares the best of ten
/// alternating rounds, so that other programs on the machine do not matter. Typical faults make
/// lanes slower than one game at a time.
fn lanes_are_much_faster() {
    let Some(min_ratio) = least_ratio() else {
        println!("lanes against one by one: not asserted, for this processor has neither AVX2 nor AVX-512");
        return;
    };
    let mut best = [Duration::MAX; 2];
    for _ in 0..10 {
        for (best, play) in best.iter_mut().zip([play_in_lanes, play_one_by_one]) {
            let start = ThreadTime::now();
            play();
            *best = start.elapsed().min(*best);
        }
    }
    let [lanes, one_by_one] = best.map(|time| time.as_secs_f64());
    let speedup = one_by_one / lanes;
    println!("lanes against one by one: {speedup:.1} times as fast");
    assert!(speedup >= min_ratio, "lanes are only {speedup:.1} times as fast as one game at a time");
}

/// Returns the smallest accepted ratio of the speed of lanes to one game at a time. The usual ratio
/// is 8 with AVX-512 and 4 with AVX2.
#[cfg(target_arch = "x86_64")]
fn least_ratio() -> Option<f64> {
    if is_x86_feature_detected!("avx512bw") {
        Some(5.0)
    } else {
        is_x86_feature_detected!("avx2").then_some(2.5)
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn least_ratio() -> Option<f64> {
    None
}

fn seeds() -> impl Iterator<Item = (Seed, Seed)> {
    (0..GAMES).map(|game| {
        let seed = Seed::root(1).child("block", game);
        (seed.child("world", 0), seed.child("seat", 0))
    })
}

/// Plays all games in parallel lanes.
fn play_in_lanes() {
    let games = random_games(&seeds().collect::<Vec<_>>());
    let moves: u64 = games.iter().map(|game| u64::from(game.moves)).sum();
    let score: u64 = games.iter().map(|game| game.score).sum();
    assert_eq!((moves, score), (MOVES, SCORE));
}

/// Plays one game after another by the rules, like the arena.
fn play_one_by_one() {
    let (mut moves, mut score) = (0, 0);
    for (game_seed, player_seed) in seeds() {
        let (mut game_rng, mut player_rng) = (game_seed.rng(), player_seed.rng());
        let mut game = Twenty48::start(&Rules::default(), &mut game_rng);
        while game.to_move().is_some() {
            let direction = game.random_move(&mut player_rng).expect("it is not over");
            game.play(direction, &mut game_rng).expect("it is legal");
        }
        moves += u64::from(game.state().moves);
        score += game.score();
    }
    assert_eq!((moves, score), (MOVES, SCORE));
}

#[divan::bench]
fn random_play_in_lanes(bencher: Bencher) {
    bencher.counter(ItemsCount::new(MOVES)).bench(play_in_lanes);
}

/// Moves of greedy play in these games.
const GREEDY_MOVES: u64 = 1_083_184;

#[divan::bench]
fn greedy_play_in_lanes(bencher: Bencher) {
    let moves = OrderedMoves { order: Direction::ALL, by_gain: true };
    bencher.counter(ItemsCount::new(GREEDY_MOVES)).bench(|| {
        let played = ordered_games(moves, seeds().map(|(world, _)| world));
        assert_eq!(played.iter().map(|played| u64::from(played.moves)).sum::<u64>(), GREEDY_MOVES);
    });
}

#[divan::bench]
fn random_play_one_by_one(bencher: Bencher) {
    bencher.counter(ItemsCount::new(MOVES)).bench(play_one_by_one);
}

/// Boards after a slide: from the start of a game, from its middle, and nearly full.
const STARTS: [&str; 3] = [
    "0 0 0 0  0 0 2 0  0 0 0 0  0 4 0 0",
    "4 0 0 0  8 2 0 0  32 8 2 0  128 8 8 4",
    "0 8 4 2  64 32 8 4  128 64 16 8  256 128 2 32",
];

/// Plays `runs` random games to their end from each board.
#[divan::bench(args = [100, 10_000])]
fn playouts_from_boards(bencher: Bencher, runs: usize) {
    let (moves, score): (u64, u64) = match runs {
        100 => (17_425, 168_592),
        _ => (1_747_697, 17_024_052),
    };
    let starts = STARTS.map(|board| Afterstate::new(board.parse().expect("a board")));
    bencher.counter(ItemsCount::new(moves)).bench(|| {
        let mut sums = (0, 0);
        run_playouts(&starts, runs, Seed::root(1), |_, game| {
            sums = (sums.0 + u64::from(game.moves), sums.1 + game.score);
            ControlFlow::Continue(())
        });
        assert_eq!(sums, (moves, score));
    });
}

/// Returns boards of random play with ranks above 3 raised by five, as in games where evaluations
/// matter.
fn boards() -> Vec<Cells> {
    let mut boards = Vec::new();
    for (game_seed, player_seed) in seeds().take(40) {
        let (mut game_rng, mut player_rng) = (game_seed.rng(), player_seed.rng());
        let mut game = Twenty48::start(&Rules::default(), &mut game_rng);
        while let Some(direction) = game.random_move(&mut player_rng) {
            game.play(direction, &mut game_rng).expect("it is legal");
            let raise_rank = |rank| if rank > 3 { rank + 5 } else { rank };
            boards.push(Cells::from_ranks(game.board().cells().ranks().map(raise_rank)));
        }
    }
    boards
}

/// Name, weights, and mean weighted sum over all boards.
type Mixture = (&'static str, &'static [(&'static str, f64)], f64);

const MIXTURES: [Mixture; 3] = [
    // Features of nneonneo: all fold into one table.
    (
        "lines",
        &[("empty", 540.0), ("merges", 700.0), ("monotonicity-power", -47.0), ("rank-power", -22.0)],
        -1_634_935.201_772_331,
    ),
    // Five tables, and one feature that does not fold.
    (
        "snake",
        &[("empty", 5.0), ("smoothness-adjacent", 0.125), ("corner", 1.0), ("snake-power", 1.0)],
        5_402_897.577_376_781,
    ),
    // One feature that folds, and three that do not.
    (
        "board",
        &[("smoothness-nearest", 1.0), ("monotonicity-lines", 8.0), ("islands", -2.0), ("max-rank", 1.0)],
        -286.329_362_298_528_4,
    ),
];

/// Evaluates boards by tables.
#[divan::bench(args = MIXTURES.map(|mixture| mixture.0))]
fn evaluation_folded(bencher: Bencher, name: &str) {
    let (evaluation, mean) = mixture(name);
    evaluate(bencher, mean, |cells| evaluation.value(cells));
}

/// Evaluates boards feature by feature.
#[divan::bench(args = MIXTURES.map(|mixture| mixture.0))]
fn evaluation_direct(bencher: Bencher, name: &str) {
    let (evaluation, mean) = mixture(name);
    evaluate(bencher, mean, |cells| evaluation.value_by_feature(cells));
}

#[divan::bench]
fn islands(bencher: Bencher) {
    evaluate(bencher, 9.594_253_679_046_952, eval::islands);
}

#[divan::bench]
fn monotonicity_lines(bencher: Bencher) {
    evaluate(bencher, -27.291_987_853_305_3, eval::monotonicity_lines);
}

#[divan::bench]
fn smoothness_nearest(bencher: Bencher) {
    evaluate(bencher, -58.500_116_795_141_324, eval::smoothness_nearest);
}

fn mixture(name: &str) -> (Evaluation, f64) {
    let (_, weights, mean) = MIXTURES.into_iter().find(|candidate| candidate.0 == name).expect("a mixture");
    (Weights::from_pairs(weights).compile(), mean)
}

fn evaluate(bencher: Bencher, mean: f64, value: impl Fn(Cells) -> f64) {
    let boards = boards();
    bencher.counter(ItemsCount::new(boards.len())).bench_local(|| {
        let sum: f64 = boards.iter().map(|&cells| value(cells)).sum();
        let measured_mean = sum / boards.len() as f64;
        assert!((measured_mean - mean).abs() <= 1e-12 * mean.abs(), "{measured_mean}");
    });
}
