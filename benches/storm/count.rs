//! Counts of the outcomes of a storm of kills.

use std::collections::BTreeMap;

/// Phase of a command in which it was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Starting,
    Playing,
    WritingTables,
    PlayingAShard,
    Merging,
    Judging,
}

#[derive(Default)]
pub(crate) struct Count {
    pub(crate) kills: BTreeMap<Phase, u64>,
    /// Signals that arrived after the command had ended.
    pub(crate) too_late: u64,
    /// Experiments that were completed and compared.
    pub(crate) comparisons: u64,
    /// Answers with the earlier tables; with the new tables; and without tables, or with tables of
    /// an unfinished run.
    pub(crate) answers: [u64; 3],
    pub(crate) differences: Vec<String>,
}

impl Count {
    pub(crate) fn add(&mut self, other: Count) {
        for (phase, kills) in other.kills {
            *self.kills.entry(phase).or_default() += kills;
        }
        self.too_late += other.too_late;
        self.comparisons += other.comparisons;
        for (total, added) in self.answers.iter_mut().zip(other.answers) {
            *total += added;
        }
        self.differences.extend(other.differences);
    }

    pub(crate) fn print(&self) {
        let kills: u64 = self.kills.values().sum();
        let phases: Vec<String> =
            self.kills.iter().map(|(phase, kills)| format!("{phase:?} {kills}")).collect();
        println!("{kills} kills ({}), and {} signals too late", phases.join(", "), self.too_late);
        let [earlier, new, missing] = self.answers;
        println!(
            "answers: {earlier} of the tables of before, {new} of the new ones, {missing} that none are finished yet"
        );
        println!("{} results compared, {} differences", self.comparisons, self.differences.len());
        for difference in self.differences.iter().take(20) {
            println!("  {difference}");
        }
    }
}
