//! Tables as the page shows them, and as a reader takes them along.

use std::fmt::Write;

use crate::table::{self, Table};

/// A table as the page shows it.
pub(super) struct TableView {
    /// Its CSV's name.
    pub(super) name: &'static str,
    pub(super) heads: Vec<Head>,
    pub(super) rows: Vec<Vec<CellView>>,
}

pub(super) struct Head {
    pub(super) text: String,
    /// Words stand on the left, numbers on the right.
    pub(super) words: bool,
}

pub(super) struct CellView {
    pub(super) text: String,
    pub(super) words: bool,
    /// How a verdict is marked; empty if it is none.
    pub(super) mark: &'static str,
}

impl TableView {
    pub(super) fn of(table: &Table) -> TableView {
        let (heads, rows) = table.folded();
        let cell = |(head, text): (&table::Head, String)| {
            let mark = if head.column == "verdict" { mark(&text) } else { "" };
            CellView { text, words: head.is_words, mark }
        };
        let rows = rows.into_iter().map(|row| heads.iter().zip(row).map(cell).collect()).collect();
        let heads = heads.iter().map(|head| Head { text: head.text.clone(), words: head.is_words }).collect();
        TableView { name: table.name, heads, rows }
    }
}

/// How a verdict is marked, beside its words.
pub(super) fn mark(verdict: &str) -> &'static str {
    match verdict {
        "shown" | "reproduced" | "seen" | "better" => "good",
        "the opposite is shown" | "worse" | "not reproduced" => "bad",
        "" => "",
        _ => "open",
    }
}

/// A table's CSV inside the page.
pub(super) struct Download {
    /// The name of the file.
    pub(super) name: String,
    /// Its content, as an address.
    pub(super) address: String,
}

impl Download {
    pub(super) fn of(table: &Table) -> Download {
        let mut address = "data:text/csv;charset=utf-8,".to_owned();
        for byte in table.to_csv() {
            if byte.is_ascii_alphanumeric() || b"-_.~,".contains(&byte) {
                address.push(char::from(byte));
            } else {
                write!(address, "%{byte:02X}").expect("writing to memory does not fail");
            }
        }
        Download { name: format!("{}.csv", table.name), address }
    }
}
