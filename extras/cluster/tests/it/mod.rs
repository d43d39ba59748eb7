//! Shards as tasks of batch systems: xargs, a real Slurm, GNU parallel over ssh.
//!
//! The last two need daemons. They are tested if `GAUNTLET_CLUSTER` is set, and then they must
//! work.

#![cfg(unix)]

mod hostile;
mod last_job;
mod slurm;

use std::fs::{self, DirEntry};
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::bench::{
    CLASSICS, ENDLESS, Folder, ProgramOutput, classics_with_games, play_classics, play_in_new_folder,
    read_tables,
};
use crate::tools::skip;

/// An experiment in which each of eight shards takes some seconds.
const SLOW: &str = "name = \"slow\"\ngame = \"2048\"\nseed = 5\ngames = 160\n\
    [[player]]\nname = \"deep\"\nalgorithm = \"ovolve\"\ndepth = 3\n\
    [[player]]\nname = \"flat\"\nalgorithm = \"ovolve\"\ndepth = 2\n\
    [[claim]]\nbetter = \"deep\"\nthan = \"flat\"\nby = \"score\"\n";

/// Returns all tables of results that contain no times.
fn files_without_times(folder: &Folder, results: &str) -> Vec<(String, Vec<u8>)> {
    let timed_files = ["ms-per-move.csv", "times.csv", "manifest.toml"];
    let is_table =
        |name: &str| (name.ends_with(".csv") || name.ends_with(".toml")) && !timed_files.contains(&name);
    folder.files(results).into_iter().filter(|(name, _)| is_table(name)).collect()
}

#[test]
fn printed_commands_play_all_shards() {
    let (folder, _) = play_classics();
    let output = folder.run("cluster commands classics.toml --shards 7 --threads 2").assert_status(0);
    assert_eq!(output.stdout.lines().count(), 7, "{}", output.stdout);
    assert!(output.stdout.lines().all(|line| line.contains("--threads 2")), "{}", output.stdout);
    // Finished shards are not handed out again, and the division stays.
    folder.run("run classics.toml --quiet --shard 3/7").assert_status(0);
    let output = folder
        .run("cluster commands classics.toml --shards 7")
        .assert_status(0)
        .assert_says("6 of 7 shards remain");
    assert!(
        !output.stdout.contains("--shard 3/7") && output.stdout.contains("--shard 4/7"),
        "{}",
        output.stdout
    );
    folder
        .run("cluster commands classics.toml --shards 8")
        .assert_status(2)
        .assert_says("results/classics already has journals of 7 shards: use --shards 7");
    folder
        .shell("gauntlet cluster commands classics.toml --shards 7 | xargs -d '\\n' -n 1 -P 3 sh -c")
        .assert_status(0);
    let output = folder
        .run("cluster commands classics.toml --shards 7")
        .assert_status(0)
        .assert_says("all 7 shards are complete");
    let merge = output.stderr.split_once("to merge them: ").expect("the command").1.trim().to_owned();
    folder.shell(&merge).assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
}

