//! Tables as the page shows them, and as files to download.

use std::fmt::Write;

use gauntlet_analysis::compare::verdict::{Verdict, VerdictTone};
use gauntlet_core::table::{CellKind, ColumnHeading, Row, Table};

/// A table as the page shows it.
pub(super) struct TableView {
    /// Name of its CSV file.
    pub(super) name: &'static str,
    pub(super) heads: Vec<Head>,
    pub(super) rows: Vec<Vec<CellView>>,
    /// The file to download.
    pub(super) download: Option<Download>,
}

#[derive(Clone)]
pub(super) struct Head {
    pub(super) text: String,
    /// True for words, which are left-aligned; numbers are right-aligned.
    pub(super) words: bool,
    /// The column below this head; the first one if there are several.
    pub(super) column: &'static str,
}

#[derive(Clone)]
pub(super) struct CellView {
    pub(super) text: String,
    /// A line below the text; empty if there is none.
    pub(super) below: String,
    pub(super) words: bool,
    /// True if it is a whole sentence.
    pub(super) sentence: bool,
    /// Mark of a verdict; empty if it is none.
    pub(super) mark: &'static str,
}

impl TableView {
    /// Returns a view of the whole table. If it has answers, columns that are empty in all rows are
    /// omitted, because most comparisons have one measure.
    pub(super) fn new(table: &Table) -> TableView {
        let view = TableView::with_all_columns(table);
        if table.columns.iter().all(|column| !matches!(column.kind, CellKind::Answer)) {
            return view;
        }
        let is_filled = |place: usize| view.rows.iter().any(|row| !row[place].text.is_empty());
        let filled = (0..view.heads.len()).filter(|&place| is_filled(place));
        view.select_columns(&filled.map(|place| view.heads[place].column).collect::<Vec<_>>())
    }

    fn with_all_columns(table: &Table) -> TableView {
        let (heads, rows) = table.fold_columns();
        let cell = |row: Row, head: &ColumnHeading, text: String| {
            let is_verdict = matches!(head.column.kind, CellKind::Verdict { .. });
            let verdict = Verdict::from_word(row.words(head.column.name)).filter(|_| is_verdict);
            let sentence = matches!(head.column.kind, CellKind::Answer);
            let mark = verdict.map_or("", mark);
            CellView { text, below: String::new(), words: head.column.is_words(), sentence, mark }
        };
        let rows = table
            .rows()
            .zip(rows)
            .map(|(row, texts)| heads.iter().zip(texts).map(|(head, text)| cell(row, head, text)).collect());
        let rows = rows.collect();
        let heads = heads.iter().map(|head| Head {
            text: head.text.clone(),
            words: head.column.is_words(),
            column: head.column.name,
        });
        TableView { name: table.name, heads: heads.collect(), rows, download: Some(Download::new(table)) }
    }

    /// Returns a view of these columns only. The table to download stays complete.
    pub(super) fn select_columns(&self, columns: &[&str]) -> TableView {
        let place = |column: &&str| self.heads.iter().position(|head| head.column == *column);
        let places: Vec<usize> = columns.iter().filter_map(place).collect();
        let heads = places.iter().map(|&place| self.heads[place].clone()).collect();
        let row = |row: &Vec<CellView>| places.iter().map(|&place| row[place].clone()).collect();
        let rows = self.rows.iter().map(row).collect();
        TableView { name: self.name, heads, rows, download: self.download.clone() }
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
