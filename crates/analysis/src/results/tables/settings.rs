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
const FIRST: [&str; 2] = ["player", "algorithm"];

/// Makes the table of an experiment's players, in the order of its file.
pub fn table(experiment: &Experiment) -> Table {
    let mut words = TextColumns::default();
    for entry in experiment.entries() {
        let algorithm = (FIRST[1].to_owned(), Some(entry.entrant.algorithm.to_owned()));
        words.add(&entry.name, std::iter::once(algorithm).chain(flatten(&entry.entrant.settings)));
    }
    words.table()
}

/// Reads the table from a file.
pub(crate) fn from_csv(csv: &[u8]) -> anyhow::Result<Table> {
    let mut reader = csv::Reader::from_reader(csv);
    let heads: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    ensure!(heads.iter().zip(FIRST).filter(|(head, first)| head == first).count() == 2, "the columns differ");
    let mut words = TextColumns::default();
    for record in reader.into_records() {
        let record = record?;
        let cells = heads.iter().zip(&record).skip(1);
        let cell = |text: &str| Some(from_cell(text).to_owned()).filter(|text| !text.is_empty());
        words.add(from_cell(&record[0]), cells.map(|(head, text)| (head.clone(), cell(text))));
    }
    if words.columns.len() + 1 < heads.len() && !words.rows.is_empty() {
        bail!("duplicate column");
    }
    Ok(words.table())
}

/// Makes the table of players of several results. Each is given by its label, the table with its
/// settings, and its name there.
pub(crate) fn label_players<'a>(players: impl Iterator<Item = (&'a str, &'a Table, &'a str)>) -> Table {
    let mut words = TextColumns::default();
    let mut places: BTreeMap<*const Table, BTreeMap<&str, usize>> = BTreeMap::new();
    for (label, settings, name) in players {
        let places = places.entry(settings).or_insert_with(|| rows_by_name(settings));
        let Some(&place) = places.get(name) else { continue };
        let cells = settings.columns.iter().zip(&settings.rows[place]).skip(1);
        let text = |cell: &Cell| (*cell != Cell::Nothing).then(|| cell.text());
        words.add(label, cells.map(|(column, cell)| (column.name.to_owned(), text(cell))));
    }
    words.table()
}

/// Maps the names of players to rows.
fn rows_by_name(settings: &Table) -> BTreeMap<&str, usize> {
    settings.rows().enumerate().map(|(place, row)| (row.words(FIRST[0]), place)).collect()
}

/// Adds the settings of the player in each row to a table, as columns `settings.KEY`. If the column
/// `than` names another player, its settings are added as `than_settings.KEY`. A table without
/// players is not changed.
pub fn join(table: &mut Table, settings: &Table) {
    let places = rows_by_name(settings);
    for (column, prefix) in [("player", "settings."), ("than", "than_settings.")] {
        let Some(of) = table.columns.iter().position(|known| known.name == column) else { continue };
        let new = settings.columns[1..].iter();
        let new = new.map(|column| Column::from_setting(format!("{prefix}{}", column.name), column.kind));
        table.columns.extend(new);
        for row in &mut table.rows {
            let place = places.get(row[of].text().as_str());
            match place {
                Some(&place) => row.extend_from_slice(&settings.rows[place][1..]),
                None => row.extend(settings.columns[1..].iter().map(|_| Cell::Nothing)),
            }
        }
    }
}

/// Keeps the settings that differ between players; for a single player, all.
pub fn keep_differing(settings: &Table) -> Table {
    let differs = |place: usize| {
        let mut cells = settings.rows.iter().map(|row| &row[place]);
        let first = cells.next();
        cells.any(|cell| Some(cell) != first)
    };
    let is_shown = |place: &usize| *place == 0 || settings.rows.len() == 1 || differs(*place);
    let shown: Vec<usize> = (0..settings.columns.len()).filter(is_shown).collect();
    Table {
        columns: shown.iter().map(|&place| settings.columns[place]).collect(),
        rows: settings
            .rows
            .iter()
            .map(|row| shown.iter().map(|&place| row[place].clone()).collect())
            .collect(),
        ..*settings
    }
}

/// A table of texts.
#[derive(Default)]
struct TextColumns {
    columns: Vec<String>,
    places: BTreeMap<String, usize>,
    /// Players, each with its settings by column.
    rows: Vec<(String, BTreeMap<usize, String>)>,
}

impl TextColumns {
    fn add(&mut self, player: &str, settings: impl IntoIterator<Item = (String, Option<String>)>) {
        let mut row = BTreeMap::new();
        for (key, value) in settings {
            let place = *self.places.entry(key).or_insert_with_key(|key| {
                self.columns.push(key.clone());
                self.columns.len() - 1
            });
            row.extend(value.map(|value| (place, value)));
        }
        self.rows.push((player.to_owned(), row));
    }

    fn table(self) -> Table {
        let kinds: Vec<CellKind> = (0..self.columns.len())
            .map(|place| common_kind(self.rows.iter().filter_map(|(_, row)| row.get(&place))))
            .collect();
        let row = |(player, row): (String, BTreeMap<usize, String>)| {
            let mut cells = vec![Cell::Text(player)];
            let cell = |(place, &kind): (usize, &CellKind)| {
                row.get(&place).map_or(Cell::Nothing, |text| parse_cell(kind, text))
            };
            cells.extend(kinds.iter().enumerate().map(cell));
            cells
        };
        let rows = self.rows.into_iter().map(row).collect();
        let settings = self.columns.into_iter().zip(&kinds);
        let settings = settings.map(|(name, &kind)| Column::from_setting(name, kind));
        let columns = std::iter::once(Column::words(FIRST[0])).chain(settings).collect();
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
