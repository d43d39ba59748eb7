//! Names and paths with special meaning for a shell, GNU parallel or Slurm: their shards are
//! played, and nothing in the names is executed.

use std::path::Path;
use std::process::Command;

use super::slurm::Slurm;
use super::{may_start_daemons, wait_until};
use crate::bench::{Folder, PROGRAM, ProgramOutput};
use crate::tools::{is_installed, succeeds};

/// Names of files and folders. If possible, they are names of experiments as well.
const WORDS: [&str; 34] = [
    "{= system(q(touch PWNED)) =}",
    "{= $_ = `touch PWNED` =}",
    "{}",
    "a{}b{}",
    "{#}",
    "{%}",
    "{.}{1} {+} {>} {2}",
    "[ab]{c,d}{1..3}",
    "%j",
    "%A_%a %x%%",
    "100%",
    r"\",
    r"a\\b\n\",
    r"%a\%a",
    "'",
    "it's \"here\"",
    "'; touch PWNED; '",
    "\"; touch PWNED; \"",
    "$(touch PWNED)",
    "`touch PWNED`",
    "; touch PWNED;",
    "&& touch PWNED ||",
    "${IFS}touch${IFS}PWNED $HOME",
    " a  b ",
    "-rf",
    "--help",
    "数独 ü é",
    "❤\u{fe0f} 👩\u{200d}🚀",
    "::: ::::",
    "*",
    "?<>|&",
    "~",
    "~root",
    "!x #y =ls a\u{a0}b,c",
];

/// A network of four patterns.
const NETWORK: &[u8] = include_bytes!("../../../../tests/it/vectors/021-56.w");

/// An experiment in a folder, with a player that is built from a file. One word names all three.
struct Case {
    word: &'static str,
    /// The folder of the case.
    directory: String,
    /// The experiment's file.
    file: String,
    /// The experiment's name.
    name: &'static str,
}

impl Case {
    /// Writes the experiment, and plays it without shards.
    fn write(folder: &Folder, number: usize, word: &'static str, network_file: &[u8]) -> Case {
        let directory = format!("{number}");
        let file = format!("{directory}/{word}/{word}.toml");
        let network = format!("{word}.network");
        folder.write(&format!("{directory}/{word}/{network}"), network_file);
        for name in [word, "plain"] {
            let [quoted, network] = [name, &network].map(|text| toml::Value::from(text).to_string());
            folder.write(
                &file,
                format!(
                    "name = {quoted}\ngame = \"2048\"\nseed = 5\ngames = 4\n\
                     [[player]]\nname = \"learned\"\nalgorithm = \"n-tuple\"\nnetwork = {network}\n"
                ),
            );
            let case = Case { word, directory: directory.clone(), file: file.clone(), name };
            let results = case.results("undivided");
            let output = case.run(folder, &["run", "--quiet"], "undivided", &[]);
            if output.code == Some(0) {
                assert!(folder.path(&format!("{results}/{name}/games.csv")).exists(), "{output:?}");
                return case;
            }
            output.assert_status(2).assert_says("a name must not");
        }
        unreachable!("the last name is a name")
    }

    fn results(&self, system: &str) -> String {
        format!("{}/{system} {}", self.directory, self.word)
    }

    /// Runs a command of gauntlet on the experiment.
    fn run(&self, folder: &Folder, args: &[&str], system: &str, env: &[(&str, &Path)]) -> ProgramOutput {
        let mut command = Command::new(PROGRAM);
        command.current_dir(folder.path("")).args(args).arg(format!("--results={}", self.results(system)));
        command.envs(env.iter().copied()).arg(format!("./{}", self.file));
        ProgramOutput::new(&format!("{args:?} of {}", self.file), &command.output().expect("an end"))
    }

    /// Compares the games played by a batch system with those played without shards.
    fn check(&self, folder: &Folder, system: &str) {
        let [one, other] = ["undivided", system].map(|name| {
            let path = folder.path(&format!("{}/{}/games.csv", self.results(name), self.name));
            std::fs::read(&path).unwrap_or_else(|error| panic!("{system}: {}: {error}", path.display()))
        });
        assert!(one == other, "{system}: {}", self.word);
    }
}

/// Returns a folder with all cases, and stand-ins for the programs of a cluster.
fn cases() -> (Folder, Vec<Case>) {
    let folder = Folder::new();
    folder.write("bin/ssh", include_str!("ssh.sh"));
    folder.write("bin/sbatch", include_str!("sbatch.sh"));
    folder.shell("chmod +x bin/*").assert_status(0);
    folder.write("theirs.w", NETWORK);
    folder.run("network import theirs.w --out theirs.network").assert_status(0);
    let network = std::fs::read(folder.path("theirs.network")).expect("a network");
    let cases = (0..).zip(WORDS).map(|(number, word)| Case::write(&folder, number, word, &network)).collect();
    (folder, cases)
}

fn assert_nothing_executed(folder: &Folder) {
    assert_eq!(
        folder.shell("find . -name PWNED").assert_status(0).stdout,
        "",
        "a part of a name was executed"
    );
}

