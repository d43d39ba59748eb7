//! Counts of the verdicts on what was announced: the headline of a page.

use std::collections::BTreeMap;

use gauntlet_core::table::Table;

use super::VerdictSentence;
use super::headline::Headline;
use crate::compare::verdict::Verdict;

/// Kind of announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnouncementKind {
    Published,
    Claims,
}

/// Verdicts on announcements of one kind, counted.
#[derive(Clone, Debug)]
pub struct Verdicts {
    kind: AnnouncementKind,
    /// Count of each verdict, in the order of the headline.
    counts: BTreeMap<Verdict, usize>,
}

/// Describes a verdict in the singular or the plural.
fn describe_count(verdict: Verdict, count: usize) -> String {
    match (verdict, count) {
        (Verdict::Differs, 1) => "differs".to_owned(),
        (Verdict::Differs, _) => "differ".to_owned(),
        (Verdict::WouldDiffer, 1) => "would differ if its source played enough games".to_owned(),
        (Verdict::WouldDiffer, _) => "would differ if their sources played enough games".to_owned(),
        (other, 1) => format!("is {}", other.word()),
        (other, _) => format!("are {}", other.word()),
    }
}

impl Verdicts {
    /// Counts the verdicts of a table; `None` if it has no row.
    pub fn from_table(kind: AnnouncementKind, table: &Table) -> Option<Verdicts> {
        Verdicts::from_counts(
            kind,
            table.read_rows().filter_map(|row: VerdictSentence| Some((row.verdict?, 1))),
        )
    }

    /// Adds up the verdicts of several results.
    pub fn combine<'a>(kind: AnnouncementKind, all: impl Iterator<Item = &'a Verdicts>) -> Option<Verdicts> {
        Verdicts::from_counts(
            kind,
            all.filter(|verdicts| verdicts.kind == kind).flat_map(|one| one.counts.clone()),
        )
    }

    fn from_counts(
        kind: AnnouncementKind,
        verdicts: impl Iterator<Item = (Verdict, usize)>,
    ) -> Option<Verdicts> {
        let mut counts = BTreeMap::new();
        for (verdict, count) in verdicts {
            *counts.entry(verdict).or_default() += count;
        }
        (!counts.is_empty()).then_some(Verdicts { kind, counts })
    }

    /// Describes the counts in one sentence: "9 of 31 published numbers are reproduced, 4 differ".
    pub fn headline(&self) -> Headline {
        let total: usize = self.counts.values().sum();
        let [singular, plural] = match self.kind {
            AnnouncementKind::Published => ["published number", "published numbers"],
            AnnouncementKind::Claims => ["claim", "claims"],
        };
        let mut counts = self.counts.iter().map(|(&verdict, &count)| (describe_count(verdict, count), count));
        let (mut predicate, first_count) = counts.next().unwrap_or_default();
        let subject = match first_count {
            1 if total == 1 => format!("The {singular}"),
            count if count == total => format!("All {total} {plural}"),
            count => format!("{count} of {total} {plural}"),
        };
        predicate.extend(counts.map(|(phrase, count)| format!(", {count} {phrase}")));
        Headline { subject, predicate, ..Headline::default() }
    }

    /// Returns each verdict with its count.
    pub fn counts(&self) -> impl Iterator<Item = (Verdict, usize)> {
        self.counts.iter().map(|(&verdict, &count)| (verdict, count))
    }

    /// Returns a short name for the kind of announcement.
    pub fn noun(&self) -> &'static str {
        match self.kind {
            AnnouncementKind::Published => "Published",
            AnnouncementKind::Claims => "Claims",
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compare::verdict::Verdict::{
        Compatible, Confirmed, Differs, Inconclusive, Refuted, Reproduced, Seen, Unclear, WouldDiffer,
    };

    use super::*;

    fn count_verdicts(kind: AnnouncementKind, verdicts: &[Verdict]) -> Verdicts {
        Verdicts::from_counts(kind, verdicts.iter().map(|verdict| (*verdict, 1))).expect("there are some")
    }

    #[track_caller]
    fn assert_headline(kind: AnnouncementKind, verdicts: &[Verdict], expected: &str) {
        let Headline { subject, predicate, .. } = count_verdicts(kind, verdicts).headline();
        assert_eq!(format!("{subject} {predicate}"), expected);
    }

    #[test]
    fn verdicts_are_counted_in_a_sentence() {
        use AnnouncementKind::{Claims, Published};
        let verdicts = [Compatible, Differs, Reproduced, Differs, Reproduced];
        let expected = "2 of 5 published numbers are reproduced, 2 differ, 1 is compatible";
        assert_headline(Published, &verdicts, expected);
        assert_headline(Published, &[Compatible, Compatible], "All 2 published numbers are compatible");
        assert_headline(Published, &[Differs], "The published number differs");
        assert_headline(Claims, &[Inconclusive, Confirmed], "1 of 2 claims is confirmed, 1 is inconclusive");
        assert_headline(Claims, &[Refuted, Refuted], "All 2 claims are refuted");
        assert_headline(Published, &[Unclear; 2], "All 2 published numbers are unclear");
        let expected =
            "1 of 3 published numbers is seen, 2 would differ if their sources played enough games";
        assert_headline(Published, &[WouldDiffer, Seen, WouldDiffer], expected);
        assert!(Verdicts::from_counts(Claims, std::iter::empty()).is_none());
    }

    #[test]
    fn counts_stand_before_their_verdicts() {
        let verdicts = count_verdicts(AnnouncementKind::Published, &[Unclear, Confirmed, Unclear, Confirmed]);
        let counts: Vec<_> = verdicts.counts().collect();
        assert_eq!(counts, [(Confirmed, 2), (Unclear, 2)]);
    }

    #[test]
    fn verdicts_of_several_results_are_added() {
        let all = [Inconclusive, Confirmed, Confirmed]
            .map(|verdict| count_verdicts(AnnouncementKind::Claims, &[verdict; 2]));
        let combined = Verdicts::combine(AnnouncementKind::Claims, all.iter()).unwrap();
        assert_eq!(combined.headline().subject, "4 of 6 claims");
        assert!(Verdicts::combine(AnnouncementKind::Published, all.iter()).is_none());
    }
}
