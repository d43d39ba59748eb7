//! Runs the program in a fresh folder, as a user would.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use gauntlet::results::store::read::Results;

use super::scratch::Scratch;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_gauntlet");

/// Folder of the caches for all programs that tests start, instead of the user's.
const CACHES: &str = env!("CARGO_TARGET_TMPDIR");

/// Manifest of a run, without its digests.
const MANIFEST: &str = "format = 1\nof = 'run'\nexperiment = 'x'\ncommand = 'gauntlet run x.toml'\ngames = 1\n\
    reproducible = true\nseed_scheme = 1\ngauntlet = ''\nrevision = ''\ncompiler = ''\ntarget = ''\ncpu = ''\ncores = 1\n\
    threads = 1\nstarted = ''\nfinished = ''\nseconds = 0.0\nsignatures = {}\nsession = []\n";

/// A program on a terminal, with everything it has printed.
#[cfg(target_os = "linux")]
pub(crate) struct TerminalSession {
    child: Child,
    output: Arc<Mutex<Vec<u8>>>,
}

#[cfg(target_os = "linux")]
impl TerminalSession {
    /// Waits until `parse` accepts the output so far.
    #[track_caller]
    pub(crate) fn wait<T>(&self, parse: impl Fn(&str) -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            let output = String::from_utf8_lossy(&self.output.lock().unwrap()).into_owned();
            if let Some(value) = parse(&output) {
                return value;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "it does not come: {output}");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for TerminalSession {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder for one test, removed after it.
pub(crate) struct Folder(Scratch);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(Scratch::new())
    }

    /// Returns a folder with one file.
    pub(crate) fn with_file(name: &str, content: impl AsRef<[u8]>) -> Folder {
        let folder = Folder::new();
        folder.write(name, content);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).unwrap();
        replace_file(&path, content);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Copies a folder of the repository into this folder.
    pub(crate) fn copy_from_repository(&self, name: &str) {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        for entry in fs::read_dir(&source).unwrap_or_else(|error| panic!("{name}: {error}")) {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                let file = format!("{name}/{}", entry.file_name().to_string_lossy());
                self.write(&file, fs::read(entry.path()).unwrap());
            }
        }
    }

