//! Threads: not more than there is work for. If one cannot be started, one line says so and nothing
//! stays locked.

#![cfg(target_os = "linux")]

use crate::bench::{Folder, ProgramOutput};

const PLAYERS: &str = r#"
player = [
    { name = "any", algorithm = "random" },
    { name = "gain", algorithm = "greedy" },
]
"#;

/// Runs the program with room for this number of threads besides the first. Each thread needs a
/// stack of 1 GiB of address space, and 0.75 GiB are left for everything else.
fn run_with_room(folder: &Folder, threads: u64, arguments: &str) -> ProgramOutput {
    let kilobytes = (threads << 20) + (3 << 18);
    folder.shell(&format!(
        "ulimit -v {kilobytes}; RUST_MIN_STACK=1073741824 exec timeout -s KILL 60 gauntlet {arguments}"
    ))
}

/// Asserts success, or one line saying that no thread could be started; returns which.
#[track_caller]
fn check_success(output: ProgramOutput) -> bool {
    if output.code == Some(0) {
        return true;
    }
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    output.assert_status(1).assert_says("cannot start a thread: raise the limit on processes");
    false
}

#[test]
fn a_thread_that_cannot_be_started_is_told_and_nothing_hangs() {
    let folder = Folder::new();
    let mut successes = Vec::new();
    for extra_threads in 0..8 {
        let games = 40 * (extra_threads + 1);
        let header = format!("name = \"small\"\ngame = \"2048\"\nseed = 1\ngames = {games}\n");
        folder.write("small.toml", header + PLAYERS);
        successes.push(check_success(run_with_room(
            &folder,
            extra_threads,
            "run small.toml --quiet --threads 4",
        )));
        // The journal is not locked, and its games are usable.
        folder.run("run small.toml --quiet").assert_status(0);
    }
    // The program starts two threads besides the four that play. One of the two shows the progress.
    // If it has nothing to show, it may end before the last thread starts, and free its room.
    assert_eq!(successes[..5], [false; 5]);
    assert_eq!(successes[6..], [true; 2]);

    // The same holds if there is nothing to play, and only tables are made.
    for (extra_threads, is_enough) in [(0, false), (1, false), (4, true)] {
        let tables =
            check_success(run_with_room(&folder, extra_threads, "run small.toml --quiet --threads 2"));
        assert_eq!(tables, is_enough, "room for {extra_threads}");
        // `merge` uses as many threads as there are cores.
        check_success(run_with_room(&folder, extra_threads, "merge small.toml"));
    }
}

#[test]
fn there_are_no_more_threads_than_blocks_to_play() {
    let folder = Folder::new();
    folder.play(
        "small.toml --threads 1024",
        format!("name = \"small\"\ngame = \"2048\"\nseed = 1\ngames = 3\n{PLAYERS}"),
    );
    let journal = folder.read("results/small/journal.jsonl");
    assert!(journal.contains("\"threads\":6,") && !journal.contains("\"threads\":1024"), "{journal}");
}
