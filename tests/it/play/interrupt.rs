//! One Ctrl-C ends a run, during any search or elsewhere.

#![cfg(unix)]

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gauntlet::GAMES;
use gauntlet::arena::build_worker;
use gauntlet::player::{BuildContext, Stop};
use gauntlet::players::random;

use crate::bench::{Folder, PROGRAM, ProgramOutput, classics_with_games, parse_entry};
use crate::self_play::blocks;
use crate::tools::lacks_command;

/// Searches with settings for which a move takes seconds, or a game minutes. That all players stop
/// on request is tested by `players::searches_stop_when_asked`, with their largest settings. Here
/// the request is a signal.
const DEEP: [(&str, &str); 13] = [
    ("flat-mc", "rollouts = 1000000"),
    ("mcts", "nodes = 10000000"),
    ("datumbox", "depth = 12"),
    ("ovolve", "depth = 12"),
    ("ronzil", "runs = 100000"),
    ("lazuxd", "depth = 12"),
    ("vba-minimax", "depth = 12"),
    ("swift-expectimax", "depth = 12\nadaptive = false"),
    ("swift-monte-carlo", "simulations = 1000000"),
    ("nneonneo", "depth = 15"),
    ("macroxue", "depth = 8"),
    ("expectimax", "depth = 40\nleast_probability = 0"),
    ("n-tuple", "depth = 8"),
];

/// Waits for the end of a program that was signalled, and fails if it does not end.
fn wait_for_end(mut child: Child, algorithm: &str) -> ProgramOutput {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{algorithm} does not stop");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    ProgramOutput::new(algorithm, &child.wait_with_output().unwrap())
}

#[test]
fn a_search_is_interrupted() {
    for ((algorithm, settings), option) in DEEP.into_iter().flat_map(|deep| [(deep, ""), (deep, "--quiet ")])
    {
        let folder = Folder::new();
        let player = format!("[[player]]\nname = \"deep\"\nalgorithm = {algorithm:?}\n{settings}\n");
        folder.write("deep.toml", format!("name = \"deep\"\ngame = \"2048\"\nseed = 1\ngames = 4\n{player}"));
        let child = folder.start(&format!("run deep.toml {option}--threads 2"));
        // The journal has its first line just before the players are built, which takes a few
        // milliseconds.
        folder.wait_for_size("results/deep/journal.jsonl", 1);
        std::thread::sleep(Duration::from_millis(250));
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let output = wait_for_end(child, algorithm).assert_status(130).assert_says("to resume");
        let resume = output.stderr.lines().last().unwrap().trim();
        assert_eq!(resume, format!("{PROGRAM} run deep.toml {option}--threads 2"));

        // A dropped game is not recorded: neither as a loss, nor as broken.
        let journal = folder.read("results/deep/journal.jsonl");
        for line in journal.lines() {
            let entry = parse_entry(line);
            assert!(entry.get("games").is_none() && entry.get("panic").is_none(), "{algorithm}: {line}");
        }
        let status = folder.run("status deep.toml").assert_status(0);
        assert!(
            status.stdout.contains("run: 0 of 4 games (0 %), not complete"),
            "{algorithm}: {}",
            status.stdout
        );
    }
}

/// The Python package keeps a pipe open: its end is like Ctrl-C. Here, the pipe is standard input.
#[test]
fn a_run_ends_with_the_program_that_started_it() {
    let folder = Folder::with_file("a.toml", classics_with_games(60_000_000));
    let mut command = folder.command("run a.toml --threads 1");
    command.env("GAUNTLET_CALLER", "/dev/stdin").stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    folder.wait_for_size("results/classics/journal.jsonl", 1000);
    assert!(child.try_wait().unwrap().is_none(), "it ended before its caller");
    drop(child.stdin.take());
    wait_for_end(child, "a run").assert_status(130).assert_says("to resume");
}

/// If a program plays no game, the first Ctrl-C ends it immediately. Here, it writes a table into a
/// pipe that nothing reads.
#[test]
fn what_is_no_search_ends_on_the_spot() {
    let folder = Folder::with_file("a.toml", classics_with_games(20));
    folder.shell("mkfifo pipe").assert_status(0);
    let child = folder.start("run a.toml --quiet --export games=pipe");
    folder.wait_for_size("results/classics/manifest.toml", 1);
    std::thread::sleep(Duration::from_millis(250));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    wait_for_end(child, "a pipe").assert_status(130);
    folder.run("run a.toml --quiet").assert_status(0);
}

