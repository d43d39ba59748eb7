//! A table as data: columns of a kind, and rows of typed cells. Its forms (CSV, JSON, aligned text, Markdown, the view of
//! the page) are made from it, and from its CSV it is read back as it was.

use std::borrow::Cow;

use anyhow::{anyhow, bail};
use comfy_table::{CellAlignment, ContentArrangement, Table as Aligned, presets};
use serde_json::{Value, json};

use crate::stats::Estimate;
use crate::text;

/// What a column holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Words: a name, a verdict.
    Words,
    /// A sentence that says all of its row. A person who asks for the table gets these sentences alone.
    Answer,
    /// A whole number.
    Count,
    /// A number as it is: a score, a time, a ratio.
    Number,
    /// A part of a whole, shown in per cent.
    Share,
    /// A probability, which may be very small.
    Probability,
    /// A number of what the words in another column of its row name: a share or a plain number.
    ByRow {
        /// The column with these words.
        named_in: &'static str,
        /// Whether a number of what they name is a share.
        is_share: fn(&str) -> bool,
    },
}

/// Whether a column stands for itself or is shown in one with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    All,
    /// The lower bound of the estimate in the column of this name.
    Low(&'static str),
    /// Its upper bound.
    High(&'static str),
    /// The beginning of a range, which is shown under this name.
    From(&'static str),
    /// The end of that range.
    To(&'static str),
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name in files.
    pub name: &'static str,
    /// Its name in files of earlier versions, if that was another.
    former: Option<&'static str>,
    kind: Kind,
    part: Part,
}

impl Column {
    /// A column of this kind.
    pub const fn new(name: &'static str, kind: Kind) -> Column {
        Column { name, former: None, kind, part: Part::All }
    }

    /// A column of words.
    pub const fn words(name: &'static str) -> Column {
        Column::new(name, Kind::Words)
    }

    /// A column of whole numbers.
    pub const fn count(name: &'static str) -> Column {
        Column::new(name, Kind::Count)
    }

    /// A column of plain numbers.
    pub const fn number(name: &'static str) -> Column {
        Column::new(name, Kind::Number)
    }

    /// A column of shares.
    pub const fn share(name: &'static str) -> Column {
        Column::new(name, Kind::Share)
    }

    /// A column of probabilities.
    pub const fn probability(name: &'static str) -> Column {
        Column::new(name, Kind::Probability)
    }

    /// The same, which earlier versions called by another name.
    pub const fn formerly(self, name: &'static str) -> Column {
        Column { former: Some(name), ..self }
    }

    /// The same as the lower bound of an estimate.
    pub const fn low_of(self, estimate: &'static str) -> Column {
        Column { part: Part::Low(estimate), ..self }
    }

    /// The same as the upper bound of an estimate.
    pub const fn high_of(self, estimate: &'static str) -> Column {
        Column { part: Part::High(estimate), ..self }
    }

    /// The same as the beginning of a range with a name of its own.
    pub const fn from_of(self, range: &'static str) -> Column {
        Column { part: Part::From(range), ..self }
    }

    /// The same as the end of that range.
    pub const fn to_of(self, range: &'static str) -> Column {
        Column { part: Part::To(range), ..self }
    }

    fn is_words(&self) -> bool {
        matches!(self.kind, Kind::Words | Kind::Answer)
    }

    /// A cell of a file; none if it is not of this kind.
    fn read(&self, text: &str) -> Option<Cell> {
        let number = || text.parse::<f64>().ok().filter(|number| number.is_finite());
        match self.kind {
            Kind::Words | Kind::Answer => Some(Cell::Text(text.to_owned())),
            _ if text.is_empty() => Some(Cell::Nothing),
            Kind::Count => text.parse().ok().map(Cell::Whole),
            Kind::Probability => number().map(Cell::Probability),
            Kind::Number | Kind::Share | Kind::ByRow { .. } => {
                let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                number().map(|number| Cell::Real(number, decimals))
            }
        }
    }
}

/// What a table is, whatever its rows: for writing it, and for reading it back.
#[derive(Clone, Debug)]
pub struct Schema {
    /// What it is called, and its file: `<name>.csv`.
    pub name: &'static str,
    /// Its columns.
    pub columns: Cow<'static, [Column]>,
    /// The level of its intervals; none where each row says it in the column `level`.
    pub level: Option<f64>,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it is called, and its file: `<name>.csv`.
    pub name: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
    /// The level of its intervals; none where each row says it in the column `level`.
    pub level: Option<f64>,
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
    /// A number, and how many decimals of it are written.
    Real(f64, usize),
    /// A probability, which may be very small.
    Probability(f64),
    /// There is no such number: the mean of no game, the bounds of one.
    Nothing,
}

impl Cell {
    /// A measured number, rounded to the decimals that are worth writing; nothing if it does not exist.
    pub fn real(number: Option<f64>, decimals: usize) -> Cell {
        let number = number.filter(|number| number.is_finite());
        number.map_or(Cell::Nothing, |number| Cell::Real(text::rounded(number, decimals), decimals))
    }

    /// A number with the digits that it was written with, as far as they say something.
    pub fn as_printed(number: f64) -> Cell {
        let decimals = number.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
        Cell::Real(number, decimals)
    }

    /// The cell as it stands in a file.
    pub fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Whole(number) => number.to_string(),
            Cell::Real(number, decimals) => format!("{number:.decimals$}"),
            Cell::Probability(0.0) => "0".to_owned(),
            Cell::Probability(p) if *p < 0.001 && *p > 0.0 => format!("{p:.2e}"),
            Cell::Probability(p) => format!("{p:.4}"),
            Cell::Nothing => String::new(),
        }
    }

    /// The number in it, if it holds one.
    fn number(&self) -> Option<f64> {
        match *self {
            Cell::Whole(number) => Some(number as f64),
            Cell::Real(number, _) | Cell::Probability(number) => Some(number),
            Cell::Text(_) | Cell::Nothing => None,
        }
    }

    /// A share in per cent, without the sign.
    fn percent(&self, decimals: usize) -> String {
        self.number().map_or(String::new(), |share| format!("{:.decimals$}", 100.0 * share))
    }

    fn to_json(&self) -> Value {
        match self {
            Cell::Text(text) => Value::String(text.clone()),
            Cell::Nothing => Value::Null,
            // A number has the digits that it has in the other forms.
            number => serde_json::from_str(&number.text()).expect("numbers are written as JSON writes them"),
        }
    }
}

/// A row, read by the names of columns. To ask for a column that the table does not have is a mistake of the program.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    table: &'a Table,
    cells: &'a [Cell],
}