#[test]
fn commands_play_whatever_paths_are_called() {
    let (folder, cases) = cases();
    let commands = [
        "xargs -d '\\n' -n 1 -P 2 sh -c < lines",
        "xargs -d '\\n' -P 2 -I{} sh -c {} < lines",
        "tr '\\n' '\\0' < lines | xargs -0 -n 1 -P 2 sh -c",
        "sh lines",
    ];
    for (case, command) in cases.iter().zip(commands.iter().cycle()) {
        let output =
            case.run(&folder, &["cluster", "commands", "--shards=2"], "commands", &[]).assert_status(0);
        assert_eq!(output.stdout.lines().count(), 2, "{}", output.stdout);
        folder.write("lines", &output.stdout);
        folder.shell(command).assert_status(0);
        case.run(&folder, &["merge"], "commands", &[]).assert_status(0);
        case.check(&folder, "commands");
    }
    assert_nothing_executed(&folder);
}

#[test]
fn scripts_of_slurm_play_whatever_names_are() {
    let (folder, cases) = cases();
    let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").expect("a path"));
    for case in &cases {
        let submit = ["cluster", "slurm", "--shards=2", "--submit"];
        case.run(&folder, &submit, "slurm", &[("PATH", Path::new(&path))])
            .assert_status(0)
            .assert_says("submitted: tasks 7");
        case.check(&folder, "slurm");
        let scripts = format!("{}/{}/cluster", case.results("slurm"), case.name);
        assert!(
            ["task-1.log", "task-2.log", "end.log"].map(|log| folder.files(&scripts).contains_key(log))
                == [true; 3]
        );
    }
    assert_nothing_executed(&folder);
}

/// The same cases with a real Slurm, which parses its lines by its own rules.
#[test]
fn slurm_plays_whatever_names_are() {
    if !may_start_daemons("Slurm") {
        return;
    }
    let (folder, cases) = cases();
    let slurm = Slurm::start(&folder);
    let settings = folder.path("daemon/slurm.conf");
    for case in &cases {
        let submit = ["cluster", "slurm", "--shards=2", "--submit"];
        case.run(&folder, &submit, "slurm", &[("SLURM_CONF", &settings)])
            .assert_status(0)
            .assert_says("submitted: tasks ");
    }
    slurm.finish();
    for case in &cases {
        let scripts = format!("{}/{}/cluster", case.results("slurm"), case.name);
        let logs = folder.files(&scripts);
        assert!(
            ["task-1.log", "task-2.log", "end.log"].iter().all(|&log| logs.contains_key(log)),
            "{}: {:?}",
            case.word,
            logs.keys()
        );
        case.check(&folder, "slurm");
    }
    assert_nothing_executed(&folder);
}

/// Returns true if GNU parallel and rsync are installed.
fn has_parallel() -> bool {
    is_installed("rsync") && succeeds("sh", &["-c", "parallel --version | grep '^GNU parallel'"])
}

#[test]
fn parallel_plays_whatever_names_are() {
    let (folder, cases) = cases();
    if !has_parallel() {
        return;
    }
    for case in &cases {
        let write = ["cluster", "parallel", "--shards=2", "--hosts=2/me@alpha"];
        let output = case.run(&folder, &write, "parallel", &[]).assert_status(0);
        folder
            .shell(&format!("HOSTS=$PWD/hosts PATH=$PWD/bin:$PATH; export HOSTS; {}", output.stdout))
            .assert_status(0);
        case.check(&folder, "parallel");
    }
    assert_nothing_executed(&folder);
    assert_eq!(
        folder.shell("find hosts -mindepth 2").assert_status(0).stdout,
        "",
        "something is left on a host"
    );
}

/// A stopped script keeps the journals that came back, so the same command plays only the rest. A
/// journal of another division, left by a killed call, stays.
#[test]
fn a_stopped_script_keeps_the_shards_that_ended() {
    let folder = Folder::new();
    if !has_parallel() {
        return;
    }
    folder.write("bin/ssh", include_str!("ssh.sh"));
    folder.shell("chmod +x bin/ssh").assert_status(0);
    folder.write(
        "x.toml",
        "name = \"x\"\ngame = \"2048\"\nseed = 1\ngames = 4\n[[player]]\nname = \"any\"\nalgorithm = \"random\"\n",
    );
    folder.run("run x.toml --quiet --results undivided").assert_status(0);
    let results = "results";
    let line = format!("cluster parallel x.toml --shards 2 --hosts alpha --results {results}");
    let play = folder.run(&line).assert_status(0).stdout;
    let environment = "HOSTS=$PWD/hosts PATH=$PWD/bin:$PATH; export HOSTS PATH;";
    let foreign_journal = format!("{results}/x/cluster/0-journal-1-of-12.jsonl");
    folder.write(&foreign_journal, "of another division");
    let mut script = Command::new("sh")
        .current_dir(folder.path(""))
        .args(["-c", &format!("{environment} exec {play}")])
        .env("HOLD", "1")
        .spawn()
        .expect("a shell");
    wait_until("the first journal", || {
        let files = folder.files(&format!("{results}/x/cluster"));
        files.keys().any(|name| name.ends_with("-journal-1-of-2.jsonl")) && folder.path("hosts/one").exists()
    });
    let pid = script.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &*pid]).status().expect("kill").success());
    assert_eq!(script.wait().expect("an end").code(), Some(143));
    assert!(folder.path(&format!("{results}/x/journal-1-of-2.jsonl")).exists());
    assert_eq!(folder.shell("ls hosts/alpha").assert_status(0).stdout, "");
    let output = folder.run(&line).assert_status(0).assert_says("1 of 2 shards remain");
    folder.shell(&format!("{environment} {}", output.stdout)).assert_status(0);
    assert!(folder.path(&foreign_journal).exists());
    let [one, other] = ["undivided", results].map(|name| folder.read(&format!("{name}/x/games.csv")));
    assert!(one == other);
}

