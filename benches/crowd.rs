//! CPU time of a move next to other work on the machine: players are timed on an idle machine and
//! next to three busy loops a core, alternating.
//!
//! `cargo bench --bench crowd`; it prints a line for each player, and asserts nothing.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use cpu_time::ThreadTime;
use gauntlet::GAMES;
use gauntlet::arena::worker;
use gauntlet::game::Block;
use gauntlet::player::BuildContext;
use gauntlet::record::CalibrationRuns;

/// Players from tens of nanoseconds to ten milliseconds a move, and how many games they play in one
/// go.
const PLAYERS: [(&str, &str, u64); 6] = [
    ("fixed-order", "order = [\"down\", \"left\", \"right\", \"up\"]", 256),
    ("greedy", "", 256),
    ("lazuxd", "", 16),
    ("ovolve", "depth = 3", 1),
    ("ronzil", "runs = 100", 1),
    ("ronzil", "runs = 20_000", 1),
];

const BUSY_LOOPS_A_CORE: usize = 3;

fn main() {
    // Cargo passes `--bench` to a bench, and not where it only tests that the bench runs.
    let earnest = std::env::args().any(|argument| argument == "--bench");
    // A game of the last takes ten seconds: those before it run the same code.
    let (rounds, budget, players) = if earnest { (5, 400, &PLAYERS[..]) } else { (1, 1, &PLAYERS[..5]) };
    for &(algorithm, settings, games) in players {
        let mut ratios = [const { Vec::new() }; 2];
        let mut idle = Measured::default();
        for _ in 0..rounds {
            let budget = Duration::from_millis(budget);
            idle = measured(algorithm, settings, games, budget);
            let crowded = beside_busy_loops(|| measured(algorithm, settings, games, budget));
            ratios[0].push(crowded.ns / idle.ns);
            ratios[1].push(crowded.yardsticks / idle.yardsticks);
        }
        let [by_ns, by_yardsticks] = ratios.map(|mut ratios| {
            ratios.sort_unstable_by(f64::total_cmp);
            format!("{:.2} ({:.2} to {:.2})", ratios[rounds / 2], ratios[0], ratios[rounds - 1])
        });
        println!(
            "{algorithm} {settings}: {:.0} ns a move, crowded over idle {by_ns}, in yardsticks {by_yardsticks}",
            idle.ns
        );
    }
}

/// CPU time of a move.
#[derive(Default)]
struct Measured {
    ns: f64,
    yardsticks: f64,
}

/// Plays on this thread until this much of its CPU time is used up.
fn measured(algorithm: &str, settings: &str, games: u64, budget: Duration) -> Measured {
    let entrant = GAMES[0].enter_snippet(algorithm, &format!("{settings}\n"));
    let most_moves = Some(100);
    let mut play = worker(&[&entrant], most_moves, &BuildContext::default()).expect("a player");
    let (mut cpu_ns, mut thoughts) = (0, 0);
    let mut yardsticks = CalibrationRuns::default();
    let start = ThreadTime::now();
    for batch in 0.. {
        let blocks: Vec<Block> = (0..games).map(|game| Block::of_series(1, games * batch + game)).collect();
        for times in play(&blocks).times {
            cpu_ns += times.thinking_cpu_ns.expect("it was timed");
            thoughts += times.thoughts;
            yardsticks += times.yardsticks;
        }
        if start.elapsed() > budget {
            break;
        }
    }
    let ns = cpu_ns as f64 / thoughts as f64;
    Measured { ns, yardsticks: ns / yardsticks.mean_ns().expect("it was played") }
}

fn beside_busy_loops<T>(measure: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    let cores = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..BUSY_LOOPS_A_CORE * cores {
            scope.spawn(|| {
                let mut number = 1_u64;
                while !stop.load(Ordering::Relaxed) {
                    number = black_box(number.wrapping_mul(6_364_136_223_846_793_005) + 1);
                }
            });
        }
        let measured = measure();
        stop.store(true, Ordering::Relaxed);
        measured
    })
}
