//! `gauntlet check-env` with an environment in Python, sound and with faults.

use std::process::{Command, Stdio};

use crate::bench::{Folder, ProgramOutput};
use crate::tools::is_installed;

const ENVIRONMENT: &str = include_str!("../../../../examples/environments/twenty48.py");

/// Returns a folder with the environment; `None` without Python.
fn folder() -> Option<Folder> {
    let folder = Folder::new();
    folder.write("env.py", ENVIRONMENT);
    is_installed("python3").then_some(folder)
}

/// Checks the environment in a few games.
fn check(folder: &Folder, options: &str, faults: &str) -> ProgramOutput {
    folder.run(&format!("check-env --games 5 {options} -- python3 env.py {faults}"))
}

#[test]
fn a_sound_environment_passes() {
    let Some(folder) = folder() else { return };
    let output = check(&folder, "", "").assert_status(0);
    for line in [
        "actions  0 left, 1 up, 2 right, 3 down",
        "cells    values, shape 16",
        "tiles above 32768        passed",
        "same seed, same game     passed",
        "observations are kept    not tested",
        "12 passed, 1 not tested of 13 rules\npassed\n",
    ] {
        assert!(output.stdout.contains(line), "{line}\n{}", output.stdout);
    }
    assert!(output.stdout.lines().all(|line| line.chars().count() <= 80), "{}", output.stdout);
    let json = check(&folder, "--json --seed 2", "").assert_status(0);
    let report: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(report["check"]["passed"], true);
    assert_eq!(report["check"]["result"], "passed");
    assert_eq!(report["check"]["actions"][3], "down");
    assert_eq!(report["check"]["rules"][0]["verdict"], "passed");
}

#[test]
fn faults_are_named() {
    let Some(folder) = folder() else { return };
    for (fault, diagnosis) in [
        ("never-four", "No new tile is a 4."),
        ("mask", "The mask allows every action"),
        ("cap", "Tiles end at 32768"),
        ("stale-count", "by the number of empty cells before the move"),
        ("last-cell", "The last empty cell never gets the new tile."),
        ("idle-tile", "A tile appears after an illegal move."),
        ("tile-sum", "The reward is the sum of all tiles on the board."),
        ("halved", "The reward is half of the merged tiles' sum."),
        ("merged-twice", "A merged tile merges again in the same move."),
        ("wrong-end", "2 2 2 merges at the wrong end"),
        ("one-merge", "Only one pair of each line merges."),
        ("one-tile", "A game can start with one tile."),
        ("ends-at-2048", "The game ends when a 2048 tile appears."),
        ("too-late", "The game continues when no move is legal."),
        ("reset-inside", "`step` resets the game when it ends"),
        ("seed-ignored", "The seed is ignored: the same seed gives another start."),
        ("raises", "IndexError: no tile above 128"),
    ] {
        let output = check(&folder, "", fault).assert_status(1);
        let text = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(diagnosis), "{fault}\n{}", output.stdout);
    }
}

#[test]
fn known_directions_and_cells_are_taken() {
    let Some(folder) = folder() else { return };
    let options = "--actions left,up,right,down --cells values";
    check(&folder, options, "").assert_status(0).assert_says("0 left, 1 up, 2 right, 3 down");
    check(&folder, "--actions left,right,up,down", "")
        .assert_status(1)
        .assert_says("slide and merge          failed");
    check(&folder, "--cells ranks", "")
        .assert_status(8)
        .assert_says("undecided: the numbers of an observation");
    check(&folder, "--actions left,up", "")
        .assert_status(1)
        .assert_says("2 directions were given for 4 actions");
    check(&folder, "--actions left,left", "").assert_status(2).assert_says("a direction is named twice");
    check(&folder, "--actions north", "").assert_status(2).assert_says("expected up, right, down or left");
    folder.run("check-env").assert_status(2);
}

#[test]
fn a_program_that_is_no_environment_is_refused() {
    let folder = Folder::new();
    folder.write("mute.sh", "exit 3");
    folder.write("wrong.sh", "read -r line; echo ready x; while read -r line; do echo hello; done");
    folder.write("ends.sh", "read -r line; echo ready x; read -r line; echo board $cells; exit 4");
    folder.run("check-env -- sh mute.sh").assert_status(1).assert_says("no reply `ready` to the greeting");
    folder.run("check-env -- sh wrong.sh").assert_status(1).assert_says("expected `board` and its cells");
    folder.run("check-env -- ./nothing-here").assert_status(1);
    folder.run("check-env -- sh ends.sh").assert_status(1).assert_says("A legal move raises an error.");
}

/// Returns a folder with a program that answers `reset` and `step` by these lines.
fn fixed_answers(reset: &str, step: &str) -> Folder {
    let folder = Folder::new();
    let case = format!("case $word in reset) echo '{reset}' ;; step) echo '{step}' ;; esac");
    folder.write("env.sh", format!("read -r line; echo ready x; while read -r word rest; do {case}; done"));
    folder
}

#[test]
fn an_environment_whose_every_step_fails_fails() {
    let folder = fixed_answers("board 0 0 0 0 0 2 0 0 0 0 2 0 0 0 0 0", "error TypeError: no step");
    let output = folder.run("check-env -- sh env.sh").assert_status(1);
    assert!(
        output.stdout.contains("failed: slide and merge: A legal move raises an error."),
        "{}",
        output.stdout
    );
    assert_eq!(output.stdout.matches("TypeError: no step").count(), 1, "{}", output.stdout);
}

/// Four numbers, as in CartPole, are no board of 2048.
#[test]
fn what_cannot_be_tested_is_undecided() {
    let step = "board 0.02 -0.01 0.03 0.04 reward=1 done=0";
    let folder = fixed_answers("board 0.01 -0.01 0.03 0.04", step);
    let reason = "an observation of shape 4 is not a board of 16 cells";
    let output =
        folder.run("check-env -- sh env.sh").assert_status(8).assert_says(&format!("undecided: {reason}"));
    assert_eq!(output.stdout.matches(reason).count(), 1, "{}", output.stdout);
    assert!(output.stdout.contains("13 cannot tell of 13 rules"), "{}", output.stdout);
    let json = folder.run("check-env --json -- sh env.sh").assert_status(8).stdout;
    assert_eq!(json.matches(reason).count(), 1, "{json}");
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&report["check"]["passed"], &report["check"]["result"]),
        (&false.into(), &"undecided".into())
    );
}

#[test]
fn an_environment_without_reward_passes() {
    let Some(folder) = folder() else { return };
    folder.write("env.py", ENVIRONMENT.replace(" reward={reward}", ""));
    check(&folder, "", "").assert_status(0).assert_says("not tested: reward: no reward");
    folder.write("env.py", ENVIRONMENT);
    check(&folder, "--no-reward", "halved").assert_status(0).assert_says("not tested: reward: no reward");
}

/// The program's standard error is in a temporary folder.
#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_file() {
    let folder = Folder::new();
    folder.write("tmp/other", "");
    folder.write("env.sh", "echo a warning >&2; read -r line; echo started > started; exec sleep 3600");
    let mut command = folder.command("check-env -- sh env.sh");
    command.env("TMPDIR", folder.path("tmp")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("a program");
    folder.wait_for_size("started", 1);
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    let output = child.wait_with_output().expect("an end");
    ProgramOutput::new("check-env", &output).assert_status(130).assert_says("stopped");
    let entries: Vec<_> = std::fs::read_dir(folder.path("tmp")).expect("a folder").collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
}

#[test]
fn the_help_is_what_it_was() {
    crate::docs::help::check_extra("check-env", ::check_env::COMMANDS);
}
