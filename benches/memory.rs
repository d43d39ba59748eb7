//! Memory of `run` and of commands on its results, by number of games: for duels, and for solo
//! games with a claim by score.
//!
//! `cargo bench --bench memory -- GAMES…` prints the peak memory of the whole `run`, including
//! tables, and of the other commands, for each number of games. The default is 10,000, 100,000 and
//! 1,000,000 games and takes four minutes, nearly all of it for openings. From 100,000 games on,
//! the windows and the cache of openings are full, so the memory per further game is asserted to be
//! small. Memory is only measured on Linux.

#[path = "../tests/it/support/scratch.rs"]
mod scratch;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use gauntlet::GAMES;
use scratch::Scratch;

/// Experiment whose memory is measured.
struct Measured {
    name: &'static str,
    /// Text of the experiment, without the number of games.
    experiment: &'static str,
    /// Number of players that play this number of games each.
    lineups: u64,
    /// Measured commands, in order.
    commands: &'static [&'static str],
}

const MEASURED: [Measured; 2] = [
    // Games of two moves. Nearly every pair of games has a different opening.
    Measured {
        name: "duels",
        experiment: r#"
game = "gomoku"
seed = 3
max_moves = 2

[[player]]
name = "chance"
algorithm = "random"

[[player]]
name = "greedy"
algorithm = "gomoku-greedy"
"#,
        lineups: 1,
        commands: &["run duels.toml --quiet --threads 1", "compare results/duels"],
    },
    Measured {
        name: "scores",
        experiment: r#"
game = "2048"
seed = 3

[[player]]
name = "chance"
algorithm = "random"

[[player]]
name = "ordered"
algorithm = "fixed-order"
order = ["left", "down", "right", "up"]

[[claim]]
better = "chance"
than = "ordered"
by = "score"
"#,
        lineups: 2,
        commands: &["run scores.toml --quiet --threads 1", "judge scores.toml"],
    },
];

/// Number of games from which on all bounded memory is full.
const FULL_GAMES: u64 = 100_000;

/// Maximum number of bytes per further game: its entry in the list of journal lines, its cluster
/// number or its scores, and the allocator's overhead.
const MAX_BYTES: u64 = 32;

/// Environment variable that makes this program run as `gauntlet` and print its peak memory at the
/// end.
const AS_GAUNTLET: &str = "GAUNTLET_BENCH_MEMORY";

fn main() -> ExitCode {
    if std::env::var_os(AS_GAUNTLET).is_some() {
        let code = gauntlet::main(&GAMES);
        println!("{}", peak_memory().unwrap_or_default());
        return code;
    }
    // Cargo passes `--bench` to a benchmark, but not when it only tests that the benchmark runs.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let given_counts: Vec<u64> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let game_counts = match &given_counts[..] {
        [] if is_bench => vec![10_000, 100_000, 1_000_000],
        [] => vec![200],
        _ => given_counts,
    };
    for measured in &MEASURED {
        measured.measure(&game_counts);
    }
    ExitCode::SUCCESS
}

impl Measured {
    /// Prints the peak memory of each command for these numbers of games.
    fn measure(&self, game_counts: &[u64]) {
        let mut baselines: Vec<Option<(u64, u64)>> = vec![None; self.commands.len()];
        for &games in game_counts {
            let folder = Scratch::new();
            let file = folder.path().join(format!("{}.toml", self.name));
            let text =
                format!("name = \"{}\"\ngames = {}\n{}", self.name, games / self.lineups, self.experiment);
            fs::write(&file, text).expect("room on the disk");
            for (line, baseline) in self.commands.iter().zip(&mut baselines) {
                let name = format!("{} of {}", line.split(' ').next().unwrap_or_default(), self.name);
                let Some(peak_kib) = measure_peak(folder.path(), line) else { continue };
                println!("{name}, {games} games: {peak_kib} KiB");
                if let Some((base_games, base_kib)) = baseline.filter(|(base_games, _)| *base_games < games) {
                    let bytes = peak_kib.saturating_sub(base_kib) * 1024 / (games - base_games);
                    println!("{name}, a game above {base_games}: {bytes} bytes");
                    assert!(bytes <= MAX_BYTES, "a game takes {bytes} bytes, which is more than {MAX_BYTES}");
                }
                if games >= FULL_GAMES {
                    *baseline = Some((games, peak_kib));
                }
            }
        }
    }
}

/// Returns the peak memory of a command in this folder, in KiB.
fn measure_peak(folder: &Path, line: &str) -> Option<u64> {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let output = command.env(AS_GAUNTLET, "1").current_dir(folder).args(line.split(' ')).output();
    let output = output.expect("this program starts");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    stdout.lines().last()?.parse().ok()
}

/// Returns the peak memory of this process, in KiB.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
