//! One experiment that is killed repeatedly.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use gauntlet::rng::Rng;

use super::count::{Count, Phase};
use super::folder::{Folder, names};
use super::reference::{Reference, is_partial, questions, told};
use super::scenario::Scenario;

/// Trial of one experiment: played in its smaller size, extended to the larger size, and judged
/// again.
pub(crate) struct Trial<'a> {
    scenario: &'a Scenario,
    references: &'a [Reference; 3],
    folder: Folder,
    rng: &'a mut Rng,
    count: &'a mut Count,
    /// Current version of the experiment.
    version: usize,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        references: &'a [Reference; 3],
        rng: &'a mut Rng,
        count: &'a mut Count,
    ) -> Trial<'a> {
        Trial { scenario, references, folder: Folder::new(), rng, count, version: 0 }
    }

    pub(crate) fn play(mut self) {
        for version in 0..3 {
            self.version = version;
            self.folder.write(self.scenario, version);
            if version == 2 {
                let judgements = 1 + self.rng.below(2) as usize;
                self.finish(&vec!["judge e.toml".to_owned(); judgements], |_| Phase::Judging);
            } else if self.rng.below(3) > 0 {
                let threads = 1 + self.rng.below(2);
                self.finish(&[format!("run e.toml --quiet --threads {threads}")], |grown| match grown {
                    Grown::Not => Phase::Starting,
                    Grown::Partly => Phase::Playing,
                    Grown::Whole => Phase::WritingTables,
                });
            } else {
                let shards = 2 + self.rng.below(3);
                let command = |shard| format!("run e.toml --quiet --threads 1 --shard {shard}/{shards}");
                self.finish(&(1..=shards).map(command).collect::<Vec<_>>(), |_| Phase::PlayingAShard);
                self.finish(&["merge e.toml".to_owned()], |_| Phase::Merging);
                // Remove the journals of shards. A later run with another number of shards would
                // ignore them, but `merge` would require the remaining shards.
                self.forget_shards();
            }
            self.compare();
        }
    }

    /// Starts commands together and kills one of them, several times. Then lets all commands end.
    fn finish(&mut self, commands: &[String], phase: fn(Grown) -> Phase) {
        let mut is_whole = false;
        for _ in 0..self.rng.below(6) {
            let before = self.journal_bytes();
            let mut children = self.start(commands);
            self.wait_for_the_moment(is_whole);
            if self.rng.below(8) == 0 {
                self.ask("while it runs", false);
            }
            let (command, child) = children.swap_remove(self.rng.below(children.len() as u64) as usize);
            match self.kill(child, command) {
                None => self.count.too_late += 1,
                Some(signal) => {
                    is_whole = self.is_whole();
                    let grown = match (is_whole, self.journal_bytes() == before) {
                        (true, _) => Grown::Whole,
                        (false, true) => Grown::Not,
                        (false, false) => Grown::Partly,
                    };
                    *self.count.kills.entry(phase(grown)).or_default() += 1;
                    self.ask(&format!("after {signal} to `{command}`"), children.is_empty());
                }
            }
            self.end(children);
        }
        let children = self.start(commands);
        self.end(children);
    }

    fn start<'c>(&self, commands: &'c [String]) -> Vec<(&'c str, Child)> {
        commands.iter().map(|command| (&**command, self.folder.start(command))).collect()
    }

    /// Waits for commands to end, which must succeed.
    fn end(&mut self, children: Vec<(&str, Child)>) {
        for (command, child) in children {
            let output = self.folder.end_of(child);
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr);
                self.differ(&format!("`{command}` ends with {}: {said}", output.status));
            }
        }
    }

    /// Waits for a random part of the command's duration, or until shortly after a new file
    /// appears.
    fn wait_for_the_moment(&mut self, is_whole: bool) {
        let lasts = self.references[self.version].lasts[usize::from(is_whole)];
        let part = |rng: &mut Rng, of: Duration| of.mul_f64(rng.below(1000) as f64 / 1000.0);
        if self.rng.below(3) > 0 {
            thread::sleep(part(self.rng, lasts));
            return;
        }
        let folder = self.folder.path(self.scenario);
        let (start, before) = (Instant::now(), names(&folder));
        while start.elapsed() < lasts && names(&folder) <= before {
            thread::sleep(Duration::from_micros(50));
        }
        thread::sleep(part(self.rng, Duration::from_millis(4)));
    }

    /// Kills a command by a random signal and returns it; `None` if the command had ended before.
    fn kill(&mut self, mut child: Child, command: &str) -> Option<&'static str> {
        let signal = if cfg!(unix) {
            ["KILL", "KILL", "KILL", "INT", "TERM"][self.rng.below(5) as usize]
        } else {
            "KILL"
        };
        let twice = self.rng.below(3) == 0;
        if signal == "KILL" {
            child.kill().expect("a child can be killed");
        } else {
            for _ in 0..=u8::from(twice) {
                let id = child.id().to_string();
                let _ = Command::new("kill").args(["-s", signal, &id]).stderr(Stdio::null()).status();
            }
        }
        let output = self.folder.end_of(child);
        match output.status.code() {
            Some(0) => None,
            // Ended by the signal itself, or with a status after handling it. A shard that was
            // ended by SIGTERM reports that it should be called again.
            None | Some(75 | 130) => Some(signal),
            Some(_) => {
                let said = String::from_utf8_lossy(&output.stderr);
                self.differ(&format!(
                    "`{command}`, asked to end by {signal}, ends with {}: {said}",
                    output.status
                ));
                None
            }
        }
    }

    /// Asks for the tables and checks the answers: the earlier or the new tables, or none if no
    /// version was ever complete.
    fn ask(&mut self, when: &str, is_quiet: bool) {
        let mut tells_new = true;
        for (number, question) in questions(self.scenario).iter().enumerate() {
            let output = self.folder.end_of(self.folder.start(question));
            let is_of = |version: usize, told: &String| self.references[version].told[number] == *told;
            let answer = match told(&output) {
                Ok(told) if is_of(self.version, &told) => Some(1),
                Ok(told) if self.version > 0 && is_of(self.version - 1, &told) => Some(0),
                Err(true) if self.version == 0 => Some(2),
                Ok(_) if self.version == 0 && is_partial(&output) => Some(2),
                Ok(_) | Err(_) => None,
            };
            tells_new &= answer == Some(1);
            match answer {
                Some(answer) => self.count.answers[answer] += 1,
                None => {
                    let said = String::from_utf8_lossy(&output.stderr);
                    self.differ(&format!(
                        "{when}, `{question}` tells neither the tables of before nor the new ones: {said}"
                    ));
                }
            }
        }
        let output = self.folder.end_of(self.folder.start("status e.toml"));
        let said = String::from_utf8_lossy(&output.stdout);
        // While a command runs, tables may appear between the two questions.
        if is_quiet && said.contains("tables complete") && !tells_new {
            self.differ(&format!(
                "{when}, `status` says that tables are there, and they are not told: {said}"
            ));
        }
        if !output.status.success() {
            self.differ(&format!("{when}, `status` fails: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }

    /// Returns true if the journal of a run or merge has all games of the experiment.
    fn is_whole(&self) -> bool {
        let output = self.folder.end_of(self.folder.start("status e.toml"));
        let said = String::from_utf8_lossy(&output.stdout);
        said.lines().any(|line| line.starts_with("  run:") && line.ends_with(", complete"))
    }

    fn journal_bytes(&self) -> u64 {
        let journal = self.folder.path(self.scenario).join("journal.jsonl");
        fs::metadata(journal).map_or(0, |file| file.len())
    }

    fn forget_shards(&self) {
        let folder = self.folder.path(self.scenario);
        for name in names(&folder).iter().filter(|name| name.starts_with("journal-")) {
            fs::remove_file(folder.join(name)).expect("a file is removed");
        }
    }

    /// Compares the result files with those of an undisturbed run.
    fn compare(&mut self) {
        self.count.compared += 1;
        let found = self.folder.files(self.scenario);
        let expected = &self.references[self.version].files;
        let all: Vec<&String> = expected.keys().chain(found.keys()).collect();
        let other: Vec<_> = all.iter().filter(|name| expected.get(**name) != found.get(**name)).collect();
        if !other.is_empty() {
            let other = format!("{other:?} are not those of an undisturbed run");
            self.differ(&other);
        }
        let left = names(&self.folder.path(self.scenario));
        if let Some(left) = left.iter().find(|name| name.starts_with('.') && *name != ".lock") {
            self.differ(&format!("{left} is left"));
        }
    }

    fn differ(&mut self, what: &str) {
        let games = self.scenario.games[self.version.min(1)];
        let judged = if self.version == 2 { ", judged" } else { "" };
        self.count.differences.push(format!(
            "{} of {games} games{judged}: {}",
            self.scenario.name,
            what.trim_end()
        ));
    }
}

/// Growth of a journal during a command.
enum Grown {
    Not,
    Partly,
    /// The journal has all games.
    Whole,
}
