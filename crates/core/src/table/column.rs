//! Columns of tables: their contents, and which are shown combined.

use super::cell::Cell;
use crate::text::escape;

/// Kind of a column's cells.
#[derive(Clone, Copy, Debug)]
pub enum CellKind {
    /// Words, such as a name or a source.
    Words,
    /// Verdict, one of a known set of words.
    Verdict {
        /// Returns the current word for a verdict, or `None` if these words are none.
        word_of: fn(&str) -> Option<&'static str>,
    },
    /// `true` or `false`.
    Truth,
    /// Short answer that says everything about its row. In a terminal, a table with such a column
    /// is shown as verdicts and answers alone.
    Answer,
    /// Explanation of the answer in sentences, shown only on request.
    Explanation,
    /// Whole number.
    Count,
    /// Plain number, such as a score, a time or a ratio.
    Number,
    /// Milliseconds, shown in a suitable unit.
    Millis,
    /// Proportion, shown in per cent.
    Share,
    /// Probability, which may be very small.
    Probability,
    /// Number of a quantity that another column of its row names: a share or a plain number.
    ByRow {
        /// Column with the name of the quantity.
        name_column: &'static str,
        /// Returns true if the quantity of this name is a share.
        is_share: fn(&str) -> bool,
    },
}

/// Role of a column among columns that are shown as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnRole {
    All,
    /// Lower bound of the estimate in the column of this name.
    Low(&'static str),
    /// Upper bound of the estimate in the column of this name.
    High(&'static str),
    /// Start of a range, which is shown under this name.
    RangeStart(&'static str),
    /// End of the range of this name.
    RangeEnd(&'static str),
    /// First of several counts that are shown in one column of this name, separated by dashes.
    FirstCount(&'static str),
    /// Further count of the column of this name.
    NextCount(&'static str),
    /// Number of games from which on the verdict in the column of this name would hold.
    Games(&'static str),
}

/// Display priority of a column. Files have their own order of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Priority {
    /// Before all others.
    First,
    /// Setting that was asked for: after the first columns.
    Setting,
    /// In the declared order.
    Usual,
    /// After the first columns if any row is not 0; otherwise last.
    Exception,
}

/// Column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Name in files.
    pub name: &'static str,
    /// Name of the field of the row. It differs from `name` if [`Column::with_name`] renamed the
    /// column.
    pub(super) field: &'static str,
    /// Heading for people, if its name does not serve.
    pub(super) heading: Option<&'static str>,
    /// Kind of its cells.
    pub kind: CellKind,
    pub(super) role: ColumnRole,
    pub(super) priority: Priority,
    /// True if documents show it as a terminal does, with a time in a suitable unit, rather than as
    /// files do.
    pub(super) has_units: bool,
    /// Number of decimals in files; `None` if each number has as many as it needs.
    pub(super) decimals: Option<usize>,
    /// Further columns of a field with several: the bounds of an estimate, or all counts.
    pub(super) part_names: &'static [&'static str],
    /// Meaning, line by line; empty if the previous column's meaning includes it.
    pub meaning: &'static [&'static str],
    /// True if the column is left out of a table in which no row has a value.
    pub(super) is_optional: bool,
}

impl Column {
    /// Creates a column of this kind.
    pub const fn new(name: &'static str, kind: CellKind) -> Column {
        Column {
            name,
            field: name,
            heading: None,
            kind,
            role: ColumnRole::All,
            priority: Priority::Usual,
            has_units: false,
            decimals: None,
            part_names: &[],
            meaning: &[],
            is_optional: false,
        }
    }

    /// Creates a column whose name is known only at run time. The name is leaked.
    pub fn from_name(name: String, kind: CellKind) -> Column {
        Column::new(name.leak(), kind)
    }

    /// Creates the column of a setting, whose name is known only at run time.
    pub fn from_setting(name: String, kind: CellKind) -> Column {
        Column { priority: Priority::Setting, ..Column::from_name(name, kind) }
    }

    /// Creates a column of verdicts.
    pub const fn verdict(name: &'static str, word_of: fn(&str) -> Option<&'static str>) -> Column {
        Column::new(name, CellKind::Verdict { word_of })
    }

    /// Creates a column of numbers whose quantity another column of the row names.
    pub const fn quantity_by_row(
        name: &'static str,
        name_column: &'static str,
        is_share: fn(&str) -> bool,
    ) -> Column {
        Column::new(name, CellKind::ByRow { name_column, is_share })
    }

    /// Creates the columns of settings.
    pub const fn settings(name: &'static str) -> Column {
        Column { priority: Priority::Setting, ..Column::words(name) }
    }

    /// Returns the name under which it is shown, alone or with others.
    pub(super) const fn display_name(&self) -> &'static str {
        match self.role {
            ColumnRole::RangeStart(name) | ColumnRole::FirstCount(name) => name,
            _ => self.name,
        }
    }

    /// Shows units in documents.
    pub const fn with_units(self) -> Column {
        Column { has_units: true, ..self }
    }

    /// Sets the heading for people.
    pub const fn with_heading(self, heading: &'static str) -> Column {
        Column { heading: Some(heading), ..self }
    }

    /// Sets the name in files.
    pub const fn with_name(self, name: &'static str) -> Column {
        Column { name, ..self }
    }

    /// Sets the number of decimals.
    pub const fn with_decimals(self, decimals: usize) -> Column {
        Column { decimals: Some(decimals), ..self }
    }

    /// Sets the further columns: the bounds of an estimate, or all counts.
    pub const fn with_parts(self, part_names: &'static [&'static str]) -> Column {
        Column { part_names, ..self }
    }

    /// Sets the meaning.
    pub const fn with_meaning(self, meaning: &'static [&'static str]) -> Column {
        Column { meaning, ..self }
    }

    /// Leaves the column out of a table in which no row has a value.
    pub const fn as_optional(self) -> Column {
        Column { is_optional: true, ..self }
    }

    /// Shows the column among the first.
    pub const fn as_first(self) -> Column {
        Column { priority: Priority::First, ..self }
    }

    /// Marks a rare event, which is shown early if it happened.
    pub const fn as_exception(self) -> Column {
        Column { priority: Priority::Exception, ..self }
    }

    /// Marks the lower bound of an estimate.
    pub const fn low_of(self, estimate: &'static str) -> Column {
        Column { role: ColumnRole::Low(estimate), ..self }
    }

    /// Marks the upper bound of an estimate.
    pub const fn high_of(self, estimate: &'static str) -> Column {
        Column { role: ColumnRole::High(estimate), ..self }
    }

    /// Marks the start of a range with its own name.
    pub const fn start_of(self, range: &'static str) -> Column {
        Column { role: ColumnRole::RangeStart(range), ..self }
    }

    /// Marks the end of a range.
    pub const fn end_of(self, range: &'static str) -> Column {
        Column { role: ColumnRole::RangeEnd(range), ..self }
    }

    /// Marks the first of several counts that are shown in one column of this name.
    pub const fn first_count_of(self, shared_name: &'static str) -> Column {
        Column { role: ColumnRole::FirstCount(shared_name), ..self }
    }

    /// Marks a further count of that column.
    pub const fn next_count_of(self, shared_name: &'static str) -> Column {
        Column { role: ColumnRole::NextCount(shared_name), ..self }
    }

    /// Marks the number of games from which on the verdict in a column would hold.
    pub const fn games_of(self, verdict: &'static str) -> Column {
        Column { role: ColumnRole::Games(verdict), ..self }
    }

    /// Returns true if the column contains words, which are left-aligned; numbers are
    /// right-aligned.
    pub fn is_words(&self) -> bool {
        matches!(
            self.kind,
            CellKind::Words
                | CellKind::Verdict { .. }
                | CellKind::Truth
                | CellKind::Answer
                | CellKind::Explanation
        )
    }

    /// Parses a cell of a file; `None` if it is not of this kind.
    pub fn read(&self, text: &str) -> Option<Cell> {
        let number = || text.parse::<f64>().ok().filter(|number| number.is_finite());
        match self.kind {
            CellKind::Words | CellKind::Answer | CellKind::Explanation => {
                Some(Cell::Text(escape::from_cell(text).to_owned()))
            }
            _ if text.is_empty() => Some(Cell::Nothing),
            CellKind::Verdict { word_of } => word_of(text).map(Cell::from),
            CellKind::Truth => text.parse().ok().map(Cell::Truth),
            CellKind::Count => text.parse().ok().map(Cell::Whole),
            CellKind::Probability => number().map(Cell::Probability),
            CellKind::Millis if text.starts_with('<') => match self.read(&text[1..])? {
                Cell::Real(bound, decimals) => Some(Cell::Below(bound, decimals)),
                _ => None,
            },
            CellKind::Number | CellKind::Millis | CellKind::Share | CellKind::ByRow { .. } => {
                let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                // Plots have no room for shares above 1, and number formats none for thousands of
                // decimals.
                let is_share = matches!(self.kind, CellKind::Share);
                let is_fit = |number: &f64| decimals <= MAX_DECIMALS && !(is_share && number.abs() > 1.0);
                number().filter(is_fit).map(|number| Cell::Real(number, decimals))
            }
        }
    }
}

