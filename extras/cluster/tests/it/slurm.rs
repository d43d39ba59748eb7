//! Tasks of a real Slurm that are killed and requeued, for each kind of experiment.
//!
//! In each experiment one player waits for a gate (`gate.sh`). So every task is in the middle of
//! its games when something happens to it, on any machine.

use std::fs::{File, OpenOptions};
use std::thread;
use std::time::Duration;

use super::{Daemon, files_without_times, may_start_daemons, wait_until};
use crate::bench::{Folder, ProgramOutput};

const GATE: &str = include_str!("gate.sh");

/// A kind of experiment.
struct Kind {
    name: &'static str,
    text: &'static str,
    /// The command that plays it in one process.
    command: &'static str,
    /// Games that a task begins before it waits for the gate.
    free_games: u32,
    /// Folders of its tables, relative to the results folder.
    tables: &'static [&'static str],
}

const SOLO: Kind = Kind {
    name: "solo",
    text: "game = \"2048\"\ngames = 160\n\
        [[player]]\nname = \"flat\"\nalgorithm = \"ovolve\"\ndepth = 1\n\
        [[claim]]\nbetter = \"flat\"\nthan = \"waits\"\nby = \"score\"\n",
    command: "run",
    free_games: 4,
    tables: &["solo"],
};

const KINDS: [Kind; 4] = [
    SOLO,
    Kind {
        name: "duel",
        text: "game = \"gomoku\"\ngames = 160\n\
            [[player]]\nname = \"greedy\"\nalgorithm = \"gomoku-greedy\"\n",
        command: "run",
        free_games: 4,
        tables: &["duel"],
    },
    Kind {
        name: "stops",
        text: "game = \"2048\"\ngames = 4000\n\
            [[player]]\nname = \"greedy\"\nalgorithm = \"greedy\"\n\
            [stop]\nbetter = \"greedy\"\nthan = \"waits\"\nby = \"score\"\ndifference = [-0.05, 0.05]\n",
        command: "run",
        free_games: 4,
        tables: &["stops"],
    },
    Kind {
        name: "tuned",
        text: "game = \"2048\"\nwin = 32\nuntil = \"win\"\ngames = 20\n\
            [tune]\nplayer = \"waits\"\nbudget = 348\nmethod = \"spsa\"\n[tune.validate]\ngames = 20\n\
            [tune.params]\noptions.left = { min = 0, max = 4 }\n",
        command: "tune",
        // A worker plays 24 games of each of its first four players, to check that they repeat
        // them.
        free_games: 4 * 24 + 3,
        tables: &["tuned/tune", "tuned/tune/validation-1"],
    },
];

impl Kind {
    /// Returns the experiment, with the player that waits.
    fn experiment(&self) -> String {
        let Kind { name, text, free_games, .. } = self;
        let (top_keys, rest) = text.split_once('[').expect("a section");
        let reproducible =
            if self.command == "tune" { "options = { left = 2 }\nreproducible = true\n" } else { "" };
        format!(
            "name = \"{name}\"\nseed = 5\n{top_keys}[[player]]\nname = \"waits\"\nalgorithm = \"external\"\n\
             command = [\"sh\", \"gate.sh\", \"{name}\", \"{free_games}\"]\nenv = [\"PATH\", \"SLURM_JOB_ID\"]\n\
             move_millis = 600000\n{reproducible}[{rest}"
        )
    }
}

/// A Slurm cluster in the folder of a test.
pub(super) struct Slurm<'a> {
    folder: &'a Folder,
    _daemon: Daemon,
}

