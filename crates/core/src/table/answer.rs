//! Answers: texts that people read instead of the rows of a table.

use unicode_width::UnicodeWidthStr;

use crate::text::{escape, wrap_hanging, wrap_line};

/// A row of a table of answers, as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerText {
    /// Word of the verdict; empty if the table has none.
    pub verdict: String,
    /// Answer, which does not repeat the verdict.
    pub text: String,
}

impl AnswerText {
    /// Writes each answer on its own lines, the verdicts in a column.
    pub fn align(answers: &[AnswerText], width: Option<usize>) -> Vec<String> {
        let verdict_width = answers.iter().map(|answer| answer.verdict.width()).max().unwrap_or(0);
        let line = |AnswerText { verdict, text }: &AnswerText| match verdict_width {
            0 => wrap_line(&escape::line(text), width) + "\n",
            _ => {
                let indent = verdict_width + 2;
                let line = format!("{verdict:<indent$}{}", escape::line(text));
                wrap_clauses(line.trim_end(), indent, width) + "\n"
            }
        };
        answers.iter().map(line).collect()
    }

    /// Writes the answer as an item of a LaTeX list.
    pub(super) fn to_latex(&self) -> String {
        let text = escape::latex(&self.text);
        match &*self.verdict {
            "" => format!("\\item {text}\n"),
            verdict => format!("\\item \\textbf{{{}}}: {text}\n", escape::latex(verdict)),
        }
    }

    /// Writes the answer as an item of a Markdown list.
    pub(super) fn to_markdown(&self) -> String {
        let text = escape::markdown(&self.text);
        match &*self.verdict {
            "" => format!("- {text}\n"),
            verdict => format!("- **{verdict}**: {text}\n"),
        }
    }
}

/// Wraps an answer after its clauses, which end with semicolons. Clauses that are too wide are
/// wrapped between words.
fn wrap_clauses(line: &str, indent: usize, width: Option<usize>) -> String {
    let Some(max_width) = width.filter(|&width| line.width() > width) else { return line.to_owned() };
    let mut lines: Vec<String> = Vec::new();
    for clause in line.split_inclusive("; ") {
        match lines.last_mut() {
            Some(last) if last.width() + clause.trim_end().width() <= max_width => *last += clause,
            Some(_) => lines.push(" ".repeat(indent.min(max_width / 2)) + clause),
            None => lines.push(clause.to_owned()),
        }
    }
    let wrapped = lines.iter().map(|line| wrap_hanging(line.trim_end(), indent, width));
    wrapped.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_broken_on_a_terminal_only() {
        let mut answers = [AnswerText { verdict: String::new(), text: "a vs b: more wins".to_owned() }];
        let align = |answers: &[AnswerText], width| AnswerText::align(answers, width).concat();
        assert_eq!(align(&answers, None), "a vs b: more wins\n");
        assert_eq!(align(&answers, Some(12)), "a vs b: more\n  wins\n");
        answers[0].verdict = "refuted".to_owned();
        assert_eq!(align(&answers, None), "refuted  a vs b: more wins\n");
        assert_eq!(align(&answers, Some(21)), "refuted  a vs b: more\n         wins\n");
        answers[0].text = "a vs b: +1 [0, 2]; p = 0.04".to_owned();
        assert_eq!(align(&answers, Some(30)), "refuted  a vs b: +1 [0, 2];\n         p = 0.04\n");
    }
}
