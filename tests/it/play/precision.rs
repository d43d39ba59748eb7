//! Runs that end when every player is known precisely enough.

use std::fs;

use crate::bench::{ENDLESS, Folder, Row, play_in_new_folder, read_rows, short_experiment};

/// Three players with a `[stop]` that takes a few hundred blocks.
fn stopping_experiment() -> String {
    short_experiment(600) + "\n[stop]\nprecision = 15\n"
}

/// The files that depend only on games.
const GAME_FILES: [&str; 4] = ["games.csv", "win-rate.csv", "max-tile.csv", "precision.csv"];

#[track_caller]
fn assert_same(one: &Folder, other: &Folder, label: &str) {
    for file in GAME_FILES {
        let name = format!("results/short/{file}");
        assert_eq!(one.read(&name), other.read(&name), "{file}, {label}");
    }
}

/// The rates, bounds and half-widths agree with the games, and the run ends at the first block at
/// which all are known.
#[test]
fn a_run_ends_where_every_player_is_known() {
    let one = play_in_new_folder("short.toml --threads 1", stopping_experiment());
    let precision_rows = read_rows(&one, "results/short/precision.csv");
    let blocks: u64 = precision_rows[0]["blocks"].parse().unwrap();
    assert!((50..400).contains(&blocks), "{blocks} blocks");
    let rates = read_rows(&one, "results/short/win-rate.csv");
    for (row, rate_row) in precision_rows.iter().zip(&rates) {
        let number = |column: &str| row[column].parse::<f64>().expect("a number");
        assert_eq!((&row["player"], &row["games"]), (&rate_row["player"], &rate_row["games"]));
        assert_eq!((&row["successes"], &row["rate"]), (&rate_row["wins"], &rate_row["win_rate"]));
        assert_eq!((&*row["precision"], &*row["level"], &*row["at_most"]), ("0.150000", "0.95", "600"));
        let half_width = (number("rate_high") - number("rate")).max(number("rate") - number("rate_low"));
        assert!((half_width - number("half_width")).abs() < 2e-6 && half_width <= 0.15, "{row:?}");
        assert_eq!(row["reached"], "yes");
        // Bounds that are valid at every look are wider than those for a fixed number of games.
        let fixed_number = |column: &str| rate_row[column].parse::<f64>().expect("a number");
        assert!(
            number("rate_low") < fixed_number("win_rate_low")
                && fixed_number("win_rate_high") < number("rate_high")
        );
    }
    assert_eq!(read_rows(&one, "results/short/games.csv").len() as u64, 3 * blocks);
    for threads in ["--threads 2", "--threads 16"] {
        assert_same(
            &one,
            &play_in_new_folder(&format!("short.toml {threads}"), stopping_experiment()),
            threads,
        );
    }
    // One block fewer is not enough.
    let fewer_games = stopping_experiment().replace("games = 600", &format!("games = {}", blocks - 1));
    let folder = Folder::with_file("short.toml", fewer_games);
    let output = folder.run("run short.toml").assert_status(0);
    let message = format!("after all {} blocks, the win rate of ", blocks - 1);
    output.assert_says(&message).assert_says("not to 15 points (95 % at every look)");
    let rows = read_rows(&folder, "results/short/precision.csv");
    assert!(rows.iter().any(|row| row["reached"] == "no"), "{rows:?}");
    assert!(rows.iter().any(|row| row["reached"] == "yes"), "{rows:?}");
}

#[test]
fn a_killed_run_ends_where_it_would_have() {
    let text = stopping_experiment()
        .replace("games = 600", "games = 60_000")
        .replace("precision = 15", "precision = 5");
    let complete = play_in_new_folder("short.toml", &text);
    // No machine reaches this precision before the kills.
    let folder = Folder::new();
    folder.write("short.toml", text.replace("60_000", &ENDLESS.to_string()).replace("= 5", "= 0.01"));
    for _ in 0..3 {
        let journal = "results/short/journal.jsonl";
        assert!(folder.kill_at("run short.toml --quiet", journal, folder.size(journal) + 5_000));
    }
    let status = folder.run("status short.toml").assert_status(0);
    let line = status.stdout.lines().find(|line| line.contains("widest interval: "));
    assert!(line.is_some_and(|line| line.contains(" of 0.01 points after ")), "{}", status.stdout);
    folder.write("short.toml", &text);
    folder.run("run short.toml --quiet").assert_status(0);
    assert_same(&folder, &complete, "killed");
    folder.run("run short.toml").assert_status(0).assert_says("no games left to play");
    folder.run("status short.toml").assert_status(0).assert_says("stopped after");
}

#[test]
fn shards_are_judged_when_they_are_merged() {
    let complete = play_in_new_folder("short.toml", stopping_experiment());
    let folder = Folder::with_file("short.toml", stopping_experiment());
    for shard in ["1/2", "2/2"] {
        folder.run(&format!("run short.toml --quiet --shard {shard}")).assert_status(0);
    }
    folder.run("merge short.toml").assert_status(0);
    assert_same(&folder, &complete, "in shards");
}

