//! Tables with their rows, and all of their formats except for the terminal.

use anyhow::{Context, anyhow, bail};
use gauntlet_stats::Estimate;
use serde_json::{Value, json};

use super::answer::AnswerText;
use super::cell::Cell;
use super::column::{CellKind, Column, ColumnRole, Priority, Schema};
use super::text_table::{ColumnContent, TextTable};
use crate::text;

/// Table with its rows.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name of the table and of its file, `<name>.csv`.
    pub name: &'static str,
    /// Columns of the table.
    pub columns: Vec<Column>,
    /// Level of its intervals; `None` if each row has it in the column `level`.
    pub level: Option<f64>,
    /// Rows, each with one cell per column.
    pub rows: Vec<Vec<Cell>>,
}

/// Row, read by column names. A column that the table does not have is empty.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    table: &'a Table,
    cells: &'a [Cell],
}

impl<'a> Row<'a> {
    pub(super) fn cell(self, column: &str) -> &'a Cell {
        let index = self
            .table
            .columns
            .iter()
            .position(|candidate| candidate.name == column || candidate.field == column);
        index.map_or(&Cell::Nothing, |index| &self.cells[index])
    }

    /// Returns the words of all settings.
    pub(super) fn settings(self) -> Vec<String> {
        let cells = self.table.columns.iter().zip(self.cells);
        cells
            .filter(|(column, _)| column.priority == Priority::Setting)
            .map(|(_, cell)| cell.text())
            .collect()
    }

    /// Returns the words of a column; empty if there are none.
    pub fn words(self, column: &str) -> &'a str {
        if let Cell::Text(words) = self.cell(column) { words } else { "" }
    }

    /// Returns the whole number of a column.
    pub fn count(self, column: &str) -> Option<u64> {
        if let Cell::Whole(count) = self.cell(column) { Some(*count) } else { None }
    }

    /// Returns the number of a column.
    pub fn number(self, column: &str) -> Option<f64> {
        self.cell(column).number()
    }

    /// Returns the boolean of a column.
    pub fn boolean(self, column: &str) -> Option<bool> {
        if let Cell::Truth(truth) = self.cell(column) { Some(*truth) } else { None }
    }

    /// Returns the estimate in a column. Missing bounds are infinite.
    pub fn estimate(self, column: &str) -> Option<Estimate> {
        let value = self.number(column)?;
        let level = self.table.level.or_else(|| self.number("level"))?;
        let [low, high] = self.table.bounds(column).map(|index| self.cells[index?].number());
        let unbounded = Estimate::unbounded(value, level);
        let (low, high) = (low.unwrap_or(unbounded.low), high.unwrap_or(unbounded.high));
        Some(Estimate { low, high, ..unbounded })
    }

    /// Returns true if the number of a column is a share in this row.
    pub fn is_share(self, column: &str) -> bool {
        match self.table.columns[self.table.column_index(column)].kind {
            CellKind::Share => true,
            CellKind::ByRow { name_column, is_share } => is_share(self.words(name_column)),
            _ => false,
        }
    }

    /// Formats the number of a column for people, with bounds if it is an estimate.
    pub fn format_estimate(self, column: &str) -> EstimateText {
        let is_share = self.is_share(column);
        // A rare event has a narrow interval, which needs more decimals, up to those of its cells.
        let decimals = match *self.cell(column) {
            Cell::Real(_, cell_decimals) if is_share => {
                let half_width = self.estimate(column).map_or(f64::INFINITY, Estimate::half_width);
                text::decimals(100.0 * half_width).min(cell_decimals.saturating_sub(2)).max(2)
            }
            _ => 2,
        };
        // Decimals far below the width of an interval are meaningless.
        let is_number = matches!(self.table.columns[self.table.column_index(column)].kind, CellKind::Number);
        let bounds = self.estimate(column).filter(|_| is_number).and_then(|estimate| estimate.bounds());
        let is_wide = bounds.is_some_and(|(low, high)| high - low >= 4.0);
        let text = |cell: &Cell| match *cell {
            _ if is_share => cell.to_percent(decimals),
            Cell::Real(value, _) if is_wide => format!("{value:.0}"),
            _ => cell.text(),
        };
        let [low, high] = self.table.bounds(column).map(|index| index.map(|index| text(&self.cells[index])));
        // A one-sided interval is open at the other side.
        // A number below a bound needs no such sign.
        let is_below = matches!(self.cell(column), Cell::Below(..));
        let is_bounded = |(low, high): &(String, String)| !(is_below || low.is_empty() && high.is_empty());
        let bound_text = |end: String| if end.is_empty() { "open".to_owned() } else { end };
        let bounds = low.zip(high).filter(is_bounded).map(|(low, high)| (bound_text(low), bound_text(high)));
        EstimateText { value: text(self.cell(column)), bounds, unit: if is_share { " %" } else { "" } }
    }

    /// Formats a range for people, with the digits of its ends.
    pub(super) fn format_range(self, start: usize, end: usize) -> String {
        let is_share = self.is_share(self.table.columns[start].name);
        let text = |cell: &Cell| match *cell {
            Cell::Real(_, decimals) if is_share => cell.to_percent(decimals.saturating_sub(2)),
            _ => cell.text(),
        };
        let [start, end] = [start, end].map(|index| text(&self.cells[index]));
        let unit = if is_share && !end.is_empty() { " %" } else { "" };
        if start == end { end + unit } else { format!("{start} to {end}{unit}") }
    }
}

