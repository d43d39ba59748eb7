//! Runs the program in a temporary folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::scenario::Scenario;
use super::scratch::Scratch;

/// Folder in which an experiment is played.
pub(crate) struct Folder(Scratch);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(Scratch::new())
    }

    pub(crate) fn write(&self, scenario: &Scenario, version: usize) {
        fs::write(self.0.path().join("e.toml"), scenario.experiment(version)).expect("a file is written");
    }

    pub(crate) fn path(&self, scenario: &Scenario) -> PathBuf {
        self.0.path().join(scenario.results())
    }

    pub(crate) fn start(&self, words: &str) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gauntlet"));
        command.args(words.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", self.0.path().join("cache"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("gauntlet starts")
    }

    /// Waits for the end of a command.
    ///
    /// # Panics
    /// If it hangs.
    pub(crate) fn wait_for_end(&self, mut child: Child) -> Output {
        let [out, err] = [
            child.stdout.take().map(|pipe| thread::spawn(move || read_all(pipe))),
            child.stderr.take().map(|pipe| thread::spawn(move || read_all(pipe))),
        ];
        let start = Instant::now();
        let status = loop {
            match child.try_wait().expect("a child can be waited for") {
                Some(status) => break status,
                None if start.elapsed() > Duration::from_secs(120) => {
                    let _ = child.kill();
                    panic!("a command hangs, in {}", self.0.path().display());
                }
                None => thread::sleep(Duration::from_micros(200)),
            }
        };
        let [stdout, stderr] = [out, err]
            .map(|reader| reader.map(|handle| handle.join().expect("a pipe is read")).unwrap_or_default());
        Output { status, stdout, stderr }
    }

    /// Returns the result files that depend on the games alone.
    pub(crate) fn files(&self, scenario: &Scenario) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.path(scenario)).expect("a folder of results");
        let names = entries.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned());
        let depends_on_games = |name: &String| {
            name == "experiment.toml"
                || name.ends_with(".csv") && !["ms-per-move.csv", "times.csv"].contains(&&**name)
        };
        let names = names.filter(depends_on_games);
        names.map(|name| (name.clone(), fs::read(self.path(scenario).join(&name)).expect("a file"))).collect()
    }
}

fn read_all(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // The last line of a killed program may be incomplete.
    let _ = pipe.read_to_end(&mut bytes);
    bytes
}

/// Returns the names of the files in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