/// The division is decided before the first task begins: tasks of another division are refused, and
/// journals of two divisions are not merged.
#[test]
fn a_run_is_divided_once() {
    let folder = play_in_new_folder("classics.toml", classics_with_games(60));
    folder.run("cluster commands classics.toml --shards 3").assert_status(0);
    let note = "results/classics/cluster/division.jsonl";
    let refusal = "results/classics is divided into 3 shards (see results/classics/cluster/division.jsonl), but 1/4 belongs to a division into 4";
    folder.run("run classics.toml --quiet --shard 1/4").assert_status(2).assert_says(refusal);
    // If no shard was begun, the division may change.
    let notice = "now divided into 4 shards instead of 3: queued tasks of the old division";
    folder.run("cluster commands classics.toml --shards 4").assert_status(0).assert_says(notice);
    folder.run("run classics.toml --quiet --shard 1/4").assert_status(0);
    folder.run("cluster commands classics.toml --shards 3").assert_status(2).assert_says("use --shards 4");
    let division_text = folder.read(note);
    folder.write(note, "what is this\n");
    folder
        .run("run classics.toml --quiet --shard 2/4")
        .assert_status(2)
        .assert_says("cluster/division.jsonl is damaged: remove it");
    // Without the file each task counts separately, and the journals show the division.
    std::fs::remove_file(folder.path(note)).expect("a file");
    folder.run("run classics.toml --quiet --shard 1/2").assert_status(0);
    let message = "results/classics/journal-1-of-4.jsonl belongs to a division into 4 shards, but \
                results/classics/journal-1-of-2.jsonl belongs to a division into 2: a run can have only one division";
    folder.run("merge classics.toml").assert_status(2).assert_says(message);
    folder.write(note, division_text);
    let message = "journal-1-of-2.jsonl belongs to a division into 2 shards, but results/classics/cluster/division.jsonl belongs to a division into 4";
    folder.run("merge classics.toml").assert_status(2).assert_says(message);
    // Named journals are merged, even if they were played in another folder.
    std::fs::rename(folder.path("results/classics/journal-1-of-2.jsonl"), folder.path("half.jsonl"))
        .expect("a move");
    for shard in ["3/4", "4/4"] {
        folder.run(&format!("run classics.toml --quiet --shard {shard}")).assert_status(0);
    }
    folder.run("merge classics.toml half.jsonl").assert_status(0);
    folder.run("run classics.toml --quiet --results alone").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "alone"));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let folder = play_in_new_folder("classics.toml", classics_with_games(60));
    let check_refused = |line: &str, message: &str| {
        folder.run(&format!("cluster {line}")).assert_status(2).assert_says(message);
    };
    check_refused(
        "commands classics.toml --shards 61",
        "61 shards for 60 blocks: some shards would be empty",
    );
    check_refused("commands classics.toml --shards 2 --submit", "need the system slurm");
    check_refused("commands classics.toml --shards 2 --time 1h", "need the system slurm");
    check_refused("commands classics.toml --shards auto", "--shards auto needs the time of a task");
    check_refused("commands classics.toml --shards all", "expected a number from 1 to 100000, or auto");
    check_refused("parallel classics.toml --shards 2", "parallel needs --hosts");
    check_refused("slurm classics.toml --shards 2 --hosts a", "--hosts needs the system parallel");
}

/// The number of shards depends on the time of a task; once a folder is divided, it stays.
#[test]
fn shards_are_as_many_as_fit_into_a_time() {
    let folder = Folder::new();
    folder.write("classics.toml", classics_with_games(30_000_000));
    let shards = |time: &str| {
        let output = folder
            .run(&format!("cluster commands classics.toml --shards auto --time {time}"))
            .assert_status(0);
        assert!(output.stderr.contains(" of CPU time in total: "), "{}", output.stderr);
        output.stdout.lines().count()
    };
    let (many, few) = (shards("2s"), shards("1000s"));
    assert!(many > 3 * few && few > 0, "{many} and {few}");
    folder.run("cluster slurm classics.toml --shards auto --time 1h").assert_status(0);
    let script = folder.read("results/classics/cluster/play.sbatch");
    assert!(script.contains("#SBATCH --time=1:00:00\n"), "{script}");
    // The same command again submits the same division, without measuring.
    let array = |script: &str| script.lines().find(|line| line.contains("--array=")).map(str::to_owned);
    let output = folder.run("cluster slurm classics.toml --shards auto --time 1h").assert_status(0);
    assert!(!output.stderr.contains(" of CPU time in total: "), "{}", output.stderr);
    assert_eq!(array(&folder.read("results/classics/cluster/play.sbatch")), array(&script));
    folder.write("classics.toml", classics_with_games(60));
    folder.run("cluster commands classics.toml --shards 7").assert_status(0);
    folder.run("run classics.toml --quiet --shard 3/7").assert_status(0);
    assert_eq!(
        folder
            .run("cluster commands classics.toml --shards auto --time 1h")
            .assert_status(0)
            .stdout
            .lines()
            .count(),
        6
    );
}