/// Estimate formatted for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EstimateText {
    value: String,
    bounds: Option<(String, String)>,
    unit: &'static str,
}

impl EstimateText {
    /// Returns the value without its unit: `50.00`.
    pub fn number(&self) -> &str {
        &self.value
    }

    /// Returns the value alone: `50.00 %`.
    pub fn value(&self) -> String {
        format!("{}{}", self.value, if self.value.is_empty() { "" } else { self.unit })
    }

    /// Returns the value with its bounds, if any: `50.00 % [40.00, 60.00]`.
    pub fn with_bounds(&self) -> String {
        match &self.bounds {
            Some((low, high)) => format!("{} [{low}, {high}]", self.value()),
            None => self.value(),
        }
    }

    /// Returns the bounds, if any: `40.00 to 60.00 %`.
    pub fn interval(&self) -> Option<String> {
        self.bounds.as_ref().map(|(low, high)| format!("{low} to {high}{}", self.unit))
    }
}

/// Heading of a column for people.
#[derive(Clone, Debug)]
pub struct ColumnHeading {
    /// Text of the heading.
    pub text: String,
    /// Column, or the first of several that are shown as one.
    pub column: Column,
}

impl Table {
    /// Creates a table from rows.
    pub fn new(schema: &Schema, rows: Vec<Vec<Cell>>) -> Table {
        let Schema { name, columns, level } = schema;
        debug_assert!(
            rows.iter().all(|row| row.len() == columns.len()),
            "a row of {name} has the wrong columns"
        );
        Table { name, columns: columns.clone(), level: *level, rows }
    }

    /// Writes the table as CSV, with a header line.
    pub fn to_csv(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let result = writer.write_record(self.columns.iter().map(|column| column.name)).and_then(|()| {
            self.rows.iter().try_for_each(|row| writer.write_record(row.iter().map(Cell::to_csv)))
        });
        result.expect("writing to memory does not fail");
        writer.into_inner().expect("writing to memory does not fail")
    }

    /// Reads a table from its CSV. A missing column is empty. A column unknown to this version is
    /// refused, because without its kind it could not be used, and ignoring it would lose it.
    pub fn from_csv(schema: &Schema, csv: &[u8]) -> anyhow::Result<Table> {
        let mut reader = csv::Reader::from_reader(csv);
        let headers = reader.headers()?.clone();
        let mut indices = vec![None; schema.columns.len()];
        for (index, header) in headers.iter().enumerate() {
            let mut candidates =
                schema.columns.iter().enumerate().filter(|(_, column)| column.name == header);
            let unused = candidates.clone().find(|(known, _)| indices[*known].is_none());
            match unused {
                Some((column_index, _)) => indices[column_index] = Some(index),
                None if candidates.next().is_some() => bail!("duplicate column `{header}`"),
                None => bail!("table `{}` of this version has no column `{header}`", schema.name),
            }
        }
        let mut rows = Vec::new();
        for record in reader.into_records() {
            let record = record?;
            let cell = |(column, index): (&Column, &Option<usize>)| {
                let Some(index) = *index else { return Ok(Cell::Nothing) };
                let text = &record[index];
                column.read(text).ok_or_else(|| {
                    let line = record.position().map_or(0, csv::Position::line);
                    let noun = if column.is_words() { "word" } else { "number" };
                    anyhow!("line {line}: {text:?} is not a valid {noun} for column `{}`", column.name)
                })
            };
            rows.push(schema.columns.iter().zip(&indices).map(cell).collect::<anyhow::Result<Vec<_>>>()?);
        }
        Ok(Table::new(schema, rows))
    }

