//! Tables as the page shows them, and as files to download.

use std::fmt::Write;

use gauntlet_analysis::compare::verdict::{Verdict, VerdictTone};
use gauntlet_core::table::{CellKind, ColumnHeading, Row, Table};

/// A table as the page shows it.
pub(super) struct TableView {
    /// Name of its CSV file.
    pub(super) name: &'static str,
    pub(super) headers: Vec<Header>,
    pub(super) rows: Vec<Vec<CellView>>,
    /// The file to download.
    pub(super) download: Option<Download>,
}

#[derive(Clone)]
pub(super) struct Header {
    pub(super) text: String,
    /// True for words, which are left-aligned; numbers are right-aligned.
    pub(super) is_words: bool,
    /// The column below this head; the first one if there are several.
    pub(super) column: &'static str,
}

#[derive(Clone)]
pub(super) struct CellView {
    pub(super) text: String,
    /// A line below the text; empty if there is none.
    pub(super) second_line: String,
    pub(super) is_words: bool,
    /// True if it is a whole sentence.
    pub(super) is_sentence: bool,
    /// Mark of a verdict; empty if it is none.
    pub(super) mark: &'static str,
}

impl TableView {
    /// Returns a view of the whole table. If it has answers, columns that are empty in all rows are
    /// omitted, because most comparisons have one measure.
    pub(super) fn new(table: &Table) -> TableView {
        let view = TableView::with_all_columns(table);
        let has_answers = table.columns.iter().any(|column| matches!(column.kind, CellKind::Answer));
        if has_answers { view.without_empty_columns() } else { view }
    }

    /// Returns a view of the table with its empty columns.
    pub(super) fn with_all_columns(table: &Table) -> TableView {
        let (headings, rows) = table.fold_columns();
        let cell = |row: Row, heading: &ColumnHeading, text: String| {
            let is_verdict = matches!(heading.column.kind, CellKind::Verdict { .. });
            let verdict = Verdict::from_word(row.words(heading.column.name)).filter(|_| is_verdict);
            let is_sentence = matches!(heading.column.kind, CellKind::Answer);
            let mark = verdict.map_or("", mark);
            CellView {
                text,
                second_line: String::new(),
                is_words: heading.column.is_words(),
                is_sentence,
                mark,
            }
        };
        let rows = table.rows().zip(rows).map(|(row, texts)| {
            headings.iter().zip(texts).map(|(heading, text)| cell(row, heading, text)).collect()
        });
        let rows = rows.collect();
        let headers = headings.iter().map(|heading| Header {
            text: heading.text.clone(),
            is_words: heading.column.is_words(),
            column: heading.column.name,
        });
        TableView { name: table.name, headers: headers.collect(), rows, download: Some(Download::new(table)) }
    }

    /// Returns a view without the columns that are empty in all rows.
    pub(super) fn without_empty_columns(&self) -> TableView {
        let is_filled = |index: usize| self.rows.iter().any(|row| !row[index].text.is_empty());
        let filled_columns = (0..self.headers.len()).filter(|&index| is_filled(index));
        self.select_columns(&filled_columns.map(|index| self.headers[index].column).collect::<Vec<_>>())
    }

    /// Returns a view of these columns only. The table to download stays complete.
    pub(super) fn select_columns(&self, columns: &[&str]) -> TableView {
        let index_of = |column: &&str| self.headers.iter().position(|header| header.column == *column);
        let indices: Vec<usize> = columns.iter().filter_map(index_of).collect();
        let headers = indices.iter().map(|&index| self.headers[index].clone()).collect();
        let row = |row: &Vec<CellView>| indices.iter().map(|&index| row[index].clone()).collect();
        let rows = self.rows.iter().map(row).collect();
        TableView { name: self.name, headers, rows, download: self.download.clone() }
    }
}

/// Returns the mark of a verdict, shown with its words.
pub(super) fn mark(verdict: Verdict) -> &'static str {
    match verdict.tone() {
        VerdictTone::Good => "good",
        VerdictTone::Bad => "bad",
        VerdictTone::Open => "open",
    }
}

/// A file inside the page.
#[derive(Clone, Debug)]
pub(super) struct Download {
    pub(super) name: String,
    /// Its content, as a data URL.
    pub(super) address: String,
}

impl Download {
    pub(super) fn new(table: &Table) -> Download {
        Download::with_name(table, table.name)
    }

    /// Returns a table as a download with another file name.
    pub(super) fn with_name(table: &Table, name: &str) -> Download {
        let address = format!("data:text/csv;charset=utf-8,{}", percent_encode(&table.to_csv()));
        Download { name: format!("{name}.csv"), address }
    }

    /// Returns any file as a download.
    pub(super) fn from_bytes(name: &str, content: &[u8]) -> Download {
        let address = format!("data:text/plain;charset=utf-8,{}", percent_encode(content));
        Download { name: name.to_owned(), address }
    }
}

/// Percent-encodes bytes for a URL.
pub(super) fn percent_encode(bytes: &[u8]) -> String {
    let mut address = String::new();
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-_.~,".contains(&byte) {
            address.push(char::from(byte));
        } else {
            write!(address, "%{byte:02X}").expect("writing to memory does not fail");
        }
    }
    address
}
