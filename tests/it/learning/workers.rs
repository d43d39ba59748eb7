//! Tunings that several processes play. The result equals the result of a single process, even if
//! any of them is killed.

use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::bench::{Folder, PROGRAM, ProgramOutput};

/// Games that take some milliseconds, so that helpers have work; and two players, so that it is a
/// solo game.
fn experiment(method: &str, budget: u64) -> String {
    format!(
        r#"
name = "t"
game = "2048"
seed = 7
games = 50
win = 128

[[player]]
name = "ovolve"
algorithm = "ovolve"
depth = 1
win_tile = "none"
weights = {{ smoothness = 0.1, monotonicity = 1.0, empty = 2.7, largest = 1.0 }}

[tune]
player = "ovolve"
budget = {budget}
method = "{method}"

[tune.validate]
games = 40

[tune.params]
weights.smoothness = {{ min = 0.01, max = 2.0, scale = "log" }}
weights.empty = {{ min = 0.0, max = 10.0 }}
"#
    )
}

const TUNE: &str = "results/t/tune";

/// Returns the files of a tuning that depend only on games.
fn final_files(folder: &Folder) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for subfolder in ["", "/validation-1"] {
        for (name, content) in folder.files(&format!("{TUNE}{subfolder}")) {
            let is_timed =
                ["manifest.toml", "ms-per-move.csv", "times.csv", "validation.csv"].contains(&&*name);
            if !is_timed && (name.ends_with(".csv") || name.ends_with(".toml")) {
                files.push((format!("{subfolder}/{name}"), String::from_utf8(content).expect("text")));
            }
        }
    }
    let validation = folder.read(&format!("{TUNE}/validation.csv"));
    files.extend(
        validation
            .lines()
            .filter(|line| !line.contains("ms-per-move"))
            .map(|line| (String::new(), line.to_owned())),
    );
    files
}

fn tune_in_one_process(text: &str) -> Folder {
    let folder = Folder::with_file("t.toml", text);
    let output = folder.run("tune t.toml --quiet --threads 1");
    assert!([Some(0), Some(6), Some(7)].contains(&output.code), "{output:?}");
    folder
}

fn start_worker(folder: &Folder, number: u32, worker_count: u32) -> Child {
    folder.start(&format!("tune t.toml --worker {number}/{worker_count} --threads 1"))
}

/// Returns the size of a helper's journal.
fn journal_size(folder: &Folder, helper: u32, worker_count: u32) -> u64 {
    fs::metadata(folder.path(&format!("{TUNE}/worker-{helper}-of-{worker_count}.jsonl")))
        .map_or(0, |file| file.len())
}

fn wait_for_end(worker: Child) -> ProgramOutput {
    let output = ProgramOutput::new("a worker", &worker.wait_with_output().expect("an end"));
    assert!([Some(0), Some(6), Some(7)].contains(&output.code), "{output:?}");
    output
}

#[test]
fn workers_find_what_one_process_finds() {
    for method in ["spsa", "cma-es"] {
        let text = experiment(method, 1200);
        let single = tune_in_one_process(&text);
        let folder = Folder::with_file("t.toml", &text);
        let workers = [2, 3, 1].map(|number| start_worker(&folder, number, 3));
        let [two, three, one] = workers.map(wait_for_end);
        for helper in [two, three] {
            assert!(helper.stderr.contains("the search has ended"), "{helper:?}");
        }
        assert!(one.stdout.contains("in the search"), "{one:?}");
        assert!(final_files(&folder) == final_files(&single), "{method}");
        // Helpers have played games, and one more process has nothing to add.
        assert!(journal_size(&folder, 2, 3) + journal_size(&folder, 3, 3) > 2_000, "{method}");
        let extra_run = folder.run("tune t.toml --quiet");
        assert!([Some(0), Some(6), Some(7)].contains(&extra_run.code), "{extra_run:?}");
        assert!(final_files(&folder) == final_files(&single), "{method}");
    }
}