/// Another experiment of the same name can run on a host at the same time, and so can another call
/// of the same script.
#[test]
fn runs_of_one_name_leave_each_other_alone() {
    let folder = Folder::new();
    if !has_parallel() {
        return;
    }
    folder.write("bin/ssh", include_str!("ssh.sh"));
    folder.shell("chmod +x bin/ssh").assert_status(0);
    for (directory, seed) in [("a", 1), ("b", 2)] {
        let text = format!(
            "name = \"same\"\ngame = \"2048\"\nseed = {seed}\ngames = 4\n[[player]]\nname = \"any\"\nalgorithm = \"random\"\n"
        );
        folder.write(&format!("{directory}/same.toml"), text);
        folder
            .run(&format!("run {directory}/same.toml --quiet --results undivided/{directory}"))
            .assert_status(0);
    }
    for (other_directory, results) in [("b", "one"), ("a", "two")] {
        for directory in ["a", "b"] {
            let line = "cluster parallel --shards 2 --hosts alpha";
            folder
                .run(&format!("{line} {directory}/same.toml --results {results}/{directory}"))
                .assert_status(0);
        }
        let scripts = |directory: &str| format!("$PWD/{results}/{directory}/same/cluster/parallel.sh");
        folder
            .shell(&format!(
                "HOSTS=$PWD/{results}/hosts MEANWHILE={} PATH=$PWD/bin:$PATH; export HOSTS MEANWHILE; sh {}",
                scripts(other_directory),
                scripts("a")
            ))
            .assert_status(0);
        assert!(folder.path(&format!("{results}/hosts/called")).exists());
        for directory in ["a", other_directory] {
            let [one, other] =
                ["undivided", results].map(|name| folder.read(&format!("{name}/{directory}/same/games.csv")));
            assert!(one == other, "{directory}");
        }
        assert_eq!(folder.shell(&format!("ls {results}/hosts/alpha")).assert_status(0).stdout, "");
    }
}

/// Tasks name a file by its path, which a built-in experiment has not.
#[test]
fn a_built_in_experiment_is_refused() {
    let folder = Folder::new();
    for line in ["cluster commands quick --shards 2", "cluster parallel quick --shards 2 --hosts one"] {
        folder.run(line).assert_status(2).assert_says("gauntlet init --built-in quick quick.toml");
    }
    assert!(!folder.path("results").exists());
}

#[test]
fn what_no_script_can_hold_is_refused() {
    let folder = Folder::new();
    let text = "name = \"x\"\ngame = \"2048\"\nseed = 1\ngames = 4\n[[player]]\nname = \"any\"\nalgorithm = \"random\"\n";
    folder.write("x.toml", text);
    for host in [
        "*",
        "a*",
        "-oProxyCommand=x",
        "4/-v",
        "a b",
        "{}",
        "{=1=}",
        "$(x)",
        "a;b",
        "a/b",
        "0/a",
        "4/",
        "a'b",
        "4/a/b",
        "~",
        ":",
        "%",
        ".",
        "..",
        "@x",
        "a@",
        "a@b@c",
        "-a@b",
        "a@-b",
        "+4/alpha",
        "_a",
    ] {
        let mut command = folder.command("cluster parallel x.toml --shards 2");
        command.arg(format!("--hosts=good,{host}"));
        let output = ProgramOutput::new(host, &command.output().expect("an end")).assert_status(2);
        output.assert_says("expected an ssh host");
    }
    for (system, options) in [("commands", ""), ("slurm", ""), ("parallel", "--hosts=a")] {
        for directory in ["a\nb", "a\tb", "a\u{1b}[2Jb", "a\rb"] {
            folder.write(&format!("{directory}/x.toml"), text);
            let run = |file: &str, results: &str| {
                let mut command = folder.command(&format!("cluster {system} --shards 2 {options}"));
                command.args([file, "--results", results]);
                ProgramOutput::new(file, &command.output().expect("an end"))
                    .assert_status(2)
                    .assert_says("has a control character; rename it")
            };
            run(&format!("{directory}/x.toml"), "results");
            run("x.toml", directory);
            assert!(!folder.path("results").exists(), "something was written");
        }
    }
}
