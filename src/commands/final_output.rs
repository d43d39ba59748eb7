//! The end of a run on the terminal: its tables, what they show, and what to type next. On a
//! terminal, the table of strength and the verdicts are always printed, other tables if they fit.

use std::path::Path;

use gauntlet_analysis::answer::VerdictSentence;
use gauntlet_analysis::compare::question::Conclusion;
use gauntlet_analysis::compare::verdict::{Verdict, VerdictTone};
use gauntlet_analysis::results::analysis::summary::RunSummary;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::tables::times::MoveTimeRow;
use gauntlet_core::table::{AnswerText, Cell, Row, Table, TableWidth, TypedRow};
use gauntlet_core::text::names::ShortNames;
use gauntlet_core::text::{format_count, quote, quote_path, wrap_line};

use gauntlet_cli::output::{print, print_message, screen};
use gauntlet_cli::picture::{Background, Picture, TextColour};
use gauntlet_cli::terminal::{self, has_colours, order_for_reading, sort_by_strength};

/// The end of a run.
pub(super) struct FinalOutput<'a> {
    /// The tables, their players by strength.
    tables: Vec<Table>,
    warnings: &'a [String],
    /// Folder of the tables.
    folder: &'a Path,
    /// How the tables were made; empty if this is not printed.
    origin: String,
    summary: RunSummary,
    /// Suggested commands, each after its purpose.
    next_commands: Vec<String>,
}

/// Lines that stay free for the prompt.
const PROMPT: usize = 1;

/// Lines for the names of tables without room, and an empty line.
const NAME_LINES: usize = 3;

/// The most rows of the table of strength, and the most answers of a table, on a terminal.
const MAX_ROWS: usize = 50;