    /// Returns the files of a folder by name, without the locked one.
    pub(crate) fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.path(folder)).unwrap().map(Result::unwrap);
        let files = entries.filter(|entry| entry.path().is_file() && entry.file_name() != ".lock");
        let name_and_content =
            |file: fs::DirEntry| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap());
        files.map(name_and_content).collect()
    }

    /// Returns the number of blocks that are complete for all players, in results of an unfinished
    /// run.
    pub(crate) fn blocks(&self, results: &str) -> u64 {
        let results = Results::read(gauntlet::catalog(&gauntlet::GAMES), &self.path(results)).unwrap();
        results.snapshot.partial().expect("no tables are there").blocks
    }

    /// Writes the digests of the files in a results folder into its manifest, after a test has
    /// changed files by hand.
    pub(crate) fn update_digests(&self, results: &str) {
        let experiment = format!("{results}/experiment.toml");
        if !self.path(&experiment).exists() {
            self.write(&experiment, "");
        }
        let path = format!("{results}/manifest.toml");
        let manifest_text = fs::read_to_string(self.path(&path)).unwrap_or_default();
        let mut manifest: toml::Table = MANIFEST.parse().expect("a manifest");
        manifest.extend(manifest_text.parse::<toml::Table>().expect("a manifest"));
        let old_digests =
            manifest.get("digests").and_then(toml::Value::as_table).cloned().unwrap_or_default();
        let mut digests = toml::Table::new();
        // The games may be missing.
        digests.extend(old_digests.into_iter().filter(|(name, _)| name == "games.csv"));
        let mut experiment = blake3::hash(b"");
        for entry in fs::read_dir(self.path(results)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            let digest = blake3::hash(&fs::read(entry.path()).unwrap());
            if name.ends_with(".csv") {
                digests.insert(name, digest.to_hex().to_string().into());
            } else if name == "experiment.toml" {
                experiment = digest;
            }
        }
        manifest.insert("experiment_digest".to_owned(), experiment.to_hex().to_string().into());
        manifest.insert("digests".to_owned(), digests.into());
        self.write(&path, manifest.to_string());
    }

    /// Writes an experiment and runs it. The line begins with its file, followed by options of
    /// `gauntlet run`: `a.toml --threads 2`.
    #[track_caller]
    pub(crate) fn play(&self, line: &str, experiment: impl AsRef<[u8]>) {
        let file = line.split(' ').next().expect("the name of a file");
        self.write(file, experiment);
        self.run(&format!("run {line} --quiet")).assert_status(0);
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(line.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", CACHES);
        command
    }

    /// Runs `gauntlet` with these arguments.
    pub(crate) fn run(&self, line: &str) -> ProgramOutput {
        ProgramOutput::new(line, &self.command(line).output().unwrap())
    }

    /// Runs `gauntlet` with these arguments and this input.
    pub(crate) fn run_with(&self, line: &str, input: &str) -> ProgramOutput {
        self.write("input", input);
        let input = fs::File::open(self.path("input")).unwrap();
        ProgramOutput::new(line, &self.command(line).stdin(input).output().unwrap())
    }

    /// Runs a shell command line in which `gauntlet` is this program.
    pub(crate) fn shell(&self, line: &str) -> ProgramOutput {
        let folder = Path::new(PROGRAM).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.0.path()).env("PATH", path).env("XDG_CACHE_HOME", CACHES);
        ProgramOutput::new(line, &shell.output().unwrap())
    }

    /// Returns the final output of `gauntlet` on a terminal with this many columns.
    #[cfg(target_os = "linux")]
    pub(crate) fn run_on_terminal(&self, line: &str, width: usize) -> String {
        self.run_on_terminal_with("exec", line, width)
    }

    /// Returns the output of `gauntlet` started by a command: `exec`, `timeout -s INT 1`, `exec env
    /// NO_COLOR=1`.
    #[cfg(target_os = "linux")]
    pub(crate) fn run_on_terminal_with(&self, launcher: &str, line: &str, width: usize) -> String {
        self.terminal_output(launcher, line, width).replace('\r', "")
    }

    /// Returns everything that a program writes to a terminal, unchanged.
    #[cfg(target_os = "linux")]
    pub(crate) fn terminal_output(&self, launcher: &str, line: &str, width: usize) -> String {
        let shell_command = format!("stty cols {width} rows 24; {launcher} {PROGRAM} {line}");
        let mut script = Command::new("script");
        script.args(["-qec", &shell_command, "/dev/null"]).env_remove("COLUMNS").env_remove("NO_COLOR");
        script.env("SHELL", "/bin/sh").env("TERM", "xterm").env("XDG_CACHE_HOME", CACHES);
        let output =
            script.current_dir(self.0.path()).stdin(Stdio::null()).output().expect("script of util-linux");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Starts `gauntlet` on an interactive terminal of 80 columns.
    #[cfg(target_os = "linux")]
    pub(crate) fn start_session(&self, line: &str) -> TerminalSession {
        let shell_command = format!("stty cols 80 rows 24; {PROGRAM} {line}; echo status $?; stty -a");
        let mut script = Command::new("script");
        script.args(["-qec", &shell_command, "/dev/null"]).env_remove("COLUMNS").env_remove("NO_COLOR");
        script.env("SHELL", "/bin/sh").env("TERM", "xterm").env("XDG_CACHE_HOME", CACHES);
        script.current_dir(self.0.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = script.spawn().expect("script of util-linux");
        let (output, mut stdout) = (Arc::<Mutex<Vec<u8>>>::default(), child.stdout.take().expect("a pipe"));
        let shared_output = output.clone();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut bytes) {
                shared_output.lock().unwrap().extend(&bytes[..count]);
            }
        });
        TerminalSession { child, output }
    }

    /// Starts `gauntlet`, to be stopped during its work.
    pub(crate) fn start(&self, line: &str) -> Child {
        self.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Starts `gauntlet`, and kills it once a file has at least this many bytes. Returns false if
    /// the program ended before.
    #[must_use]
    pub(crate) fn kill_at(&self, line: &str, name: &str, bytes: u64) -> bool {
        let mut child = self.start(line);
        let start = Instant::now();
        let is_too_late = || start.elapsed() > Duration::from_secs(60);
        while self.size(name) < bytes && child.try_wait().unwrap().is_none() && !is_too_late() {
            thread::sleep(Duration::from_millis(2));
        }
        let is_running = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_running || self.size(name) >= bytes, "{name} does not grow to {bytes} bytes");
        is_running
    }

    /// Returns the size of a file, 0 if there is none.
    pub(crate) fn size(&self, name: &str) -> u64 {
        fs::metadata(self.path(name)).map_or(0, |file| file.len())
    }

    /// Waits until a file has at least this many bytes.
    pub(crate) fn wait_for_size(&self, name: &str, bytes: u64) {
        let start = Instant::now();
        while self.size(name) < bytes {
            assert!(start.elapsed() < Duration::from_secs(60), "{name} does not grow to {bytes} bytes");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Returns a folder with an experiment and its results; see [`Folder::play`].
#[track_caller]
pub(crate) fn play_in_new_folder(line: &str, experiment: impl AsRef<[u8]>) -> Folder {
    let folder = Folder::new();
    folder.play(line, experiment);
    folder
}

/// Writes a file that may exist. It is removed first, because some file systems sync an overwritten
/// file when it is closed, which takes milliseconds.
pub(crate) fn replace_file(path: &Path, content: impl AsRef<[u8]>) {
    let _ = fs::remove_file(path);
    fs::write(path, content).unwrap();
}

/// Output and exit status of a program.
#[derive(Debug)]
pub(crate) struct ProgramOutput {
    pub(crate) line: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl ProgramOutput {
    pub(crate) fn new(line: &str, output: &Output) -> ProgramOutput {
        ProgramOutput {
            line: line.to_owned(),
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Asserts the exit status.
    #[track_caller]
    pub(crate) fn assert_status(self, code: i32) -> ProgramOutput {
        assert_eq!(
            self.code,
            Some(code),
            "{}\n--- said\n{}\n--- complained\n{}",
            self.line,
            self.stdout,
            self.stderr
        );
        self
    }

    /// Parses the rows of a CSV table on standard output.
    pub(crate) fn parse_rows(&self) -> Vec<Row> {
        parse_csv_rows(&self.stdout)
    }

    /// Asserts that standard output or standard error contains this text.
    #[track_caller]
    pub(crate) fn assert_says(self, text: &str) -> ProgramOutput {
        let is_present = self.stdout.contains(text) || self.stderr.contains(text);
        assert!(
            is_present,
            "{} does not say {text:?}\n--- said\n{}\n--- complained\n{}",
            self.line, self.stdout, self.stderr
        );
        self
    }
}

/// Long enough to be interrupted (about 0.9 s on one thread), short enough for a test.
pub(crate) const CLASSICS: &str = r#"
name = "classics"
game = "2048"
seed = 7
games = 60000

[[player]]
name = "any"
algorithm = "random"

[[player]]
name = "gain"
algorithm = "greedy"

[[player]]
name = "corner"
algorithm = "fixed-order"
order = ["down", "left", "right", "up"]
"#;

/// More games than any machine plays during a test.
pub(crate) const ENDLESS: u64 = 100_000_000;

/// Returns [`CLASSICS`] with another number of games.
pub(crate) fn classics_with_games(games: u64) -> String {
    CLASSICS.replace("60000", &games.to_string())
}

/// Returns an experiment with three players: two similar ones, and one that scores about 50 points
/// less and rarely wins.
pub(crate) fn short_experiment(games: u64) -> String {
    format!(
        r#"
name = "short"
game = "2048"
seed = 11
games = {games}
win = 256

[[player]]
name = "gain"
algorithm = "greedy"

[[player]]
name = "any"
algorithm = "random"

[[player]]
name = "third"
algorithm = "greedy"
ties = "last"
"#
    )
}

/// A tuning with a check, slices and importance, in seconds.
pub(crate) const TUNING: &str = r#"
name = "t"
game = "2048"
seed = 7
games = 10
max_moves = 100

[[player]]
name = "one"
algorithm = "ovolve"
depth = 0
weights = { smoothness = 0.1, monotonicity = 1.0, empty = 2.7, largest = 1.0 }

[tune]
player = "one"
budget = 900
method = "spsa"
explain = 60

[tune.validate]
games = 20

[tune.params]
weights.smoothness = { min = 0.01, max = 5.0, scale = "log" }
weights.empty = { min = -20.0, max = 20.0 }
"#;

pub(crate) const TUNE: &str = "results/t/tune";

pub(crate) const GAMES: &str = "results/classics/games.csv";
pub(crate) const JOURNAL: &str = "results/classics/journal.jsonl";

/// Returns a folder with the experiment, and the folder that an undisturbed run writes, which is
/// played once for all tests.
pub(crate) fn play_classics() -> (Folder, String) {
    static UNDISTURBED: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    let undisturbed = UNDISTURBED.get_or_init(|| {
        let folder = Folder::new();
        folder.write("classics.toml", CLASSICS);
        folder.run("run classics.toml --quiet --results undisturbed").assert_status(0);
        let files = fs::read_dir(folder.path("undisturbed/classics")).unwrap().map(|file| {
            let file = file.unwrap();
            let name = format!("undisturbed/classics/{}", file.file_name().to_string_lossy());
            (name, fs::read(file.path()).unwrap())
        });
        files.collect()
    });
    let folder = Folder::new();
    folder.write("classics.toml", CLASSICS);
    undisturbed.iter().for_each(|(name, content)| folder.write(name, content));
    let games = folder.read("undisturbed/classics/games.csv");
    assert_eq!(games.lines().count(), 180_001);
    (folder, games)
}

/// Returns the tables without clock readings.
pub(crate) fn read_tables(folder: &Folder, results: &str) -> [String; 3] {
    ["games", "win-rate", "max-tile"].map(|table| folder.read(&format!("{results}/classics/{table}.csv")))
}

/// Returns a line of a journal, with its checksum.
pub(crate) fn add_checksum(json: &str) -> String {
    format!("{} {json}\n", &blake3::hash(json.as_bytes()).to_hex()[..16])
}

/// Returns the content of a line of a journal.
pub(crate) fn parse_entry(line: &str) -> serde_json::Value {
    serde_json::from_str(line.split_once(' ').expect("a checksum").1).expect("JSON")
}

/// A row of a table, by column name.
pub(crate) type Row = BTreeMap<String, String>;

/// Reads the rows of a table.
pub(crate) fn read_rows(folder: &Folder, name: &str) -> Vec<Row> {
    parse_csv_rows(&folder.read(name))
}

/// Parses the rows of a CSV table.
pub(crate) fn parse_csv_rows(csv: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let column_names = reader.headers().expect("names of columns").clone();
    let row = |row: csv::StringRecord| {
        column_names.iter().zip(&row).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    };
    reader.records().map(|record| row(record.expect("a row"))).collect()
}
