//! Tables whose rows are structs. A column is declared once: its meaning, its field, its kind, and
//! how its value is computed. Headings and cells, the reading of files, and the manual are derived
//! from that.

use std::borrow::Borrow;

use super::column::{CellKind, ColumnRole};
use super::{Cell, Column, EstimateText, Row, Schema, Table};
use crate::record::TimeSource;
use gauntlet_stats::Estimate;

/// Declares a table. A column consists of its meaning, its field with its type, and the method of
/// [`Column`] that creates it, which receives the name of the field. A field without a meaning
/// shares the previous one. With `of`, a row is created from a source, each field by its
/// expression.
#[macro_export]
macro_rules! table {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $row:ident($name:expr, $level:expr) of $source:tt: $from:ty {
            $($(#[doc = $meaning:literal])* $field:ident: $type:ty,
                $kind:ident($($of:expr),*)$(.$also:ident($($with:expr),*))* = $value:expr;)*
        }
    ) => {
        $crate::table::table! {
            $(#[doc = $about])*
            $vis struct $row($name, $level) {
                $($(#[doc = $meaning])* $field: $type, $kind($($of),*)$(.$also($($with),*))*;)*
            }
        }

        impl $row {
            /// Creates the row of a source.
            $vis fn new($source: $from) -> $row {
                $row { $($field: $value.into(),)* }
            }
        }
    };
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $row:ident($name:expr, $level:expr) {
            $($(#[doc = $meaning:literal])* $field:ident: $type:ty,
                $kind:ident($($of:expr),*)$(.$also:ident($($with:expr),*))*;)*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        $vis struct $row {
            $($(#[doc = $meaning])* $vis $field: $type,)*
        }

        impl $crate::table::TypedRow for $row {
            const NAME: &'static str = $name;
            const LEVEL: Option<f64> = $level;

            fn fields() -> Vec<$crate::table::Column> {
                vec![$($crate::table::Column::$kind(stringify!($field) $(, $of)*)
                    .with_parts(&[concat!(stringify!($field), "_low"), concat!(stringify!($field), "_high")])
                    .with_meaning(&[$($meaning),*])
                    $(.$also($($with),*))*),*]
            }

            fn columns(more: &[$crate::table::Column]) -> Vec<$crate::table::Column> {
                let mut fields = Self::fields().into_iter();
                let mut next = || fields.next().expect("this field");
                [$(<$type as $crate::table::FieldType>::columns(next(), more)),*].concat()
            }

            fn cells(&self, fields: &[$crate::table::Column]) -> Vec<$crate::table::Cell> {
                let (mut fields, mut cells) = (fields.iter(), Vec::new());
                $($crate::table::FieldType::write(&self.$field, fields.next().expect("this field"), &mut cells);)*
                cells
            }

            fn read(row: $crate::table::Row, fields: &[$crate::table::Column]) -> $row {
                let mut fields = fields.iter();
                $row { $($field: $crate::table::FieldType::read(row, fields.next().expect("this field")),)* }
            }
        }
    };
}
pub use table;

/// Declared row of a table.
pub trait TypedRow: Sized {
    /// Name of the table and of its file, `<name>.csv`.
    const NAME: &'static str;
    /// Level of its intervals; `None` if each row has it in the column `level`.
    const LEVEL: Option<f64>;

    /// Returns the column of each field, or the first of its columns.
    fn fields() -> Vec<Column>;

    /// Returns all columns.
    fn columns(extra_columns: &[Column]) -> Vec<Column>;

    /// Returns the cells of this row.
    fn cells(&self, fields: &[Column]) -> Vec<Cell>;

    /// Reads a row of the table. A missing number is 0, unless the field is optional.
    fn read(row: Row, fields: &[Column]) -> Self;

    /// Returns the schema for reading such a table.
    fn schema() -> Schema {
        Self::schema_with(&[])
    }

    /// Returns the schema with further columns that are known only at run time.
    fn schema_with(extra_columns: &[Column]) -> Schema {
        Schema { name: Self::NAME, columns: Self::columns(extra_columns), level: Self::LEVEL }
    }

    /// Creates a table of rows.
    fn table(rows: impl IntoIterator<Item = impl Borrow<Self>>) -> Table {
        Self::table_with(&[], rows)
    }

    /// Creates a table of rows with further columns that are known only at run time.
    fn table_with(extra_columns: &[Column], rows: impl IntoIterator<Item = impl Borrow<Self>>) -> Table {
        let fields = Self::fields();
        let rows = rows.into_iter().map(|row| row.borrow().cells(&fields)).collect();
        let mut table = Table::new(&Self::schema_with(extra_columns), rows);
        table.drop_empty_columns();
        table
    }
}

impl Table {
    /// Reads the rows as structs.
    pub fn read_rows<R: TypedRow>(&self) -> impl Iterator<Item = R> {
        let fields = R::fields();
        self.rows().map(move |row| R::read(row, &fields))
    }

    /// Inserts a field that is known only at run time before the column at this index.
    pub fn insert<F: FieldType>(
        &mut self,
        index: usize,
        column: Column,
        values: impl IntoIterator<Item = F>,
    ) {
        self.columns.splice(index..index, F::columns(column, &[]));
        for (row, value) in self.rows.iter_mut().zip(values) {
            let mut cells = Vec::new();
            value.write(&column, &mut cells);
            row.splice(index..index, cells);
        }
    }
}

impl Table {
    /// Replaces the values of an estimate and its bounds.
    pub fn set_estimates(&mut self, name: &str, values: impl IntoIterator<Item = Estimate>) {
        let index = self.column_index(name);
        let column = self.columns[index];
        for (row, value) in self.rows.iter_mut().zip(values) {
            let mut cells = Vec::new();
            Some(value).write(&column, &mut cells);
            row.splice(index..index + cells.len(), cells);
        }
    }
}

/// Type of a field.
pub trait FieldType: Sized {
    /// Returns the columns that this field occupies: by default `column` alone. A field whose
    /// columns are known only at run time returns `_extra_columns`.
    fn columns(column: Column, _extra_columns: &[Column]) -> Vec<Column> {
        vec![column]
    }

    /// Appends its cells.
    fn write(&self, column: &Column, cells: &mut Vec<Cell>);

    /// Reads the value from a row.
    fn read(row: Row, column: &Column) -> Self;
}

/// Type of a value in a single cell.
pub trait CellValue: Sized {
    /// Returns its cell.
    fn cell(&self, column: &Column) -> Cell;

    /// Reads the value from a row, if it has one.
    fn read_cell(row: Row, column: &'static str) -> Option<Self>;
}

impl CellValue for String {
    fn cell(&self, _: &Column) -> Cell {
        self.as_str().into()
    }

    fn read_cell(row: Row, column: &'static str) -> Option<String> {
        Some(row.words(column).to_owned()).filter(|words| !words.is_empty())
    }
}

impl CellValue for u64 {
    fn cell(&self, _: &Column) -> Cell {
        (*self).into()
    }

    fn read_cell(row: Row, column: &'static str) -> Option<u64> {
        row.count(column)
    }
}

impl CellValue for bool {
    fn cell(&self, _: &Column) -> Cell {
        (*self).into()
    }

    fn read_cell(row: Row, column: &'static str) -> Option<bool> {
        row.boolean(column)
    }
}

impl CellValue for f64 {
    fn cell(&self, column: &Column) -> Cell {
        match (column.kind, column.decimals) {
            (CellKind::Probability, _) => Cell::Probability(*self),
            (_, Some(decimals)) => Cell::from_real(Some(*self), decimals),
            (_, None) => Cell::from_printed(*self),
        }
    }

    fn read_cell(row: Row, column: &'static str) -> Option<f64> {
        row.number(column)
    }
}

/// Writes a number with its decimals.
impl CellValue for (f64, usize) {
    fn cell(&self, _: &Column) -> Cell {
        Cell::from_real(Some(self.0), self.1)
    }

    fn read_cell(row: Row, column: &'static str) -> Option<(f64, usize)> {
        if let Cell::Real(number, decimals) = *row.cell(column) { Some((number, decimals)) } else { None }
    }
}

impl CellValue for TimeSource {
    fn cell(&self, _: &Column) -> Cell {
        self.word().into()
    }

    fn read_cell(row: Row, column: &'static str) -> Option<TimeSource> {
        TimeSource::parse(row.words(column))
    }
}

impl<V: CellValue> FieldType for Option<V> {
    fn write(&self, column: &Column, cells: &mut Vec<Cell>) {
        cells.push(self.as_ref().map(|value| value.cell(column)).into());
    }

    fn read(row: Row, column: &Column) -> Option<V> {
        V::read_cell(row, column.name)
    }
}

impl<V: CellValue + Default> FieldType for V {
    fn write(&self, column: &Column, cells: &mut Vec<Cell>) {
        cells.push(self.cell(column));
    }

    fn read(row: Row, column: &Column) -> V {
        V::read_cell(row, column.name).unwrap_or_default()
    }
}

/// Writes an estimate with two further columns for its bounds.
impl FieldType for Option<Estimate> {
    fn columns(column: Column, _: &[Column]) -> Vec<Column> {
        let bound = |index: usize| Column {
            decimals: column.decimals,
            ..Column::new(column.part_names[index], column.kind)
        };
        vec![column, bound(0).low_of(column.name), bound(1).high_of(column.name)]
    }

    fn write(&self, column: &Column, cells: &mut Vec<Cell>) {
        let to_cell =
            |part: fn(Estimate) -> f64| Cell::from_real(self.map(part), column.decimals.unwrap_or(6));
        let value = to_cell(|estimate| estimate.value);
        cells.push(match column.kind {
            CellKind::Millis => value.with_bound(self.map(|estimate| estimate.high)),
            _ => value,
        });
        cells.extend([to_cell(|estimate| estimate.low), to_cell(|estimate| estimate.high)]);
    }

    fn read(row: Row, column: &Column) -> Option<Estimate> {
        row.estimate(column.name)
    }
}

/// Estimate, and its text in a table that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableEstimate {
    /// Number with its bounds, if the cells have one.
    pub estimate: Option<Estimate>,
    /// Text for people.
    pub text: EstimateText,
    /// Number of decimals, if it differs from that of the column.
    decimals: Option<usize>,
}

impl From<Option<Estimate>> for TableEstimate {
    fn from(estimate: Option<Estimate>) -> TableEstimate {
        TableEstimate { estimate, ..TableEstimate::default() }
    }
}

impl From<(Option<Estimate>, usize)> for TableEstimate {
    fn from((estimate, decimals): (Option<Estimate>, usize)) -> TableEstimate {
        TableEstimate { decimals: Some(decimals), ..estimate.into() }
    }
}

impl FieldType for TableEstimate {
    fn columns(column: Column, extra_columns: &[Column]) -> Vec<Column> {
        <Option<Estimate>>::columns(column, extra_columns)
    }

    fn write(&self, column: &Column, cells: &mut Vec<Cell>) {
        self.estimate.write(&Column { decimals: self.decimals.or(column.decimals), ..*column }, cells);
    }

    fn read(row: Row, column: &Column) -> TableEstimate {
        TableEstimate {
            estimate: row.estimate(column.name),
            text: row.format_estimate(column.name),
            decimals: None,
        }
    }
}

/// Writes counts, each in its column.
impl<const N: usize> FieldType for Option<[u64; N]> {
    fn columns(column: Column, _: &[Column]) -> Vec<Column> {
        let role = match column.role {
            ColumnRole::FirstCount(shared_name) => ColumnRole::NextCount(shared_name),
            role => role,
        };
        let others = column.part_names[1..].iter().map(|name| Column {
            name,
            field: name,
            meaning: &[],
            role,
            ..column
        });
        let first = Column { name: column.part_names[0], field: column.part_names[0], ..column };
        std::iter::once(first).chain(others).collect()
    }

    fn write(&self, _: &Column, cells: &mut Vec<Cell>) {
        cells.extend((0..N).map(|index| self.map(|counts| counts[index]).into()));
    }

    fn read(row: Row, column: &Column) -> Option<[u64; N]> {
        let counts: Option<Vec<u64>> = column.part_names.iter().map(|name| row.count(name)).collect();
        counts?.try_into().ok()
    }
}

/// Writes the words of settings.
impl FieldType for Vec<String> {
    fn columns(_: Column, extra_columns: &[Column]) -> Vec<Column> {
        extra_columns.to_vec()
    }

    fn write(&self, _: &Column, cells: &mut Vec<Cell>) {
        cells.extend(self.iter().map(|word| word.as_str().into()));
    }

    fn read(row: Row, _: &Column) -> Vec<String> {
        row.settings()
    }
}