impl Slurm<'_> {
    pub(super) fn start(folder: &Folder) -> Slurm<'_> {
        Slurm { folder, _daemon: Daemon::start("slurm.sh", folder) }
    }

    fn run(&self, line: &str) -> ProgramOutput {
        self.folder.shell(&format!("export SLURM_CONF=$PWD/daemon/slurm.conf; {line}"))
    }

    /// Submits the remaining shards of an experiment. Returns the number of the array, or `None` if
    /// nothing was left.
    fn submit(&self, name: &str) -> Option<String> {
        let options = "--shards 8 --time 0:30:00 --allow-commands --submit -- --comment=test";
        let output = self.run(&format!("gauntlet cluster slurm {name}.toml {options}")).assert_status(0);
        let (_, rest) = output.stdout.split_once("submitted: tasks ")?;
        Some(rest.split_once(',').expect("a number").0.to_owned())
    }

    /// Waits until this many tasks of an experiment, in total, have reached its gate.
    fn wait_for_tasks(&self, kind: &Kind, count: usize) {
        wait_until(&format!("{count} tasks of {} wait for the gate", kind.name), || {
            let game_counts = self.run(&format!("wc -l {}.*.games", kind.name)).stdout;
            let has_reached_gate = |line: &&str| {
                line.trim().split_once(' ').is_some_and(|(games, file)| {
                    file != "total" && games.parse::<u32>().expect("a number") > kind.free_games
                })
            };
            game_counts.lines().filter(has_reached_gate).count() >= count
        });
    }

    /// Opens a gate until the returned file is dropped.
    fn open_gate(&self, name: &str) -> File {
        let gate = self.folder.path(&format!("{name}.gate"));
        OpenOptions::new().read(true).write(true).open(gate).expect("a gate")
    }

    /// Kills a task, like a machine without memory.
    fn kill(&self, kind: &Kind, task: u32) {
        let file = self.folder.path(&format!("{}.toml", kind.name)).display().to_string();
        let option = if kind.command == "tune" { "worker" } else { "shard" };
        self.run(&format!("pkill -9 -f -- '{file} .*[-]-{option} {task}/8'")).assert_status(0);
    }

    /// Waits until a task was asked to stop, and has reported that it did.
    fn wait_for_stop(&self, name: &str, task: u32) {
        wait_until(&format!("task {task} of {name} stops"), || {
            self.log(name, &format!("task-{task}")).contains("stopped")
        });
    }

    /// Waits until the queue is empty.
    pub(super) fn finish(&self) {
        wait_until("the tasks and the jobs behind them end", || {
            // Otherwise requeued tasks would wait two minutes.
            let script = "squeue -h -r -t PENDING -o %i | grep _ | while read -r task; do \
                         scontrol update JobId=$task StartTime=now; done; squeue -h";
            let left = self.run(script).assert_status(0).stdout;
            thread::sleep(Duration::from_millis(300));
            left.trim().is_empty()
        });
    }

    fn log(&self, name: &str, log: &str) -> String {
        self.folder.read(&format!("results/{name}/cluster/{log}.log"))
    }
}

