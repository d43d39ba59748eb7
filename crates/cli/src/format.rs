//! `--format`: the forms in which a command prints its tables.

use gauntlet_analysis::results::tables::crosstable::sort_by_rating;
use gauntlet_analysis::results::tables::settings;
use gauntlet_core::table::Table;
use gauntlet_core::text::escape;
use serde_json::{Map, Value, json};

use crate::exit::Usage;
use crate::terminal::format_table;

/// A form of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Aligned columns
    #[default]
    Text,
    /// Comma-separated values with a header
    Csv,
    /// JSON object with a schema version
    Json,
    /// Markdown table
    Markdown,
    /// LaTeX table for the package booktabs
    Latex,
}

/// Version of the JSON, which changes if readers would break.
const SCHEMA: u32 = 1;

/// Returns a JSON object that begins with the version of its schema.
pub fn versioned_json<const N: usize>(members: [(&str, Value); N]) -> String {
    let schema = [("schema", json!(SCHEMA))].into_iter();
    let object: Map<String, Value> =
        schema.chain(members).map(|(key, value)| (key.to_owned(), value)).collect();
    escape::json(&serde_json::to_string_pretty(&object).expect("a table is plain data")) + "\n"
}

impl Format {
    /// Formats one table.
    pub fn format_table(self, table: &Table) -> String {
        match self {
            Format::Text => format_table(&sort_by_rating(table), "--format csv"),
            Format::Csv => String::from_utf8(table.to_csv()).expect("made of text"),
            Format::Json => versioned_json([("table", table.to_json())]),
            Format::Markdown => sort_by_rating(table).to_markdown(),
            Format::Latex => sort_by_rating(table).to_latex(),
        }
    }

    /// Returns the settings that this form prints: for people, only settings that differ.
    pub fn select_settings(self, settings: Table) -> Table {
        match self {
            Format::Csv | Format::Json => settings,
            Format::Text | Format::Markdown | Format::Latex => settings::keep_differing(&settings),
        }
    }

    /// Adds the settings of the players to tables, if requested; JSON always has them.
    pub fn join_settings(
        self,
        is_requested: bool,
        tables: &mut [Table],
        settings: impl FnOnce() -> anyhow::Result<Table>,
    ) -> anyhow::Result<()> {
        if is_requested || self == Format::Json {
            let settings = self.select_settings(settings()?);
            tables.iter_mut().for_each(|table| settings::add_settings_columns(table, &settings));
        }
        Ok(())
    }

    /// Refuses several tables in CSV, which has room for one.
    pub fn check_number(self, count: usize) -> Result<(), Usage> {
        if self == Format::Csv && count > 1 {
            return Err(Usage("CSV can have only one table: choose a table with --table".to_owned()));
        }
        Ok(())
    }
}
