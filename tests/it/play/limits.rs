//! Files that are not files or have foreign content, and limits of the system: each is reported in
//! one line.

use std::fs::{self, File};
use std::io::Write;

use crate::bench::{Folder, GAMES, JOURNAL, ProgramOutput, classics_with_games, read_tables};

const SHARD: &str = "results/classics/journal-1-of-2.jsonl";

/// An experiment of 40 games of each player.
fn small_experiment() -> Folder {
    let folder = Folder::with_file("a.toml", classics_with_games(40));
    fs::create_dir_all(folder.path("results/classics")).unwrap();
    folder
}

/// Asserts that a command failed with one line.
#[track_caller]
fn assert_fails(output: ProgramOutput, messages: &[&str]) {
    let output = messages.iter().fold(output.assert_status(1), |output, text| output.assert_says(text));
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
}

/// A missing folder for temporary files is reported as such, not as a failure of standard output.
#[cfg(unix)]
#[test]
fn a_missing_folder_for_temporary_files_is_told() {
    let folder = Folder::new();
    let text = "name = \"a\"\ngame = \"2048\"\nseed = 1\ngames = 600000\nmax_moves = 1\n\n[[player]]\nname = \"x\"\nalgorithm = \"random\"\n";
    folder.play("a.toml", text);
    // Without tables everything comes from the journal, and games beyond some megabytes go to a
    // temporary file.
    folder.shell("cd results/a && rm *.csv manifest.toml").assert_status(0);
    let command = "gauntlet show results/a --player x --worst --last";
    let output = folder.shell(&format!("TMPDIR=no/such/folder {command}"));
    assert!(!output.stderr.contains("standard output"), "{output:?}");
    assert_fails(output, &["cannot create a temporary file in no/such/folder (TMPDIR)"]);
    folder.shell(command).assert_status(0);
}

/// With any memory limit and any number of threads, a run ends with all games, or with one line.
/// Limits too small for loading the program are skipped.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_memory_is_told_in_one_line() {
    let mut message_count = 0;
    for limit in (20..=60).step_by(2).chain([80, 100, 150]) {
        let folder = small_experiment();
        let run_limited =
            |line: &str| folder.shell(&format!("ulimit -v {}; exec gauntlet {line}", limit << 10));
        if run_limited("--version").code != Some(0) {
            continue;
        }
        for threads in [1, 2, 8] {
            let output = run_limited(&format!("run a.toml --quiet --replace --threads {threads}"));
            // A new thread without room for its variables ends in the C library, and one without
            // room for its signal stack in Rust's library. Both print their own messages.
            let is_of_library = ["Fatal glibc error", "failed to allocate an alternative stack"]
                .iter()
                .any(|message| output.stderr.contains(message));
            if output.code == Some(0) || is_of_library {
                continue;
            }
            message_count += 1;
            let line = output.stderr.trim_end();
            let is_memory_message = line.starts_with("gauntlet: out of memory: ")
                || line
                    .starts_with("gauntlet: cannot start a thread: raise the limit on processes or memory");
            assert!(
                is_memory_message && line.lines().count() == 1,
                "{limit} MiB, {threads} threads: {output:?}"
            );
            output.assert_status(1);
        }
        // Earlier games count.
        folder.run("run a.toml --quiet").assert_status(0);
    }
    assert!(message_count > 0, "no limit was too small");
}

/// A special file is not a journal: nothing waits for a pipe, and nothing is created at the target
/// of a link.
#[cfg(unix)]
#[test]
fn a_journal_is_a_file() {
    for (make_command, message) in [
        ("mkfifo", "is a pipe, not a file"),
        ("mkdir", "is a folder, not a file"),
        ("ln -s ../../elsewhere", "is a broken link"),
        ("ln -s /dev/zero", "is a device, not a file"),
    ] {
        for (path, commands) in [
            (JOURNAL, ["run a.toml", "merge a.toml", "check a.toml"]),
            (SHARD, ["run a.toml --shard 1/2", "merge a.toml", "status a.toml"]),
        ] {
            let folder = small_experiment();
            folder.shell(&format!("{make_command} {path}")).assert_status(0);
            for command in commands {
                // For commands that create no journal, a dangling link is a missing journal.
                if path == JOURNAL && command != "run a.toml" && make_command.starts_with("ln -s ..") {
                    continue;
                }
                let output = folder.shell(&format!("timeout 60 gauntlet {command}"));
                assert_fails(output, &["cannot open the journal", message]);
            }
            assert!(!folder.path("elsewhere").exists());
        }
    }
}

