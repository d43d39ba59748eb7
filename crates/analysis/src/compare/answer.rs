//! Answers as pages show them: a verdict beside its sentence.

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
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// The sentence; it does not name the verdict again.
    pub text: String,
}

impl VerdictAnswer {
    /// An answer in words that may begin with its verdict.
    fn of(verdict: Option<Verdict>, words: &str) -> VerdictAnswer {
        let text = verdict.and_then(|verdict| words.strip_prefix(&verdict.lead()));
        VerdictAnswer { verdict, text: text.unwrap_or(words).to_owned() }
    }

    /// The answers of a table.
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