impl<'a> Row<'a> {
    fn cell(self, column: &str) -> &'a Cell {
        &self.cells[self.table.place(column)]
    }

    /// The words of a column; empty if there are none.
    pub fn words(self, column: &str) -> &'a str {
        if let Cell::Text(words) = self.cell(column) { words } else { "" }
    }

    /// The whole number of a column.
    pub fn count(self, column: &str) -> Option<u64> {
        if let Cell::Whole(count) = self.cell(column) { Some(*count) } else { None }
    }

    /// The number of a column.
    pub fn number(self, column: &str) -> Option<f64> {
        self.cell(column).number()
    }

    /// The estimate in a column, without bounds where the row has not both.
    pub fn estimate(self, column: &str) -> Option<Estimate> {
        let value = self.number(column)?;
        let level = self.table.level.or_else(|| self.number("level"))?;
        let [low, high] = self.table.bounds(column).map(|place| self.cells[place?].number());
        let bounded = low.zip(high).map(|(low, high)| Estimate { value, low, high, level });
        Some(bounded.unwrap_or(Estimate::unbounded(value, level)))
    }

    /// Whether the number of a column is a share in this row.
    pub fn is_share(self, column: &str) -> bool {
        match self.table.columns[self.table.place(column)].kind {
            Kind::Share => true,
            Kind::ByRow { named_in, is_share } => is_share(self.words(named_in)),
            _ => false,
        }
    }

    /// The number of a column as people read it, with its bounds if it is an estimate.
    pub fn written(self, column: &str) -> Written {
        let is_share = self.is_share(column);
        let text = |cell: &Cell| if is_share { cell.percent(2) } else { cell.text() };
        let [low, high] = self.table.bounds(column).map(|place| place.map(|place| text(&self.cells[place])));
        let low = low.filter(|low| !low.is_empty());
        Written {
            value: text(self.cell(column)),
            bounds: low.zip(high),
            unit: if is_share { " %" } else { "" },
        }
    }

    /// A range as people read it, with the digits that its ends were given with.
    fn range(self, from: usize, to: usize) -> String {
        let is_share = self.is_share(self.table.columns[from].name);
        let text = |cell: &Cell| match *cell {
            Cell::Real(_, decimals) if is_share => cell.percent(decimals.saturating_sub(2)),
            _ => cell.text(),
        };
        let [from, to] = [from, to].map(|place| text(&self.cells[place]));
        let unit = if is_share { " %" } else { "" };
        if from == to { to + unit } else { format!("{from} to {to}{unit}") }
    }
}

