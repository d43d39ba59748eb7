//! One Ctrl-C ends a run, in the middle of a search however deep it is, and elsewhere: the program from outside.

#![cfg(unix)]

use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gauntlet::GAMES;
use gauntlet::any::random;
use gauntlet::arena::worker;
use gauntlet::player::{Kit, Stop};

use crate::bench::{Folder, PROGRAM, Said, classics_of};
use crate::table::blocks;

/// Searches, with settings by which a single move takes seconds, or a single game minutes. That every player stops when it is asked,
/// those that are not named here too, `players::searches_stop_when_asked` says: it makes all their settings as large as can be. Here
/// it is a signal that asks.
const DEEP: [(&str, &str); 12] = [
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
    ("expectimax", "depth = 40\nleast_probability = 0"),
    ("n-tuple", "depth = 8"),
];

/// Waits for the end of a program that was asked to end. One that does not is a failure.
fn end_of(mut child: Child, algorithm: &str) -> Said {
    let patience = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if patience.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{algorithm} does not stop");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Said::of(algorithm, &child.wait_with_output().unwrap())
}

#[test]
fn a_search_is_interrupted() {
    for ((algorithm, settings), quiet) in DEEP.into_iter().flat_map(|deep| [(deep, ""), (deep, "--quiet ")]) {
        let folder = Folder::new();
        let player = format!("[[player]]\nname = \"deep\"\nalgorithm = {algorithm:?}\n{settings}\n");
        folder.write("deep.toml", format!("name = \"deep\"\ngame = \"2048\"\nseed = 1\ngames = 4\n{player}"));
        let child = folder.start(&format!("run deep.toml {quiet}--threads 2"));
        // The journal has its first line when the players are about to be built, which takes a few milliseconds.
        folder.wait_for("results/deep/journal.jsonl", 1);
        std::thread::sleep(Duration::from_millis(250));
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let said = end_of(child, algorithm).ends(130).saying("to go on");
        let resume = said.err.lines().last().unwrap().trim();
        assert_eq!(resume, format!("{PROGRAM} run deep.toml {quiet}--threads 2"));

        // A game that was dropped is no game: neither lost by its player, nor broken.
        let journal = folder.read("results/deep/journal.jsonl");
        for line in journal.lines() {
            let entry: serde_json::Value = serde_json::from_str(&line[17..]).unwrap();
            assert!(entry.get("games").is_none() && entry.get("panic").is_none(), "{algorithm}: {line}");
        }
        let status = folder.run("status deep.toml").ends(0);
        assert!(status.out.contains("run: 0 of 4 games (0 %), not complete"), "{algorithm}: {}", status.out);
    }
}

/// The first Ctrl-C ends a program that plays no game: there is nothing to be waited for. Here it writes a table
/// into a pipe that nothing reads.
#[test]
fn what_is_no_search_ends_on_the_spot() {
    let folder = Folder::new();
    folder.write("a.toml", classics_of(20));
    folder.shell("mkfifo pipe").ends(0);
    let child = folder.start("run a.toml --quiet --export games=pipe");
    folder.wait_for("results/classics/manifest.toml", 1);
    std::thread::sleep(Duration::from_millis(250));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    end_of(child, "a pipe").ends(130);
    folder.run("run a.toml --quiet").ends(0);
}

/// A stopped slice is the beginning of the whole one: a game in the wrong place would be another block's.
#[test]
fn a_stopped_slice_has_no_gaps() {
    let random = GAMES[0].enter_snippet("random", random::EXAMPLE);
    let seeds: Vec<u64> = (0..40).collect();
    let slice = |asked: bool| {
        let stop = Stop::from_flag(Arc::new(AtomicBool::new(asked)));
        let kit = Kit { stop, ..Kit::default() };
        worker(&[&random], None, &kit).expect("a player")(&blocks(seeds.iter().copied()))
    };
    assert_eq!(slice(false).records.len(), seeds.len());
    let stopped = slice(true);
    assert_eq!(stopped.records, [], "the first block was not played");
    assert_eq!(stopped.times[0].moves, 0);
}