/// A stopped slice contains the first games of the whole slice. If games were missing in between,
/// later ones would be assigned to other blocks.
#[test]
fn a_stopped_slice_has_no_gaps() {
    let random = GAMES[0].read_snippet("random", random::EXAMPLE);
    let seeds: Vec<u64> = (0..40).collect();
    let slice = |is_stop_requested: bool| {
        let stop = Stop::from_flag(Arc::new(AtomicBool::new(is_stop_requested)));
        let context = BuildContext { stop, ..BuildContext::default() };
        build_worker(&[&random], None, &context).expect("a player")(&blocks(seeds.iter().copied()))
    };
    assert_eq!(slice(false).records.len(), seeds.len());
    let stopped_slice = slice(true);
    assert_eq!(stopped_slice.records, [], "the first block was not played");
    assert_eq!(stopped_slice.times[0].moves, 0);
}

/// A program in sh that records its input, and hangs at a chosen word: `gauntlet` (the greeting),
/// `move`, `ABOUT`.
const SILENT_PROGRAM: &str = r#"while read -r word number rest; do
  echo "$word" >> heard
  [ "$word" = "$1" ] && exec sleep 3600
  case $word in
    gauntlet) echo "ready silent" ;;
    move) echo "$number left" ;;
    START) echo OK ;;
    quit) exit ;;
  esac
done
"#;

/// Returns an experiment with that program, which has a day for each answer.
fn silent_experiment(game: &str, player: &str) -> Folder {
    let folder = Folder::with_file("silent.sh", SILENT_PROGRAM);
    let header = format!("name = \"e\"\ngame = \"{game}\"\nseed = 1\ngames = 2\n[[player]]\nname = \"p\"\n");
    folder.write("e.toml", format!("{header}{player}\nstart_millis = 86400000\n"));
    folder
}

/// Waits until the program has received this word.
fn wait_for_word(folder: &Folder, word: &str) {
    let start = Instant::now();
    while !std::fs::read_to_string(folder.path("heard")).is_ok_and(|heard| heard.contains(word)) {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not hear {word}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Before its first game a run waits for its programs: for `ready`, for trial games, for the answer
/// to `ABOUT`. A signal ends it there too, and also a tuning.
#[test]
fn a_program_that_is_waited_for_before_the_first_game_is_interrupted() {
    let external = |word: &str| {
        format!(
            "algorithm = \"external\"\ncommand = [\"sh\", \"silent.sh\", \"{word}\"]\n\
             reproducible = true\nmove_millis = 86400000"
        )
    };
    let gomocup = "algorithm = \"gomocup\"\ncommand = [\"sh\", \"silent.sh\", \"ABOUT\"]";
    let with_opponent = format!("algorithm = \"random\"\n[[player]]\nname = \"q\"\n{gomocup}");
    let tuned_player = external("gauntlet") + "\noptions = { x = 1 }";
    let tune = "[tune]\nplayer = \"p\"\nmethod = \"spsa\"\nbudget = 10000\n\
        [tune.params]\noptions.x = { min = 0.0, max = 2.0 }\n";
    let cases = [
        ("run", "2048", external("gauntlet"), "", "gauntlet", "INT", 130),
        ("run", "2048", external("gauntlet"), "", "gauntlet", "TERM", 130),
        ("run --shard 1/2", "2048", external("gauntlet"), "", "gauntlet", "TERM", 75),
        ("run --shard 1/2", "2048", external("gauntlet"), "", "gauntlet", "INT", 130),
        ("run --threads 2 --quiet", "2048", external("move"), "", "move", "INT", 130),
        ("run --shard 2/2", "2048", external("move"), "", "move", "TERM", 75),
        ("run", "gomoku", with_opponent, "", "ABOUT", "INT", 130),
        ("tune", "2048", tuned_player.clone(), tune, "gauntlet", "TERM", 130),
        ("ask", "2048", tuned_player, tune, "gauntlet", "INT", 130),
    ];
    for (command, game, player, tables, word, signal, code) in cases {
        if command == "ask" && lacks_command(command) {
            continue;
        }
        let folder = silent_experiment(game, &player);
        folder.write("e.toml", folder.read("e.toml") + tables);
        folder.write("questions", "{\"ask\": {\"options.x\": 2}, \"blocks\": 4}");
        let (subcommand, options) = command.split_once(' ').unwrap_or((command, ""));
        let line = format!("{subcommand} e.toml --allow-commands {options}");
        let mut command = folder.command(line.trim());
        command.stdin(File::open(folder.path("questions")).unwrap());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for_word(&folder, word);
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        let output = wait_for_end(child, &line).assert_status(code);
        let resume = output.stderr.lines().last().unwrap().trim();
        if subcommand == "ask" {
            assert!(
                resume.ends_with("finished games are in the journal and will be reused"),
                "{line}: {resume}"
            );
            continue;
        }
        assert!(output.stderr.contains("to resume"), "{line}: {}", output.stderr);
        assert!(resume.contains(&format!("{subcommand} e.toml")), "{line}: {resume}");
        assert!(resume.ends_with(options), "{line}: {resume}");
    }
}
