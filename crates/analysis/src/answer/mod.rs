//! Wording of answers: comparisons, stops, published numbers, ranks, leaders and tunings. Every
//! function makes words from numbers and a verdict. Terminal, tables, pages, Python and `--explain`
//! print these words.

pub mod comparison;
pub mod counts;
pub mod headline;
mod phrases;
pub mod precision;
pub mod published;
pub(crate) mod stop;
pub mod tuning;

use gauntlet_core::table::{Table, table};

use crate::compare::comparison::Comparison;
use crate::compare::verdict::Verdict;
pub use phrases::format_hundredths;
pub(crate) use phrases::other_level_suffix;

table! {
    /// An answer as people read it.
    pub struct VerdictSentence("answers", None) {
        verdict: Option<Verdict>, verdict(Verdict::find_word);
        /// Answer, which does not repeat the verdict.
        answer: String, answer();
        /// What the answer lacks, in sentences; empty if there is nothing.
        explanation: String, explanation();
    }
}

impl VerdictSentence {
    /// Returns the answer of each row of a table.
    pub fn read_all(table: &Table) -> Vec<VerdictSentence> {
        table.read_rows().filter(|row: &VerdictSentence| !row.answer.is_empty()).collect()
    }

    /// Returns the verdict and the answer in a line.
    pub fn line(&self) -> String {
        match self.verdict {
            Some(verdict) => format!("{}: {}", verdict.word(), self.answer),
            None => self.answer.clone(),
        }
    }
}

impl From<&Comparison> for VerdictSentence {
    fn from(comparison: &Comparison) -> VerdictSentence {
        VerdictSentence {
            verdict: Some(Verdict::from_comparison(comparison.conclusion())),
            answer: comparison.answer(),
            explanation: comparison.explanation(),
        }
    }
}