#[test]
fn workers_of_a_tuning_are_tasks_as_well() {
    let folder = Folder::new();
    folder.copy_from_repository("configs/tune");
    let commands = "cluster commands configs/tune/quick.toml --shards 3";
    let output = folder.run(commands).assert_status(0);
    assert_eq!(output.stdout.lines().count(), 3, "{}", output.stdout);
    assert!(
        output.stdout.lines().all(|line| line.contains(" tune ") && line.contains(" --worker ")),
        "{}",
        output.stdout
    );
    folder.run("cluster slurm configs/tune/quick.toml --shards 3").assert_status(0);
    let scripts =
        ["play", "end"].map(|name| folder.read(&format!("results/tune-quick/cluster/{name}.sbatch")));
    assert!(
        scripts[0].contains(" tune ") && scripts[0].contains("--worker \"$SLURM_ARRAY_TASK_ID\"/3"),
        "{scripts:?}"
    );
    assert!(scripts[1].contains(" tune ") && !scripts[1].contains(" merge "), "{scripts:?}");
    for (line, message) in [
        ("parallel configs/tune/quick.toml --shards 2 --hosts a", "need a shared folder"),
        ("commands configs/tune/quick.toml --shards auto --time 1h", "give the number of workers"),
    ] {
        folder.run(&format!("cluster {line}")).assert_status(2).assert_says(message);
    }
    folder.shell(&format!("gauntlet {commands} | xargs -d '\\n' -n 1 -P 3 sh -c; true"));
    folder.run(commands).assert_status(0).assert_says("the tuning has finished");
    folder.run("tune configs/tune/quick.toml --quiet --results alone");
    for file in ["trajectory.csv", "tried.csv", "validation-1/games.csv"] {
        let [one, other] =
            ["results", "alone"].map(|name| folder.read(&format!("{name}/tune-quick/tune/{file}")));
        assert!(one == other, "{file}");
    }
}

/// Without file locks shards are still played. Commands that need a lock report this in one line.
#[cfg(target_os = "linux")]
#[test]
fn shards_need_no_locks() {
    let (folder, _) = play_classics();
    folder.write("locks.c", "#include <errno.h>\nint flock(int f, int how) { errno = ENOLCK; return -1; }\n");
    folder.shell("cc -shared -fPIC -o locks.so locks.c").assert_status(0);
    let run_without_locks = |line: &str| folder.shell(&format!("LD_PRELOAD=$PWD/locks.so gauntlet {line}"));
    run_without_locks("run classics.toml --quiet").assert_status(1).assert_says("cannot lock the ");
    for shard in ["1/2", "2/2"] {
        run_without_locks(&format!("run classics.toml --quiet --shard {shard}"))
            .assert_status(0)
            .assert_says("gauntlet: cannot lock ");
    }
    run_without_locks("status classics.toml").assert_status(0).assert_says("2 shards: 2 complete");
    run_without_locks("merge classics.toml")
        .assert_status(1)
        .assert_says("cannot lock the journal ")
        .assert_says("use a --results folder on another");
    // Without a lock nothing is cut off: another task may be writing the rest of a line.
    let journal = folder.path("results/classics/journal-1-of-2.jsonl");
    let content = std::fs::read(&journal).expect("a journal");
    let first_half = &content[..content.len() / 2];
    std::fs::write(&journal, first_half).expect("a journal");
    run_without_locks("run classics.toml --quiet --shard 1/2").assert_status(0);
    let new_content = std::fs::read(&journal).expect("a journal");
    assert!(
        new_content.starts_with(first_half) && new_content[first_half.len()] == b'\n',
        "what was there was cut"
    );
    folder.run("merge classics.toml").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
}

#[test]
fn names_mean_nothing_to_a_shell() {
    let folder = Folder::new();
    let name = "$(touch called) `touch called` '; touch called; ' $HOME";
    folder.write("odd.toml", SLOW.replace("\"slow\"", &format!("\"{name}\"")));
    folder.write("bin/sbatch", "#!/bin/sh\necho 7\n");
    let path = "export PATH=$PWD/bin:$PATH; chmod +x bin/sbatch";
    let line = "gauntlet cluster slurm odd.toml --shards 2 --submit";
    folder
        .shell(&format!("{path}; {line}"))
        .assert_status(0)
        .assert_says("submitted: tasks 7")
        .assert_says("$(touch called)");
    let output = folder.shell("find . -name called").assert_status(0);
    assert_eq!(output.stdout, "", "a part of the name was run");
}