/// Re-evaluated verdicts equal those of the run, and every command shows how the run ended.
#[test]
fn all_commands_know_how_it_ended() {
    let claim = "\n[[claim]]\nbetter = \"gain\"\nthan = \"any\"\n";
    let folder = play_in_new_folder("short.toml", stopping_experiment() + claim);
    let tables = || GAME_FILES.map(|file| folder.read(&format!("results/short/{file}")));
    let before = tables();
    fs::remove_file(folder.path("results/short/journal.jsonl")).unwrap();
    let output = folder.run("judge short.toml").assert_status(0);
    output
        .assert_says("because every win rate is known to 15 points (95 % at every look)")
        .assert_says("precision.csv accounts for early stopping");
    assert_eq!(tables(), before);
    assert!(!folder.path("results/short/stop.csv").exists());
    // Claims are answered by tests that are valid at every look, as in every run that may stop.
    let claims = read_rows(&folder, "results/short/claims.csv");
    assert!(claims[0]["answer"].contains("(anytime)"), "{claims:?}");
    let comparison = folder.run("compare results/short --by win --explain").assert_status(0);
    assert!(
        comparison.stdout.contains("(anytime") && !comparison.stdout.contains("McNemar"),
        "{}",
        comparison.stdout
    );
    comparison.assert_says("may have stopped when every rate was known to within 15 points");
    folder
        .run("rank results/short")
        .assert_status(0)
        .assert_says("may have stopped when every rate was known");
    let report = folder.run("report results/short").assert_status(0).stdout;
    assert!(report.contains("\nprecision\n"), "{report}");
    assert_eq!(
        folder.run("report results/short --table precision --format csv").assert_status(0).stdout,
        folder.read("results/short/precision.csv")
    );
    folder.run("report results/short --out page.html").assert_status(0);
    let page = folder.read("page.html");
    assert!(
        page.contains("How the run ended") && page.contains("known to 15 points (95 % at every look"),
        "{page}"
    );
    // Another precision is another run.
    folder.write("short.toml", (stopping_experiment() + claim).replace("precision = 15", "precision = 16"));
    folder.run("judge short.toml").assert_status(1).assert_says("another `[stop]`");
}

#[test]
fn a_rate_of_reaching_a_tile_may_end_it() {
    let text =
        stopping_experiment().replace("precision = 15", "precision = 15\nby = \"reach 128\"\nlevel = 0.8");
    let folder = play_in_new_folder("short.toml --export precision=known.csv", text);
    let precision_rows = read_rows(&folder, "known.csv");
    let tiles = read_rows(&folder, "results/short/max-tile.csv");
    for row in &precision_rows {
        let is_same_tile = |tile: &&Row| tile["player"] == row["player"] && tile["tile"] == "128";
        assert_eq!(row["successes"], tiles.iter().find(is_same_tile).expect("the tile")["reached"]);
        assert_eq!((&*row["by"], &*row["level"]), ("reach 128", "0.8"));
    }
    folder
        .run("run short.toml")
        .assert_status(0)
        .assert_says("because every rate of reach 128 is known to 15 points");
}

/// `--precision` changes the experiment in the folder, which every command uses from then on.
#[test]
fn precision_can_be_asked_for_on_the_command_line() {
    let folder = Folder::new();
    let claims = "\n[[claim]]\nbetter = \"gain\"\nthan = \"any\"\n\n[[claim]]\nbetter = \"gain\"\nthan = \"any\"\nby = \"score\"\n";
    folder.write("short.toml", short_experiment(600) + claims);
    folder
        .run("check short.toml --precision 15")
        .assert_status(0)
        .assert_says("stop: when the win rate of every player is known to within 15 points, at level 0.95")
        .assert_says("at most 1,800 of 1,800 games");
    let output = folder.run("run short.toml --precision 15").assert_status(0);
    output
        .assert_says("a [[claim]], by a measure that a run with `[stop]` cannot test")
        .assert_says("results/short+precision=15");
    let complete = play_in_new_folder("short.toml", stopping_experiment());
    for file in GAME_FILES {
        let changed_table = folder.read(&format!("results/short+precision=15/{file}"));
        assert_eq!(changed_table, complete.read(&format!("results/short/{file}")), "{file}");
    }
    for line in ["report", "compare", "rank", "status", "judge", "merge", "check", "run"] {
        folder.run(&format!("{line} results/short+precision=15")).assert_status(0);
    }
    folder.run("run short.toml --precision 15").assert_status(0).assert_says("no games left to play");
    let manifest: toml::Table = folder.read("results/short+precision=15/manifest.toml").parse().unwrap();
    assert_eq!(manifest["command"].as_str(), Some("gauntlet run short.toml --precision 15"));

    // Refused: an invalid half-width, a rule about two players, a table that is not made.
    for value in ["0", "50", "x", "nan", "1e-5"] {
        folder
            .run(&format!("run short.toml --precision {value}"))
            .assert_status(2)
            .assert_says("percentage points");
    }
    folder.write("pair.toml", short_experiment(600) + "\n[stop]\nbetter = \"gain\"\nthan = \"any\"\n");
    folder
        .run("run pair.toml --precision 1")
        .assert_status(2)
        .assert_says("--precision 1: short already has a `[stop]` that compares two players")
        .assert_says("remove `[stop]` or --precision");
    // The rule about two players is dropped with one of them.
    folder.run("check pair.toml --only any --precision 1").assert_status(0);
    folder
        .run("run short.toml --quiet --export precision=known.csv")
        .assert_status(2)
        .assert_says("short.toml has no `precision` in `[stop]`: no table `precision` to export");
    assert!(!folder.path("results/short").exists());
}
