//! Answers as pages show them: a verdict, a line and an explanation.

use gauntlet_core::table::{Table, table};

use super::comparison::Comparison;
use super::verdict::Verdict;

table! {
    /// What the tables of verdicts have in common.
    pub struct VerdictColumns("answers", None) {
        verdict: Option<Verdict>, verdict(Verdict::word_of);
        answer: String, answer();
        explanation: Option<String>, explanation();
    }
}

/// An answer as pages show it.
#[derive(Clone, Debug)]
pub struct VerdictSentence {
    pub verdict: Option<Verdict>,
    /// Answer, which does not repeat the verdict.
    pub text: String,
    /// What the answer lacks, in sentences; empty if there is nothing.
    pub explanation: String,
}

impl VerdictSentence {
    /// Returns the answer of each row of a table.
    pub fn all(table: &Table) -> Vec<VerdictSentence> {
        let answers = table.typed().map(|VerdictColumns { verdict, answer, explanation }| VerdictSentence {
            verdict,
            text: answer,
            explanation: explanation.unwrap_or_default(),
        });
        answers.filter(|answer| !answer.text.is_empty()).collect()
    }
}

impl From<&Comparison> for VerdictSentence {
    fn from(comparison: &Comparison) -> VerdictSentence {
        VerdictSentence {
            verdict: Some(Verdict::of_comparison(comparison.shown())),
            text: comparison.answer(),
            explanation: comparison.explanation(),
        }
    }
}
