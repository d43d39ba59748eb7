//! Shards as tasks of batch systems: xargs, a real Slurm, GNU parallel over ssh.
//!
//! The last two need daemons of their own. They are played where `GAUNTLET_CLUSTER` is set, and then they must work.

#![cfg(unix)]

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::bench::{Folder, Said, classics, classics_of, played, tables};

/// An experiment of which each of eight shards takes some seconds.
const SLOW: &str = "name = \"slow\"\ngame = \"2048\"\nseed = 5\ngames = 160\n\
    [[player]]\nname = \"deep\"\nalgorithm = \"ovolve\"\ndepth = 3\n\
    [[player]]\nname = \"flat\"\nalgorithm = \"ovolve\"\ndepth = 2\n\
    [[claim]]\nbetter = \"deep\"\nthan = \"flat\"\nby = \"score\"\n";

/// All tables of results that have no times.
fn untimed(folder: &Folder, results: &str) -> Vec<(String, Vec<u8>)> {
    let timed = ["ms-per-move.csv", "times.csv", "manifest.toml"];
    let is_table = |name: &str| (name.ends_with(".csv") || name.ends_with(".toml")) && !timed.contains(&name);
    folder.files(results).into_iter().filter(|(name, _)| is_table(name)).collect()
}

#[test]
fn printed_commands_play_all_shards() {
    let (folder, _) = classics();
    let said = folder.run("cluster commands classics.toml --shards 7 --threads 2").ends(0);
    assert_eq!(said.out.lines().count(), 7, "{}", said.out);
    assert!(said.out.lines().all(|line| line.contains("--threads 2")), "{}", said.out);
    // What was played is not handed out again, nor divided anew.
    folder.run("run classics.toml --quiet --shard 3/7").ends(0);
    let said =
        folder.run("cluster commands classics.toml --shards 7").ends(0).saying("6 of 7 shards are left");
    assert!(!said.out.contains("--shard 3/7") && said.out.contains("--shard 4/7"), "{}", said.out);
    folder
        .run("cluster commands classics.toml --shards 8")
        .ends(2)
        .saying("results/classics holds journals of 7 shards, and a run is divided once: say --shards 7");
    folder.shell("gauntlet cluster commands classics.toml --shards 7 | xargs -P 3 -I{} sh -c {}").ends(0);
    let said =
        folder.run("cluster commands classics.toml --shards 7").ends(0).saying("all 7 shards are played");
    let merge = said.err.split_once("to join them: ").expect("the command").1.trim().to_owned();
    folder.shell(&merge).ends(0);
    assert!(tables(&folder, "results") == tables(&folder, "undisturbed"));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let folder = played("classics.toml", classics_of(60));
    let refused = |line: &str, why: &str| {
        folder.run(&format!("cluster {line}")).ends(2).saying(why);
    };
    refused("commands classics.toml --shards 61", "61 shards of 60 blocks: some would hold none");
    refused("commands classics.toml --shards 2 --submit", "are for slurm");
    refused("parallel classics.toml --shards 2", "parallel needs --hosts");
    refused("slurm classics.toml --shards 2 --hosts a", "--hosts is for parallel");
}

#[test]
fn names_mean_nothing_to_a_shell() {
    let folder = Folder::new();
    let name = "$(touch called) `touch called` '; touch called; ' $HOME";
    folder.write("odd.toml", SLOW.replace("\"slow\"", &format!("\"{name}\"")));
    folder.write("bin/sbatch", "#!/bin/sh\necho 7\n");
    let path = "export PATH=$PWD/bin:$PATH; chmod +x bin/sbatch";
    let line = "gauntlet cluster slurm odd.toml --shards 2 --submit";
    folder.shell(&format!("{path}; {line}")).ends(0).saying("submitted: tasks 7").saying("$(touch called)");
    let called = folder.shell("find . -name called").ends(0);
    assert_eq!(called.out, "", "a part of the name was run");
}

/// Batch systems end tasks by SIGTERM, and know this status as a failure that passes.
#[test]
fn a_shard_that_a_batch_system_ends_says_so() {
    let folder = Folder::new();
    folder.write("slow.toml", SLOW.replace("games = 160", "games = 4000"));
    for (signal, shard, code) in [("TERM", 1, 75), ("INT", 2, 130)] {
        let child = folder.start(&format!("run slow.toml --quiet --shard {shard}/2 --threads 1"));
        folder.wait_for(&format!("results/slow/journal-{shard}-of-2.jsonl"), 1_000);
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().expect("kill");
        Said::of(signal, &child.wait_with_output().expect("an end")).ends(code).saying("to go on");
    }
}