    /// Returns the rows, which are read by column names.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { table: self, cells })
    }

    /// Returns the index of a column.
    ///
    /// # Panics
    ///
    /// If there is none of this name.
    pub fn column_index(&self, name: &str) -> usize {
        let index = self.columns.iter().position(|column| column.name == name);
        index.unwrap_or_else(|| panic!("the table {} has no column {name}", self.name))
    }

    /// Removes a column.
    ///
    /// # Panics
    ///
    /// If there is none of this name.
    pub fn drop_column(&mut self, name: &str) {
        let index = self.column_index(name);
        self.columns.remove(index);
        self.rows.iter_mut().for_each(|row| _ = row.remove(index));
    }

    /// Removes each optional column without a value in any row.
    pub fn drop_empty_columns(&mut self) {
        for column in self.columns.clone().iter().filter(|column| column.is_optional) {
            let index = self.column_index(column.name);
            if self.rows.iter().all(|row| row[index].text().is_empty()) {
                self.drop_column(column.name);
            }
        }
    }

    /// Returns the columns of an estimate's bounds.
    pub(super) fn bounds(&self, estimate: &str) -> [Option<usize>; 2] {
        let find_role = |predicate: fn(ColumnRole, &str) -> bool| {
            self.columns.iter().position(|column| predicate(column.role, estimate))
        };
        [
            find_role(|part, estimate| matches!(part, ColumnRole::Low(name) if name == estimate)),
            find_role(|part, estimate| matches!(part, ColumnRole::High(name) if name == estimate)),
        ]
    }

    /// Returns the answers of a table that has some: what people read instead of it.
    pub fn answers(&self) -> Option<Vec<AnswerText>> {
        let answer = self.find_column(|kind| matches!(kind, CellKind::Answer))?;
        let verdict = self.find_column(|kind| matches!(kind, CellKind::Verdict { .. }));
        let answer_of = |row: &Vec<Cell>| AnswerText {
            verdict: verdict.map_or_else(String::new, |verdict| row[verdict].text()),
            text: row[answer].text(),
        };
        Some(self.rows.iter().map(answer_of).collect())
    }

    /// Returns the index of the first column of a kind.
    fn find_column(&self, predicate: impl Fn(&CellKind) -> bool) -> Option<usize> {
        self.columns.iter().position(|column| predicate(&column.kind))
    }

    /// Appends to each answer its explanation, if it has one.
    pub fn append_explanations(&mut self) {
        let indices = self
            .find_column(|kind| matches!(kind, CellKind::Answer))
            .zip(self.find_column(|kind| matches!(kind, CellKind::Explanation)));
        let Some((answer, explanation)) = indices else { return };
        for row in self.rows.iter_mut().filter(|row| !row[explanation].text().is_empty()) {
            row[answer] = format!("{}. {}", row[answer].text(), row[explanation].text()).into();
        }
    }

    /// Writes the table as JSON: its name, and each row as an object. Numbers are numbers, and
    /// missing values are `null`.
    pub fn to_json(&self) -> Value {
        let cell = |(column, cell): (&Column, &Cell)| (column.name.to_owned(), cell.to_json());
        let row = |row: &Vec<Cell>| Value::Object(self.columns.iter().zip(row).map(cell).collect());
        json!({ "name": self.name, "rows": self.rows.iter().map(row).collect::<Vec<_>>() })
    }

    /// Writes these columns as Markdown. An estimate has its bounds, and a range both ends.
    pub fn columns_to_markdown(&self, names: &[&str]) -> anyhow::Result<String> {
        let (headings, rows) = self.document_cells();
        let known_names: Vec<&str> = headings.iter().map(|heading| heading.column.display_name()).collect();
        let find_index = |name: &&str| {
            let index = known_names.iter().position(|known| known == name);
            index.with_context(|| {
                format!("`{}` has no column `{name}`: expected {}", self.name, known_names.join(", "))
            })
        };
        let indices = names.iter().map(find_index).collect::<anyhow::Result<Vec<_>>>()?;
        let content = |column: &Column| match column.is_words() {
            true => ColumnContent::Words,
            false => ColumnContent::Numbers,
        };
        let selected_headings =
            indices.iter().map(|&index| (headings[index].text.clone(), content(&headings[index].column)));
        let pick = |row: Vec<String>| indices.iter().map(|&index| row[index].clone()).collect();
        Ok(TextTable::new(selected_headings.collect(), rows.into_iter().map(pick).collect()).to_markdown())
    }

    /// Returns headings and rows for a document: formatted for people, with units for columns that
    /// have them.
    fn document_cells(&self) -> (Vec<ColumnHeading>, Vec<Vec<String>>) {
        let (mut headings, mut rows) = self.fold_columns();
        for (shown_index, &index) in self.shown_columns().iter().enumerate() {
            if self.columns[index].has_units {
                headings[shown_index].text = self.text_heading(&self.columns[index]);
                for (row, source_row) in rows.iter_mut().zip(self.rows()) {
                    row[shown_index] = self.format_text_cell(source_row, index);
                }
            }
        }
        (headings, rows)
    }

    /// Returns headings and rows for people. An estimate and its bounds share a column `x [low,
    /// high]`, and so do both ends of a range. Shares are in per cent.
    pub fn fold_columns(&self) -> (Vec<ColumnHeading>, Vec<Vec<String>>) {
        let indices = self.shown_columns();
        let headings = indices.iter().map(|&i| self.column_heading(&self.columns[i])).collect();
        let rows =
            self.rows().map(|row| indices.iter().map(|&i| self.format_cell(row, i)).collect()).collect();
        (headings, rows)
    }

    /// Returns the columns that are shown, combined with others or alone.
    pub(super) fn shown_columns(&self) -> Vec<usize> {
        let is_shown = |&index: &usize| {
            let Column { role, kind, .. } = self.columns[index];
            matches!(role, ColumnRole::All | ColumnRole::RangeStart(_) | ColumnRole::FirstCount(_))
                && !matches!(kind, CellKind::Explanation)
        };
        (0..self.columns.len()).filter(is_shown).collect()
    }

    pub(super) fn column_heading(&self, column: &Column) -> ColumnHeading {
        let name = column.display_name();
        let unit = if matches!(column.kind, CellKind::Share) { " %" } else { "" };
        let level = match (self.bounds(column.name), self.level) {
            ([Some(_), Some(_)], Some(level)) => format!(" [{}]", text::format_level(level)),
            ([Some(_), Some(_)], None) => " [at level]".to_owned(),
            _ => String::new(),
        };
        // A setting is shown under the name that users type.
        let is_setting = column.priority == Priority::Setting;
        let default_text = || if is_setting { name.to_owned() } else { name.replace('_', " ") };
        let text = column.heading.map_or_else(default_text, str::to_owned) + unit + &level;
        ColumnHeading { text, column: *column }
    }

    /// Formats a cell for people, with the cells that are shown in its column.
    pub(super) fn format_cell(&self, row: Row, i: usize) -> String {
        let column = &self.columns[i];
        match (column.role, column.kind) {
            (ColumnRole::RangeStart(range), _) => {
                let end = self.columns.iter().position(|column| column.role == ColumnRole::RangeEnd(range));
                row.format_range(i, end.unwrap_or(i))
            }
            (ColumnRole::FirstCount(shared_name), _) => {
                let is_of = |part: ColumnRole| {
                    part == ColumnRole::FirstCount(shared_name) || part == ColumnRole::NextCount(shared_name)
                };
                let indices = (0..self.columns.len()).filter(|&index| is_of(self.columns[index].role));
                let counts: Vec<String> = indices.map(|index| row.cells[index].text()).collect();
                if counts.iter().all(String::is_empty) { String::new() } else { counts.join("-") }
            }
            (_, CellKind::Verdict { .. }) => {
                let is_games = |other: &Column| other.role == ColumnRole::Games(column.name);
                let games = self.columns.iter().position(is_games).map(|index| &row.cells[index]);
                match games {
                    Some(&Cell::Whole(games)) => {
                        format!("{} from {} on", row.cells[i].text(), text::format_games(games))
                    }
                    _ => row.cells[i].text(),
                }
            }
            // The unit is in the heading.
            (_, CellKind::Share) => {
                EstimateText { unit: "", ..row.format_estimate(column.name) }.with_bounds()
            }
            _ => row.format_estimate(column.name).with_bounds(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a table of rates.
    fn rates(csv: &str) -> anyhow::Result<Table> {
        let columns = vec![
            Column::share("rate"),
            Column::share("low").low_of("rate"),
            Column::share("high").high_of("rate"),
        ];
        let schema = Schema { name: "rates", columns, level: Some(0.95) };
        Table::from_csv(&schema, format!("rate,low,high\n{csv}\n").as_bytes())
    }

    #[track_caller]
    fn check(csv: &str, expected: &str) {
        let (_, rows) = rates(csv).expect("is a table").fold_columns();
        assert_eq!(rows, [[expected]]);
    }

    /// Plots have no room for shares above 1, and number formats none for any number of decimals.
    #[test]
    fn numbers_that_cannot_be_shown_are_refused() {
        for rate in ["1.5", "-18446744073709551616.25", &format!("0.{}1", "0".repeat(70_000))] {
            let error = rates(&format!("{rate},0,1")).expect_err("is no share");
            assert!(error.to_string().contains("line 2: "), "{error}");
        }
    }

    #[test]
    fn the_interval_of_a_rare_event_is_seen() {
        check("0.500000,0.400000,0.600000", "50.00 [40.00, 60.00]");
        check("0.000190,0.000165,0.000219", "0.019 [0.017, 0.022]");
        check("0.000000,0.000000,0.000004", "0.0000 [0.0000, 0.0004]");
        // No digit is invented.
        check("0.000001,0.000000,0.000002", "0.0001 [0.0000, 0.0002]");
        check("0.0,0.0,0.00001", "0.00 [0.00, 0.00]");
        check("1,1,1", "100.00 [100.00, 100.00]");
        check("0.000190,,", "0.02");
    }
}
