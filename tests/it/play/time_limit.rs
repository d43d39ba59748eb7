//! Runs with a time limit: what they leave, and how they resume.

use std::fs;

use crate::bench::{Folder, classics_with_games, read_rows};

const RESULTS: &str = "results/classics+for=1s";
const CLAIM: &str = "\n[[claim]]\nbetter = \"gain\"\nthan = \"any\"\nby = \"score\"\n";

/// More games than fit into a second.
fn many_games() -> Folder {
    Folder::with_file("a.toml", classics_with_games(100000000) + CLAIM)
}

#[test]
fn a_run_of_a_second_shows_its_complete_blocks_and_goes_on() {
    let folder = many_games();
    let run = folder.run("run a.toml --for 1s --export max-tile=tiles.csv").assert_status(0);
    let run = run
        .assert_says("classics+for=1s is unfinished: showing the first")
        .assert_says("verdicts on claims need a finished run")
        .assert_says("run a.toml --for 1s --export max-tile=tiles.csv\n");
    assert!(
        run.stderr.contains("stopped by --for after") && run.stderr.contains("to resume for the same time:")
    );
    assert!(run.stdout.contains("win-rate\n") && !run.stdout.contains("claims\n"), "{}", run.stdout);
    assert!(!folder.path("results/classics").exists());
    let mut names: Vec<_> =
        fs::read_dir(folder.path(RESULTS)).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".lock", "experiment.toml", "journal.jsonl"]);

    // The tables equal those of a run of just these games.
    let block_count = folder.blocks(RESULTS);
    assert!(block_count > 0);
    folder.run(&format!("run a.toml --games {block_count} --name whole --quiet")).assert_status(0);
    assert!(
        read_rows(&folder, "tiles.csv") == read_rows(&folder, "results/whole/max-tile.csv"),
        "of {block_count} blocks"
    );
    let output = folder
        .run(&format!("report {RESULTS} --table max-tile --format csv"))
        .assert_status(0)
        .assert_says("unfinished");
    assert_eq!(output.stdout, folder.read("tiles.csv"));
    folder
        .run(&format!("status {RESULTS}"))
        .assert_status(0)
        .assert_says(&format!("to resume: gauntlet run {RESULTS}/experiment.toml"));
    folder.run(&format!("compare {RESULTS}")).assert_status(0).assert_says("unfinished");

    folder
        .run("run a.toml --for 1s --quiet --export claims=claims.csv")
        .assert_status(1)
        .assert_says("table `claims` is only available after");
    assert!(folder.blocks(RESULTS) > block_count);
    assert!(!folder.path("claims.csv").exists());
}

#[test]
fn a_run_that_ends_in_time_is_like_any_other() {
    let folder = many_games();
    folder
        .run("run a.toml --games 20 --for 60m")
        .assert_status(0)
        .assert_says("60 games played")
        .assert_says("claims");
    let manifest = folder.read("results/classics+games=20+for=60m/manifest.toml");
    assert!(manifest.contains("command = \"gauntlet run a.toml --games 20 --for 60m\""), "{manifest}");
    folder
        .run("run a.toml --games 20 --for 1s --name classics+games=20+for=60m")
        .assert_status(0)
        .assert_says("no games left");
}

/// A game that takes minutes.
fn deep_experiment() -> Folder {
    let folder = Folder::new();
    let player = "[[player]]\nname = \"deep\"\nalgorithm = \"ovolve\"\ndepth = 12\n";
    folder.write("deep.toml", format!("name = \"deep\"\ngame = \"2048\"\nseed = 1\ngames = 4\n{player}"));
    folder
}

#[test]
fn a_game_that_takes_longer_is_dropped() {
    let folder = deep_experiment();
    folder
        .run("run deep.toml --for 1s --threads 2")
        .assert_status(1)
        .assert_says("no game finished: a game of deep was stopped after ")
        .assert_says("use a longer --for, or omit --for\n");
    assert!(!folder.read("results/deep+for=1s/journal.jsonl").contains("\"games\":"));
    // The next experiment still gets its time.
    folder.write("a.toml", classics_with_games(100000000));
    folder
        .run("run deep.toml a.toml --for 1s --quiet")
        .assert_status(1)
        .assert_says("classics+for=1s is unfinished");
}

