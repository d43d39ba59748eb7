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

use gauntlet_cli::paint::{Ground, Ink, Picture};
use gauntlet_cli::say::{complain, print, screen};
use gauntlet_cli::terminal::{self, has_colours, order_for_reading, sort_by_strength};

/// The end of a run.
pub(super) struct Ending<'a> {
    /// The tables, their players by strength.
    tables: Vec<Table>,
    warnings: &'a [String],
    /// Folder of the tables.
    folder: &'a Path,
    /// How the tables were made; empty if this is not printed.
    how: String,
    summary: RunSummary,
    /// Suggested commands, each after its purpose.
    next: Vec<String>,
}

/// Lines that stay free for the prompt.
const PROMPT: usize = 1;

/// Lines for the names of tables without room, and an empty line.
const NAME_LINES: usize = 3;

/// The most rows of the table of strength, and the most answers of a table, on a terminal.
const MOST_ROWS: usize = 50;

impl<'a> Ending<'a> {
    /// Summarises the run that made these results. `more` explains how to play more games, if it is
    /// undecided which player is best.
    pub(super) fn new(
        results: &'a Results,
        tables: &[Table],
        warnings: &'a [String],
        how: String,
        more: Vec<String>,
    ) -> anyhow::Result<Ending<'a>> {
        let summary = RunSummary::new(results)?;
        let folder = &*results.folder;
        let place = quote_path(folder);
        let mut next = Vec::new();
        if summary.is_untested {
            next.push(format!("to compare these players: gauntlet compare {place}"));
        } else if summary.is_open && summary.can_narrow {
            next.extend(more);
        }
        let page = quote(&format!("{}.html", results.name()));
        next.push(format!("HTML report: gauntlet report {place} --out {page}"));
        Ok(Ending { tables: sort_by_strength(tables), warnings, folder, how, summary, next })
    }

    /// Prints it; on standard error if standard output is used for something else.
    pub(super) fn print(&self, is_to_stdout: bool) -> anyhow::Result<()> {
        match terminal::terminal_size() {
            _ if !is_to_stdout => complain(format_args!("{}", self.to_text().trim_end())),
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
        let mut cut = self.tables.clone();
        cut.iter_mut().for_each(|table| table.cut_names(&names));
        let whole = order_for_reading(&self.tables).into_iter();
        let pieces: Vec<Piece> = whole
            .zip(order_for_reading(&cut))
            .map(|(whole, table)| self.make_piece(whole, table, &cut, width))
            .collect();
        let always = pieces.iter().filter(|piece| piece.is_kept).map(|piece| piece.height(MOST_ROWS));
        let mut room = height.saturating_sub(PROMPT + NAME_LINES + tail.len() + always.sum::<usize>());
        let mut named: Vec<String> = Vec::new();
        let mut lines = Vec::new();
        for piece in pieces {
            let most = if piece.is_kept { MOST_ROWS } else { usize::MAX };
            if !piece.is_kept {
                let height = piece.height(most);
                if height > room {
                    named.push(piece.title);
                    continue;
                }
                room -= height;
            }
            let (title, is_narrow) = (piece.title.clone(), piece.is_narrow);
            let more = piece.append_to(most, &mut lines);
            if more > 0 {
                named.push(format!("{} of {title}", format_count(more as u64, "row")));
            }
            if is_narrow {
                named.push(format!("columns of {title}"));
            }
        }
        if !named.is_empty() {
            let told = format!("more: gauntlet report {} ({})", quote_path(self.folder), named.join(", "));
            lines.extend(wrap_line(&told, Some(width)).lines().map(|text| Line::new(text, Ink::Plain)));
            lines.push(Line::new("", Ink::Plain));
        }
        lines.extend(tail);
        lines
    }

    /// Returns the lines below the tables.
    fn lines_below_tables(&self, width: Option<usize>, names: &ShortNames) -> Vec<Line> {
        let is_shown = !self.summary.against.is_empty() && !self.summary.is_open;
        let mut lines = Vec::new();
        let mut say = |text: &str, ink| {
            lines.extend(wrap_line(&names.cut(text), width).lines().map(|text| Line::new(text, ink)));
        };
        self.warnings.iter().for_each(|warning| say(&format!("warning: {warning}"), Ink::Plain));
        say(&self.how, Ink::Plain);
        for (place, sentence) in self.summary.sentences.iter().enumerate() {
            say(sentence, if place == 0 && is_shown { Ink::Good } else { Ink::Plain });
        }
        if let Some(second) = &self.summary.second {
            let second = AnswerText { text: names.cut(&second.text), ..second.clone() };
            let second = AnswerText::align(&[second], width).concat();
            second.lines().for_each(|line| say(line, Ink::Plain));
        }
        self.next.iter().for_each(|next| say(next, Ink::Plain));
        lines
    }

    /// Formats a table with short names for the screen. `whole` is the same table with whole names.
    fn make_piece(&self, whole: &Table, table: &Table, beside: &[Table], width: usize) -> Piece {
        let title = table.name.to_owned();
        if let Some(answers) = table.answers() {
            let answers = AnswerText::align(&answers, Some(width));
            let rows = table.read_rows().zip(answers).map(|(VerdictSentence { verdict, .. }, answer)| {
                let ink = verdict.map_or(Ink::Plain, verdict_ink);
                answer.lines().map(|text| Line::new(text, ink)).collect()
            });
            return Piece { title, rows: rows.collect(), is_kept: true, ..Piece::default() };
        }
        let room = Some(TableWidth { width, all: "" });
        if let Some((_, sheet)) = terminal::shorten(table, beside, Some(width)) {
            let text = sheet.to_text(room);
            return Piece::from_text(title, &text, sheet.rows(), |_| Ink::Plain);
        }
        let is_strength = terminal::is_strength(table);
        let times = beside.iter().find(|table| table.name == MoveTimeRow::NAME).filter(|_| is_strength);
        let priced = times.map(|times| add_price(table, times));
        let table = priced.as_ref().unwrap_or(table);
        let rows: Vec<Row> = whole.rows().collect();
        let ink = |place: usize| match is_strength {
            true => self.player_ink(rows[place].words("player")),
            false => Ink::Plain,
        };
        let piece = Piece::from_text(title, &table.to_text(room), rows.len(), ink);
        Piece { is_kept: is_strength, ..piece }
    }

    /// Returns the colour of a player: green if it is better than others, red if it is worse than
    /// the leader; plain if undecided.
    fn player_ink(&self, player: &str) -> Ink {
        if self.summary.leader.as_deref() == Some(player) {
            let is_better = self.summary.against.values().any(|&shown| shown == Conclusion::Yes);
            return if is_better { Ink::Good } else { Ink::Plain };
        }
        match self.summary.against.get(player) {
            Some(Conclusion::Yes) => Ink::Bad,
            Some(Conclusion::Opposite) => Ink::Good,
            Some(Conclusion::Nothing) | None => Ink::Plain,
        }
    }
}