impl<'a> FinalOutput<'a> {
    /// Summarises the run that made these results. `more` explains how to play more games, if it is
    /// undecided which player is best.
    pub(super) fn new(
        results: &'a Results,
        tables: &[Table],
        warnings: &'a [String],
        origin: String,
        suggestions: Vec<String>,
    ) -> anyhow::Result<FinalOutput<'a>> {
        let summary = RunSummary::new(results)?;
        let folder = &*results.folder;
        let quoted_folder = quote_path(folder);
        let mut next_commands = Vec::new();
        if summary.is_untested {
            next_commands.push(format!("to compare these players: gauntlet compare {quoted_folder}"));
        } else if summary.is_open && summary.can_narrow {
            next_commands.extend(suggestions);
        }
        let html_page = quote(&format!("{}.html", results.name()));
        next_commands.push(format!("HTML report: gauntlet report {quoted_folder} --out {html_page}"));
        Ok(FinalOutput { tables: sort_by_strength(tables), warnings, folder, origin, summary, next_commands })
    }

    /// Prints it; on standard error if standard output is used for something else.
    pub(super) fn print(&self, is_to_stdout: bool) -> anyhow::Result<()> {
        match terminal::terminal_size() {
            _ if !is_to_stdout => print_message(format_args!("{}", self.to_text().trim_end())),
            Some((width, height)) => {
                screen().paint(&to_picture(&self.to_lines(width, height)), has_colours())?;
            }
            None => print(&self.to_text())?,
        }
        Ok(())
    }

    /// Returns the full text, for a file.
    fn to_text(&self) -> String {
        let tail: String = self
            .lines_below_tables(None, &ShortNames::default())
            .into_iter()
            .map(|line| line.text + "\n")
            .collect();
        terminal::format_tables(&self.tables, self.folder, false) + &tail
    }

    /// Returns the lines for a terminal of this size. The table of strength and the verdicts are
    /// always printed; other tables if all of their lines fit on the screen.
    fn to_lines(&self, width: usize, height: usize) -> Vec<Line> {
        let names = terminal::short_names(&self.tables, Some(width));
        let tail = self.lines_below_tables(Some(width), &names);
        let mut cut_tables = self.tables.clone();
        cut_tables.iter_mut().for_each(|table| table.cut_names(&names));
        let whole_tables = order_for_reading(&self.tables).into_iter();
        let screen_tables: Vec<ScreenTable> = whole_tables
            .zip(order_for_reading(&cut_tables))
            .map(|(whole_table, table)| self.make_screen_table(whole_table, table, &cut_tables, width))
            .collect();
        let kept_heights =
            screen_tables.iter().filter(|table| table.is_always_shown).map(|table| table.height(MAX_ROWS));
        let mut free_lines =
            height.saturating_sub(PROMPT + NAME_LINES + tail.len() + kept_heights.sum::<usize>());
        let mut omitted_parts: Vec<String> = Vec::new();
        let mut lines = Vec::new();
        for screen_table in screen_tables {
            let max_rows = if screen_table.is_always_shown { MAX_ROWS } else { usize::MAX };
            if !screen_table.is_always_shown {
                let height = screen_table.height(max_rows);
                if height > free_lines {
                    omitted_parts.push(screen_table.title);
                    continue;
                }
                free_lines -= height;
            }
            let (title, is_narrow) = (screen_table.title.clone(), screen_table.is_narrow);
            let omitted_rows = screen_table.append_to(max_rows, &mut lines);
            if omitted_rows > 0 {
                omitted_parts.push(format!("{} of {title}", format_count(omitted_rows as u64, "row")));
            }
            if is_narrow {
                omitted_parts.push(format!("columns of {title}"));
            }
        }
        if !omitted_parts.is_empty() {
            let note =
                format!("more: gauntlet report {} ({})", quote_path(self.folder), omitted_parts.join(", "));
            lines
                .extend(wrap_line(&note, Some(width)).lines().map(|text| Line::new(text, TextColour::Plain)));
            lines.push(Line::new("", TextColour::Plain));
        }
        lines.extend(tail);
        lines
    }

    /// Returns the lines below the tables.
    fn lines_below_tables(&self, width: Option<usize>, names: &ShortNames) -> Vec<Line> {
        let is_decided = !self.summary.conclusions.is_empty() && !self.summary.is_open;
        let mut lines = Vec::new();
        let mut add_text = |text: &str, ink| {
            lines.extend(wrap_line(&names.cut(text), width).lines().map(|text| Line::new(text, ink)));
        };
        self.warnings.iter().for_each(|warning| add_text(&format!("warning: {warning}"), TextColour::Plain));
        add_text(&self.origin, TextColour::Plain);
        for (index, sentence) in self.summary.sentences.iter().enumerate() {
            add_text(sentence, if index == 0 && is_decided { TextColour::Good } else { TextColour::Plain });
        }
        if let Some(second) = &self.summary.runner_up_answer {
            let second = AnswerText { text: names.cut(&second.text), ..second.clone() };
            let second = AnswerText::align(&[second], width).concat();
            second.lines().for_each(|line| add_text(line, TextColour::Plain));
        }
        self.next_commands.iter().for_each(|command| add_text(command, TextColour::Plain));
        lines
    }

    /// Formats a table with short names for the screen. `whole` is the same table with whole names.
    fn make_screen_table(
        &self,
        whole_table: &Table,
        table: &Table,
        all_tables: &[Table],
        width: usize,
    ) -> ScreenTable {
        let title = table.name.to_owned();
        if let Some(answers) = table.answers() {
            let answers = AnswerText::align(&answers, Some(width));
            let rows = table.read_rows().zip(answers).map(|(VerdictSentence { verdict, .. }, answer)| {
                let ink = verdict.map_or(TextColour::Plain, verdict_ink);
                answer.lines().map(|text| Line::new(text, ink)).collect()
            });
            return ScreenTable {
                title,
                rows: rows.collect(),
                is_always_shown: true,
                ..ScreenTable::default()
            };
        }
        let table_width = Some(TableWidth { width, full_table_hint: "" });
        if let Some((_, text_table)) = terminal::shorten(table, all_tables, Some(width)) {
            let text = text_table.to_text(table_width);
            return ScreenTable::from_text(title, &text, text_table.rows(), |_| TextColour::Plain);
        }
        let is_strength = terminal::is_strength(table);
        let times = all_tables.iter().find(|table| table.name == MoveTimeRow::NAME).filter(|_| is_strength);
        let priced_table = times.map(|times| add_move_cost(table, times));
        let table = priced_table.as_ref().unwrap_or(table);
        let rows: Vec<Row> = whole_table.rows().collect();
        let ink = |row_index: usize| match is_strength {
            true => self.player_ink(rows[row_index].words("player")),
            false => TextColour::Plain,
        };
        let screen_table = ScreenTable::from_text(title, &table.to_text(table_width), rows.len(), ink);
        ScreenTable { is_always_shown: is_strength, ..screen_table }
    }

    /// Returns the colour of a player: green if it is better than others, red if it is worse than
    /// the leader; plain if undecided.
    fn player_ink(&self, player: &str) -> TextColour {
        if self.summary.leader.as_deref() == Some(player) {
            let is_better =
                self.summary.conclusions.values().any(|&conclusion| conclusion == Conclusion::Yes);
            return if is_better { TextColour::Good } else { TextColour::Plain };
        }
        match self.summary.conclusions.get(player) {
            Some(Conclusion::Yes) => TextColour::Bad,
            Some(Conclusion::Opposite) => TextColour::Good,
            Some(Conclusion::Inconclusive) | None => TextColour::Plain,
        }
    }
}

