//! How many of what was announced came out how: the first words of a page.

use super::lead::Lead;
use super::view::mark;
use crate::table::Table;

/// What was announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Announced {
    Published,
    Claims,
}

/// How many of them came out how.
#[derive(Clone, Debug)]
pub(super) struct Verdicts {
    of: Announced,
    /// Each verdict with its count, in the order in which they are told.
    counts: Vec<(String, usize)>,
}

/// The verdicts in the order in which they are told, each as one and as several have it.
const PHRASES: [(&str, [&str; 2]); 12] = [
    ("shown", ["is shown", "are shown"]),
    ("reproduced", ["is reproduced", "are reproduced"]),
    ("the opposite is shown", ["is shown to be the other way round", "are shown to be the other way round"]),
    ("not reproduced", ["is not reproduced", "are not reproduced"]),
    ("differs as printed", ["differs as printed", "differ as printed"]),
    ("compatible", ["is compatible", "are compatible"]),
    ("on the edge of the margin", ["is on the edge of its margin", "are on the edge of their margins"]),
    ("too few games here", ["has too few games here", "have too few games here"]),
    ("seen", ["is seen", "are seen"]),
    ("not seen", ["is not seen", "are not seen"]),
    ("not shown", ["is not shown", "are not shown"]),
    ("not judged", ["is not judged", "are not judged"]),
];

fn place(verdict: &str) -> usize {
    PHRASES.iter().position(|(known, _)| *known == verdict).unwrap_or(PHRASES.len())
}

impl Verdicts {
    /// Those of a table with verdicts; none if it has no row.
    pub(super) fn of(of: Announced, table: &Table) -> Option<Verdicts> {
        let verdicts = table.rows().map(|row| (row.words("verdict").to_owned(), 1));
        Verdicts::counted(of, verdicts)
    }

    /// Those of several results together.
    pub(super) fn together<'a>(of: Announced, all: impl Iterator<Item = &'a Verdicts>) -> Option<Verdicts> {
        Verdicts::counted(of, all.filter(|one| one.of == of).flat_map(|one| one.counts.iter().cloned()))
    }

    fn counted(of: Announced, verdicts: impl Iterator<Item = (String, usize)>) -> Option<Verdicts> {
        let mut counts: Vec<(String, usize)> = Vec::new();
        for (verdict, count) in verdicts {
            match counts.iter_mut().find(|(known, _)| *known == verdict) {
                Some((_, known)) => *known += count,
                None => counts.push((verdict, count)),
            }
        }
        counts.sort_by_key(|(verdict, _)| place(verdict));
        (!counts.is_empty()).then_some(Verdicts { of, counts })
    }

    /// In one sentence: "9 of 31 published numbers are reproduced, 4 are not reproduced".
    pub(super) fn headline(&self) -> Lead {
        let all: usize = self.counts.iter().map(|(_, count)| count).sum();
        let [one, many] = match self.of {
            Announced::Published => ["published number", "published numbers"],
            Announced::Claims => ["claim", "claims"],
        };
        let phrase = |(verdict, count): &(String, usize)| match PHRASES.get(place(verdict)) {
            Some((_, [is, _])) if *count == 1 => (*is).to_owned(),
            Some((_, [_, are])) => (*are).to_owned(),
            None => format!("came out as “{verdict}”"),
        };
        let who = match self.counts[0].1 {
            1 if all == 1 => format!("The {one}"),
            first if first == all => format!("All {all} {many}"),
            first => format!("{first} of {all} {many}"),
        };
        let mut says = phrase(&self.counts[0]);
        for other in &self.counts[1..] {
            says += &format!(", {} {}", other.1, phrase(other));
        }
        Lead { who, says, ..Lead::default() }
    }

    /// Each verdict with its mark and its count.
    pub(super) fn marked(&self) -> impl Iterator<Item = (&'static str, usize, &str)> {
        let words = |verdict, count| match (verdict, count) {
            ("differs as printed", 2..) => "differ as printed",
            (verdict, _) => verdict,
        };
        self.counts.iter().map(move |(verdict, count)| (mark(verdict), *count, words(verdict, *count)))
    }

    /// What was announced, in one word or two.
    pub(super) fn noun(&self) -> &'static str {
        match self.of {
            Announced::Published => "Published",
            Announced::Claims => "Claims",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(of: Announced, verdicts: &[&str], expected: &str) {
        let counted = Verdicts::counted(of, verdicts.iter().map(|verdict| ((*verdict).to_owned(), 1)));
        let Lead { who, says, .. } = counted.expect("there are some").headline();
        assert_eq!(format!("{who} {says}"), expected);
    }

    #[test]
    fn verdicts_are_counted_in_a_sentence() {
        use Announced::{Claims, Published};
        let some = ["compatible", "not reproduced", "reproduced", "not reproduced", "reproduced"];
        let expected = "2 of 5 published numbers are reproduced, 2 are not reproduced, 1 is compatible";
        check(Published, &some, expected);
        check(Published, &["compatible", "compatible"], "All 2 published numbers are compatible");
        check(Published, &["not seen"], "The published number is not seen");
        check(Claims, &["not shown", "shown"], "1 of 2 claims is shown, 1 is not shown");
        check(Claims, &["?", "shown"], "1 of 2 claims is shown, 1 came out as “?”");
        assert!(Verdicts::counted(Claims, std::iter::empty()).is_none());
    }

    #[test]
    fn counts_stand_before_their_verdicts() {
        let verdicts = ["differs as printed", "shown", "differs as printed", "shown"];
        let verdicts = verdicts.map(|verdict| (verdict.to_owned(), 1)).into_iter();
        let counted = Verdicts::counted(Announced::Published, verdicts).unwrap();
        let marked: Vec<_> = counted.marked().map(|(_, count, verdict)| (count, verdict)).collect();
        assert_eq!(marked, [(2, "shown"), (2, "differ as printed")]);
    }

    #[test]
    fn verdicts_of_several_results_are_added() {
        let of = |verdict: &str| Verdicts::counted(Announced::Claims, [(verdict.to_owned(), 2)].into_iter());
        let all = [of("not shown").unwrap(), of("shown").unwrap(), of("shown").unwrap()];
        let together = Verdicts::together(Announced::Claims, all.iter()).unwrap();
        assert_eq!(together.headline().who, "4 of 6 claims");
        assert!(Verdicts::together(Announced::Published, all.iter()).is_none());
    }
}
