//! CPU time until a resumed tuning begins to play: the journal is opened, and the search receives
//! all earlier losses again.
//!
//! `cargo bench --bench going_on -- GAMES`, of a million games if no number is given; these are
//! played first, in half a minute. It prints what the journal holds for a game, and CPU seconds
//! with and without its lines of losses.

#[path = "../tests/it/support/scratch.rs"]
mod scratch;

use std::fs;
use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;
use gauntlet::config::Experiment;
use gauntlet::player::Stop;
use gauntlet::run::Options;
use gauntlet::run::bar::ProgressMode;
use gauntlet::tune::section::TuneSection;
use gauntlet::tune::{TuningEnd, TuningEvent, TuningJob, tune};
use gauntlet::{GAMES, catalog, config};
use scratch::Scratch;

/// Games of two moves. A search of four settings, of which the candidates of a step are nearly all
/// different players.
const EXPERIMENT: &str = r#"
name = "going-on"
game = "2048"
seed = 7
games = 50
max_moves = 2

[[player]]
name = "ovolve"
algorithm = "ovolve"
depth = 0
win_tile = "none"
weights = { smoothness = 0.1, monotonicity = 1.0, empty = 2.7, largest = 1.0 }

[tune]
player = "ovolve"
budget = 10_000_000
method = "spsa"

[tune.params]
weights.smoothness = { min = 0.01, max = 2.0, scale = "log" }
weights.monotonicity = { min = 0.0, max = 10.0 }
weights.empty = { min = 0.0, max = 10.0 }
weights.largest = { min = 0.0, max = 10.0 }
"#;

fn main() {
    // Cargo passes `--bench` to a bench, and not where it only tests that the bench runs.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let earnest = arguments.iter().any(|argument| argument == "--bench");
    let asked = arguments.iter().find_map(|argument| argument.parse().ok());
    let games = asked.unwrap_or(if earnest { 1_000_000 } else { 3_000 });

    let folder = Scratch::new();
    let file = folder.path().join("going-on.toml");
    fs::write(&file, EXPERIMENT).expect("room on the disk");
    let experiment = config::load(catalog(&GAMES), &file).expect("an experiment");
    let results = folder.path().join("tune");
    let played = ProcessTime::now();
    go_on(&experiment, &results, games);
    println!("{games} games were played in {:.1} CPU s", played.elapsed().as_secs_f64());
    let path = results.join("journal.jsonl");
    let of_a_game = |bytes: usize| bytes as f64 / games as f64;
    // Each plays a step more than the one before.
    for what in ["with losses", "without", "with those found again"] {
        let journal = fs::read_to_string(&path).expect("a journal");
        let is_of_games = |line: &&str| !line.contains(r#" {"losses":{"#);
        let alone: String = journal.split_inclusive('\n').filter(is_of_games).collect();
        println!(
            "journal: {:.1} bytes a game, {:.1} without losses",
            of_a_game(journal.len()),
            of_a_game(alone.len())
        );
        if what == "without" {
            fs::write(&path, alone).expect("room on the disk");
        }
        let (spent, seconds) = go_on(&experiment, &results, 0);
        println!("{what}: {seconds:.2} CPU s until it plays, from {spent} games on");
        assert!(spent >= games);
    }
}

/// Goes on until this number of games was played, and at least one. Returns after how many games of
/// the search the first of them came, and the CPU time until then.
fn go_on(experiment: &Experiment, folder: &Path, games: u64) -> (u64, f64) {
    let asked = TuneSection::of(experiment).cloned().expect("a [tune]");
    let options = Options {
        threads: 1,
        memory: 1 << 30,
        shard: None,
        share: None,
        time: None,
        progress: ProgressMode::Quiet,
        line: None,
        experiment: "",
        claims: None,
        is_in_session: true,
    };
    let task = TuningJob {
        experiment,
        tune: &asked,
        folder,
        worker: None,
        command: "gauntlet tune",
        options,
        until: None,
    };
    let stop = Stop::default();
    let mut begun = None;
    let (start, started) = (ProcessTime::now(), Instant::now());
    let end = tune(&task, &stop, &mut |news| {
        let TuningEvent::Searched(seen) = news else { panic!("the budget is spent") };
        let progress = seen.progress(started);
        let spent = progress.done;
        // Only games that were played now have a pace.
        if progress.pace.is_some() {
            begun.get_or_insert_with(|| (spent, start.elapsed().as_secs_f64()));
            if spent >= games {
                stop.ask();
            }
        }
    });
    assert!(matches!(end, Ok(TuningEnd::Stopped(_))), "{end:?}");
    begun.expect("it played")
}
