//! Tables with their rows, and all of their formats except for the terminal.

use anyhow::{Context, anyhow, bail};
use gauntlet_stats::Estimate;
use serde_json::{Value, json};

use super::answer::AnswerText;
use super::cell::Cell;
use super::column::{CellKind, Column, Part, Schema, Weight};
use super::sheet::{ColumnContent, TextTable};
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
        let place = self.table.columns.iter().position(|known| known.name == column || known.field == column);
        place.map_or(&Cell::Nothing, |place| &self.cells[place])
    }

    /// Returns the words of all settings.
    pub(super) fn settings(self) -> Vec<String> {
        let cells = self.table.columns.iter().zip(self.cells);
        cells.filter(|(column, _)| column.weight == Weight::Setting).map(|(_, cell)| cell.text()).collect()
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
        let [low, high] = self.table.bounds(column).map(|place| self.cells[place?].number());
        let unbounded = Estimate::unbounded(value, level);
        let (low, high) = (low.unwrap_or(unbounded.low), high.unwrap_or(unbounded.high));
        Some(Estimate { low, high, ..unbounded })
    }

    /// Returns true if the number of a column is a share in this row.
    pub fn is_share(self, column: &str) -> bool {
        match self.table.columns[self.table.column_index(column)].kind {
            CellKind::Share => true,
            CellKind::ByRow { named_in, is_share } => is_share(self.words(named_in)),
            _ => false,
        }
    }

    /// Formats the number of a column for people, with bounds if it is an estimate.
    pub fn format_estimate(self, column: &str) -> EstimateText {
        let is_share = self.is_share(column);
        // A rare event has a narrow interval, which needs more decimals, up to those of its cells.
        let decimals = match *self.cell(column) {
            Cell::Real(_, held) if is_share => {
                let known_to = self.estimate(column).map_or(f64::INFINITY, Estimate::half_width);
                text::decimals(100.0 * known_to).min(held.saturating_sub(2)).max(2)
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
        let [low, high] = self.table.bounds(column).map(|place| place.map(|place| text(&self.cells[place])));
        // A one-sided interval is open at the other side.
        // A number below a bound needs no such sign.
        let is_below = matches!(self.cell(column), Cell::Below(..));
        let is_bounded = |(low, high): &(String, String)| !(is_below || low.is_empty() && high.is_empty());
        let open = |end: String| if end.is_empty() { "open".to_owned() } else { end };
        let bounds = low.zip(high).filter(is_bounded).map(|(low, high)| (open(low), open(high)));
        EstimateText { value: text(self.cell(column)), bounds, unit: if is_share { " %" } else { "" } }
    }

    /// Formats a range for people, with the digits of its ends.
    pub(super) fn format_range(self, from: usize, to: usize) -> String {
        let is_share = self.is_share(self.table.columns[from].name);
        let text = |cell: &Cell| match *cell {
            Cell::Real(_, decimals) if is_share => cell.to_percent(decimals.saturating_sub(2)),
            _ => cell.text(),
        };
        let [from, to] = [from, to].map(|place| text(&self.cells[place]));
        let unit = if is_share && !to.is_empty() { " %" } else { "" };
        if from == to { to + unit } else { format!("{from} to {to}{unit}") }
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
        let written = writer.write_record(self.columns.iter().map(|column| column.name)).and_then(|()| {
            self.rows.iter().try_for_each(|row| writer.write_record(row.iter().map(Cell::to_csv)))
        });
        written.expect("writing to memory does not fail");
        writer.into_inner().expect("writing to memory does not fail")
    }

    /// Reads a table from its CSV. A missing column is empty. A column unknown to this version is
    /// refused, because without its kind it could not be used, and ignoring it would lose it.
    pub fn from_csv(schema: &Schema, csv: &[u8]) -> anyhow::Result<Table> {
        let mut reader = csv::Reader::from_reader(csv);
        let heads = reader.headers()?.clone();
        let mut places = vec![None; schema.columns.len()];
        for (place, head) in heads.iter().enumerate() {
            let mut known = schema.columns.iter().enumerate().filter(|(_, column)| column.name == head);
            let own = known.clone().find(|(known, _)| places[*known].is_none());
            match own {
                Some((known, _)) => places[known] = Some(place),
                None if known.next().is_some() => bail!("duplicate column `{head}`"),
                None => bail!("table `{}` of this version has no column `{head}`", schema.name),
            }
        }
        let mut rows = Vec::new();
        for record in reader.into_records() {
            let record = record?;
            let cell = |(column, place): (&Column, &Option<usize>)| {
                let Some(place) = *place else { return Ok(Cell::Nothing) };
                let text = &record[place];
                column.read(text).ok_or_else(|| {
                    let line = record.position().map_or(0, csv::Position::line);
                    let what = if column.is_words() { "word" } else { "number" };
                    anyhow!("line {line}: {text:?} is not a valid {what} for column `{}`", column.name)
                })
            };
            rows.push(schema.columns.iter().zip(&places).map(cell).collect::<anyhow::Result<Vec<_>>>()?);
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
        let place = self.columns.iter().position(|column| column.name == name);
        place.unwrap_or_else(|| panic!("the table {} has no column {name}", self.name))
    }

    /// Removes a column.
    ///
    /// # Panics
    ///
    /// If there is none of this name.
    pub fn drop_column(&mut self, name: &str) {
        let place = self.column_index(name);
        self.columns.remove(place);
        self.rows.iter_mut().for_each(|row| _ = row.remove(place));
    }

    /// Removes each optional column without a value in any row.
    pub fn drop_empty_columns(&mut self) {
        for column in self.columns.clone().iter().filter(|column| column.is_optional) {
            let place = self.column_index(column.name);
            if self.rows.iter().all(|row| row[place].text().is_empty()) {
                self.drop_column(column.name);
            }
        }
    }

    /// Returns the columns of an estimate's bounds.
    pub(super) fn bounds(&self, estimate: &str) -> [Option<usize>; 2] {
        let find =
            |is: fn(Part, &str) -> bool| self.columns.iter().position(|column| is(column.part, estimate));
        [
            find(|part, estimate| matches!(part, Part::Low(of) if of == estimate)),
            find(|part, estimate| matches!(part, Part::High(of) if of == estimate)),
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
    fn find_column(&self, is: impl Fn(&CellKind) -> bool) -> Option<usize> {
        self.columns.iter().position(|column| is(&column.kind))
    }

    /// Appends to each answer its explanation, if it has one.
    pub fn append_explanations(&mut self) {
        let places = self
            .find_column(|kind| matches!(kind, CellKind::Answer))
            .zip(self.find_column(|kind| matches!(kind, CellKind::Explanation)));
        let Some((answer, explanation)) = places else { return };
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
        let (heads, rows) = self.document_cells();
        let known: Vec<&str> = heads.iter().map(|head| head.column.display_name()).collect();
        let place = |name: &&str| {
            let place = known.iter().position(|known| known == name);
            place.with_context(|| {
                format!("`{}` has no column `{name}`: expected {}", self.name, known.join(", "))
            })
        };
        let places = names.iter().map(place).collect::<anyhow::Result<Vec<_>>>()?;
        let content = |column: &Column| match column.is_words() {
            true => ColumnContent::Words,
            false => ColumnContent::Numbers,
        };
        let heads = places.iter().map(|&place| (heads[place].text.clone(), content(&heads[place].column)));
        let pick = |row: Vec<String>| places.iter().map(|&place| row[place].clone()).collect();
        Ok(TextTable::new(heads.collect(), rows.into_iter().map(pick).collect()).to_markdown())
    }

    /// Returns headings and rows for a document: formatted for people, with units for columns that
    /// have them.
    fn document_cells(&self) -> (Vec<ColumnHeading>, Vec<Vec<String>>) {
        let (mut heads, mut rows) = self.fold_columns();
        for (cell, &place) in self.shown_columns().iter().enumerate() {
            if self.columns[place].has_units {
                heads[cell].text = self.text_heading(&self.columns[place]);
                for (row, of) in rows.iter_mut().zip(self.rows()) {
                    row[cell] = self.format_text_cell(of, place);
                }
            }
        }
        (heads, rows)
    }

    /// Returns headings and rows for people. An estimate and its bounds share a column `x [low,
    /// high]`, and so do both ends of a range. Shares are in per cent.
    pub fn fold_columns(&self) -> (Vec<ColumnHeading>, Vec<Vec<String>>) {
        let shown = self.shown_columns();
        let heads = shown.iter().map(|&i| self.column_heading(&self.columns[i])).collect();
        let rows = self.rows().map(|row| shown.iter().map(|&i| self.format_cell(row, i)).collect()).collect();
        (heads, rows)
    }

    /// Returns the columns that are shown, combined with others or alone.
    pub(super) fn shown_columns(&self) -> Vec<usize> {
        let is_shown = |&place: &usize| {
            let Column { part, kind, .. } = self.columns[place];
            matches!(part, Part::All | Part::From(_) | Part::Leads(_))
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
        let is_setting = column.weight == Weight::Setting;
        let own = || if is_setting { name.to_owned() } else { name.replace('_', " ") };
        let text = column.heading.map_or_else(own, str::to_owned) + unit + &level;
        ColumnHeading { text, column: *column }
    }

    /// Formats a cell for people, with the cells that are shown in its column.
    pub(super) fn format_cell(&self, row: Row, i: usize) -> String {
        let column = &self.columns[i];
        match (column.part, column.kind) {
            (Part::From(range), _) => {
                let to = self.columns.iter().position(|column| column.part == Part::To(range));
                row.format_range(i, to.unwrap_or(i))
            }
            (Part::Leads(all), _) => {
                let is_of = |part: Part| part == Part::Leads(all) || part == Part::Follows(all);
                let places = (0..self.columns.len()).filter(|&place| is_of(self.columns[place].part));
                let counts: Vec<String> = places.map(|place| row.cells[place].text()).collect();
                if counts.iter().all(String::is_empty) { String::new() } else { counts.join("-") }
            }
            (_, CellKind::Verdict { .. }) => {
                let is_games = |it: &Column| it.part == Part::Games(column.name);
                let games = self.columns.iter().position(is_games).map(|place| &row.cells[place]);
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
            let refused = rates(&format!("{rate},0,1")).expect_err("is no share");
            assert!(refused.to_string().contains("line 2: "), "{refused}");
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
