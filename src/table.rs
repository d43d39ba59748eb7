//! A table as data, and its forms: CSV, JSON, aligned text, Markdown. All forms come from the one table.

use comfy_table::{CellAlignment, ContentArrangement, Table as Aligned, presets};
use serde_json::{Number, Value, json};

use crate::measure::What;

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What it is called, and its file: `<name>.csv`.
    pub name: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Rows of as many cells as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// A count.
    Whole(u64),
    /// A measured number, and how many decimals of it are worth writing.
    Real(f64, usize),
    /// A probability, which may be very small.
    Probability(f64),
    /// There is no such number: the mean of no game, the bounds of one.
    Nothing,
}

impl Cell {
    /// A number that may not exist.
    pub fn real(number: Option<f64>, decimals: usize) -> Cell {
        number
            .filter(|number| number.is_finite())
            .map_or(Cell::Nothing, |number| Cell::Real(number, decimals))
    }

    /// A number with the digits that it was written with, as far as they say something.
    pub fn as_printed(number: f64) -> Cell {
        let decimals = number.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
        Cell::Real(number, decimals)
    }

    /// A part of a whole in per cent; where that is no number, as it is.
    fn percent(&self, decimals: usize) -> String {
        let text = self.text();
        text.parse::<f64>().map_or(text, |part| format!("{:.decimals$}", 100.0 * part))
    }

    /// The cell as it stands in a file.
    pub fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Whole(number) => number.to_string(),
            Cell::Real(number, decimals) => {
                let text = format!("{number:.decimals$}");
                // A little below 0 is written as 0, not as -0.
                let zero = text.bytes().all(|digit| matches!(digit, b'-' | b'0' | b'.'));
                if zero { text.trim_start_matches('-').to_owned() } else { text }
            }
            Cell::Probability(0.0) => "0".to_owned(),
            Cell::Probability(p) if *p < 0.001 && *p > 0.0 => format!("{p:.2e}"),
            Cell::Probability(p) => format!("{p:.4}"),
            Cell::Nothing => String::new(),
        }
    }
}

impl Table {
    /// A table of these columns.
    pub fn new(name: &str, columns: &[&str], rows: Vec<Vec<Cell>>) -> Table {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Table { name: name.to_owned(), columns, rows }
    }

    /// The table as CSV, with a line of column names.
    pub fn to_csv(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let written = writer.write_record(&self.columns).and_then(|()| {
            self.rows.iter().try_for_each(|row| writer.write_record(row.iter().map(Cell::text)))
        });
        written.expect("writing to memory does not fail");
        writer.into_inner().expect("writing to memory does not fail")
    }

    /// A table read back from its CSV. Its cells are text: good for showing, not for counting.
    pub fn from_csv(name: &str, csv: &[u8]) -> anyhow::Result<Table> {
        let mut reader = csv::Reader::from_reader(csv);
        let columns = reader.headers()?.iter().map(str::to_owned).collect();
        let row = |row: csv::StringRecord| row.iter().map(|cell| Cell::Text(cell.to_owned())).collect();
        let rows = reader.records().map(|record| record.map(row)).collect::<Result<_, _>>()?;
        Ok(Table { name: name.to_owned(), columns, rows })
    }

    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The answers of a table that gives some: what a person wants to read of it.
    pub fn answers(&self) -> Option<Vec<String>> {
        let answer = self.column("answer")?;
        Some(self.rows.iter().map(|row| row[answer].text()).collect())
    }

    /// The table as JSON: its name, and each row as an object. Numbers are numbers and what is not there is `null`.
    pub fn to_json(&self) -> Value {
        let cell = |(column, cell): (&String, &Cell)| {
            let text = cell.text();
            let number = serde_json::from_str::<Number>(&text).ok().filter(|_| !holds_words(column));
            let value = match number {
                _ if text.is_empty() && !matches!(cell, Cell::Text(_) if holds_words(column)) => Value::Null,
                Some(number) => Value::Number(number),
                None => Value::String(text),
            };
            (column.clone(), value)
        };
        let row = |row: &Vec<Cell>| Value::Object(self.columns.iter().zip(row).map(cell).collect());
        json!({ "name": self.name, "rows": self.rows.iter().map(row).collect::<Vec<_>>() })
    }

    /// The table for a person on a terminal: columns aligned, each estimate with its interval in one column; or the
    /// answers, where it gives some.
    pub fn to_text(&self) -> String {
        if let Some(answers) = self.answers() {
            return answers.into_iter().map(|answer| answer + "\n").collect();
        }
        let (heads, rows) = self.folded();
        let mut aligned = Aligned::new();
        aligned.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        let is_words: Vec<bool> = heads.iter().enumerate().map(is_words).collect();
        aligned.set_header(heads);
        for row in rows {
            aligned.add_row(row);
        }
        for (i, column) in aligned.column_iter_mut().enumerate() {
            column.set_padding((if i == 0 { 0 } else { 2 }, 0));
            let is_words = is_words[i];
            column.set_cell_alignment(if is_words { CellAlignment::Left } else { CellAlignment::Right });
        }
        aligned.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// The table for a document, or its answers as a list.
    pub fn to_markdown(&self) -> String {
        if let Some(answers) = self.answers() {
            return answers.into_iter().map(|answer| format!("- {}\n", escaped(&answer))).collect();
        }
        let (heads, rows) = self.folded();
        let line = |cells: Vec<String>| {
            format!("| {} |\n", cells.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" | "))
        };
        let rule = |head| if is_words(head) { "---" } else { "---:" }.to_owned();
        let rule = heads.iter().enumerate().map(rule).collect();
        let mut text = line(heads) + &line(rule);
        text.extend(rows.into_iter().map(line));
        text
    }

