//! One experiment that is killed repeatedly.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use gauntlet::rng::Rng;

use super::count::{Count, Phase};
use super::folder::{Folder, names};
use super::reference::{Reference, is_partial, questions, read_report};
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
                self.finish(&[format!("run e.toml --quiet --threads {threads}")], |growth| match growth {
                    Growth::Unchanged => Phase::Starting,
                    Growth::Partial => Phase::Playing,
                    Growth::Complete => Phase::WritingTables,
                });
            } else {
                let shards = 2 + self.rng.below(3);
                let command = |shard| format!("run e.toml --quiet --threads 1 --shard {shard}/{shards}");
                self.finish(&(1..=shards).map(command).collect::<Vec<_>>(), |_| Phase::PlayingAShard);
                self.finish(&["merge e.toml".to_owned()], |_| Phase::Merging);
                // Remove the journals of shards. A later run with another number of shards would
                // ignore them, but `merge` would require the remaining shards.
                self.remove_shards();
            }
            self.compare();
        }
    }

    /// Starts commands together and kills one of them, several times. Then lets all commands end.
    fn finish(&mut self, commands: &[String], phase_of: fn(Growth) -> Phase) {
        let mut is_complete = false;
        for _ in 0..self.rng.below(6) {
            let bytes_before = self.journal_bytes();
            let mut children = self.start(commands);
            self.wait_randomly(is_complete);
            if self.rng.below(8) == 0 {
                self.check_answers("while it runs", false);
            }
            let (command, child) = children.swap_remove(self.rng.below(children.len() as u64) as usize);
            match self.kill(child, command) {
                None => self.count.too_late += 1,
                Some(signal) => {
                    is_complete = self.is_complete();
                    let growth = match (is_complete, self.journal_bytes() == bytes_before) {
                        (true, _) => Growth::Complete,
                        (false, true) => Growth::Unchanged,
                        (false, false) => Growth::Partial,
                    };
                    *self.count.kills.entry(phase_of(growth)).or_default() += 1;
                    self.check_answers(&format!("after {signal} to `{command}`"), children.is_empty());
                }
            }
            self.wait_for_all(children);
        }
        let children = self.start(commands);
        self.wait_for_all(children);
    }

    fn start<'c>(&self, commands: &'c [String]) -> Vec<(&'c str, Child)> {
        commands.iter().map(|command| (&**command, self.folder.start(command))).collect()
    }

    /// Waits for commands to end, which must succeed.
    fn wait_for_all(&mut self, children: Vec<(&str, Child)>) {
        for (command, child) in children {
            let output = self.folder.wait_for_end(child);
            if !output.status.success() {
                let stderr = String::from_utf8_lossy(&output.stderr);
                self.report_difference(&format!("`{command}` ends with {}: {stderr}", output.status));
            }
        }
    }

    /// Waits for a random part of the command's duration, or until shortly after a new file
    /// appears.
    fn wait_randomly(&mut self, is_complete: bool) {
        let duration = self.references[self.version].durations[usize::from(is_complete)];
        let random_part = |rng: &mut Rng, total: Duration| total.mul_f64(rng.below(1000) as f64 / 1000.0);
        if self.rng.below(3) > 0 {
            thread::sleep(random_part(self.rng, duration));
            return;
        }
        let folder = self.folder.path(self.scenario);
        let (start, names_before) = (Instant::now(), names(&folder));
        while start.elapsed() < duration && names(&folder) <= names_before {
            thread::sleep(Duration::from_micros(50));
        }
        thread::sleep(random_part(self.rng, Duration::from_millis(4)));
    }

    /// Kills a command by a random signal and returns it; `None` if the command had ended before.
    fn kill(&mut self, mut child: Child, command: &str) -> Option<&'static str> {
        let signal = if cfg!(unix) {
            ["KILL", "KILL", "KILL", "INT", "TERM"][self.rng.below(5) as usize]
        } else {
            "KILL"
        };
        let is_sent_twice = self.rng.below(3) == 0;
        if signal == "KILL" {
            child.kill().expect("a child can be killed");
        } else {
            for _ in 0..=u8::from(is_sent_twice) {
                let id = child.id().to_string();
                let _ = Command::new("kill").args(["-s", signal, &id]).stderr(Stdio::null()).status();
            }
        }
        let output = self.folder.wait_for_end(child);
        match output.status.code() {
            Some(0) => None,
            // Ended by the signal itself, or with a status after handling it. A shard that was
            // ended by SIGTERM reports that it should be called again.
            None | Some(75 | 130) => Some(signal),
            Some(_) => {
                let stderr = String::from_utf8_lossy(&output.stderr);
                self.report_difference(&format!(
                    "`{command}`, asked to end by {signal}, ends with {}: {stderr}",
                    output.status
                ));
                None
            }
        }
    }

    /// Asks for the tables and checks the answers: the earlier or the new tables, or none if no
    /// version was ever complete.
    fn check_answers(&mut self, moment: &str, is_idle: bool) {
        let mut shows_new = true;
        for (number, question) in questions(self.scenario).iter().enumerate() {
            let output = self.folder.wait_for_end(self.folder.start(question));
            let matches_version =
                |version: usize, report: &String| self.references[version].reports[number] == *report;
            let answer = match read_report(&output) {
                Ok(report) if matches_version(self.version, &report) => Some(1),
                Ok(report) if self.version > 0 && matches_version(self.version - 1, &report) => Some(0),
                Err(true) if self.version == 0 => Some(2),
                Ok(_) if self.version == 0 && is_partial(&output) => Some(2),
                Ok(_) | Err(_) => None,
            };
            shows_new &= answer == Some(1);
            match answer {
                Some(answer) => self.count.answers[answer] += 1,
                None => {
                    let stderr = String::from_utf8_lossy(&output.stderr);
                    self.report_difference(&format!(
                        "{moment}, `{question}` tells neither the tables of before nor the new ones: {stderr}"
                    ));
                }
            }
        }
        let output = self.folder.wait_for_end(self.folder.start("status e.toml"));
        let stdout = String::from_utf8_lossy(&output.stdout);
        // While a command runs, tables may appear between the two questions.
        if is_idle && stdout.contains("tables complete") && !shows_new {
            self.report_difference(&format!(
                "{moment}, `status` says that tables are there, and they are not told: {stdout}"
            ));
        }
        if !output.status.success() {
            self.report_difference(&format!(
                "{moment}, `status` fails: {}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
    }

    /// Returns true if the journal of a run or merge has all games of the experiment.
    fn is_complete(&self) -> bool {
        let output = self.folder.wait_for_end(self.folder.start("status e.toml"));
        let stdout = String::from_utf8_lossy(&output.stdout);
        stdout.lines().any(|line| line.starts_with("  run:") && line.ends_with(", complete"))
    }

    fn journal_bytes(&self) -> u64 {
        let journal = self.folder.path(self.scenario).join("journal.jsonl");
        fs::metadata(journal).map_or(0, |file| file.len())
    }

    fn remove_shards(&self) {
        let folder = self.folder.path(self.scenario);
        for name in names(&folder).iter().filter(|name| name.starts_with("journal-")) {
            fs::remove_file(folder.join(name)).expect("a file is removed");
        }
    }

    /// Compares the result files with those of an undisturbed run.
    fn compare(&mut self) {
        self.count.comparisons += 1;
        let files = self.folder.files(self.scenario);
        let expected = &self.references[self.version].files;
        let file_names: Vec<&String> = expected.keys().chain(files.keys()).collect();
        let different: Vec<_> =
            file_names.iter().filter(|name| expected.get(**name) != files.get(**name)).collect();
        if !different.is_empty() {
            let message = format!("{different:?} are not those of an undisturbed run");
            self.report_difference(&message);
        }
        let remaining = names(&self.folder.path(self.scenario));
        if let Some(leftover) = remaining.iter().find(|name| name.starts_with('.') && *name != ".lock") {
            self.report_difference(&format!("{leftover} is left"));
        }
    }

    fn report_difference(&mut self, message: &str) {
        let games = self.scenario.games[self.version.min(1)];
        let suffix = if self.version == 2 { ", judged" } else { "" };
        self.count.differences.push(format!(
            "{} of {games} games{suffix}: {}",
            self.scenario.name,
            message.trim_end()
        ));
    }
}

/// Growth of a journal during a command.
enum Growth {
    Unchanged,
    Partial,
    /// The journal has all games.
    Complete,
}