#[test]
fn killed_workers_lose_nothing() {
    let text = experiment("spsa", 4000);
    let single = tune_in_one_process(&text);
    let folder = Folder::with_file("t.toml", &text);
    let journal = folder.path(&format!("{TUNE}/journal.jsonl"));
    let wait_for_growth = |bytes: u64| {
        let length = || fs::metadata(&journal).map_or(0, |file| file.len());
        let (initial_length, start) = (length(), Instant::now());
        while length() < initial_length + bytes && start.elapsed() < Duration::from_secs(60) {
            sleep(Duration::from_millis(2));
        }
    };
    let mut one = start_worker(&folder, 1, 3);
    let mut two = start_worker(&folder, 2, 3);
    let three = start_worker(&folder, 3, 3);
    for death in 0..3 {
        wait_for_growth(20_000);
        let killed_worker = if death == 1 { &mut one } else { &mut two };
        let _ = killed_worker.kill();
        killed_worker.wait().expect("an end");
        *killed_worker = start_worker(&folder, if death == 1 { 1 } else { 2 }, 3);
    }
    // The leader does not wait for a helper that never returns.
    let _ = two.kill();
    two.wait().expect("an end");
    wait_for_end(one);
    wait_for_end(three);
    assert!(final_files(&folder) == final_files(&single));
}

#[test]
fn workers_that_do_not_fit_together_are_refused() {
    let folder = Folder::with_file("t.toml", experiment("spsa", 1_000_000_000));
    let mut one = start_worker(&folder, 1, 2);
    folder.wait_for_size(&format!("{TUNE}/journal.jsonl"), 1_000);
    folder.run("tune t.toml --worker 2/2 --budget 500").assert_status(1).assert_says(
        "worker 2/2 cannot help: worker 1 has a budget of 1000000000 games, but this worker has 500",
    );
    folder
        .run("tune t.toml --worker 2/3")
        .assert_status(1)
        .assert_says("expects 2 workers, but this worker expects 3");
    // Another version of the file, and another build: this program with another build ID.
    folder.write("other.toml", experiment("spsa", 1_000_000_000).replace("max = 10.0", "max = 9.0"));
    let mut build = fs::read(PROGRAM).expect("the program");
    // Head of the note with the ID: the lengths of its name and of the ID, its kind and its name.
    let note = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0";
    match build.windows(note.len()).position(|bytes| bytes == note) {
        Some(start) => build[start + note.len()] ^= 1,
        None => build.push(b'\n'),
    }
    folder.write("other-build", build);
    for (line, reason) in [
        ("gauntlet tune other.toml --worker 2/2", "plays another version of the experiment"),
        ("chmod +x other-build; ./other-build tune t.toml --worker 2/2", "runs another build of the program"),
    ] {
        let message = format!("worker 2/2 cannot help: worker 1 {reason}");
        let output = folder.shell(line).assert_status(1).assert_says(&message);
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    }
    for (line, message) in [
        ("--wait 5m", "--wait needs --worker"),
        ("--worker 2/2 --wait 0", "expected a number with a unit"),
        ("--worker 2/2 --wait 0s", "must be from 0.001s to 277h"),
        ("--worker 2/2 --wait soon", "expected a number with a unit"),
    ] {
        folder.run(&format!("tune t.toml {line}")).assert_status(2).assert_says(message);
    }
    one.kill().expect("a kill");
    one.wait().expect("an end");
}

/// A worker waits for the first one for its `--wait`, and then ends with one line.
#[test]
fn a_worker_waits_as_long_as_it_is_told_to() {
    let folder = Folder::with_file("t.toml", experiment("spsa", 1_000));
    let output = folder
        .run("tune t.toml --worker 2/2 --wait 0.3s --quiet")
        .assert_status(1)
        .assert_says("waiting for worker 1");
    let message = "worker 1 has not started or written to ";
    assert!(output.stderr.lines().count() == 2 && output.stderr.contains(message), "{}", output.stderr);
    // A worker that waits for longer than the first takes to begin helps it.
    let two = folder.start("tune t.toml --worker 2/2 --wait 1h --threads 1");
    wait_for_end(start_worker(&folder, 1, 2));
    assert!(wait_for_end(two).stderr.contains("the search has ended"));
}