/// A second task with the same shard ends with one line, and does not harm the first.
#[test]
fn a_shard_is_played_once_at_a_time() {
    let (folder, _) = play_classics();
    folder.write("classics.toml", classics_with_games(ENDLESS));
    let mut first = folder.start("run classics.toml --quiet --shard 1/2 --threads 1");
    let journal = "results/classics/journal-1-of-2.jsonl";
    folder.wait_for_size(journal, 1000);
    // The first task is paused during its games until the other one has ended.
    let signal = |signal: &str| {
        Command::new("kill").args([signal, &first.id().to_string()]).status().expect("kill");
    };
    signal("-STOP");
    // Threads stop at different times; one that ends meanwhile is gone or a zombie.
    let threads = format!("/proc/{}/task", first.id());
    let is_stopped = |thread: DirEntry| {
        let state = fs::read_to_string(thread.path().join("stat"));
        let is_held = |state: &str| state.trim_start().starts_with(['T', 'Z']);
        state.ok().is_none_or(|state| state.rsplit(')').next().is_some_and(is_held))
    };
    let is_held = || fs::read_dir(&threads).expect("threads").flatten().all(is_stopped);
    while Path::new(&threads).exists() && !is_held() {
        thread::yield_now();
    }
    let content = folder.read(journal);
    let output = folder.run("run classics.toml --quiet --shard 1/2");
    let new_content = folder.read(journal);
    first.kill().expect("a kill");
    first.wait().expect("an end");
    let output = output.assert_status(1).assert_says("another gauntlet process is using");
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    assert!(content == new_content, "the journal of the first was written to");
    folder.write("classics.toml", CLASSICS);
    for shard in ["1/2", "2/2"] {
        folder.run(&format!("run classics.toml --quiet --shard {shard}")).assert_status(0);
    }
    folder.run("merge classics.toml").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
}

/// A task whose disk is full keeps what it has written. The merge reports what is missing, and
/// nothing is lost when the task resumes.
#[test]
fn a_full_disk_in_one_task_loses_nothing() {
    let (folder, _) = play_classics();
    folder.run("run classics.toml --quiet --shard 2/2").assert_status(0);
    // No file may grow over 200 kB, which looks like a full disk.
    let output = folder
        .shell("trap '' XFSZ; ulimit -f 400; gauntlet run classics.toml --quiet --shard 1/2")
        .assert_status(1);
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    assert!(output.stderr.contains("journal-1-of-2.jsonl"), "{}", output.stderr);
    let partial = folder.read("results/classics/journal-1-of-2.jsonl");
    assert!(partial.len() > 100_000, "{} bytes", partial.len());
    let output = folder.run("merge classics.toml").assert_status(1).assert_says("(shard 1/2)");
    assert!(!output.stderr.contains("(shard 2/2)") && !folder.path("results/classics/games.csv").exists());
    folder.run("run classics.toml --quiet --shard 1/2").assert_status(0);
    let complete = folder.read("results/classics/journal-1-of-2.jsonl");
    assert!(complete.starts_with(&partial), "games that were there are gone");
    folder.run("merge classics.toml").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
}

/// Batch systems end tasks by SIGTERM, and treat this exit status as a temporary failure.
#[test]
fn a_shard_that_a_batch_system_ends_says_so() {
    let folder = Folder::new();
    folder.write("slow.toml", SLOW.replace("games = 160", "games = 4000"));
    for (signal, shard, code) in [("TERM", 1, 75), ("INT", 2, 130)] {
        let child = folder.start(&format!("run slow.toml --quiet --shard {shard}/2 --threads 1"));
        folder.wait_for_size(&format!("results/slow/journal-{shard}-of-2.jsonl"), 1_000);
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().expect("kill");
        ProgramOutput::new(signal, &child.wait_with_output().expect("an end"))
            .assert_status(code)
            .assert_says("to resume");
    }
}