    /// Names and rows as people read them: every `x`, `x_low`, `x_high` in one column `x [low, high]`, every `x_from`,
    /// `x_to` in one column `x`, rates and shares in per cent.
    pub(super) fn folded(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let shown: Vec<Shown> = (0..self.columns.len()).filter_map(|i| self.shown(i)).collect();
        // Where each row has a level of its own, the head has none.
        let level = if self.column("level").is_some() { " [at level]" } else { " [95 %]" };
        let heads = shown.iter().map(|&shown| {
            let name = |i: usize, less: &str| {
                let column = &self.columns[i];
                let unit = if is_part(column) { " %" } else { "" };
                column.strip_suffix(less).unwrap_or(column).replace('_', " ") + unit
            };
            match shown {
                Shown::Alone(i) => name(i, ""),
                Shown::Within(i, ..) => name(i, "") + level,
                Shown::FromTo(i, _) => name(i, "_from"),
            }
        });
        let what = self.columns.iter().position(|column| column == "what");
        let rows = self.rows.iter().map(|row| {
            // Where each row says what it is about, so does the unit stand in each.
            let what = what.and_then(|i| What::find(&row[i].text()));
            let (is_rate, unit) = if what.is_some_and(What::is_rate) { (true, " %") } else { (false, "") };
            let text = |i: usize| if is_part(&self.columns[i]) { row[i].percent(2) } else { row[i].text() };
            let number = |i: usize| if is_rate { row[i].percent(2) } else { text(i) };
            let cell = |&shown: &Shown| match shown {
                Shown::Within(i, low, high) if !text(low).is_empty() => {
                    format!("{}{unit} [{}, {}]", number(i), number(low), number(high))
                }
                Shown::Within(i, ..) if !text(i).is_empty() => number(i) + unit,
                Shown::FromTo(from, to) => {
                    // Published numbers have the digits that they were published with.
                    let printed = |i: usize| {
                        let decimals = text(i).split_once('.').map_or(0, |(_, decimals)| decimals.len());
                        if is_rate { row[i].percent(decimals.saturating_sub(2)) } else { text(i) }
                    };
                    let from = Some(printed(from)).filter(|from| *from != printed(to));
                    from.map_or(String::new(), |from| from + " to ") + &printed(to) + unit
                }
                Shown::Alone(i) | Shown::Within(i, ..) => text(i),
            };
            shown.iter().map(cell).collect()
        });
        (heads.collect(), rows.collect())
    }

    /// How a column is shown, if it is not shown with another.
    fn shown(&self, i: usize) -> Option<Shown> {
        let find = |root: &str, end: &str| {
            self.columns.iter().position(|column| column.strip_suffix(end) == Some(root))
        };
        let column = &self.columns[i];
        if is_bound(column) || column.strip_suffix("_to").is_some_and(|root| find(root, "_from").is_some()) {
            return None;
        }
        if let Some(to) = column.strip_suffix("_from").and_then(|root| find(root, "_to")) {
            return Some(Shown::FromTo(i, to));
        }
        let bounds = find(column, "_low").zip(find(column, "_high"));
        Some(bounds.map_or(Shown::Alone(i), |(low, high)| Shown::Within(i, low, high)))
    }
}

/// Text that a document shows as it is, and does not take for a border or a tag.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

/// A column as people read it, by the places of the columns it is made of.
#[derive(Clone, Copy)]
enum Shown {
    Alone(usize),
    /// An estimate and its bounds.
    Within(usize, usize, usize),
    /// A range.
    FromTo(usize, usize),
}

/// Whether a column, by its place and its head, holds words rather than numbers.
pub(super) fn is_words((place, head): (usize, &String)) -> bool {
    place == 0 || holds_words(head)
}

/// Whether a column is of words by its name.
fn holds_words(column: &str) -> bool {
    const WORDS: [&str; 11] = [
        "player", "than", "what", "by", "method", "pairing", "results", "verdict", "answer", "source",
        "design",
    ];
    WORDS.contains(&column)
}

/// Whether a column holds parts of a whole.
fn is_part(column: &str) -> bool {
    let name = column.strip_suffix("_low").or(column.strip_suffix("_high")).unwrap_or(column);
    name == "share" || name.ends_with("rate")
}

fn is_bound(column: &str) -> bool {
    column.ends_with("_low") || column.ends_with("_high")
}