/// A line on the screen.
struct Line {
    text: String,
    ink: Ink,
}

impl Line {
    fn new(text: &str, ink: Ink) -> Line {
        Line { text: text.to_owned(), ink }
    }
}

fn to_picture(lines: &[Line]) -> Picture {
    let mut picture = Picture::default();
    for Line { text, ink } in lines {
        picture.begin_line();
        picture.add_span(*ink, Ground::Plain, &**text);
    }
    picture
}

/// A table on the screen.
#[derive(Default)]
struct Piece {
    title: String,
    head: Option<String>,
    /// Each row as one line, or a sentence as several.
    rows: Vec<Vec<Line>>,
    /// True if it is printed at any height of the terminal.
    is_kept: bool,
    /// True if its columns do not all fit.
    is_narrow: bool,
}

impl Piece {
    /// Splits the text of a table into a head and `count` rows, each with a colour.
    fn from_text(title: String, text: &str, count: usize, ink: impl Fn(usize) -> Ink) -> Piece {
        let mut lines = text.lines();
        let head = lines.next().map(str::to_owned);
        let rows = (0..count).zip(lines.by_ref());
        let rows = rows.map(|(place, text)| vec![Line::new(text, ink(place))]).collect();
        Piece { title, head, rows, is_narrow: lines.next().is_some(), ..Piece::default() }
    }

    /// Returns the number of its lines with at most `most` rows.
    fn height(&self, most: usize) -> usize {
        let rows = self.rows.iter().take(most);
        2 + usize::from(self.head.is_some()) + rows.map(Vec::len).sum::<usize>()
    }

    /// Appends it with at most `most` rows, and returns how many rows it omitted.
    fn append_to(self, most: usize, lines: &mut Vec<Line>) -> usize {
        let omitted = self.rows.len().saturating_sub(most);
        lines.push(Line::new(&self.title, Ink::Plain));
        lines.extend(self.head.map(|head| Line::new(&head, Ink::Plain)));
        lines.extend(self.rows.into_iter().take(most).flatten());
        lines.push(Line::new("", Ink::Plain));
        omitted
    }
}

/// Adds the cost per move to the table of players. Its interval is in the table of times.
fn add_price(strength: &Table, times: &Table) -> Table {
    let mut priced = strength.clone();
    let price = times.column_index("cpu_ms_per_move");
    priced.columns.push(times.columns[price]);
    let place = strength.column_index("player");
    for row in &mut priced.rows {
        let known = times.rows.iter().find(|times| times[0] == row[place]);
        row.push(known.map_or(Cell::Nothing, |times| times[price].clone()));
    }
    priced
}

/// Returns the colour of a sentence with this verdict; plain if it is undecided.
fn verdict_ink(verdict: Verdict) -> Ink {
    match verdict.tone() {
        VerdictTone::Good => Ink::Good,
        VerdictTone::Bad => Ink::Bad,
        VerdictTone::Open => Ink::Plain,
    }
}
