//! Verdicts in tables and manifests.

use gauntlet_core::table::{Cell, CellValue, Column, Row};
use serde::{Deserialize, Serialize};

use super::question::Conclusion;

/// A verdict. Verdicts are counted and listed in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Verdict {
    /// A claim is significant. With a margin: the first player is not worse by more than that.
    Confirmed,
    /// A published number was reproduced.
    Reproduced,
    /// An event that a source reports happened.
    Seen,
    /// A published number differs significantly, by less than its margin.
    Close,
    /// The opposite of a claim is significant.
    Refuted,
    /// A published number is contradicted.
    Differs,
    /// A published number would be contradicted if its source had played enough games, and the
    /// source does not say how many it played.
    WouldDiffer,
    /// A published number has too few games to be known to its margin, and is not contradicted.
    Compatible,
    /// An event that a source reports did not happen.
    NotSeen,
    /// A published number cannot be decided.
    Unclear,
    /// Neither a difference nor its opposite is significant.
    Inconclusive,
    /// A published number is not judged.
    NotJudged,
    /// The first player is better.
    Better,
    /// The first player is worse.
    Worse,
    /// The first player is not worse by more than the smaller difference of a `[stop]`.
    NotWorse,
    /// The first player is not better by the larger difference of a `[stop]`.
    NotBetter,
}

/// The word of each verdict.
const WORDS: [(Verdict, &str); 16] = [
    (Verdict::Confirmed, "confirmed"),
    (Verdict::Reproduced, "reproduced"),
    (Verdict::Seen, "seen"),
    (Verdict::Close, "close"),
    (Verdict::Refuted, "refuted"),
    (Verdict::Differs, "differs"),
    (Verdict::WouldDiffer, "would differ"),
    (Verdict::Compatible, "compatible"),
    (Verdict::NotSeen, "not seen"),
    (Verdict::Unclear, "unclear"),
    (Verdict::Inconclusive, "inconclusive"),
    (Verdict::NotJudged, "not judged"),
    (Verdict::Better, "better"),
    (Verdict::Worse, "worse"),
    (Verdict::NotWorse, "not worse"),
    (Verdict::NotBetter, "not better"),
];

impl Verdict {
    /// Returns the word of the verdict.
    pub fn word(self) -> &'static str {
        WORDS[self as usize].1
    }

    /// Returns the verdict with this word.
    pub fn from_word(word: &str) -> Option<Verdict> {
        WORDS.iter().find(|(_, candidate)| *candidate == word).map(|(verdict, _)| *verdict)
    }

    /// Returns this word, if it is the word of a verdict.
    pub fn find_word(word: &str) -> Option<&'static str> {
        Verdict::from_word(word).map(Verdict::word)
    }

    /// Returns whether the verdict is in favour of what was expected.
    pub fn tone(self) -> VerdictTone {
        match self {
            Verdict::Confirmed
            | Verdict::Reproduced
            | Verdict::Seen
            | Verdict::Better
            | Verdict::NotWorse => VerdictTone::Good,
            Verdict::Refuted | Verdict::Differs | Verdict::Worse => VerdictTone::Bad,
            _ => VerdictTone::Open,
        }
    }

    /// Returns the verdict on a claim.
    pub const fn from_claim(conclusion: Conclusion) -> Verdict {
        match conclusion {
            Conclusion::Yes => Verdict::Confirmed,
            Conclusion::Opposite => Verdict::Refuted,
            Conclusion::Inconclusive => Verdict::Inconclusive,
        }
    }

    /// Returns the verdict on a comparison that was not announced, or on a tuning.
    pub const fn from_comparison(conclusion: Conclusion) -> Verdict {
        match conclusion {
            Conclusion::Yes => Verdict::Better,
            Conclusion::Opposite => Verdict::Worse,
            Conclusion::Inconclusive => Verdict::Inconclusive,
        }
    }
}

/// Whether a verdict is in favour of what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictTone {
    Good,
    Bad,
    Open,
}

impl CellValue for Verdict {
    fn cell(&self, _: &Column) -> Cell {
        self.word().into()
    }

    fn read_cell(row: Row, column: &'static str) -> Option<Verdict> {
        Verdict::from_word(row.words(column))
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
        Verdict::from_word(&word).ok_or_else(|| format!("{word:?} is not a verdict"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_one_word() {
        for (index, (verdict, word)) in WORDS.iter().enumerate() {
            assert_eq!(*verdict as usize, index);
            assert_eq!(Verdict::from_word(word), Some(*verdict));
        }
        assert_eq!(Verdict::from_word("accepted"), None);
    }
}