/// Batch systems signal all processes of a task, and a player's program may end before the run
/// receives its signal.
#[test]
fn a_signal_to_all_processes_spoils_no_game() {
    let folder = Folder::new();
    folder.write("gate.sh", include_str!("gate.sh"));
    folder.write(
        "struck.toml",
        "name = \"struck\"\ngame = \"2048\"\nseed = 5\ngames = 4\n[[player]]\nname = \"waits\"\n\
         algorithm = \"external\"\ncommand = [\"sh\", \"gate.sh\", \"struck\", \"1\"]\nmove_millis = 600000\n",
    );
    let run = "run struck.toml --allow-commands --quiet --threads 1";
    folder.run(&format!("{run} --results undisturbed")).assert_status(0);
    folder.shell("mkfifo struck.gate").assert_status(0);
    let child = folder.start(run);
    let program = "pgrep -xf 'sh gate.sh struck 1'";
    wait_until("the second game has begun", || folder.shell("wc -l struck..games").stdout.starts_with("2 "));
    folder.shell(&format!("kill -TERM $({program}); sleep 0.1; kill -TERM {}", child.id())).assert_status(0);
    let output = ProgramOutput::new("the run", &child.wait_with_output().expect("an end")).assert_status(130);
    assert!(!output.stderr.contains("forfeited"), "{}", output.stderr);
    std::fs::remove_file(folder.path("struck.gate")).expect("a gate");
    folder.run(run).assert_status(0);
    assert!(
        files_without_times(&folder, "results/struck") == files_without_times(&folder, "undisturbed/struck")
    );
}

/// Returns true if tests may start daemons.
fn may_start_daemons(program: &str) -> bool {
    let is_allowed = std::env::var_os("GAUNTLET_CLUSTER").is_some();
    if !is_allowed {
        skip(&format!("GAUNTLET_CLUSTER is not set, so {program} does not start"));
    }
    is_allowed
}

/// Only one test at a time runs daemons, because they listen on fixed ports.
static DAEMONS: Mutex<()> = Mutex::new(());

/// A daemon, stopped at the end of its test.
struct Daemon {
    script: String,
    folder: String,
    _turn: MutexGuard<'static, ()>,
}

impl Daemon {
    fn start(script: &str, folder: &Folder) -> Daemon {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("extras/cluster/tests/it").join(script);
        let daemon = Daemon {
            script: script.display().to_string(),
            folder: folder.path("daemon").display().to_string(),
            _turn: DAEMONS.lock().unwrap_or_else(PoisonError::into_inner),
        };
        folder.shell(&format!("sh {} start {}", daemon.script, daemon.folder)).assert_status(0);
        daemon
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = Command::new("sh").args([&*self.script, "stop", &*self.folder]).status();
    }
}