/// A line on the screen.
struct Line {
    text: String,
    ink: TextColour,
}

impl Line {
    fn new(text: &str, ink: TextColour) -> Line {
        Line { text: text.to_owned(), ink }
    }
}

fn to_picture(lines: &[Line]) -> Picture {
    let mut picture = Picture::default();
    for Line { text, ink } in lines {
        picture.begin_line();
        picture.add_span(*ink, Background::Plain, &**text);
    }
    picture
}

/// A table on the screen.
#[derive(Default)]
struct ScreenTable {
    title: String,
    header: Option<String>,
    /// Each row as one line, or a sentence as several.
    rows: Vec<Vec<Line>>,
    /// True if it is printed at any height of the terminal.
    is_always_shown: bool,
    /// True if its columns do not all fit.
    is_narrow: bool,
}

impl ScreenTable {
    /// Splits the text of a table into a head and `count` rows, each with a colour.
    fn from_text(title: String, text: &str, count: usize, ink: impl Fn(usize) -> TextColour) -> ScreenTable {
        let mut lines = text.lines();
        let header = lines.next().map(str::to_owned);
        let rows = (0..count).zip(lines.by_ref());
        let rows = rows.map(|(index, text)| vec![Line::new(text, ink(index))]).collect();
        ScreenTable { title, header, rows, is_narrow: lines.next().is_some(), ..ScreenTable::default() }
    }

    /// Returns the number of its lines with at most `most` rows.
    fn height(&self, max_rows: usize) -> usize {
        let rows = self.rows.iter().take(max_rows);
        2 + usize::from(self.header.is_some()) + rows.map(Vec::len).sum::<usize>()
    }

    /// Appends it with at most `most` rows, and returns how many rows it omitted.
    fn append_to(self, max_rows: usize, lines: &mut Vec<Line>) -> usize {
        let omitted = self.rows.len().saturating_sub(max_rows);
        lines.push(Line::new(&self.title, TextColour::Plain));
        lines.extend(self.header.map(|header| Line::new(&header, TextColour::Plain)));
        lines.extend(self.rows.into_iter().take(max_rows).flatten());
        lines.push(Line::new("", TextColour::Plain));
        omitted
    }
}

/// Adds the cost per move to the table of players. Its interval is in the table of times.
fn add_move_cost(strength: &Table, time_row: &Table) -> Table {
    let mut with_cost = strength.clone();
    let cost_column = time_row.column_index("cpu_ms_per_move");
    with_cost.columns.push(time_row.columns[cost_column]);
    let player_column = strength.column_index("player");
    for row in &mut with_cost.rows {
        let matching_row = time_row.rows.iter().find(|times| times[0] == row[player_column]);
        row.push(matching_row.map_or(Cell::Nothing, |time_row| time_row[cost_column].clone()));
    }
    with_cost
}

/// Returns the colour of a sentence with this verdict; plain if it is undecided.
fn verdict_ink(verdict: Verdict) -> TextColour {
    match verdict.tone() {
        VerdictTone::Good => TextColour::Good,
        VerdictTone::Bad => TextColour::Bad,
        VerdictTone::Open => TextColour::Plain,
    }
}
