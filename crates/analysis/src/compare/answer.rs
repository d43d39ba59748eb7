//! Answers as pages show them: a verdict and its sentence.

use gauntlet_core::table::{Table, table};

use super::comparison::Comparison;
use super::verdict::Verdict;

table! {
    /// What the tables of verdicts have in common.
    pub struct AnswerRow("answers", None) {
        verdict: Option<Verdict>, verdict(Verdict::is_word);
        answer: String, answer();
    }
}

/// A sentence, with its verdict if it has one.
#[derive(Clone, Debug)]
pub struct VerdictAnswer {
    pub verdict: Option<Verdict>,
    /// Sentence without the verdict.
    pub text: String,
}

impl VerdictAnswer {
    /// Splits the verdict off an answer that may begin with it.
    fn of(verdict: Option<Verdict>, words: &str) -> VerdictAnswer {
        let text = verdict.and_then(|verdict| words.strip_prefix(&verdict.lead()));
        VerdictAnswer { verdict, text: text.unwrap_or(words).to_owned() }
    }

    /// Returns the answer of each row of a table.
    pub fn all(table: &Table) -> Vec<VerdictAnswer> {
        let answers = table.typed().map(|AnswerRow { verdict, answer }| VerdictAnswer::of(verdict, &answer));
        answers.filter(|answer| !answer.text.is_empty()).collect()
    }
}

impl From<&Comparison> for VerdictAnswer {
    fn from(comparison: &Comparison) -> VerdictAnswer {
        VerdictAnswer::of(Some(Verdict::of_comparison(comparison.shown())), &comparison.answer())
    }
}
