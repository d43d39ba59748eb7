//! Verdicts as they stand in tables and manifests.

use gauntlet_core::table::{Cell, CellValue, Column, Row};
use serde::{Deserialize, Serialize};

use super::question::Shown;

/// A verdict. The best come first: in this order verdicts are counted and told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Verdict {
    /// A claim came true.
    Shown,
    /// A published number was measured here too.
    Reproduced,
    /// A claim is the other way round.
    OppositeShown,
    /// A published number is contradicted.
    NotReproduced,
    /// A published number of unknown games lies outside of its margin.
    Unclear,
    /// A published number is of too few games.
    Compatible,
    /// A published number lies at the end of its margin.
    OnTheEdge,
    /// Too few games were played here.
    TooFewGames,
    /// The published event came about.
    Seen,
    /// It did not.
    NotSeen,
    /// A claim, or the gain of a tuning, is open.
    NotShown,
    /// A published number is not judged.
    NotJudged,
    /// The first player is better.
    Better,
    /// The first player is worse.
    Worse,
    /// It is open which player is better.
    NoDifferenceShown,
    /// The first player is not worse by more than was asked.
    NotWorse,
    /// The first player is not better by as much as was asked.
    NotBetter,
    /// The test of a `[stop]` did not end.
    Undecided,
}

/// All verdicts in words.
const WORDS: [(Verdict, &str); 18] = [
    (Verdict::Shown, "shown"),
    (Verdict::Reproduced, "reproduced"),
    (Verdict::OppositeShown, "the opposite is shown"),
    (Verdict::NotReproduced, "not reproduced"),
    (Verdict::Unclear, "unclear"),
    (Verdict::Compatible, "compatible"),
    (Verdict::OnTheEdge, "on the edge of the margin"),
    (Verdict::TooFewGames, "too few games here"),
    (Verdict::Seen, "seen"),
    (Verdict::NotSeen, "not seen"),
    (Verdict::NotShown, "not shown"),
    (Verdict::NotJudged, "not judged"),
    (Verdict::Better, "better"),
    (Verdict::Worse, "worse"),
    (Verdict::NoDifferenceShown, "no difference shown"),
    (Verdict::NotWorse, "not worse"),
    (Verdict::NotBetter, "not better"),
    (Verdict::Undecided, "undecided"),
];

/// Words of older tables and manifests.
const OLDER_WORDS: [(Verdict, &str); 1] = [(Verdict::Unclear, "differs as printed")];

impl Verdict {
    /// The verdict in words.
    pub fn word(self) -> &'static str {
        WORDS[self as usize].1
    }

    /// The beginning of an answer that names this verdict first. Other answers say it in their own
    /// words: `A beats B`.
    pub(super) fn lead(self) -> String {
        match self {
            Verdict::NotShown | Verdict::NoDifferenceShown => format!("{} ", self.word()),
            Verdict::Shown
            | Verdict::Better
            | Verdict::Worse
            | Verdict::NotWorse
            | Verdict::NotBetter
            | Verdict::Undecided => String::new(),
            _ => format!("{}: ", self.word()),
        }
    }

    /// The verdict in these words, or in those of an older version.
    pub fn of(word: &str) -> Option<Verdict> {
        WORDS.iter().chain(&OLDER_WORDS).find(|(_, known)| *known == word).map(|(verdict, _)| *verdict)
    }

    /// True if this is the word of a verdict.
    pub fn is_word(word: &str) -> bool {
        Verdict::of(word).is_some()
    }

    /// Verdict on a claim.
    pub const fn of_claim(shown: Shown) -> Verdict {
        match shown {
            Shown::Yes => Verdict::Shown,
            Shown::Opposite => Verdict::OppositeShown,
            Shown::Nothing => Verdict::NotShown,
        }
    }

    /// Verdict on a comparison that was not announced.
    pub const fn of_comparison(shown: Shown) -> Verdict {
        match shown {
            Shown::Yes => Verdict::Better,
            Shown::Opposite => Verdict::Worse,
            Shown::Nothing => Verdict::NoDifferenceShown,
        }
    }

    /// Verdict on a tuning.
    pub const fn of_tuning(shown: Shown) -> Verdict {
        match shown {
            Shown::Yes => Verdict::Better,
            Shown::Opposite => Verdict::Worse,
            Shown::Nothing => Verdict::NotShown,
        }
    }
}

impl CellValue for Verdict {
    fn cell(&self, _: &Column) -> Cell {
        self.word().into()
    }

    fn found(row: Row, column: &'static str) -> Option<Verdict> {
        Verdict::of(row.words(column))
    }
}

impl From<Verdict> for &'static str {
    fn from(verdict: Verdict) -> &'static str {
        verdict.word()
    }
}

impl TryFrom<String> for Verdict {
    type Error = String;

    fn try_from(word: String) -> Result<Verdict, String> {
        Verdict::of(&word).ok_or_else(|| format!("{word:?} is no verdict"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_words_of_its_own() {
        for (place, (verdict, word)) in WORDS.iter().enumerate() {
            assert_eq!(*verdict as usize, place);
            assert_eq!(Verdict::of(word), Some(*verdict));
        }
        assert_eq!(Verdict::of("accepted"), None);
        assert_eq!(Verdict::of("differs as printed"), Some(Verdict::Unclear));
    }
}