/// An estimate as people read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    value: String,
    bounds: Option<(String, String)>,
    unit: &'static str,
}

impl Written {
    /// The value alone: `50.00 %`.
    pub fn value(&self) -> String {
        format!("{}{}", self.value, if self.value.is_empty() { "" } else { self.unit })
    }

    /// The value, and its bounds if there are some: `50.00 % [40.00, 60.00]`.
    pub fn with_bounds(&self) -> String {
        match &self.bounds {
            Some((low, high)) => format!("{} [{low}, {high}]", self.value()),
            None => self.value(),
        }
    }

    /// The bounds, if there are some: `40.00 to 60.00 %`.
    pub fn interval(&self) -> Option<String> {
        self.bounds.as_ref().map(|(low, high)| format!("{low} to {high}{}", self.unit))
    }
}

/// The head of a column as people read it.
#[derive(Clone, Debug)]
pub struct Head {
    /// The text.
    pub text: String,
    /// Whether words stand below it, which are aligned to the left; numbers are aligned to the right.
    pub is_words: bool,
    /// The column, or the first of those that are shown in one.
    pub column: &'static str,
}

impl Table {
    /// A table of these rows.
    pub fn new(schema: &Schema, rows: Vec<Vec<Cell>>) -> Table {
        let Schema { name, columns, level } = schema;
        debug_assert!(rows.iter().all(|row| row.len() == columns.len()), "a row of {name} has other columns");
        Table { name, columns: columns.to_vec(), level: *level, rows }
    }

    /// The table as CSV, with a line of column names.
    pub fn to_csv(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let written = writer.write_record(self.columns.iter().map(|column| column.name)).and_then(|()| {
            self.rows.iter().try_for_each(|row| writer.write_record(row.iter().map(Cell::text)))
        });
        written.expect("writing to memory does not fail");
        writer.into_inner().expect("writing to memory does not fail")
    }

