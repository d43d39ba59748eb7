//! `settings.csv`: all settings of each player, defaults included, so that a number can be plotted
//! against a setting. The table depends only on the experiment. Its columns are the settings that
//! any of the players has, so they are known only at run time. Their kinds follow from their cells,
//! both when the table is made and when it is read.

use std::collections::BTreeMap;

use anyhow::{bail, ensure};
use gauntlet_core::settings::flatten;
use gauntlet_core::table::{Cell, CellKind, Column, Table};
use gauntlet_core::text::escape::from_cell;

use super::SETTINGS;
use crate::config::Experiment;

/// First columns, which every player has.
const FIRST_COLUMNS: [&str; 2] = ["player", "algorithm"];

/// Makes the table of an experiment's players, in the order of its file.
pub fn settings_table(experiment: &Experiment) -> Table {
    let mut text_columns = TextTableBuilder::default();
    for entry in experiment.players() {
        let algorithm = (FIRST_COLUMNS[1].to_owned(), Some(entry.entry.algorithm.to_owned()));
        text_columns.add(&entry.name, std::iter::once(algorithm).chain(flatten(&entry.entry.settings)));
    }
    text_columns.into_table()
}

/// Reads the table from a file.
pub(crate) fn from_csv(csv: &[u8]) -> anyhow::Result<Table> {
    let mut reader = csv::Reader::from_reader(csv);
    let headers: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    ensure!(headers.get(..2).is_some_and(|first| first == FIRST_COLUMNS), "the columns differ");
    let mut text_columns = TextTableBuilder::default();
    for record in reader.into_records() {
        let record = record?;
        let cells = headers.iter().zip(&record).skip(1);
        let cell = |text: &str| Some(from_cell(text).to_owned()).filter(|text| !text.is_empty());
        text_columns.add(from_cell(&record[0]), cells.map(|(header, text)| (header.clone(), cell(text))));
    }
    if text_columns.columns.len() + 1 < headers.len() && !text_columns.rows.is_empty() {
        bail!("duplicate column");
    }
    Ok(text_columns.into_table())
}

/// Makes the table of players of several results. Each is given by its label, the table with its
/// settings, and its name there.
pub(crate) fn label_players<'a>(players: impl Iterator<Item = (&'a str, &'a Table, &'a str)>) -> Table {
    let mut text_columns = TextTableBuilder::default();
    let mut rows_by_table: BTreeMap<*const Table, BTreeMap<&str, usize>> = BTreeMap::new();
    for (label, settings, name) in players {
        let rows = rows_by_table.entry(settings).or_insert_with(|| rows_by_name(settings));
        let Some(&row) = rows.get(name) else { continue };
        let cells = settings.columns.iter().zip(&settings.rows[row]).skip(1);
        let text = |cell: &Cell| (*cell != Cell::Nothing).then(|| cell.text());
        text_columns.add(label, cells.map(|(column, cell)| (column.name.to_owned(), text(cell))));
    }
    text_columns.into_table()
}

/// Maps the names of players to rows.
fn rows_by_name(settings: &Table) -> BTreeMap<&str, usize> {
    settings.rows().enumerate().map(|(index, row)| (row.words(FIRST_COLUMNS[0]), index)).collect()
}

/// Adds the settings of the player in each row to a table, as columns `settings.KEY`. If the column
/// `than` names another player, its settings are added as `than_settings.KEY`. A table without
/// players is not changed.
pub fn add_settings_columns(table: &mut Table, settings: &Table) {
    let rows = rows_by_name(settings);
    for (column, prefix) in [("player", "settings."), ("than", "than_settings.")] {
        let Some(column_index) = table.columns.iter().position(|candidate| candidate.name == column) else {
            continue;
        };
        let new_columns = settings.columns[1..].iter();
        let new_columns =
            new_columns.map(|column| Column::from_setting(format!("{prefix}{}", column.name), column.kind));
        table.columns.extend(new_columns);
        for row in &mut table.rows {
            let row_index = rows.get(row[column_index].text().as_str());
            match row_index {
                Some(&index) => row.extend_from_slice(&settings.rows[index][1..]),
                None => row.extend(settings.columns[1..].iter().map(|_| Cell::Nothing)),
            }
        }
    }
}

/// Keeps the settings that differ between players; for a single player, all.
pub fn keep_differing(settings: &Table) -> Table {
    let has_differences = |index: usize| {
        let mut cells = settings.rows.iter().map(|row| &row[index]);
        let first = cells.next();
        cells.any(|cell| Some(cell) != first)
    };
    let is_shown = |index: &usize| *index == 0 || settings.rows.len() == 1 || has_differences(*index);
    let kept_columns: Vec<usize> = (0..settings.columns.len()).filter(is_shown).collect();
    Table {
        columns: kept_columns.iter().map(|&index| settings.columns[index]).collect(),
        rows: settings
            .rows
            .iter()
            .map(|row| kept_columns.iter().map(|&index| row[index].clone()).collect())
            .collect(),
        ..*settings
    }
}

/// A table of texts.
#[derive(Default)]
struct TextTableBuilder {
    columns: Vec<String>,
    indices: BTreeMap<String, usize>,
    /// Players, each with its settings by column.
    rows: Vec<(String, BTreeMap<usize, String>)>,
}

impl TextTableBuilder {
    fn add(&mut self, player: &str, settings: impl IntoIterator<Item = (String, Option<String>)>) {
        let mut row = BTreeMap::new();
        for (key, value) in settings {
            let index = *self.indices.entry(key).or_insert_with_key(|key| {
                self.columns.push(key.clone());
                self.columns.len() - 1
            });
            row.extend(value.map(|value| (index, value)));
        }
        self.rows.push((player.to_owned(), row));
    }

    fn into_table(self) -> Table {
        let kinds: Vec<CellKind> = (0..self.columns.len())
            .map(|index| common_kind(self.rows.iter().filter_map(|(_, row)| row.get(&index))))
            .collect();
        let row = |(player, row): (String, BTreeMap<usize, String>)| {
            let mut cells = vec![Cell::Text(player)];
            let cell = |(index, &kind): (usize, &CellKind)| {
                row.get(&index).map_or(Cell::Nothing, |text| parse_cell(kind, text))
            };
            cells.extend(kinds.iter().enumerate().map(cell));
            cells
        };
        let rows = self.rows.into_iter().map(row).collect();
        let settings = self.columns.into_iter().zip(&kinds);
        let settings = settings.map(|(name, &kind)| Column::from_setting(name, kind));
        let columns = std::iter::once(Column::words(FIRST_COLUMNS[0])).chain(settings).collect();
        Table { name: SETTINGS, columns, level: None, rows }
    }
}

/// Makes a cell of a column; it has words if the text does not fit the kind.
fn parse_cell(kind: CellKind, text: &str) -> Cell {
    let words = || Cell::Text(text.to_owned());
    match kind {
        CellKind::Words => words(),
        _ => Column::new("", kind).read(text).unwrap_or_else(words),
    }
}

/// Returns the kind of all texts of a column: whole numbers, numbers, truth values or words.
fn common_kind<'a>(texts: impl Iterator<Item = &'a String> + Clone) -> CellKind {
    // A text that would be formatted differently is not a number. It may be a version, for example.
    let fits = |kind: &CellKind| {
        texts.clone().all(|text| {
            parse_cell(*kind, text) != Cell::Text(text.clone()) && parse_cell(*kind, text).text() == *text
        })
    };
    let kinds = [CellKind::Count, CellKind::Number, CellKind::Truth];
    kinds.into_iter().find(fits).unwrap_or(CellKind::Words)
}