/// Waits until a condition holds; Slurm can be slow.
fn wait_until(event: &str, mut is_done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_done() {
        assert!(start.elapsed() < Duration::from_secs(240), "in vain: {event}");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn parallel_plays_shards_on_hosts_and_brings_journals_back() {
    if !may_start_daemons("GNU parallel with ssh") {
        return;
    }
    let folder = Folder::new();
    folder.write("slow.toml", SLOW.replace("games = 160", "games = 40"));
    folder.run("run slow.toml --quiet --results undivided").assert_status(0);
    let _hosts = Daemon::start("hosts.sh", &folder);
    let config = folder.path("daemon/config").display().to_string();
    let output = folder.run("cluster parallel slow.toml --shards 6 --hosts one,2/two,gone").assert_status(0);
    let line = format!("PARALLEL_SSH='ssh -F {config}' {}", output.stdout.trim());
    folder.shell(&line).assert_status(0).assert_says("skipping gone: no answer");
    assert!(files_without_times(&folder, "results/slow") == files_without_times(&folder, "undivided/slow"));
}

#[test]
fn where_no_host_answers_nothing_is_played() {
    let folder = play_in_new_folder("classics.toml", classics_with_games(60));
    let output = folder.run("cluster parallel classics.toml --shards 2 --hosts one,4/two").assert_status(0);
    let output = folder.shell(&format!("PARALLEL_SSH=false {}", output.stdout.trim())).assert_status(1);
    assert_eq!(output.stderr.lines().last(), Some("no host answers"), "{}", output.stderr);
}

/// The shards of a host that dies are played by another host.
#[test]
fn a_host_that_dies_while_it_plays_is_replaced() {
    if !may_start_daemons("GNU parallel with ssh") {
        return;
    }
    let folder = Folder::new();
    folder.write("dies.toml", SLOW.replace("\"slow\"", "\"dies\"").replace("games = 160", "games = 400"));
    folder.run("run dies.toml --quiet --results undivided").assert_status(0);
    let hosts = Daemon::start("hosts.sh", &folder);
    let config = folder.path("daemon/config").display().to_string();
    let output = folder.run("cluster parallel dies.toml --shards 4 --hosts one,two").assert_status(0);
    let line = format!("PARALLEL_SSH='ssh -F {config}' {}", output.stdout.trim());
    thread::scope(|scope| {
        let script = scope.spawn(|| folder.shell(&line));
        let host = |action: &str| folder.shell(&format!("sh {} {action} {} one", hosts.script, hosts.folder));
        wait_until("the host plays", || host("plays").code == Some(0));
        host("dies").assert_status(0);
        assert_eq!(host("plays").code, Some(1), "it plays on");
        script.join().expect("a script").assert_status(0);
    });
    assert!(files_without_times(&folder, "results/dies") == files_without_times(&folder, "undivided/dies"));
}

/// Each host has only the journals of its shards, which cannot decide the end.
#[test]
fn on_hosts_a_run_that_may_stop_is_played_to_its_end_and_says_so() {
    let folder = Folder::new();
    let stop = "[stop]\nbetter = \"deep\"\nthan = \"flat\"\nby = \"score\"\ndifference = [-0.1, 0.1]\n";
    let (players, _) = SLOW.split_once("[[claim]]").expect("a claim");
    folder.write("slow.toml", format!("{players}{stop}"));
    let message = "[stop] has no effect on separate hosts";
    folder.run("cluster parallel slow.toml --shards 2 --hosts a").assert_status(0).assert_says(message);
    let output = folder.run("cluster commands slow.toml --shards 2").assert_status(0);
    assert!(!output.stderr.contains(message), "{}", output.stderr);
}

/// If there are many shards, `status` sums them up and names only those with problems.
#[test]
fn many_shards_are_told_together() {
    let folder = Folder::new();
    folder.write("classics.toml", classics_with_games(300));
    folder.run("run classics.toml --quiet --shard 1/30").assert_status(0);
    let journal = folder.read("results/classics/journal-1-of-30.jsonl");
    let (without_end, _) = journal.trim_end().rsplit_once('\n').expect("lines");
    for shard in 2..=22 {
        // A killed process has not recorded the end of its session.
        let content = if shard == 3 { format!("{without_end}\n") } else { journal.clone() };
        folder.write(&format!("results/classics/journal-{shard}-of-30.jsonl"), content);
    }
    folder.write("results/classics/cluster/task-3.log", "begun\nno space left\n\n");
    let output = folder.run("status classics.toml").assert_status(0);
    for expected in [
        "30 shards: 1 complete, 20 stopped, 1 ended unexpectedly, 8 not started here\n    30 of 900 games (3 %)\n",
        "    CPU time so far: ",
        "shard 3/30: 0 of 30 games (0 %), ended unexpectedly, or runs on another machine, silent for ",
        "    last output of its task: no space left\n    to resume: gauntlet run classics.toml --shard 3/30\n",
        "shard 2/30: 0 of 30 games (0 %), stopped, silent for ",
        "… and 1 more silent shards",
        "shard 30/30: not started here",
    ] {
        assert!(output.stdout.contains(expected), "{expected}: {}", output.stdout);
    }
    assert!(!output.stdout.contains("shard 1/30"), "{}", output.stdout);
    // If there are few shards, each is listed.
    for shard in 4..=22 {
        std::fs::remove_file(folder.path(&format!("results/classics/journal-{shard}-of-30.jsonl")))
            .expect("a file");
    }
    let output = folder
        .run("status classics.toml")
        .assert_status(0)
        .assert_says("shard 1/30: 30 of 30 games (100 %), complete");
    assert!(
        output.stdout.contains("shard 3/30: 0 of 30 games (0 %), ended unexpectedly"),
        "{}",
        output.stdout
    );
}

/// Shards of two divisions are not added up, because a game may be in both.
#[test]
fn shards_of_several_divisions_are_told_of() {
    let (folder, _) = play_classics();
    for shard in ["1/2", "2/2", "1/3"] {
        folder.run(&format!("run classics.toml --quiet --shard {shard}")).assert_status(0);
    }
    let output = folder.run("status classics.toml").assert_status(0);
    for expected in ["  shards of several divisions: 2 of 2, 1 of 3\n", "shard 2/2: ", "shard 1/3: "] {
        assert!(output.stdout.contains(expected), "{expected}: {}", output.stdout);
    }
    assert!(
        !output.stdout.contains("not started") && !output.stdout.contains("2 shards: "),
        "{}",
        output.stdout
    );
}

/// A shard with all its games, one of which is impossible, still has to be played.
#[test]
fn a_shard_with_a_false_game_is_not_played() {
    let (folder, _) = play_classics();
    for shard in ["1/2", "2/2"] {
        folder.run(&format!("run classics.toml --quiet --shard {shard}")).assert_status(0);
    }
    let name = "results/classics/journal-2-of-2.jsonl";
    let falsify = |line: &str| {
        let json = line.split_once(' ').expect("a checksum").1;
        let mut entry: serde_json::Value = serde_json::from_str(json).expect("JSON");
        entry["games"]["facts"][0][0] = (1_u64 << 62).into();
        let json = entry.to_string();
        format!("{} {json}", &blake3::hash(json.as_bytes()).to_hex()[..16])
    };
    let journal = folder.read(name);
    let line = journal.lines().find(|line| line.contains("{\"games\":")).expect("games");
    folder.write(name, journal.replacen(line, &falsify(line), 1));
    let commands = "cluster commands classics.toml --shards 2";
    let output = folder.run(commands).assert_status(0).assert_says("1 of 2 shards remain");
    assert!(
        output.stdout.contains("--shard 2/2") && !output.stdout.contains("--shard 1/2"),
        "{}",
        output.stdout
    );
    folder.shell(output.stdout.trim()).assert_status(0);
    folder.run(commands).assert_status(0).assert_says("all 2 shards are complete");
    folder.run("merge classics.toml").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
}

/// An active task reports its pace and the time left.
#[test]
fn shards_that_are_played_tell_their_pace() {
    let folder = Folder::new();
    folder.write("classics.toml", classics_with_games(30_000_000));
    let mut task = folder.start("run classics.toml --quiet --shard 1/2 --threads 1");
    folder.wait_for_size("results/classics/journal-1-of-2.jsonl", 100_000);
    let output = folder.run("status classics.toml").assert_status(0);
    task.kill().expect("a kill");
    task.wait().expect("an end");
    let is_reported = output.stdout.contains("2 shards: 1 playing now, 1 not started here")
        && output.stdout.contains(" games/s now, about ")
        && output.stdout.contains(" left");
    assert!(is_reported, "{}", output.stdout);
}

#[test]
fn mistakes_on_the_command_line_are_told() {
    let folder = Folder::with_file("configs/x.toml", "");
    folder
        .run("cluster slurm absent.toml --shards 2")
        .assert_status(2)
        .assert_says("no such ")
        .assert_says("absent");
    let message = "configs has no experiment; give the file of an experiment\n";
    folder.run("cluster slurm configs --shards 2").assert_status(2).assert_says(message);
    folder.run("clusters").assert_status(2).assert_says("tip: a similar subcommand exists: 'cluster'\n");
}

#[test]
fn the_help_is_what_it_was() {
    crate::docs::help::check_extra("cluster", ::cluster::COMMANDS);
}
