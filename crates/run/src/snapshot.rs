//! A piece of work at one moment, as plain data: a run, a shard, a tuning, a training, or a part of
//! one. Each kind of work has one function that makes its snapshot, from a folder or in the process
//! that plays. `gauntlet status`, a terminal and a log show it, whatever its kind.

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
    pub remarks: Vec<String>,
    /// Intermediate results, the best first: name, number and remark. A log is too narrow for them.
    pub table: Vec<[String; 3]>,
    /// Remarks that a log has in place of the table.
    pub log_remarks: Vec<String>,
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
        let first_line = match &self.progress {
            Some(progress) => format!("{}: {}, {}\n", self.title, progress.format_done(), self.state),
            None => format!("{}\n", self.title),
        };
        let lines = self.remarks.iter().map(|line| format!("{line}\n"));
        let body: String = lines.chain(self.parts.iter().map(Snapshot::text)).collect();
        first_line + &body.lines().map(|line| format!("  {line}\n")).collect::<String>()
    }

    /// Formats the snapshot as one line for a log.
    pub fn log_line(&self) -> String {
        let progress = self.progress.as_ref().map(|progress| progress.clauses().join(", "));
        let clauses = progress.iter().chain(&self.remarks).chain(&self.log_remarks);
        escape::line(&clauses.map(String::as_str).collect::<Vec<_>>().join("; ")).into_owned()
    }
}

/// If there are more parts than this, they are not listed by themselves. It is also the most parts
/// listed for one reason.
pub const MAX_PARTS: usize = 20;

/// Lists the first parts, and how many `noun` there are.
pub fn list_parts<T>(parts: &[T], to_snapshot: impl Fn(&T) -> Snapshot, noun: &str) -> Vec<Snapshot> {
    let mut list: Vec<Snapshot> = parts.iter().take(MAX_PARTS).map(to_snapshot).collect();
    if parts.len() > MAX_PARTS {
        list.push(Snapshot::new(format!(
            "… and {} more {noun}",
            group_digits((parts.len() - MAX_PARTS) as u64)
        )));
    }
    list
}

/// Formats how many parts are in each of some states, such as `2 complete, 1 stopped`.
pub fn format_state_counts(counts: &[(u64, &str)]) -> String {
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, state)| format!("{} {state}", group_digits(*count))).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::RunState;

    fn snapshot() -> Snapshot {
        let part = Snapshot {
            remarks: vec!["of the part".to_owned()],
            ..Snapshot::from_progress("shard 1/2", Progress::from_games(1, 4, RunState::Stopped))
        };
        let progress = Progress { pace: Some(20.0), ..Progress::from_games(1234, 2000, RunState::Plays) };
        Snapshot {
            remarks: vec!["a remark".to_owned()],
            table: vec![["a".to_owned(), "1".to_owned(), String::new()]],
            log_remarks: vec!["best: a".to_owned()],
            parts: vec![part, Snapshot::new("shard 2/2")],
            ..Snapshot::from_progress("x", progress)
        }
    }

    #[test]
    fn parts_are_indented_below_their_work() {
        let expected = "x: 1,234 of 2,000 games (61 %), playing now\n  a remark\n  \
                        shard 1/2: 1 of 4 games (25 %), not complete\n    of the part\n  shard 2/2\n";
        assert_eq!(snapshot().text(), expected);
    }

    #[test]
    fn a_log_has_one_line_without_parts_and_tables() {
        let clauses = snapshot().progress.expect("a progress").clauses().join(", ");
        assert_eq!(snapshot().log_line(), format!("{clauses}; a remark; best: a"));
        let broken = Snapshot { remarks: vec!["two\nlines".to_owned()], ..Snapshot::new("x") };
        assert_eq!(broken.log_line(), "two\\nlines");
    }

    #[test]
    fn long_lists_end_with_the_number_of_the_rest() {
        let titles = |count: u64| {
            let numbers: Vec<u64> = (0..count).collect();
            list_parts(&numbers, |number| Snapshot::new(number.to_string()), "shards").len()
        };
        assert_eq!([titles(0), titles(20), titles(21), titles(5000)], [0, 20, 21, 21]);
        let numbers: Vec<u64> = (0..1021).collect();
        let last = list_parts(&numbers, |number| Snapshot::new(number.to_string()), "shards").pop();
        assert_eq!(last, Some(Snapshot::new("… and 1,001 more shards")));
        assert_eq!(
            format_state_counts(&[(1200, "complete"), (0, "silent"), (1, "stopped")]),
            "1,200 complete, 1 stopped"
        );
    }
}
