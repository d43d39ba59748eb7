//! Tables whose rows are structs. A column is declared once: its meaning, its field, its kind, and how
//! its value is computed. Head and cells, reading a file, and the manual follow from that.

use gauntlet_stats::Estimate;

use super::column::Kind;
use super::{Cell, Column, Row, Schema, Table, Written};
use crate::record::Timed;

/// Declares a table. A column is its meaning, its field with its type, and the method of [`Column`]
/// that makes it, to which the field gives its name. A field without a meaning shares that of the
/// one before. With `of`, a row is made of a source, each field by its expression.
#[macro_export]
macro_rules! table {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $row:ident($name:expr, $level:expr) of $source:tt: $from:ty {
            $($(#[doc = $meaning:literal])* $field:ident: $type:ty,
                $kind:ident($($of:expr),*)$(.$also:ident($($with:expr),*))* = $value:expr;)*
        }
    ) => {
        $crate::table::typed::table! {
            $(#[doc = $about])*
            $vis struct $row($name, $level) {
                $($(#[doc = $meaning])* $field: $type, $kind($($of),*)$(.$also($($with),*))*;)*
            }
        }

        impl $row {
            /// The row of this.
            $vis fn of($source: $from) -> $row {
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

        #[allow(dead_code)]
        impl $row {
            /// The name of the table.
            $vis const NAME: &'static str = $name;
        }

        impl $crate::table::typed::TypedRow for $row {
            const NAME: &'static str = $name;
            const LEVEL: Option<f64> = $level;

            fn fields() -> Vec<$crate::table::typed::Declared> {
                vec![$($crate::table::typed::Declared {
                    column: $crate::table::Column::$kind(stringify!($field) $(, $of)*)
                        .parts(&[concat!(stringify!($field), "_low"), concat!(stringify!($field), "_high")])
                        $(.$also($($with),*))*,
                    columns: <$type as $crate::table::typed::Field>::columns,
                    meaning: &[$($meaning),*],
                }),*]
            }

            fn cells(&self, fields: &[$crate::table::typed::Declared]) -> Vec<$crate::table::Cell> {
                let (mut fields, mut cells) = (fields.iter(), Vec::new());
                $(fields.next().expect("this field").write(&self.$field, &mut cells);)*
                cells
            }

            fn read(row: $crate::table::Row, fields: &[$crate::table::typed::Declared]) -> $row {
                let mut fields = fields.iter();
                $row { $($field: fields.next().expect("this field").read(row),)* }
            }
        }
    };
}
pub use table;

/// A row of a table, as it is declared.
pub trait TypedRow: Sized {
    /// Name of the table and of its file, `<name>.csv`.
    const NAME: &'static str;
    /// The level of its intervals; none where each row says it in the column `level`.
    const LEVEL: Option<f64>;

    /// The fields, in the order of their columns.
    fn fields() -> Vec<Declared>;

    /// The cells of this row.
    fn cells(&self, fields: &[Declared]) -> Vec<Cell>;

    /// A row of the table. A number that it lacks is 0, unless the field may be empty.
    fn read(row: Row, fields: &[Declared]) -> Self;

    /// Schema by which such a table is read.
    fn schema() -> Schema {
        Self::schema_with(&[])
    }

    /// The same with a column for each of these settings.
    fn schema_with(settings: &[String]) -> Schema {
        let columns =
            Self::fields().iter().flat_map(|field| (field.columns)(field.column, settings)).collect();
        Schema { name: Self::NAME, columns, level: Self::LEVEL }
    }

    /// The table of these rows.
    fn table(rows: impl IntoIterator<Item = Self>) -> Table {
        Self::table_with(&[], rows)
    }

    /// The same with a column for each of these settings.
    fn table_with(settings: &[String], rows: impl IntoIterator<Item = Self>) -> Table {
        let fields = Self::fields();
        let rows = rows.into_iter().map(|row| row.cells(&fields)).collect();
        let mut table = Table::new(&Self::schema_with(settings), rows);
        table.drop_absent();
        table
    }

    /// Its columns in the manual, but those of settings.
    fn described() -> Described {
        let mut rows: Vec<(&str, String, String)> = Vec::new();
        for field in Self::fields() {
            let columns = (field.columns)(field.column, &[]);
            let names: Vec<String> = columns.iter().map(|column| format!("`{}`", column.name)).collect();
            let meaning: Vec<&str> = field.meaning.iter().map(|line| line.trim()).collect();
            match rows.last_mut() {
                _ if names.is_empty() => {}
                Some((_, all, _)) if meaning.is_empty() => *all = format!("{all}, {}", names.join(", ")),
                _ => rows.push((columns[0].name, names.join(", "), meaning.join(" "))),
            }
        }
        let row = |(first, names, meaning)| (first, format!("| {names} | {meaning} |"));
        Described { table: Self::NAME, rows: rows.into_iter().map(row).collect() }
    }
}

/// The columns of a table, as the manual describes them.
pub struct Described {
    /// Name of the table.
    pub table: &'static str,
    /// The rows of the manual, each with the first of its columns.
    pub rows: Vec<(&'static str, String)>,
}

impl Table {
    /// The rows as they are declared.
    pub fn typed<R: TypedRow>(&self) -> impl Iterator<Item = R> {
        let fields = R::fields();
        self.rows().map(move |row| R::read(row, &fields))
    }
}

/// A field of a row, as it is declared.
pub struct Declared {
    /// Its column, or the first of its columns.
    pub column: Column,
    /// All of its columns.
    pub columns: fn(Column, &[String]) -> Vec<Column>,
    /// Its meaning, line by line.
    pub meaning: &'static [&'static str],
}

impl Declared {
    /// Adds the cells of a value.
    pub fn write(&self, value: &impl Field, cells: &mut Vec<Cell>) {
        value.write(&self.column, cells);
    }

    /// The value in a row.
    pub fn read<F: Field>(&self, row: Row) -> F {
        F::read(row, &self.column)
    }
}

/// Type of a field.
pub trait Field: Sized {
    /// Its columns. A table with columns of settings has these.
    fn columns(column: Column, _settings: &[String]) -> Vec<Column> {
        vec![column]
    }

    /// Adds its cells.
    fn write(&self, column: &Column, cells: &mut Vec<Cell>);

    /// The value in a row.
    fn read(row: Row, column: &Column) -> Self;
}

/// Type of a value that stands in one cell.
pub trait Value: Sized {
    /// Its cell.
    fn cell(&self, column: &Column) -> Cell;

    /// The value in a row, if that has one.
    fn found(row: Row, column: &'static str) -> Option<Self>;
}

impl Value for String {
    fn cell(&self, _: &Column) -> Cell {
        self.as_str().into()
    }

    fn found(row: Row, column: &'static str) -> Option<String> {
        Some(row.words(column).to_owned()).filter(|words| !words.is_empty())
    }
}

impl Value for u64 {
    fn cell(&self, _: &Column) -> Cell {
        (*self).into()
    }

    fn found(row: Row, column: &'static str) -> Option<u64> {
        row.count(column)
    }
}

impl Value for bool {
    fn cell(&self, _: &Column) -> Cell {
        (*self).into()
    }

    fn found(row: Row, column: &'static str) -> Option<bool> {
        row.truth(column)
    }
}

impl Value for f64 {
    fn cell(&self, column: &Column) -> Cell {
        match (column.kind, column.decimals) {
            (Kind::Probability, _) => Cell::Probability(*self),
            (_, Some(decimals)) => Cell::real(Some(*self), decimals),
            (_, None) => Cell::as_printed(*self),
        }
    }

    fn found(row: Row, column: &'static str) -> Option<f64> {
        row.number(column)
    }
}

impl Value for Timed {
    fn cell(&self, _: &Column) -> Cell {
        self.word().into()
    }

    fn found(row: Row, column: &'static str) -> Option<Timed> {
        Timed::of(row.words(column))
    }
}

impl<V: Value> Field for Option<V> {
    fn write(&self, column: &Column, cells: &mut Vec<Cell>) {
        cells.push(self.as_ref().map(|value| value.cell(column)).into());
    }

    fn read(row: Row, column: &Column) -> Option<V> {
        V::found(row, column.name)
    }
}

impl<V: Value + Default> Field for V {
    fn write(&self, column: &Column, cells: &mut Vec<Cell>) {
        cells.push(self.cell(column));
    }

    fn read(row: Row, column: &Column) -> V {
        V::found(row, column.name).unwrap_or_default()
    }
}

/// An estimate has two columns more, of its bounds.
impl Field for Option<Estimate> {
    fn columns(column: Column, _: &[String]) -> Vec<Column> {
        let bound = |place: usize| Column {
            decimals: column.decimals,
            ..Column::new(column.parts[place], column.kind)
        };
        vec![column, bound(0).low_of(column.name), bound(1).high_of(column.name)]
    }

    fn write(&self, column: &Column, cells: &mut Vec<Cell>) {
        let part = |part: fn(Estimate) -> f64| Cell::real(self.map(part), column.decimals.unwrap_or(6));
        let value = part(|it| it.value);
        cells.push(match column.kind {
            Kind::Millis => value.or_below(self.map(|it| it.high)),
            _ => value,
        });
        cells.extend([part(|it| it.low), part(|it| it.high)]);
    }

    fn read(row: Row, column: &Column) -> Option<Estimate> {
        row.estimate(column.name)
    }
}

/// An estimate, and how it stands in a table that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrittenEstimate {
    /// The estimate.
    pub estimate: Option<Estimate>,
    /// As people read it.
    pub text: Written,
}

impl From<Option<Estimate>> for WrittenEstimate {
    fn from(estimate: Option<Estimate>) -> WrittenEstimate {
        WrittenEstimate { estimate, text: Written::default() }
    }
}

impl Field for WrittenEstimate {
    fn columns(column: Column, settings: &[String]) -> Vec<Column> {
        <Option<Estimate>>::columns(column, settings)
    }

    fn write(&self, column: &Column, cells: &mut Vec<Cell>) {
        self.estimate.write(column, cells);
    }

    fn read(row: Row, column: &Column) -> WrittenEstimate {
        WrittenEstimate { estimate: row.estimate(column.name), text: row.written(column.name) }
    }
}

/// Counts, each in a column.
impl<const N: usize> Field for Option<[u64; N]> {
    fn columns(column: Column, _: &[String]) -> Vec<Column> {
        column.parts.iter().map(|name| Column { name, ..column }).collect()
    }

    fn write(&self, _: &Column, cells: &mut Vec<Cell>) {
        cells.extend((0..N).map(|place| self.map(|counts| counts[place]).into()));
    }

    fn read(row: Row, column: &Column) -> Option<[u64; N]> {
        let counts: Option<Vec<u64>> = column.parts.iter().map(|name| row.count(name)).collect();
        counts?.try_into().ok()
    }
}

/// The words of settings.
impl Field for Vec<String> {
    fn columns(_: Column, settings: &[String]) -> Vec<Column> {
        settings.iter().map(|key| Column::of_setting(key.clone(), Kind::Words)).collect()
    }

    fn write(&self, _: &Column, cells: &mut Vec<Cell>) {
        cells.extend(self.iter().map(|word| word.as_str().into()));
    }

    fn read(row: Row, _: &Column) -> Vec<String> {
        row.settings()
    }
}
