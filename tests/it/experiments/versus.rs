//! `gauntlet versus`: players on the command line, and the experiment that it writes.

#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use crate::bench::Folder;
use crate::tools::is_installed;

/// A player of Gomoku on a board of 15 x 15: the first free cell.
const FIRST_FREE: &str = r#"#!/bin/sh
while read -r word game board rest; do
  case $word in
    gauntlet) echo "ready first" ;;
    move)
      before=${board%%.*}
      cell=${#before}
      letters=abcdefghijklmno
      echo "$game $(echo "$letters" | cut -c $((cell % 15 + 1)))$((cell / 15 + 1))" ;;
  esac
done
"#;

/// Returns the names in a folder, sorted.
fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path(".")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs a command that must fail with these lines, and write nothing.
#[track_caller]
fn assert_refused(folder: &Folder, line: &str, expected: &[&str]) {
    let before = names(folder);
    let output = folder.shell(line).assert_status(2);
    for text in expected {
        assert!(output.stderr.contains(text), "{line} does not say {text:?}: {}", output.stderr);
    }
    assert_eq!(names(folder), before, "{line}");
}

#[test]
fn the_experiment_is_written_played_and_resumed() {
    let folder = Folder::new();
    let line = "gauntlet versus greedy 'expectimax nodes=20 weights.empty=3' --games 20";
    let name = "greedy-vs-expectimax-nodes=20-weights.empty=3";
    let output = folder.shell(line).assert_status(0);
    let output =
        output.assert_says(&format!("experiment: {name}.toml; after a change: gauntlet run {name}.toml"));
    assert!(
        output.stdout.contains("  expectimax nodes=20 weights.empty=3 vs greedy: +10.0 points of wins"),
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("40 games played in "), "{}", output.stdout);
    assert_eq!(names(&folder), [format!("{name}.toml"), "results".to_owned()]);
    let text = folder.read(&format!("{name}.toml"));
    let (comment, text) = text.split_once("\n\n").expect("a comment first");
    assert!(comment.starts_with('#'), "{comment}");
    assert_eq!(
        text,
        format!(
            "name = \"{name}\"\ngame = \"2048\"\nseed = 1\ngames = 20\n\n\
             [[player]]\nname = \"greedy\"\nalgorithm = \"greedy\"\n\n\
             [[player]]\nname = \"expectimax nodes=20 weights.empty=3\"\nalgorithm = \"expectimax\"\nnodes = 20\n\
             weights = {{ empty = 3 }}\n"
        )
    );
    // The same command resumes, and the file is an experiment like others.
    folder.shell(line).assert_status(0).assert_says("no games left to play");
    folder.run(&format!("run {name}.toml")).assert_status(0).assert_says("no games left to play");
    // Comments of the user are no other experiment. More games are a change, as in `run`.
    folder.write(&format!("{name}.toml"), format!("# mine\n{text}"));
    let more = line.replace("--games 20", "--games 30");
    folder.shell(&more).assert_status(0).assert_says("20 games played in ");
    assert!(folder.path(&format!("results/{name}+games=30/games.csv")).exists());
    folder.shell(&line.replace(" --games 20", "")).assert_status(0).assert_says("no games left to play");
    assert!(folder.read(&format!("{name}.toml")).starts_with("# mine\n"));
}

#[test]
fn options_of_run_hold() {
    let folder = Folder::new();
    let line = "gauntlet versus greedy random --name mine --seed 5 --games 8 --quiet";
    folder.shell(&format!("{line} --export win-rate=-")).assert_status(0).assert_says("greedy,");
    assert!(folder.read("mine.toml").contains("seed = 5\ngames = 8\n"));
    folder.shell(&format!("{line} --set greedy:ties=last")).assert_status(0);
    assert!(folder.path("results/mine+greedy.ties=last/games.csv").exists());
    for shard in [1, 2] {
        folder.shell(&format!("{line} --results other --shard {shard}/2")).assert_status(0);
    }
    folder.run("merge mine.toml --results other").assert_status(0);
    assert_eq!(folder.read("other/mine/games.csv"), folder.read("results/mine/games.csv"));
    assert_refused(
        &folder,
        "gauntlet versus greedy random --name a/b",
        &["--name a/b: a name must not contain `/`"],
    );
}

/// A file of a failed command would change the next one.
#[test]
fn a_failed_command_leaves_no_file() {
    let folder = Folder::with_file("taken", "a file in place of the folder of results\n");
    let line = "gauntlet versus greedy random --games 4";
    for (option, expected) in [
        ("--set greedy:nope=1", "unknown key"),
        ("--only nobody", "no such player"),
        ("--shard 1/2 --export win-rate=-", "--export is not available for a shard"),
    ] {
        assert_refused(&folder, &format!("{line} {option}"), &[expected]);
    }
    let output = folder.shell(&format!("{line} --results taken/results")).assert_status(1);
    assert!(!output.stderr.contains("experiment: "), "{}", output.stderr);
    assert_eq!(names(&folder), ["taken"]);
    // The file is that of the players, without the changes.
    folder.shell(&format!("{line} --only greedy --quiet")).assert_status(0);
    assert!(folder.read("greedy-vs-random.toml").contains("games = 4\n"));
    assert!(folder.path("results/greedy-vs-random+only=greedy/games.csv").exists());
}

#[test]
fn another_experiment_is_not_overwritten() {
    let folder = Folder::with_file("mine.toml", "name = 'mine'\n");
    assert_refused(&folder, "gauntlet versus greedy random --name mine", &["mine.toml:1:1", "missing"]);
    let line = "gauntlet versus greedy --games 8 random --name other --quiet";
    folder.shell(line).assert_status(0);
    let text = folder.read("other.toml").replace("games = 8", "games = 8\nwin = 64");
    folder.write("other.toml", &text);
    assert_refused(
        &folder,
        line,
        &["other.toml exists and is another experiment", "gauntlet run other.toml", "--name"],
    );
    assert_refused(&folder, &line.replace("random", "fixed-order"), &["`order` is missing"]);
    assert_eq!(folder.read("other.toml"), text);
}

/// Equal players would share all games.
#[test]
fn two_equal_players_need_two_names() {
    let folder = Folder::new();
    let expected = ["player:2:1  greedy\n            ^^^^^^ is the same player as number 1", "`name=other`"];
    assert_refused(&folder, "gauntlet versus greedy greedy", &expected);
    let output = folder.shell("gauntlet versus greedy 'greedy name=other' --games 9").assert_status(0);
    assert!(output.stdout.contains("inconclusive"), "{}", output.stdout);
    // In two-player games, the games of equal players differ.
    let line = "gauntlet versus gomoku-greedy 'gomoku-greedy name=other' --games 9";
    folder.shell(line).assert_status(0).assert_says("10 games played in ");
    let expected = ["player:2:1  random name=greedy\n            ^^^^^^ has the same name as number 1"];
    assert_refused(&folder, "gauntlet versus greedy 'random name=greedy'", &expected);
}

/// A program can have the name of an algorithm.
#[test]
fn different_players_with_one_name_are_numbered() {
    let folder = Folder::with_file("greedy", FIRST_FREE);
    folder.write("Greedy", FIRST_FREE);
    for file in ["greedy", "Greedy"] {
        fs::set_permissions(folder.path(file), Permissions::from_mode(0o755)).unwrap();
    }
    let line = "gauntlet versus greedy ./greedy ./Greedy";
    assert_refused(&folder, line, &["  greedy 2: ./greedy\n", "  Greedy 3: ./Greedy\n", "--allow-commands"]);
    let expected = ["player:4:1  ./greedy\n            ^^^^^^^^ is the same player as number 2"];
    assert_refused(&folder, &format!("{line} ./greedy"), &expected);
}

#[test]
fn mistakes_point_into_the_argument() {
    let folder = Folder::with_file("mine.toml", "name = 'mine'\n");
    folder.write("notes", "no player\n");
    folder.shell("mkfifo pipe").assert_status(0);
    for (arguments, expected) in [
        (
            "greedy 'expectimax node=50'",
            "player:2:12  expectimax node=50\n                        ^^^^ unknown key\n             help: did you mean `nodes`?",
        ),
        ("greedy 'expectimax nodes=x'", "player:2:18  expectimax nodes=x\n                              ^ "),
        (
            "'expectimax' greedy",
            "player:1:1  expectimax\n            ^^^^^^^^^^ `depth`, `adaptive`, `nodes` or `millis` is required",
        ),
        (
            "greedy 'expectimax 50'",
            "player:2:12  expectimax 50\n                        ^^ expected a setting, such as `nodes=1000`",
        ),
        ("greedy 'expectimax weights.empty=[1'", "player:2:12  "),
        (
            "greedi random",
            "player:1:1  greedi\n            ^^^^^^ unknown player\n            help: did you mean `greedy`?",
        ),
        ("greedy no-such-player-at-all", "is neither an algorithm nor a program nor a file"),
        ("greedy ./absent", "player:2:1  ./absent\n            ^^^^^^^^ no such file"),
        ("greedy ''", "player:2:1\n            ^ is empty"),
        (
            "greedy gomoku-greedy",
            "player:2:1  gomoku-greedy\n            ^^^^^^^^^^^^^ plays gomoku, but the game is 2048",
        ),
        ("mcts flat-mc --game gomok", "tip: a similar value exists: 'gomoku'"),
        (
            "random greedy --game gomoku",
            "player:2:1  greedy\n            ^^^^^^ plays 2048, but the game is gomoku",
        ),
        ("greedy mine.toml", "help: to play the experiment: gauntlet run mine.toml"),
        ("greedy notes", "^^^^^ is neither executable nor a network"),
        ("greedy ./pipe", "^^^^^^ is not a regular file"),
        ("greedy \"sh -c 'exit\"", "player:2:1  sh -c 'exit\n            ^^^^^^^^^^^ a quote is not closed"),
        (
            "greedy 'random algorithm=greedy'",
            "player:2:8  random algorithm=greedy\n                   ^^^^^^^^^^^^^^^^ the first word is the algorithm",
        ),
        ("greedy 'expectimax nodes=5 name=e{nodes}'", "; put it in quotes: name=\"e{nodes}\""),
        ("greedy", "there is only one player"),
    ] {
        assert_refused(&folder, &format!("gauntlet versus {arguments}"), &[expected]);
    }
    let invalid_name =
        "player:2:13  random name=\"a/b\"\n                         ^^^^^ a name must not contain `/`\n";
    let output = folder.shell("gauntlet versus greedy 'random name=\"a/b\"'").assert_status(2);
    assert_eq!(output.stderr, invalid_name);
    // All mistakes are reported together.
    let all = ["player:1:8  greedy tie=last", "player:2:12  expectimax nods=5", "player:3:1  ./absent"];
    assert_refused(&folder, "gauntlet versus 'greedy tie=last' 'expectimax nods=5' ./absent", &all);
}

/// A file is a player without quotes and with blanks in its name; programs need permission.
#[test]
fn a_program_is_a_player() {
    let folder = Folder::with_file("first free", FIRST_FREE);
    folder.write("bots/first", FIRST_FREE);
    for file in ["first free", "bots/first"] {
        fs::set_permissions(folder.path(file), Permissions::from_mode(0o755)).unwrap();
    }
    let line = "gauntlet versus gomoku-greedy './first free' 'bots/first --fast' 'sh bots/first' --games 2";
    let expected = [
        "  first free: './first free'\n",
        "  bots_first --fast: bots/first --fast\n",
        "  sh bots_first: sh bots/first\n",
        "--allow-commands",
    ];
    assert_refused(&folder, line, &expected);
    folder.shell(&format!("{line} --allow-commands --quiet")).assert_status(0);
    let name = "gomoku-greedy-vs-first-free-vs-bots_first---fast-vs-sh-bots_first";
    let text = folder.read(&format!("{name}.toml"));
    assert!(
        text.contains("game = \"gomoku\"\n") && text.contains("command = [\"bots/first\", \"--fast\"]\n"),
        "{text}"
    );
    // A name without a folder is the file here, and an existing file needs no quotes.
    folder
        .shell("gauntlet versus random 'first free' --game gomoku --games 2 --allow-command 'first free'")
        .assert_status(0);
    assert!(folder.read("random-vs-first-free.toml").contains("command = [\"./first free\"]\n"));
    // A name that begins with a dot is no path yet. Arguments are split like those of a shell.
    fs::rename(folder.path("first free"), folder.path(".first")).unwrap();
    let words = r#""bots/first '[a' b\ c --x='d e'""#;
    let line =
        format!("gauntlet versus gomoku-greedy .first {words} --name words --games 2 --allow-commands");
    folder.shell(&line).assert_status(0);
    let text = folder.read("words.toml");
    assert!(text.contains("command = [\"./.first\"]\n"), "{text}");
    assert!(text.contains("command = [\"bots/first\", \"[a\", \"b c\", \"--x=d e\"]\n"), "{text}");
    let same = "gauntlet versus bots/first bots/first --allow-commands";
    assert_refused(&folder, same, &["is the same player as number 1", "copy the program"]);
}

/// The game is the first that all players play.
#[test]
fn a_network_is_a_player_and_the_game_is_inferred() {
    let folder = Folder::new();
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/train/quick.network");
    fs::copy(network, folder.path("my.network")).unwrap();
    folder.shell("gauntlet versus my.network n-tuple greedy --games 4 --quiet").assert_status(0);
    let text = folder.read("my.network-vs-n-tuple-vs-greedy.toml");
    assert!(text.contains("algorithm = \"n-tuple\"\nnetwork = \"my.network\"\n"), "{text}");
    folder.shell("gauntlet versus 'my.network depth=2' greedy --games 2 --quiet").assert_status(0);
    fs::write(folder.path("cut.network"), &fs::read(network).unwrap()[..900]).unwrap();
    assert_refused(
        &folder,
        "gauntlet versus greedy cut.network",
        &["player:2:1  cut.network", "is cut off or damaged"],
    );
    folder
        .shell("gauntlet versus random 'flat-mc rollouts=1' --name solo --games 2 --quiet")
        .assert_status(0);
    folder.shell("gauntlet versus random gomoku-greedy --games 3 --quiet").assert_status(0);
    let game = |file: &str| folder.read(file).contains("game = \"2048\"");
    assert!(game("solo.toml") && !game("random-vs-gomoku-greedy.toml"));
    assert!(folder.read("random-vs-gomoku-greedy.toml").contains("games = 4\n"), "an even number");
    // The name of the file needs no quotes.
    let corner = "gauntlet versus random 'fixed-order order=[\"down\", \"left\", \"right\", \"up\"]' --games 2 --quiet";
    folder.shell(corner).assert_status(0);
    assert!(folder.path("random-vs-fixed-order-order=down,-left,-right,-up.toml").exists());
}

/// The example's player makes the moves of `fixed-order`, so both have one rank. No game of the
/// results is played again.
#[test]
fn a_player_finds_its_place_among_others() {
    if !is_installed("python3") {
        return;
    }
    let folder = Folder::new();
    folder.copy_from_repository("examples/players");
    folder.copy_from_repository("results/leaderboard");
    let line =
        "gauntlet versus 'python3 examples/players/first.py' --among results/leaderboard --allow-commands";
    let name = "python3-examples_players_first.py-among-leaderboard";
    let output = folder
        .shell(line)
        .assert_status(0)
        .assert_says("300 games played in ")
        .assert_says(&format!("experiment: {name}.toml;"))
        .assert_says("converted to this machine by the calibration loop")
        .assert_says("against python3 examples_players_first.py")
        .assert_says("Times are not tested, so players are open where speed decides: ");
    let rows = |name: &str| {
        let rows = output.stdout.lines().filter(|row| row.contains(name) && row.contains(" to "));
        rows.map(|row| {
            row.replace(name, "").split_whitespace().take(4).map(str::to_owned).collect::<Vec<_>>()
        })
        .next_back()
        .unwrap_or_else(|| panic!("no row of {name}: {}", output.stdout))
    };
    assert_eq!(rows("python3 examples_players_first.py"), rows("fixed-order"));
    let experiment = folder.read(&format!("{name}.toml"));
    assert!(experiment.contains("seed = 27\ngames = 300\nwin = 131072\n"), "{experiment}");
    // The same command plays nothing again, and prints the place again.
    folder.shell(line).assert_status(0).assert_says("by score:");
}

/// A win is another tile in each of the results, so scores decide.
#[test]
fn several_players_find_their_places_among_several_results() {
    let folder = Folder::new();
    folder.copy_from_repository("results/leaderboard");
    folder.copy_from_repository("results/strongest");
    let line = "gauntlet versus 'expectimax nodes=30' greedy --games 20 --name mine --among results/leaderboard \
                --among results/strongest";
    let output = folder.shell(line).assert_status(0);
    let rows: Vec<&str> = output.stdout.lines().skip_while(|line| !line.contains("  why")).collect();
    let words = |name: &str| {
        let row = rows.iter().find(|row| row.contains(name)).unwrap_or_else(|| panic!("{rows:?}"));
        row.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(words("expectimax nodes=80000")[..2], ["1", "expectimax"]);
    assert_eq!(words("expectimax nodes=30 ").last().unwrap(), "yours");
    assert_eq!(words("greedy (mine)").last().unwrap(), "yours");
    for text in [" of 46 players are shown.", "p is corrected for 88 comparisons", "by score:"] {
        assert!(output.stdout.contains(text), "{text}: {}", output.stdout);
    }
    assert!(
        !output.stderr.contains("different rules") && output.stdout.contains("ratios of geometric means"),
        "{output:?}"
    );
    // Standard output belongs to a table, and a quiet command prints no tables.
    let output = folder.shell(&format!("{line} --export settings=-")).assert_status(0);
    assert!(output.stdout.starts_with("player,") && !output.stdout.contains("are shown."), "{output:?}");
    assert!(output.stderr.contains(" of 46 players are shown."), "{output:?}");
    assert_eq!(folder.shell(&format!("{line} --quiet")).assert_status(0).stdout, "");
    // Under equal rules, players are compared by wins, whose differences are not ratios.
    folder.copy_from_repository("results/quick-published");
    let line = "gauntlet versus greedy --games 20 --name quicker --among results/quick-published";
    let output = folder.shell(line).assert_status(0);
    assert!(
        output.stdout.contains("by win:") && !output.stdout.contains("ratios of geometric means"),
        "{output:?}"
    );
}

#[test]
fn a_place_needs_results_with_a_seed() {
    let folder = Folder::new();
    let duel = "name = 'duel'\ngame = 'gomoku'\nseed = 1\ngames = 2\n[[player]]\nname = 'a'\nalgorithm = 'random'\n\
                [[player]]\nname = 'b'\nalgorithm = 'gomoku-greedy'\n";
    folder.play("duel.toml", duel);
    let listed =
        "name = 'listed'\ngame = '2048'\nseeds = [1, 2, 3]\n[[player]]\nname = 'a'\nalgorithm = 'random'\n";
    folder.play("listed.toml", listed);
    assert_refused(&folder, "gauntlet versus random --among results/duel", &["two-player games"]);
    assert_refused(&folder, "gauntlet versus greedy --among results/listed", &["lists its seeds"]);
    assert_refused(&folder, "gauntlet versus greedy --among results/duel --seed 3", &["--seed"]);
    folder.copy_from_repository("results/quick-published");
    let quick = "--among results/quick-published";
    for (line, message) in [
        (format!("greedy {quick} --among results/duel"), "two-player games"),
        (format!("greedy {quick} {quick}"), "is given twice"),
        (format!("gomoku-greedy {quick}"), "plays gomoku"),
    ] {
        assert_refused(&folder, &format!("gauntlet versus {line}"), &[message]);
    }
    let output = folder.shell(&format!("gauntlet versus nonsense {quick}")).assert_status(2);
    assert_eq!(output.stderr.matches("player:").count(), 1, "{}", output.stderr);
    assert_refused(&folder, "gauntlet versus greedy", &["give two or more, or results with --among"]);
    assert_refused(&folder, "gauntlet versus greedy --among results/absent", &["results/absent"]);
}
