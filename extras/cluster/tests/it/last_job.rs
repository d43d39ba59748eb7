//! The last job of Slurm, which merges the shards: its script, run by a shell.

#![cfg(unix)]

use serde_json::{Value, json};

use crate::bench::{
    Folder, ProgramOutput, classics_with_games, play_classics, play_in_new_folder, read_rows,
};

/// Its message if games are missing.
const MISSING_GAMES_MESSAGE: &str = "To play what is missing: the same gauntlet cluster command again.";

fn run_last_job(folder: &Folder, name: &str) -> ProgramOutput {
    folder.shell(&format!("bash results/{name}/cluster/end.sbatch"))
}

/// The last job reports missing games and how to resume, makes the page if there are tables, and
/// returns the exit status of its command.
#[test]
fn the_last_job_ends_as_what_it_called() {
    let (folder, _) = play_classics();
    folder.run("cluster slurm classics.toml --shards 2").assert_status(0);
    let output = run_last_job(&folder, "classics").assert_status(1).assert_says("nothing to merge");
    assert!(!output.stdout.contains(MISSING_GAMES_MESSAGE), "{}", output.stdout);
    folder.run("run classics.toml --quiet --shard 2/2").assert_status(0);
    let output = run_last_job(&folder, "classics").assert_status(1).assert_says("(shard 1/2)");
    assert!(output.stdout.contains(MISSING_GAMES_MESSAGE), "{}", output.stdout);
    assert!(!folder.path("results/classics/report.html").exists());
    folder.run("run classics.toml --quiet --shard 1/2").assert_status(0);
    let output = run_last_job(&folder, "classics").assert_status(0);
    assert!(
        !output.stdout.contains(MISSING_GAMES_MESSAGE)
            && folder.path("results/classics/report.html").exists(),
        "{}",
        output.stdout
    );
    // For a tuning it prints the answer, and it acts as a worker as well.
    folder.copy_from_repository("configs/tune");
    folder.run("cluster slurm configs/tune/quick.toml --shards 1 --threads 2").assert_status(0);
    let [play, last] =
        ["play", "end"].map(|name| folder.read(&format!("results/tune-quick/cluster/{name}.sbatch")));
    assert!(
        play.contains("/1 --wait 24h --threads 2 --quiet") && last.contains(" --threads 2 --quiet"),
        "{play}{last}"
    );
    let output = run_last_job(&folder, "tune-quick");
    assert!(folder.path("results/tune-quick/report.html").exists(), "{output:?}");
    assert_eq!(folder.run("tune configs/tune/quick.toml --quiet").code, output.code);
    assert!([Some(0), Some(6), Some(7)].contains(&output.code), "{output:?}");
}

/// A game that broke its player is not missing: there are tables and a page, and no message about
/// missing games.
#[test]
fn a_broken_game_is_not_missing() {
    let folder = play_in_new_folder("classics.toml --results alone", classics_with_games(2));
    let games = read_rows(&folder, "alone/classics/games.csv");
    let seed: u64 = games.iter().find(|game| game["block"] == "1").expect("a game")["seed"].parse().unwrap();
    folder.run("cluster slurm classics.toml --shards 2").assert_status(0);
    for shard in ["1/2", "2/2"] {
        folder.run(&format!("run classics.toml --quiet --shard {shard}")).assert_status(0);
    }
    let path = "results/classics/journal-2-of-2.jsonl";
    let journal = folder.read(path);
    let entry = |line: &str| -> Value { serde_json::from_str(&line[17..]).unwrap() };
    let (game_lines, others): (Vec<&str>, Vec<&str>) =
        journal.lines().partition(|line| entry(line).get("games").is_some());
    let (first, rest) = game_lines.split_first().expect("games");
    let remaining: String = others.iter().chain(rest).map(|line| format!("{line}\n")).collect();
    folder.write(path, &remaining);
    run_last_job(&folder, "classics").assert_status(1).assert_says(MISSING_GAMES_MESSAGE);
    let key = &entry(first)["games"]["key"];
    let panic_entry =
        json!({ "panic": { "key": key, "seed": seed, "message": "no idea at all" } }).to_string();
    folder.write(
        path,
        format!("{remaining}{} {panic_entry}\n", &blake3::hash(panic_entry.as_bytes()).to_hex()[..16]),
    );
    let output = run_last_job(&folder, "classics").assert_status(1).assert_says("no idea at all");
    assert!(!(output.stdout + &output.stderr).contains(MISSING_GAMES_MESSAGE));
    assert!(folder.path("results/classics/report.html").exists());
}