/// Defines a constructor for each kind of column.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $kind:ident,)*) => {
        impl Column {
            $($(#[$doc])*
            pub const fn $name(name: &'static str) -> Column {
                Column::new(name, CellKind::$kind)
            })*
        }
    };
}

kinds! {
    /// Creates a column of words.
    words: Words,
    /// Creates a column of booleans.
    truth: Truth,
    /// Creates a column of short answers, each of which says everything about its row.
    answer: Answer,
    /// Creates a column of explanations of the answers.
    explanation: Explanation,
    /// Creates a column of whole numbers.
    count: Count,
    /// Creates a column of plain numbers.
    number: Number,
    /// Creates a column of milliseconds.
    millis: Millis,
    /// Creates a column of shares.
    share: Share,
    /// Creates a column of probabilities.
    probability: Probability,
}

/// Maximum number of decimals of a number in a table.
const MAX_DECIMALS: usize = 30;

/// Schema of a table, for writing it and reading it back.
#[derive(Clone, Debug)]
pub struct Schema {
    /// Name of the table and of its file, `<name>.csv`.
    pub name: &'static str,
    /// Columns in the order of the file.
    pub columns: Vec<Column>,
    /// Level of its intervals; `None` if each row has it in the column `level`.
    pub level: Option<f64>,
}