#[test]
fn tasks_that_are_killed_and_queued_again_change_nothing() {
    if !may_start_daemons("Slurm") {
        return;
    }
    let folder = Folder::new();
    folder.write("gate.sh", GATE);
    for kind in &KINDS {
        let name = kind.name;
        folder.write(&format!("{name}.toml"), kind.experiment());
        let output =
            folder.run(&format!("{} {name}.toml --allow-commands --quiet --results undivided", kind.command));
        assert!([Some(0), Some(6), Some(7)].contains(&output.code), "{output:?}");
    }
    let games = folder.read("undivided/stops/games.csv").lines().count();
    assert!((100..4000).contains(&games), "{games} games until the end is known");

    let slurm = Slurm::start(&folder);
    for kind in &KINDS {
        slurm.run(&format!("mkfifo {}.gate", kind.name)).assert_status(0);
    }
    let arrays = KINDS.each_ref().map(|kind| slurm.submit(kind.name).expect("tasks"));
    // One task name each experiment is killed, and one is requeued.
    for (kind, array) in KINDS.iter().zip(&arrays) {
        if kind.command == "tune" {
            // Not every worker has games in the first step, and none ends before the last.
            slurm.wait_for_tasks(kind, 1);
            for task in [2, 3] {
                folder.wait_for_size(&format!("results/tuned/tune/worker-{task}-of-8.jsonl"), 1);
            }
        } else {
            slurm.wait_for_tasks(kind, 8);
        }
        slurm.kill(kind, 2);
        slurm.run(&format!("scontrol requeue {array}_3")).assert_status(0);
    }
    // One task is warned name its time limit. In another one, all processes are asked to stop, and
    // in a third one only the script.
    let solo = &arrays[0];
    for (options, task) in
        [("--signal=USR1 --batch", 4), ("--signal=TERM --full", 5), ("--signal=TERM --batch", 6)]
    {
        // `scancel` retries for a minute if the signal ends the task at once.
        slurm.run(&format!("timeout 5 scancel {options} {solo}_{task}"));
    }
    // One task is cancelled and stays cancelled.
    slurm.run(&format!("scancel {solo}_7")).assert_status(0);
    (4..=7).for_each(|task| slurm.wait_for_stop("solo", task));
    KINDS.iter().for_each(|kind| slurm.wait_for_stop(kind.name, 3));
    let gates = KINDS.map(|kind| slurm.open_gate(kind.name));
    slurm.finish();
    assert!(slurm.log("solo", "task-3").contains("DUE TO JOB REQUEUE"));
    assert!(slurm.log("solo", "task-7").contains(" CANCELLED AT "));
    let end = slurm.log("solo", "end");
    let logs: Vec<String> = (1..=8).map(|task| slurm.log("solo", &format!("task-{task}"))).collect();
    assert!(end.contains("(shard 2/8)") && end.contains("(shard 7/8)"), "{end}\n{logs:#?}");
    assert!(!folder.path("results/solo/games.csv").exists());
    drop(gates);

    // The same command again plays only these two. They are preempted by an urgent job, which needs
    // all cores.
    slurm.submit("solo").expect("tasks");
    let sbatch = folder.read("results/solo/cluster/play.sbatch");
    let options: Vec<&str> = sbatch.lines().filter(|line| line.starts_with("#SBATCH")).collect();
    let are_set =
        ["#SBATCH --array=2,7", "#SBATCH --comment=test"].iter().all(|option| options.contains(option));
    assert!(are_set, "{options:#?}\n{logs:#?}\n{}", folder.read("daemon/slurmctld.log"));
    slurm.wait_for_tasks(&SOLO, 10);
    slurm.run("sbatch --partition=urgent --exclusive --output=/dev/null --wrap true").assert_status(0);
    for task in [2, 7] {
        wait_until(&format!("task {task} makes room"), || {
            slurm.log("solo", &format!("task-{task}")).contains("DUE TO PREEMPTION")
        });
    }
    let _gates = KINDS.map(|kind| slurm.open_gate(kind.name));
    KINDS[1..].iter().for_each(|kind| drop(slurm.submit(kind.name)));
    slurm.finish();
    for kind in &KINDS {
        let end = slurm.log(kind.name, "end");
        assert!(folder.path(&format!("results/{}/report.html", kind.name)).exists(), "{end}");
        for tables in kind.tables {
            let [one, other] =
                ["results", "undivided"].map(|name| lasting_files(&folder, &format!("{name}/{tables}")));
            assert!(one == other && !one.is_empty(), "{tables}: {end}\n{one:#?}\n{other:#?}");
        }
        assert_eq!(slurm.submit(kind.name), None, "{} is played", kind.name);
    }
}

/// Returns all tables of results without times. For a tuning also returns its settings without the
/// comment about the command, and its verdicts except those on times.
fn lasting_files(folder: &Folder, results: &str) -> Vec<(String, String)> {
    let lasting_text = |(name, content): (String, Vec<u8>)| {
        let text = String::from_utf8(content).expect("text");
        let is_kept = |line: &&str| match &*name {
            "tuned.toml" => !line.starts_with('#'),
            "validation.csv" => !line.contains("ms-per-move"),
            _ => true,
        };
        let text = text.lines().filter(is_kept).collect::<Vec<_>>().join("\n");
        (name, text)
    };
    files_without_times(folder, results).into_iter().map(lasting_text).collect()
}