/// Power cuts leave zeros at the end of a file, or a file of zeros. Zeros inside, or a long part
/// without line ends, replace games, which are played again.
#[test]
fn zeros_are_healed() {
    let folder = small_experiment();
    folder.run("run a.toml --quiet --results undisturbed").assert_status(0);
    folder.run("run a.toml --quiet").assert_status(0);
    let journal_bytes = fs::read(folder.path(JOURNAL)).unwrap();
    let (middle, hole_length) = (journal_bytes.len() / 2, journal_bytes.len() / 4);
    let in_the_middle =
        [&journal_bytes[..middle], &vec![0; hole_length], &journal_bytes[middle + hole_length..]].concat();
    let over_lines = [&journal_bytes[..middle], &[0; 5000], &journal_bytes[middle..]].concat();
    let long_line = [&journal_bytes[..], &vec![b'x'; 40 << 20], b"\n"].concat();
    for (label, content, is_damaged) in [
        ("behind the end", [&journal_bytes[..], &[0; 5000]].concat(), false),
        ("alone", vec![0; 5000], false),
        ("in the first line", [&journal_bytes[..7], &[0; 5000]].concat(), false),
        ("in the place of some lines", in_the_middle, true),
        ("between", over_lines, true),
        ("a long line", long_line, true),
    ] {
        folder.write(JOURNAL, content);
        let status = folder.run("status a.toml").assert_status(0);
        assert_eq!(status.stdout.contains("damaged line"), is_damaged, "{label}: {}", status.stdout);
        folder.run("run a.toml --quiet").assert_status(0);
        assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"), "{label}");
        folder.run("status a.toml").assert_status(0).assert_says("120 of 120 games (100 %), complete");
        let repaired_bytes = fs::read(folder.path(JOURNAL)).unwrap();
        assert_eq!(repaired_bytes.last(), Some(&b'\n'), "{label}");
    }
    // Zeros followed by other data are not repaired.
    let foreign = [&[0; 5000][..], b"reserved word"].concat();
    folder.write(JOURNAL, &foreign);
    assert_fails(
        folder.run("run a.toml --quiet"),
        &[
            "is not a journal. Move it away (mv results/classics/journal.jsonl results/classics/journal.jsonl.bad); then the same command continues.",
        ],
    );
    assert_eq!(fs::read(folder.path(JOURNAL)).unwrap(), foreign);
}

/// A file that is larger than memory is read with little memory.
#[cfg(target_os = "linux")]
#[test]
fn zeros_without_end_take_no_memory() {
    let folder = small_experiment();
    folder.run("run a.toml --quiet").assert_status(0);
    let open_to_append = |name: &str| File::options().append(true).open(folder.path(name)).unwrap();
    open_to_append(JOURNAL).set_len(1 << 30).unwrap();
    let run_limited = |command: &str| folder.shell(&format!("ulimit -v 500000; exec gauntlet {command}"));
    run_limited("status a.toml").assert_status(0).assert_says("120 of 120 games (100 %), complete");
    // The same in the middle: a line of a gigabyte.
    open_to_append(JOURNAL).write_all(b"\n").unwrap();
    run_limited("status a.toml").assert_status(0).assert_says("1 damaged line of");
    run_limited("run a.toml").assert_status(0).assert_says("no games left to play");
}

/// A file size limit: the write fails with a message, and existing data stays.
#[cfg(unix)]
#[test]
fn a_limit_on_files_is_told() {
    let folder = small_experiment();
    // In blocks of 512 or 1024 bytes: too few for the games, and enough for the first lines.
    folder.write("a.toml", classics_with_games(2000));
    let output = folder.shell("ulimit -f 4; exec gauntlet run a.toml --quiet");
    assert_fails(output, &["cannot write to the journal", "File too large"]);
    folder.run("run a.toml --quiet").assert_status(0);
    let before = folder.read(GAMES);
    let output = folder.shell("ulimit -f 1; exec gauntlet report results/classics --out page.html");
    assert_fails(output, &["page", "File too large"]);
    fs::remove_file(folder.path(GAMES)).unwrap();
    assert_fails(
        folder.shell("ulimit -f 16; exec gauntlet run a.toml --quiet"),
        &["games.csv", "File too large"],
    );
    assert!(!folder.path(GAMES).exists());
    folder.run("run a.toml --quiet").assert_status(0);
    assert_eq!(folder.read(GAMES), before);
}

/// Too many open files: the file that could not be opened is named.
#[cfg(unix)]
#[test]
fn too_many_open_files_are_told() {
    let folder = small_experiment();
    for shard in 1..=30 {
        folder.write(&format!("results/classics/journal-{shard}-of-30.jsonl"), "");
    }
    let output = folder.shell("ulimit -n 20; exec gauntlet merge a.toml");
    let output = output.assert_status(1).assert_says("cannot open the journal results/classics/journal-");
    let line = output.stderr.lines().last().unwrap();
    assert!(line.contains("-of-30.jsonl: ") && line.contains("ulimit -n"), "{line}");
}
