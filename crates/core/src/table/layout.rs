//! The definition of a table: a line for each column, with its name, its kind and how its cell is made.

use gauntlet_stats::Estimate;

use super::{Cell, Column, Kind, Schema, Table};

/// Function that makes a cell of a row.
type CellOf<'a, R> = Box<dyn Fn(&R) -> Cell + 'a>;

/// Layout of a table that is made of rows of one type.
pub struct Layout<'a, R> {
    schema: Schema,
    cells: Vec<CellOf<'a, R>>,
}

impl<'a, R: 'a> Layout<'a, R> {
    /// A table without columns yet. The level is that of its intervals; none where each row says it in the
    /// column `level`.
    pub fn new(name: &'static str, level: Option<f64>) -> Layout<'a, R> {
        Layout { schema: Schema { name, columns: Vec::new(), level }, cells: Vec::new() }
    }

    /// The same with a further column, and its cell in each row.
    pub fn column<C: Into<Cell>>(mut self, column: Column, cell: impl Fn(&R) -> C + 'a) -> Layout<'a, R> {
        self.schema.columns.push(column);
        self.cells.push(Box::new(move |row| cell(row).into()));
        self
    }

    /// The same with a column of names, verdicts or other words.
    pub fn words<C: Into<Cell>>(self, name: &'static str, cell: impl Fn(&R) -> C + 'a) -> Layout<'a, R> {
        self.column(Column::words(name), cell)
    }

    /// The same with a column of whole numbers.
    pub fn count<C: Into<Cell>>(self, name: &'static str, cell: impl Fn(&R) -> C + 'a) -> Layout<'a, R> {
        self.column(Column::count(name), cell)
    }

    /// The same with a column of measured numbers, rounded to these decimals.
    pub fn real(
        self,
        column: Column,
        decimals: usize,
        number: impl Fn(&R) -> Option<f64> + 'a,
    ) -> Layout<'a, R> {
        self.column(column, move |row| Cell::real(number(row), decimals))
    }

    /// The same with a column of probabilities.
    pub fn probability(self, name: &'static str, p: impl Fn(&R) -> Option<f64> + 'a) -> Layout<'a, R> {
        self.column(Column::probability(name), move |row| p(row).map(Cell::Probability))
    }

    /// The same with an estimate in a column, and its bounds in two columns of these names behind it.
    pub fn estimate(
        self,
        column: Column,
        [low, high]: [&'static str; 2],
        decimals: usize,
        estimate: impl Fn(&R) -> Option<Estimate> + Copy + 'a,
    ) -> Layout<'a, R> {
        let part = move |part: fn(Estimate) -> f64| move |row: &R| estimate(row).map(part);
        let [low, high] = [low, high].map(|name| Column::new(name, column.kind));
        let value = move |row: &R| {
            let value = Cell::real(estimate(row).map(|estimate| estimate.value), decimals);
            match column.kind {
                Kind::Millis => value.or_below(estimate(row).map(|estimate| estimate.high)),
                _ => value,
            }
        };
        self.column(column, value)
            .real(low.low_of(column.name), decimals, part(|estimate| estimate.low))
            .real(high.high_of(column.name), decimals, part(|estimate| estimate.high))
    }

    /// The same with a column of words for each of these settings: the word in its place in each
    /// row.
    pub fn settings(self, keys: &[String], words: fn(&R) -> &[String]) -> Layout<'a, R> {
        keys.iter().enumerate().fold(self, |layout, (place, key)| {
            layout.column(Column::of_setting(key.clone(), Kind::Words), move |row| {
                words(row).get(place).cloned().unwrap_or_default()
            })
        })
    }

    /// Schema by which such a table is read.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The table of these rows.
    pub fn table(&self, rows: impl IntoIterator<Item = R>) -> Table {
        let cells = |row: R| self.cells.iter().map(|cell| cell(&row)).collect();
        Table::new(&self.schema, rows.into_iter().map(cells).collect())
    }
}
