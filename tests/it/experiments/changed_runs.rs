//! Runs changed on the command line, and experiments that are not in a file.

use std::fs;

use crate::bench::{Folder, classics_with_games};

fn folder() -> Folder {
    let folder = Folder::new();
    let claim = "\n[[claim]]\nbetter = \"gain\"\nthan = \"any\"\nby = \"score\"\n";
    folder.write("a.toml", classics_with_games(50) + claim);
    folder
}

#[test]
fn a_changed_run_has_a_folder_that_stands_for_itself() {
    let folder = folder();
    let changes = "--games 20 --only gain --set gain:ties=last";
    let check = folder.run(&format!("check a.toml {changes}")).assert_status(0);
    check
        .assert_says("20 of 20 games to play")
        .assert_says("ties = \"last\"")
        .assert_says("skipping parts of classics+");
    assert!(!folder.path("results").exists());
    folder
        .run(&format!("run a.toml {changes}"))
        .assert_status(0)
        .assert_says("20 games played")
        .assert_says("a [[claim]], for excluded players");
    assert!(!folder.path("results/classics").exists());
    // The folder has a short name that shows the first changes.
    let names = std::fs::read_dir(folder.path("results")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let [name] = &names[..] else { panic!("{names:?}") };
    let digest = name.strip_prefix("classics+games=20+gain.ties=last-");
    assert!(digest.is_some_and(|digest| digest.len() == 7), "{name}");
    let results = &format!("results/{name}");
    let comment = "# classics, changed: games=20, gain.ties=last, only=gain\n";
    assert!(folder.read(&format!("{results}/experiment.toml")).starts_with(comment));
    let manifest: toml::Table = folder.read(&format!("{results}/manifest.toml")).parse().unwrap();
    let command = "gauntlet run a.toml --games 20 --set gain:ties=last --only gain";
    assert_eq!(manifest["command"].as_str(), Some(command));
    // Without the options, every command accepts the folder.
    for line in ["report", "status", "judge", "merge", "check", "run"] {
        folder.run(&format!("{line} {results}")).assert_status(0);
    }
    folder
        .run(&format!("run {results}"))
        .assert_status(0)
        .assert_says("no games left to play")
        .assert_says(results);
    folder.run(&format!("run a.toml {changes}")).assert_status(0).assert_says("no games left to play");
    // A run with this name and more games continues it.
    folder.run("run a.toml --games 10 --name mine --quiet").assert_status(0);
    folder.run("run a.toml --games 30 --name mine").assert_status(0).assert_says("60 games played");
    assert_eq!(folder.read("results/mine/games.csv").lines().count(), 91);
    assert!(folder.read("results/mine/experiment.toml").contains("[[claim]]"));
}

/// A run takes games from the folder of the unchanged file, even if it has games too. So `check
/// --cost` estimates no cost for these games, and uses them to estimate the cost of others.
#[test]
fn what_the_own_folder_holds_costs_nothing() {
    let folder = folder();
    folder.run("run a.toml --quiet").assert_status(0);
    let output = folder.run("check a.toml --games 80 --cost").assert_status(0);
    for line in [
        "any: random, 30 games to play",
        "  90 of 240 games to play",
        " per game (50 games from the journal), ",
    ] {
        assert!(output.stdout.contains(line), "{line} in {}", output.stdout);
    }
    let output =
        folder.run("check a.toml --games 40 --cost").assert_status(0).assert_says("0 of 120 games to play");
    assert!(!output.stdout.contains("cost"), "{}", output.stdout);
    // Games of the changed run count in addition.
    folder.run("run a.toml --games 70 --quiet").assert_status(0);
    fs::rename(folder.path("results/classics+games=70"), folder.path("results/classics+games=80")).unwrap();
    folder.run("run a.toml --games 30 --quiet --replace --results apart").assert_status(0);
    fs::remove_dir_all(folder.path("results/classics")).unwrap();
    fs::rename(folder.path("apart/classics+games=30"), folder.path("results/classics")).unwrap();
    folder.run("check a.toml --games 80").assert_status(0).assert_says("  30 of 240 games to play");
    // If the folder cannot be read, a run plays all games, and the cost includes all of them.
    fs::remove_file(folder.path("results/classics/journal.jsonl")).unwrap();
    fs::create_dir(folder.path("results/classics/journal.jsonl")).unwrap();
    let output =
        folder.run("check a.toml --games 80").assert_status(0).assert_says("  30 of 240 games to play");
    assert!(
        output.stderr.contains(
            "cannot reuse games of the unchanged experiment: cannot open the journal results/classics/journal.jsonl"
        ),
        "{}",
        output.stderr
    );
}

#[test]
fn what_the_own_folder_holds_is_not_played_again() {
    let folder = folder();
    folder.run("run a.toml --quiet").assert_status(0);
    let before = folder.files("results/classics");
    for (changes, name, reused_games, played_message) in [
        ("--games 20", "classics+games=20", "60 games of this run", "no games left to play"),
        ("--only gain", "classics+only=gain", "50 games of this run", "no games left to play"),
        ("--games 80", "classics+games=80", "150 games of this run", "90 games played"),
        ("--precision 9", "classics+precision=9", "150 games of this run", "no games left to play"),
        ("--games 20 --set gain:ties=last --name x", "x", "40 games of this run", "20 games played"),
    ] {
        let output = folder.run(&format!("run a.toml {changes}")).assert_status(0);
        output
            .assert_says(&format!("reusing {reused_games} from results/classics\n"))
            .assert_says(played_message);
        folder.run(&format!("run a.toml {changes} --results fresh --quiet")).assert_status(0);
        for file in ["games.csv", "win-rate.csv"] {
            let [reused, fresh] =
                ["results", "fresh"].map(|parent| folder.read(&format!("{parent}/{name}/{file}")));
            assert_eq!(reused, fresh, "{changes}: {file}");
        }
        // Times are taken over with the games.
        let times = crate::bench::read_rows(&folder, &format!("results/{name}/ms-per-move.csv"));
        assert!(times.iter().all(|row| !row["cpu_ms_per_move"].is_empty()), "{changes}: {times:?}");
        folder.run(&format!("run a.toml {changes}")).assert_status(0).assert_says("no games left to play");
    }
    assert_eq!(folder.files("results/classics"), before, "the own folder stays as it is");
    // With only another name the games are equal, but an external program may have changed.
    folder.run("run a.toml --name again").assert_status(0).assert_says("150 games played");
    folder.write("first.sh", include_str!("../../../examples/players/first.sh"));
    let player = "[[player]]\nname = 'p'\nalgorithm = 'external'\ncommand = ['sh', 'first.sh']\n";
    folder.play(
        "b.toml --allow-commands",
        format!("name = 'b'\ngame = '2048'\nseed = 1\ngames = 2\nuntil = 32\nwin = 32\n{player}"),
    );
    folder.run("run b.toml --allow-commands --games 1").assert_status(0).assert_says("1 game played");
    // Tables do not have the times of single games.
    std::fs::remove_file(folder.path("results/classics/journal.jsonl")).unwrap();
    folder.run("run a.toml --games 10").assert_status(0).assert_says("30 games played");
    // Impossible games are not taken.
    folder.write("results/classics/journal.jsonl", "no journal at all\n");
    folder.run("run a.toml --games 12").assert_status(0).assert_says("36 games played");
}

#[test]
fn a_run_that_stopped_at_its_cap_says_how_many_games_would_do() {
    let folder =
        Folder::with_file("a.toml", classics_with_games(100).replacen("seed = 7", "seed = 7\nwin = 256", 1));
    let stdout = folder.run("run a.toml --precision 4").assert_status(0).stdout;
    let (_, rest) = stdout.split_once("; about ").expect("a number");
    let needed_games = rest.split(' ').next().expect("a number").replace(',', "");
    let stdout =
        folder.run(&format!("run a.toml --precision 4 --games {needed_games}")).assert_status(0).stdout;
    assert!(stdout.contains("the run ended after "), "{needed_games}: {stdout}");
    let half: u64 = needed_games.parse::<u64>().expect("a number") / 2;
    let stdout = folder.run(&format!("run a.toml --precision 4 --games {half}")).assert_status(0).stdout;
    assert!(stdout.contains("after all "), "{half}: {stdout}");
}

#[test]
fn a_folder_of_results_can_be_changed_as_its_experiment_can() {
    let folder = folder();
    folder.run("run a.toml --games 5 --name a --quiet").assert_status(0);
    folder
        .run("run results/a --games 3 --only gain")
        .assert_status(0)
        .assert_says("reusing 3 games of this run from results/a");
    assert_eq!(folder.read("results/a+games=3+only=gain/games.csv").lines().count(), 4);
    folder.run("check results/a --games 4").assert_status(0).assert_says("0 of 12 games to play");
}

/// For a wrong folder the message names the right one, not files inside it.
#[test]
fn a_wrong_folder_is_told_from_the_right_one() {
    let folder = folder();
    folder.run("run a.toml --games 5 --name first --quiet").assert_status(0);
    folder.run("run a.toml --games 5 --name second --quiet").assert_status(0);
    folder.write("results/notes/a.txt", "");
    folder.write("named/first.toml", folder.read("a.toml").replace("\"classics\"", "\"first\""));
    for (path, message) in [
        ("results/frist", "no such folder: results/frist; did you mean results/first?"),
        ("second", "no such folder: second; did you mean results/second?"),
        ("results/note", "no such folder: results/note\n"),
        (
            "named/first.toml",
            "first.toml is an experiment, not a results folder; its results are in results/first",
        ),
        ("a.toml", "a.toml is an experiment, not a results folder; create them with `gauntlet run a.toml`"),
        ("results", "results has no results; use one of its folders: results/first, results/second"),
        ("results/notes", "results/notes has no results\n"),
        ("results/notes/a.txt", "a.txt is a file, not a results folder"),
        ("results/first/games.csv", "games.csv is a file: use its folder, results/first"),
    ] {
        for command in ["report", "compare", "rank", "report --out x.html"] {
            if (command, path) == ("rank", "results") {
                continue;
            }
            let code = if folder.path(path).exists() { 1 } else { 2 };
            let output = folder.run(&format!("{command} {path}")).assert_status(code);
            assert!(output.stderr.contains(message), "{command} {path}: {}", output.stderr);
            assert_eq!(output.stderr.trim_end().lines().count(), 1, "{}", output.stderr);
        }
    }
    for command in ["judge", "show", "status", "run", "merge", "check", "run --games 3"] {
        let output = folder.run(&format!("{command} results/frist")).assert_status(2);
        let message = "no such file or folder: results/frist; did you mean results/first?";
        assert!(output.stderr.contains(message), "{command}: {}", output.stderr);
        if command == "status" {
            continue;
        }
        let is_played = command.starts_with("run") || command == "check";
        let (code, message) = match is_played {
            true => (2, "results has no experiment; give the file of an experiment"),
            false => (1, "results has no results; use one of its folders:"),
        };
        let output = folder.run(&format!("{command} results")).assert_status(code);
        assert!(output.stderr.contains(message), "{command}: {}", output.stderr);
    }
    let output = folder.run("judge a.toml").assert_status(1);
    assert!(
        output.stderr.contains("no such folder: results/classics; `gauntlet run a.toml`"),
        "{}",
        output.stderr
    );
}

#[test]
fn an_experiment_may_come_from_standard_input() {
    let folder = folder();
    let text = folder.read("a.toml");
    folder.run_with("check -", &text).assert_status(0).assert_says("150 of 150 games to play");
    folder.run_with("run - --games 10 --quiet", &text).assert_status(0);
    folder
        .run("run results/classics+games=10/experiment.toml")
        .assert_status(0)
        .assert_says("no games left to play");
    folder.run_with("check -", "name = 3").assert_status(2).assert_says("standard input:1:8");
}

#[test]
fn an_experiment_to_begin_with_is_sound() {
    let folder = Folder::new();
    folder.run("init").assert_status(0).assert_says("gauntlet run experiment.toml");
    folder
        .run("check experiment.toml")
        .assert_status(0)
        .assert_says("claim: by score, greedy ties=first is better than random");
    folder.write("experiment.toml", "mine");
    folder.run("init").assert_status(2).assert_says("already exists");
    assert_eq!(folder.read("experiment.toml"), "mine");
    let printed = folder.run("init -").assert_status(0).stdout;
    folder.run_with("check -", &printed).assert_status(0);
}

/// Results go where the user's file says, and each command in a template's comments works.
#[test]
fn every_template_runs_under_the_name_of_its_file() {
    let folder = Folder::new();
    for (options, file) in
        [("", "mine.toml"), ("--game gomoku", "stones of mine.toml"), ("--tune", "better.toml")]
    {
        let stdout = folder.shell(&format!("gauntlet init {options} '{file}'")).assert_status(0).stdout;
        let (_, command) = stdout.trim_end().rsplit_once('\n').expect("a command");
        folder.shell(&format!("{} --quiet", command.trim())).assert_status(0);
        let name = file.trim_end_matches(".toml");
        let tables = if options == "--tune" { "tune/manifest.toml" } else { "manifest.toml" };
        assert!(folder.path(&format!("results/{name}/{tables}")).exists(), "{options}: {stdout}");
        let text = folder.read(file);
        assert!(text.contains(&format!("name = \"{name}\"")), "{text}");
        assert!(!text.contains("FILE") && !text.contains("configs/"), "{text}");
        // The commands in its comments can be typed.
        let comments = text.lines().filter_map(|line| line.strip_prefix("#     "));
        for example in comments.map(|line| line.split("     ").next().expect("a command")) {
            folder.shell(example).assert_status(0);
        }
    }
    folder.run("init --tune --game gomoku x.toml").assert_status(2);
    folder.run("init --tune --external python x.toml").assert_status(2);
}