#[cfg(unix)]
#[test]
fn a_run_with_time_left_is_interrupted_as_any_other() {
    let folder = deep_experiment();
    let child = folder.start("run deep.toml --for 2h --threads 2");
    folder.wait_for_size("results/deep+for=2h/journal.jsonl", 1);
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
}

#[test]
fn a_time_that_makes_no_sense_is_refused() {
    let folder = many_games();
    folder.run("run a.toml --for 5").assert_status(2).assert_says("such as 90s, 5m or 2h");
    // A single shard has only the first blocks, so it would have no results.
    folder.run("run a.toml --for 5m --shard 1/2").assert_status(2).assert_says("--shard");
    assert!(!folder.path("results").exists());
}

/// A player that waits forever without computing: its game takes longer than the time of a run. The
/// run reports this for that player, whether others made progress or not, and does not suggest to
/// repeat a call without progress.
#[cfg(unix)]
#[test]
fn a_game_that_takes_longer_than_the_time_is_told() {
    let folder = Folder::with_file("waits.sh", "read -r line; echo ready waits; exec sleep 3600");
    folder.write("waits.toml", WAITS);
    let run = "run waits.toml --allow-commands --for 1s --threads 2";
    for is_repeated in [false, true] {
        let output = folder.run(run).assert_status(1);
        let (before, after) =
            output.stderr.trim_end().split_once("a game of waits was stopped after ").unwrap();
        assert_eq!(before, "no game finished: ", "{is_repeated}");
        assert!(after.ends_with(" and 0 moves; use a longer --for, or omit --for"), "{after}");
        assert_eq!(output.stderr.lines().count(), 1, "{is_repeated}: {}", output.stderr);
    }
    folder.write("both.toml", WAITS.replace("\"w\"", "\"both\"") + ANY);
    let output = folder.run("run both.toml --allow-commands --for 1s --threads 2").assert_status(1);
    assert!(output.stderr.contains("to resume for the same time"), "{}", output.stderr);
    assert!(output.stderr.contains("a game of waits was stopped after "), "{}", output.stderr);
    assert!(!output.stderr.contains("no game finished"), "{}", output.stderr);
    assert!(!output.stderr.contains("a game of any was stopped"), "{}", output.stderr);
}

/// If a tuning finished no game, it names the game that needs more time, and does not suggest
/// repeating the call. A worker does the same.
#[test]
fn a_tuning_tells_of_a_game_that_takes_longer_than_the_time() {
    let folder = Folder::new();
    let quick = include_str!("../../../configs/tune/quick.toml").replace("budget = 3000", "budget = 400");
    folder.write("deep.toml", quick.replace("depth = 0", "depth = 12"));
    let lines =
        ["tune deep.toml --for 0.2s --results alone", "tune deep.toml --for 0.2s --worker 1/2 --wait 1s"];
    for line in lines.iter().flat_map(|line| [line, line]) {
        let output = folder
            .run(line)
            .assert_status(0)
            .assert_says("no game finished: ")
            .assert_says(" was stopped after ");
        assert!(!output.stderr.contains("to resume"), "{line}: {}", output.stderr);
    }
}

const WAITS: &str = "name = \"w\"\ngame = \"2048\"\nseed = 1\ngames = 100000000\n\n[[player]]\nname = \"waits\"\n\
    algorithm = \"external\"\ncommand = [\"sh\", \"waits.sh\"]\nmove_millis = 86400000\n";
const ANY: &str = "\n[[player]]\nname = \"any\"\nalgorithm = \"random\"\n";

/// The trial of programs before the first game does not count as time: a program that starts slowly
/// the first time plays.
#[cfg(unix)]
#[test]
fn the_time_begins_with_the_games() {
    let folder = Folder::new();
    let script = "[ -e slept ] || { sleep 2; touch slept; }\n".to_owned()
        + include_str!("../../../examples/players/first.sh");
    folder.write("waits.sh", script);
    folder.write("waits.toml", WAITS.replace("\n\n", "\nmax_moves = 1\n\n"));
    let output = folder.run("run waits.toml --allow-commands --for 1s --quiet");
    assert!(folder.blocks("results/w+for=1s") > 0, "{}", output.stderr);
}
