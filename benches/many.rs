//! CPU time of `rank` and of the page where there are thousands of players: all pairs are compared,
//! 4.5 million of 3,000.
//!
//! `cargo bench --bench many -- PLAYERS`, of 3,000 if no number is given, with 100 games each,
//! which are played first. Once players lead by their wins, and once, where all win, by their
//! scores. Of up to 3,000 players each command may take ten CPU seconds: that is asserted.

#[path = "../tests/it/support/scratch.rs"]
mod scratch;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use cpu_time::ProcessTime;
use gauntlet::GAMES;
use scratch::Scratch;

/// The number of players up to which the seconds are asserted.
const PLAYERS: u32 = 3_000;

/// The most CPU seconds of a command then.
const MOST_SECONDS: f64 = 10.0;

/// Set where this program is called as `gauntlet`, to print at its end how much CPU time it took.
const AS_GAUNTLET: &str = "GAUNTLET_BENCH_MANY";

/// Players of different weights in short games, which are won at a tile.
fn experiment(players: u32, won_at: u32) -> String {
    let mut text = format!(
        "name = \"many\"\ngame = \"2048\"\nseed = 1\ngames = 100\nwin = {won_at}\nuntil = {won_at}\nmax_moves = 300\n"
    );
    for player in 0..players {
        let (empty, smoothness) = (1.0 + f64::from(player) / 1e3, 0.1 + f64::from(player % 50) / 1e2);
        let weights = format!("{{ empty = {empty}, smoothness = {smoothness} }}");
        write!(
            text,
            "\n[[player]]\nname = \"p{player}\"\nalgorithm = \"ovolve\"\ndepth = 0\nweights = {weights}\n"
        )
        .expect("a text takes all");
    }
    text
}

fn main() -> ExitCode {
    if std::env::var_os(AS_GAUNTLET).is_some() {
        let code = gauntlet::main(&GAMES);
        println!("{}", ProcessTime::try_now().map_or(f64::NAN, |time| time.as_duration().as_secs_f64()));
        return code;
    }
    // Cargo passes `--bench` to a bench, and not where it only tests that the bench runs.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let earnest = arguments.iter().any(|argument| argument == "--bench");
    let asked = arguments.iter().find_map(|argument| argument.parse().ok());
    let players = asked.unwrap_or(if earnest { PLAYERS } else { 30 });
    for (by, won_at) in [("wins", 256), ("scores", 16)] {
        let folder = Scratch::new();
        fs::write(folder.path().join("many.toml"), experiment(players, won_at)).expect("room on the disk");
        taken(folder.path(), "run many.toml --quiet --threads 1");
        for line in ["rank results/many", "report results/many --out many.html"] {
            let seconds = taken(folder.path(), line);
            println!("{players} players by {by}: {seconds:.2} CPU s of {line}");
            assert!(
                players > PLAYERS || seconds < MOST_SECONDS,
                "{seconds} s, which is more than {MOST_SECONDS}"
            );
        }
    }
    ExitCode::SUCCESS
}

/// The CPU seconds of a command in this folder.
fn taken(folder: &Path, line: &str) -> f64 {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let output = command.env(AS_GAUNTLET, "1").current_dir(folder).args(line.split(' ')).output();
    let output = output.expect("this program starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said.lines().last().and_then(|line| line.parse().ok()).expect("CPU seconds")
}
