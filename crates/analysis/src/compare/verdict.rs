//! Verdicts in tables and manifests.

use gauntlet_core::table::{Cell, CellValue, Column, Row};
use serde::{Deserialize, Serialize};

use super::question::ComparisonResult;

/// A verdict. Verdicts are counted and listed in this order, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Verdict {
    /// A claim is significant.
    Shown,
    /// A published number was reproduced.
    Reproduced,
    /// A claim is refuted.
    OppositeShown,
    /// A published number is contradicted.
    NotReproduced,
    /// A published number with an unknown number of games is outside its margin.
    Unclear,
    /// A published number has too few games.
    Compatible,
    /// A published number is at the end of its margin.
    OnTheEdge,
    /// Too few games were played here.
    TooFewGames,
    /// A published event happened.
    Seen,
    /// A published event did not happen.
    NotSeen,
    /// A claim, or the gain of a tuning, is inconclusive.
    NotShown,
    /// A published number is not judged.
    NotJudged,
    /// The first player is better.
    Better,
    /// The first player is worse.
    Worse,
    /// A comparison is inconclusive.
    NoDifferenceShown,
    /// The first player is not worse by more than the margin.
    NotWorse,
    /// The first player is not better by the difference asked for.
    NotBetter,
    /// The test of a `[stop]` ended without a decision.
    Undecided,
}

/// The word of each verdict.
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
    /// Returns the word of the verdict.
    pub fn word(self) -> &'static str {
        WORDS[self as usize].1
    }

    /// Returns the beginning of an answer that names this verdict, or nothing if its answers are
    /// worded otherwise: `A beats B`.
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

    /// Returns the verdict with this word, current or older.
    pub fn of(word: &str) -> Option<Verdict> {
        WORDS.iter().chain(&OLDER_WORDS).find(|(_, known)| *known == word).map(|(verdict, _)| *verdict)
    }

    /// Returns true if this is the word of a verdict.
    pub fn is_word(word: &str) -> bool {
        Verdict::of(word).is_some()
    }

    /// Returns the verdict on a claim.
    pub const fn of_claim(shown: ComparisonResult) -> Verdict {
        match shown {
            ComparisonResult::Yes => Verdict::Shown,
            ComparisonResult::Opposite => Verdict::OppositeShown,
            ComparisonResult::Nothing => Verdict::NotShown,
        }
    }

    /// Returns the verdict on a comparison that was not announced.
    pub const fn of_comparison(shown: ComparisonResult) -> Verdict {
        match shown {
            ComparisonResult::Yes => Verdict::Better,
            ComparisonResult::Opposite => Verdict::Worse,
            ComparisonResult::Nothing => Verdict::NoDifferenceShown,
        }
    }

    /// Returns the verdict on a tuning.
    pub const fn of_tuning(shown: ComparisonResult) -> Verdict {
        match shown {
            ComparisonResult::Yes => Verdict::Better,
            ComparisonResult::Opposite => Verdict::Worse,
            ComparisonResult::Nothing => Verdict::NotShown,
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
