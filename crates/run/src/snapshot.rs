//! A piece of work at one moment, as plain data: a run, a shard, a tuning, a training, or a part of
//! one. Each kind of work has one function that makes its snapshot, from a folder or in the process
//! that plays. `gauntlet status`, a terminal, a log and the live page show it, whatever its kind.

use gauntlet_core::text::{escape, group_digits};

use super::progress::Progress;

/// A piece of work at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Name of the work, or of a part of it.
    pub title: String,
    /// How far it is; `None` if only its parts have a progress.
    pub progress: Option<Progress>,
    /// State of the work, in words.
    pub state: String,
    /// Remarks.
    pub lines: Vec<String>,
    /// Intermediate results, the best first: name, number and remark. A log is too narrow for them.
    pub table: Vec<[String; 3]>,
    /// Remarks that a log has in place of the table.
    pub log: Vec<String>,
    /// Parts of the work, such as shards.
    pub parts: Vec<Snapshot>,
}

impl Snapshot {
    /// Creates a snapshot that has only a title.
    pub fn new(title: impl Into<String>) -> Snapshot {
        Snapshot { title: title.into(), ..Snapshot::default() }
    }

    /// Creates a snapshot of work with this progress.
    pub fn from_progress(title: impl Into<String>, progress: Progress) -> Snapshot {
        let state = progress.state.words().to_owned();
        Snapshot { progress: Some(progress), state, ..Snapshot::new(title) }
    }

    /// Formats the snapshot and its parts as lines, each part indented.
    pub fn text(&self) -> String {
        let head = match &self.progress {
            Some(progress) => format!("{}: {}, {}\n", self.title, progress.format_done(), self.state),
            None => format!("{}\n", self.title),
        };
        let lines = self.lines.iter().map(|line| format!("{line}\n"));
        let below: String = lines.chain(self.parts.iter().map(Snapshot::text)).collect();
        head + &below.lines().map(|line| format!("  {line}\n")).collect::<String>()
    }

    /// Formats the snapshot as one line for a log.
    pub fn log_line(&self) -> String {
        let progress = self.progress.as_ref().map(|progress| progress.clauses().join(", "));
        let clauses = progress.iter().chain(&self.lines).chain(&self.log);
        escape::line(&clauses.map(String::as_str).collect::<Vec<_>>().join("; ")).into_owned()
    }
}

/// If there are more parts than this, they are not listed by themselves. It is also the most parts
/// listed for one reason.
pub const MOST_PARTS: usize = 20;

/// Lists the first parts, and how many `more` there are.
pub fn listed<T>(parts: &[T], part: impl Fn(&T) -> Snapshot, more: &str) -> Vec<Snapshot> {
    let mut list: Vec<Snapshot> = parts.iter().take(MOST_PARTS).map(part).collect();
    if parts.len() > MOST_PARTS {
        list.push(Snapshot::new(format!(
            "… and {} more {more}",
            group_digits((parts.len() - MOST_PARTS) as u64)
        )));
    }
    list
}

/// Formats how many parts are in each of some states, such as `2 complete, 1 stopped`.
pub fn counted_states(counts: &[(u64, &str)]) -> String {
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, state)| format!("{} {state}", group_digits(*count))).collect::<Vec<_>>().join(", ")
}
