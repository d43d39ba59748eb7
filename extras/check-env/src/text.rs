//! The report as text for a terminal.

use std::fmt::Write;

use gauntlet_core::table::{ColumnContent, TextTable};
use gauntlet_core::text::{format_count, group_digits, wrap_line};
use gauntlet_twenty48::rules::Cells;

use crate::evidence::Example;
use crate::report::{LEVEL, Outcome, Report, RuleReport, Verdict, format_p, group_reasons};

/// Columns of the text.
const WIDTH: usize = 80;

/// Columns before each board.
const GAP: usize = 3;

impl Report {
    /// Writes the report in 80 columns.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let add_line = |text: &mut String, name: &str, value: Result<String, String>| {
            let value = value.unwrap_or_else(|_| "unknown".to_owned());
            *text += &(wrap_line(&format!("{name:<8} {value}"), Some(WIDTH)) + "\n");
        };
        add_line(&mut text, "actions", self.actions.clone().map(|actions| actions.to_string()));
        add_line(&mut text, "cells", self.cells.clone());
        let _ = writeln!(
            text,
            "played   {}, {}",
            format_count(self.games, "game"),
            format_count(self.moves, "move")
        );
        text = text + "\n" + &self.table().to_text(None);
        for rule in self.rules.iter().filter(|rule| rule.verdict == Verdict::Failed) {
            text += &rule.explanation();
        }
        text += &self.explain_gaps();
        for note in &self.notes {
            text += &(wrap_line(&format!("\nnote: {note}"), Some(WIDTH)) + "\n");
        }
        text + "\n" + &self.conclusion()
    }

    fn table(&self) -> TextTable {
        use ColumnContent::{Numbers, Words};
        let columns =
            [("rule", Words), ("verdict", Words), ("checked", Numbers), ("wrong", Numbers), ("p", Numbers)];
        let columns = columns.map(|(name, content)| (name.to_owned(), content)).to_vec();
        TextTable::new(columns, self.rules.iter().map(RuleReport::row).collect())
    }

    /// Explains why rules have no verdict, except for the reason in the conclusion.
    fn explain_gaps(&self) -> String {
        let is_undecided = self.outcome() == Outcome::Undecided;
        let mut text = String::new();
        let mut add = |paragraph: &str| text += &(wrap_line(&format!("\n{paragraph}"), Some(WIDTH)) + "\n");
        for verdict in [Verdict::CannotTell, Verdict::NotTested] {
            let is_listed = |rule: &&RuleReport| {
                rule.verdict == verdict && !(is_undecided && self.missing_rules.contains(&rule.rule))
            };
            for (rules, reason) in group_reasons(self.rules.iter().filter(is_listed)) {
                add(&format!("{}: {rules}: {reason}", verdict.words()));
            }
        }
        if let Some(reason) = self.unknown_reason().filter(|_| !is_undecided) {
            add(&format!("{}: other rules: {reason}", Verdict::CannotTell.words()));
        }
        text
    }

    fn conclusion(&self) -> String {
        let count = |verdict| self.rules.iter().filter(|rule| rule.verdict == verdict).count();
        let verdicts = [Verdict::Passed, Verdict::Failed, Verdict::CannotTell, Verdict::NotTested];
        let parts: Vec<String> = verdicts
            .into_iter()
            .filter(|&verdict| count(verdict) > 0)
            .map(|verdict| format!("{} {}", count(verdict), verdict.words()))
            .collect();
        let counts = format!("{} of {} rules\n", parts.join(", "), self.rules.len());
        let reason = self.reason().map_or_else(String::new, |reason| format!(": {reason}"));
        counts + &wrap_line(&format!("{}{reason}", self.outcome().words()), Some(WIDTH)) + "\n"
    }
}

impl RuleReport {
    fn row(&self) -> Vec<String> {
        let number = |count| if self.checks == 0 { String::new() } else { group_digits(count) };
        let p = self.p.map_or_else(String::new, format_p);
        let (rule, verdict) = (self.rule.name().to_owned(), self.verdict.words().to_owned());
        vec![rule, verdict, number(self.checks), number(self.violations), p]
    }

    fn explanation(&self) -> String {
        let reason = self.reason.as_deref().unwrap_or_default();
        let sentence = format!("\n{}: {}: {reason}", self.verdict.words(), self.rule.name());
        let mut text = wrap_line(&sentence, Some(WIDTH)) + "\n";
        if self.p.is_some_and(|p| p <= LEVEL) {
            let p = self.p.map_or_else(String::new, format_p);
            let line = format!(
                "  In a correct environment, counts this extreme have a probability of at most {}.",
                p.trim_start_matches("< ")
            );
            text += &(wrap_line(&line, Some(WIDTH)) + "\n");
        }
        if let Some(example) = &self.example {
            text += &example.text();
        }
        text
    }
}

impl Example {
    /// Writes the boards of a violation side by side.
    fn text(&self) -> String {
        let action = match self.action {
            Some((action, Some(direction))) => format!("action {action} ({direction}): "),
            Some((action, None)) => format!("action {action}: "),
            None => String::new(),
        };
        let line = format!("  Example: {action}{}", self.message);
        let mut text = wrap_line(&line, Some(WIDTH)) + "\n";
        let boards = [("before", self.before), ("expected", self.expected), ("seen", self.actual)];
        let boards: Vec<(&str, Vec<String>)> =
            boards.into_iter().filter_map(|(name, board)| Some((name, board_lines(board?)))).collect();
        if boards.is_empty() {
            return text;
        }
        let width = |(name, lines): &(&str, Vec<String>)| lines[0].len().max(name.len());
        let is_wide = boards.iter().map(|board| width(board) + GAP).sum::<usize>() > WIDTH;
        for boards in boards.chunks(if is_wide { 1 } else { boards.len() }) {
            for line_index in 0..5 {
                let cell = |(name, lines): &(&str, Vec<String>)| match line_index {
                    0 => (*name).to_owned(),
                    _ => lines[line_index - 1].clone(),
                };
                let cells = boards
                    .iter()
                    .map(|board| format!("{:GAP$}{:<width$}", "", cell(board), width = width(board)));
                text += &(cells.collect::<String>().trim_end().to_owned() + "\n");
            }
        }
        if self.expected.is_some() && self.before.is_some() && self.expected != self.before {
            text += "   (expected: the board after the slide, before the new tile)\n";
        }
        text
    }
}

/// Returns the four lines of a board. One space between cells, so that three boards fit.
fn board_lines(board: Cells) -> Vec<String> {
    let width = board.max_tile().to_string().len();
    let cell = |&value: &u32| {
        let text = if value == 0 { ".".to_owned() } else { value.to_string() };
        format!("{text:>width$}")
    };
    board.values().chunks(4).map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" ")).collect()
}