/// Worker 1 names a worker with an unreadable file in one line, and plays its games.
#[test]
fn a_worker_that_cannot_be_read_is_told_once() {
    let text = experiment("spsa", 1_200);
    let single = tune_in_one_process(&text);
    let folder = Folder::with_file("t.toml", &text);
    let unreadable = "worker-3-of-3.jsonl";
    fs::create_dir_all(folder.path(&format!("{TUNE}/{unreadable}"))).expect("a folder");
    let output = folder.run("tune t.toml --worker 1/3 --threads 1 --quiet");
    assert!([Some(0), Some(6), Some(7)].contains(&output.code), "{output:?}");
    assert_eq!(
        output.stderr,
        format!(
            "gauntlet: playing the share of worker 3/3 here: cannot open the journal {TUNE}/{unreadable}: is a folder, not a file\n"
        )
    );
    assert!(final_files(&folder) == final_files(&single));
}

/// `status` shows the games of each worker, and names one with an unreadable file.
#[test]
fn status_names_the_workers_of_a_tuning() {
    let folder = Folder::with_file("t.toml", experiment("spsa", 1_000_000_000));
    let mut workers = [1, 2].map(|number| start_worker(&folder, number, 5));
    let journal = |number: u32| format!("{TUNE}/worker-{number}-of-5.jsonl");
    folder.wait_for_size(&journal(2), 3_000);
    fs::create_dir(folder.path(&journal(4))).expect("a folder");
    fs::copy(folder.path(&journal(2)), folder.path(&journal(3))).expect("a copy");
    let output = folder.run("status t.toml").assert_status(0);
    for message in [
        "    4 workers besides worker 1: 1 playing now, 1 ended, or on another machine, 1 not started here, 1 unreadable\n",
        "      worker 2/5: ",
        " in its journal, playing now, silent for ",
        " in its journal, ended, or on another machine, silent for ",
        "      worker 4/5: cannot open the journal results/t/tune/worker-4-of-5.jsonl: is a folder, not a file\n",
        "      worker 5/5: not started here\n",
    ] {
        assert!(output.stdout.contains(message), "{message}: {}", output.stdout);
    }
    for worker in &mut workers {
        worker.kill().expect("a kill");
        worker.wait().expect("an end");
    }
}

/// A batch system can end workers in the same way as shards.
#[cfg(unix)]
#[test]
fn a_worker_that_a_batch_system_ends_says_so() {
    let folder = Folder::with_file("t.toml", experiment("spsa", 1_000_000_000));
    let workers = [1, 2].map(|number| start_worker(&folder, number, 2));
    folder.wait_for_size(&format!("{TUNE}/worker-2-of-2.jsonl"), 1_000);
    let stop_messages = [
        "to resume:\n  gauntlet tune t.toml --worker 1/2\n",
        "worker 2/2 was stopped before the search ended; to resume:\n  gauntlet tune t.toml --worker 2/2\n",
    ];
    for (worker, message) in workers.into_iter().zip(stop_messages) {
        let kill = std::process::Command::new("kill").args(["-TERM", &worker.id().to_string()]).status();
        assert!(kill.expect("kill").success());
        ProgramOutput::new("a worker", &worker.wait_with_output().expect("an end"))
            .assert_status(75)
            .assert_says(message);
    }
}

/// A worker whose time is over names the command that resumes the same worker.
#[test]
fn a_worker_out_of_time_names_its_own_command() {
    let folder = Folder::with_file("t.toml", experiment("spsa", 1_000_000_000));
    let leader = folder.run("tune t.toml --threads 1 --worker 1/2 --for 0.1s").assert_status(0);
    let resume_command = "gauntlet tune t.toml --worker 1/2";
    assert!(leader.stdout.contains(&format!("    to resume: {resume_command}\n")), "{}", leader.stdout);
    leader.assert_says(&format!("to resume for the same time:\n  {resume_command} --for 0.1s\n"));
    folder
        .run("tune t.toml --threads 1 --worker 2/2 --for 0.1s --results results")
        .assert_status(0)
        .assert_says("worker 2/2: stopped by --for; to resume for the same time:")
        .assert_says("\n  gauntlet tune t.toml --worker 2/2 --for 0.1s\n");
}
