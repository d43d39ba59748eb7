//! A table as data, and its forms: CSV, aligned text, Markdown. All forms come from the one table.

use comfy_table::{CellAlignment, ContentArrangement, Table as Aligned, presets};

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

    /// A part of a whole in per cent; where that is no number, as it is.
    fn percent(&self) -> String {
        let text = self.text();
        text.parse::<f64>().map_or(text, |part| format!("{:.2}", 100.0 * part))
    }

    fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Whole(number) => number.to_string(),
            Cell::Real(number, decimals) => {
                let text = format!("{number:.decimals$}");
                // A little below 0 is written as 0, not as -0.
                let zero = text.bytes().all(|digit| matches!(digit, b'-' | b'0' | b'.'));
                if zero { text.trim_start_matches('-').to_owned() } else { text }
            }
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

    /// The table for a person on a terminal: columns aligned, each estimate with its interval in one column.
    pub fn to_text(&self) -> String {
        let (heads, rows) = self.folded();
        let mut aligned = Aligned::new();
        aligned.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        aligned.set_header(heads);
        for row in rows {
            aligned.add_row(row);
        }
        for (i, column) in aligned.column_iter_mut().enumerate() {
            column.set_padding((if i == 0 { 0 } else { 2 }, 0));
            column.set_cell_alignment(if i == 0 { CellAlignment::Left } else { CellAlignment::Right });
        }
        aligned.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// The table for a document.
    pub fn to_markdown(&self) -> String {
        let (heads, rows) = self.folded();
        let line = |cells: Vec<String>| {
            format!(
                "| {} |\n",
                cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | ")
            )
        };
        let rule =
            heads.iter().enumerate().map(|(i, _)| if i == 0 { "---" } else { "---:" }.to_owned()).collect();
        let mut text = line(heads) + &line(rule);
        text.extend(rows.into_iter().map(line));
        text
    }

    /// Names and rows as people read them: every `x`, `x_low`, `x_high` in one column `x [low, high]`, rates and
    /// shares in per cent.
    fn folded(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let bound =
            |of: &str, end: &str| self.columns.iter().position(|column| column.strip_suffix(end) == Some(of));
        let shown: Vec<(usize, Option<(usize, usize)>)> = (0..self.columns.len())
            .filter(|&i| !is_bound(&self.columns[i]))
            .map(|i| (i, bound(&self.columns[i], "_low").zip(bound(&self.columns[i], "_high"))))
            .collect();
        let heads = shown.iter().map(|&(i, bounds)| {
            let name = self.columns[i].replace('_', " ") + if is_part(&self.columns[i]) { " %" } else { "" };
            if bounds.is_some() { name + " [95 %]" } else { name }
        });
        let rows = self.rows.iter().map(|row| {
            let text = |i: usize| if is_part(&self.columns[i]) { row[i].percent() } else { row[i].text() };
            let cell = |&(i, bounds): &(usize, Option<(usize, usize)>)| match bounds {
                Some((low, high)) if !text(low).is_empty() => {
                    format!("{} [{}, {}]", text(i), text(low), text(high))
                }
                _ => text(i),
            };
            shown.iter().map(cell).collect()
        });
        (heads.collect(), rows.collect())
    }
}

/// Whether a column holds parts of a whole.
fn is_part(column: &str) -> bool {
    let name = column.strip_suffix("_low").or(column.strip_suffix("_high")).unwrap_or(column);
    name == "share" || name.ends_with("rate")
}

fn is_bound(column: &str) -> bool {
    column.ends_with("_low") || column.ends_with("_high")
}