/// True if tests are to start daemons.
fn may_start_daemons(what: &str) -> bool {
    let may = std::env::var_os("GAUNTLET_CLUSTER").is_some();
    if !may {
        eprintln!("skipped: {what} is tried where GAUNTLET_CLUSTER is set");
    }
    may
}

/// A daemon of a test, ended with it.
struct Daemon {
    script: String,
    folder: String,
}

impl Daemon {
    fn start(script: &str, folder: &Folder) -> Daemon {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cluster").join(script);
        let daemon = Daemon {
            script: script.display().to_string(),
            folder: folder.path("daemon").display().to_string(),
        };
        folder.shell(&format!("sh {} start {}", daemon.script, daemon.folder)).ends(0);
        daemon
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = Command::new("sh").args([&*self.script, "stop", &*self.folder]).status();
    }
}

/// Waits until this holds; Slurm has its own pace.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let patience = Instant::now();
    while !holds() {
        assert!(patience.elapsed() < Duration::from_secs(240), "in vain: {what}");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_real_slurm_plays_shards_that_are_killed_and_queued_again() {
    if !may_start_daemons("Slurm") {
        return;
    }
    let folder = Folder::new();
    folder.write("slow.toml", SLOW);
    folder.run("run slow.toml --quiet --results undivided").ends(0);
    let _slurm = Daemon::start("slurm.sh", &folder);
    let slurm = |line: &str| folder.shell(&format!("export SLURM_CONF=$PWD/daemon/slurm.conf; {line}"));
    let jobs = |said: Said| {
        let told = said.ends(0).out;
        let number =
            told.split_once("tasks ").and_then(|(_, rest)| rest.split_once(',')).expect("a number").0;
        number.to_owned()
    };
    let submit = "gauntlet cluster slurm slow.toml --shards 8 --time 0:30:00 --submit -- --comment=test";
    let tasks = jobs(slurm(submit));
    let journal = |shard: u32| format!("results/slow/journal-{shard}-of-8.jsonl");

    // One is killed: its task fails.
    folder.wait_for(&journal(1), 500);
    slurm("pkill -9 -f -- '[-]-shard 1/8'").ends(0);
    // One is queued again by hand, and one because its time is nearly over.
    folder.wait_for(&journal(2), 500);
    slurm(&format!("scontrol requeue {tasks}_2")).ends(0);
    folder.wait_for(&journal(3), 500);
    let warn = format!("scancel --signal=USR1 --batch {tasks}_3");
    until("a task is told that its time is nearly over", || slurm(&warn).code == Some(0));
    let is_over = || {
        // What is queued again waits two minutes otherwise.
        slurm(&format!(
            "for task in 2 3; do scontrol update JobId={tasks}_$task StartTime=now 2> /dev/null; done; true"
        ));
        slurm("squeue -h").ends(0).out.trim().is_empty()
    };
    until("the tasks and the job behind them end", is_over);
    let log = folder.read("results/slow/cluster/task-3.log");
    assert!(log.contains("to go on"), "it was told to stop: {log}");
    let end = folder.read("results/slow/cluster/end.log");
    let logs = || {
        (1..=8).map(|task| folder.read(&format!("results/slow/cluster/task-{task}.log"))).collect::<Vec<_>>()
    };
    assert!(end.contains("(shard 1/8)\n  flat"), "{end}\n{:?}", logs());
    assert!(!folder.path("results/slow/games.csv").exists());

    // The same command again plays that one alone.
    let said = slurm(submit).saying("1 of 8 shards are left");
    jobs(said);
    let sbatch = folder.read("results/slow/cluster/play.sbatch");
    assert!(sbatch.contains("--array=1\n") && sbatch.contains("--comment=test\n"), "{sbatch}");
    until("the last task and the job behind it end", || slurm("squeue -h").ends(0).out.trim().is_empty());
    assert!(untimed(&folder, "results/slow") == untimed(&folder, "undivided/slow"));
    assert!(folder.path("results/slow/report.html").exists());
}

#[test]
fn parallel_plays_shards_on_hosts_and_brings_journals_back() {
    if !may_start_daemons("GNU parallel with ssh") {
        return;
    }
    let folder = Folder::new();
    folder.write("slow.toml", SLOW.replace("games = 160", "games = 40"));
    folder.run("run slow.toml --quiet --results undivided").ends(0);
    let _hosts = Daemon::start("hosts.sh", &folder);
    let config = folder.path("daemon/config").display().to_string();
    let said = folder.run("cluster parallel slow.toml --shards 6 --hosts one,2/two,gone").ends(0);
    let line = format!("PARALLEL_SSH='ssh -F {config}' {}", said.out.trim());
    folder.shell(&line).ends(0).saying("gone does not answer, and is left out");
    assert!(untimed(&folder, "results/slow") == untimed(&folder, "undivided/slow"));
}