    /// A table read back from its CSV. A column that an older version did not write yet is empty. One that this version
    /// does not know is refused: without its kind nothing could be made of it, and silence would lose it.
    pub fn from_csv(schema: &Schema, csv: &[u8]) -> anyhow::Result<Table> {
        let mut reader = csv::Reader::from_reader(csv);
        let heads = reader.headers()?.clone();
        let mut places = vec![None; schema.columns.len()];
        for (place, head) in heads.iter().enumerate() {
            let is_head = |column: &Column| column.name == head || column.former == Some(head);
            let Some(known) = schema.columns.iter().position(is_head) else {
                bail!("no table `{}` of this version has a column `{head}`", schema.name);
            };
            if places[known].replace(place).is_some() {
                bail!("the column `{head}` stands there twice");
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
                    anyhow!(
                        "line {line}: {text:?} is no number that can stand in the column `{}`",
                        column.name
                    )
                })
            };
            rows.push(schema.columns.iter().zip(&places).map(cell).collect::<anyhow::Result<Vec<_>>>()?);
        }
        Ok(Table::new(schema, rows))
    }

    /// The rows, to be read by the names of columns.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { table: self, cells })
    }

    /// The place of a column.
    ///
    /// # Panics
    ///
    /// If there is none of this name.
    pub fn place(&self, name: &str) -> usize {
        let place = self.columns.iter().position(|column| column.name == name);
        place.unwrap_or_else(|| panic!("the table {} has no column {name}", self.name))
    }

    /// The places of the bounds of an estimate.
    fn bounds(&self, estimate: &str) -> [Option<usize>; 2] {
        let find =
            |is: fn(Part, &str) -> bool| self.columns.iter().position(|column| is(column.part, estimate));
        [
            find(|part, estimate| matches!(part, Part::Low(of) if of == estimate)),
            find(|part, estimate| matches!(part, Part::High(of) if of == estimate)),
        ]
    }

    /// The answers of a table that gives some: what a person wants to read of it.
    pub fn answers(&self) -> Option<Vec<String>> {
        let answer = self.columns.iter().position(|column| matches!(column.kind, Kind::Answer))?;
        Some(self.rows.iter().map(|row| row[answer].text()).collect())
    }

    /// The table as JSON: its name, and each row as an object. Numbers are numbers and what is not there is `null`.
    pub fn to_json(&self) -> Value {
        let cell = |(column, cell): (&Column, &Cell)| (column.name.to_owned(), cell.to_json());
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
        aligned.set_header(heads.iter().map(|head| &head.text));
        for row in rows {
            aligned.add_row(row);
        }
        for (i, column) in aligned.column_iter_mut().enumerate() {
            column.set_padding((if i == 0 { 0 } else { 2 }, 0));
            let is_words = heads[i].is_words;
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
        let rule = |head: &Head| if head.is_words { "---" } else { "---:" }.to_owned();
        let rule = heads.iter().map(rule).collect();
        let mut text = line(heads.into_iter().map(|head| head.text).collect()) + &line(rule);
        text.extend(rows.into_iter().map(line));
        text
    }

    /// Heads and rows as people read them: an estimate and its bounds in one column `x [low, high]`, both ends of a range
    /// in one column, shares in per cent.
    pub fn folded(&self) -> (Vec<Head>, Vec<Vec<String>>) {
        let shown: Vec<usize> = (0..self.columns.len())
            .filter(|&i| matches!(self.columns[i].part, Part::All | Part::From(_)))
            .collect();
        let heads = shown.iter().map(|&i| self.head(&self.columns[i])).collect();
        let rows = self.rows().map(|row| shown.iter().map(|&i| self.shown(row, i)).collect()).collect();
        (heads, rows)
    }

    fn head(&self, column: &Column) -> Head {
        let name = if let Part::From(range) = column.part { range } else { column.name };
        let unit = if matches!(column.kind, Kind::Share) { " %" } else { "" };
        let level = match (self.bounds(column.name), self.level) {
            ([Some(_), Some(_)], Some(level)) => format!(" [{}]", text::level(level)),
            ([Some(_), Some(_)], None) => " [at level]".to_owned(),
            _ => String::new(),
        };
        let text = name.replace('_', " ") + unit + &level;
        Head { text, is_words: column.is_words(), column: column.name }
    }

    /// A cell as people read it, with those of the columns that are shown in one with its own.
    fn shown(&self, row: Row, i: usize) -> String {
        let column = &self.columns[i];
        match (column.part, column.kind) {
            (Part::From(range), _) => {
                let to = self.columns.iter().position(|column| column.part == Part::To(range));
                row.range(i, to.unwrap_or(i))
            }
            // The head has the unit.
            (_, Kind::Share) => Written { unit: "", ..row.written(column.name) }.with_bounds(),
            _ => row.written(column.name).with_bounds(),
        }
    }
}

/// Text that a document shows as it is, and does not take for a border or a tag.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}
