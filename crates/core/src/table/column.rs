//! The columns of a table: what each holds, and which are shown in one.

use super::cell::Cell;
use crate::text::escape;

/// Kind of the cells of a column.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Words: a name, a source.
    Words,
    /// A verdict in words: one of those that are known.
    Verdict {
        /// True if these words are a verdict.
        is_known: fn(&str) -> bool,
    },
    /// `true` or `false`.
    Truth,
    /// A sentence that says all of its row. A person who asks for the table gets these sentences
    /// alone.
    Answer,
    /// A whole number.
    Count,
    /// A number as it is: a score, a time, a ratio.
    Number,
    /// Milliseconds. A person sees them in a unit that suits them.
    Millis,
    /// A part of a whole, shown in per cent.
    Share,
    /// A probability, which may be very small.
    Probability,
    /// A number of what the words in another column of its row name: a share or a plain number.
    ByRow {
        /// The column with these words.
        named_in: &'static str,
        /// True if the number of this name is a share.
        is_share: fn(&str) -> bool,
    },
}

/// Part of a column in an estimate, which is shown in one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    All,
    /// The lower bound of the estimate in the column of this name.
    Low(&'static str),
    /// Its upper bound.
    High(&'static str),
    /// The beginning of a range, which is shown under this name.
    From(&'static str),
    /// The end of that range.
    To(&'static str),
    /// The first of some counts that are shown in one column under this name, with dashes between
    /// them.
    Leads(&'static str),
    /// A further one of them.
    Follows(&'static str),
}

/// Rank of a column for a person. Files have their columns in an order of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// Before all others.
    First,
    /// That of a setting, which was asked for: behind those.
    Setting,
    /// In its order.
    Usual,
    /// Early if it is not 0 in all rows, otherwise last.
    Exception,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name in files.
    pub name: &'static str,
    /// The name under which rows are read.
    pub(super) field: &'static str,
    /// Kind of its cells.
    pub kind: Kind,
    pub(super) part: Part,
    pub(super) weight: Weight,
    /// True if documents write it as a person reads it, a time in a unit that suits it, rather than
    /// as the files do.
    pub(super) has_units: bool,
    /// Decimals of its numbers in files; none if a number has those that it needs.
    pub(super) decimals: Option<usize>,
    /// The further columns of a field that has several: the bounds of an estimate, or all counts.
    pub(super) parts: &'static [&'static str],
    /// What it means, line by line; empty if the column before it says so.
    pub meaning: &'static [&'static str],
    /// True if a table in which no row has it does not have it either.
    pub(super) is_optional: bool,
}

impl Column {
    /// A column of this kind.
    pub const fn new(name: &'static str, kind: Kind) -> Column {
        Column {
            name,
            field: name,
            kind,
            part: Part::All,
            weight: Weight::Usual,
            has_units: false,
            decimals: None,
            parts: &[],
            meaning: &[],
            is_optional: false,
        }
    }

    /// A column whose name is known only at run time. The name is kept until the program ends.
    pub fn named(name: String, kind: Kind) -> Column {
        Column::new(name.leak(), kind)
    }

    /// The same of a setting.
    pub fn of_setting(name: String, kind: Kind) -> Column {
        Column { weight: Weight::Setting, ..Column::named(name, kind) }
    }

    /// A column of verdicts.
    pub const fn verdict(name: &'static str, is_known: fn(&str) -> bool) -> Column {
        Column::new(name, Kind::Verdict { is_known })
    }

    /// A column of numbers of what the words in another column of their row name.
    pub const fn by_row(name: &'static str, named_in: &'static str, is_share: fn(&str) -> bool) -> Column {
        Column::new(name, Kind::ByRow { named_in, is_share })
    }

    /// The columns of settings, in a row.
    pub const fn settings(name: &'static str) -> Column {
        Column { weight: Weight::Setting, ..Column::words(name) }
    }

    /// The same, with units in documents.
    pub const fn with_units(self) -> Column {
        Column { has_units: true, ..self }
    }

    /// The same under another name in files.
    pub const fn called(self, name: &'static str) -> Column {
        Column { name, ..self }
    }

    /// The same with numbers of so many decimals.
    pub const fn to(self, decimals: usize) -> Column {
        Column { decimals: Some(decimals), ..self }
    }

    /// The same with these further columns: the bounds of an estimate, or all counts.
    pub const fn parts(self, parts: &'static [&'static str]) -> Column {
        Column { parts, ..self }
    }

    /// The same with this meaning.
    pub const fn meaning(self, meaning: &'static [&'static str]) -> Column {
        Column { meaning, ..self }
    }

    /// The same, left out of a table in which no row has it.
    pub const fn optional(self) -> Column {
        Column { is_optional: true, ..self }
    }

    /// The same, among the first that a person sees.
    pub const fn first(self) -> Column {
        Column { weight: Weight::First, ..self }
    }

    /// The same of what seldom happens: a person sees it early if it did.
    pub const fn exception(self) -> Column {
        Column { weight: Weight::Exception, ..self }
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

    /// The same as the first of some counts that are shown in one column of this name.
    pub const fn leading(self, all: &'static str) -> Column {
        Column { part: Part::Leads(all), ..self }
    }

    /// The same as a further one of them.
    pub const fn following(self, all: &'static str) -> Column {
        Column { part: Part::Follows(all), ..self }
    }

    /// True if it holds words, which are aligned to the left; numbers are aligned to the right.
    pub fn is_words(&self) -> bool {
        matches!(self.kind, Kind::Words | Kind::Verdict { .. } | Kind::Truth | Kind::Answer)
    }

    /// A cell of a file; none if it is not of this kind.
    pub fn read(&self, text: &str) -> Option<Cell> {
        let number = || text.parse::<f64>().ok().filter(|number| number.is_finite());
        match self.kind {
            Kind::Words | Kind::Answer => Some(Cell::Text(escape::from_cell(text).to_owned())),
            _ if text.is_empty() => Some(Cell::Nothing),
            Kind::Verdict { is_known } => is_known(text).then(|| Cell::Text(text.to_owned())),
            Kind::Truth => text.parse().ok().map(Cell::Truth),
            Kind::Count => text.parse().ok().map(Cell::Whole),
            Kind::Probability => number().map(Cell::Probability),
            Kind::Millis if text.starts_with('<') => match self.read(&text[1..])? {
                Cell::Real(bound, decimals) => Some(Cell::Below(bound, decimals)),
                _ => None,
            },
            Kind::Number | Kind::Millis | Kind::Share | Kind::ByRow { .. } => {
                let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                // Plots have no place for more than all, and forms of numbers none for thousands of
                // decimals.
                let is_share = matches!(self.kind, Kind::Share);
                let is_fit = |number: &f64| decimals <= MOST_DECIMALS && !(is_share && number.abs() > 1.0);
                number().filter(is_fit).map(|number| Cell::Real(number, decimals))
            }
        }
    }
}

/// Columns of a kind.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $kind:ident,)*) => {
        impl Column {
            $($(#[$doc])*
            pub const fn $name(name: &'static str) -> Column {
                Column::new(name, Kind::$kind)
            })*
        }
    };
}

kinds! {
    /// A column of words.
    words: Words,
    /// A column of truth values.
    truth: Truth,
    /// A column of sentences, each of which says all of its row.
    answer: Answer,
    /// A column of whole numbers.
    count: Count,
    /// A column of plain numbers.
    number: Number,
    /// A column of milliseconds.
    millis: Millis,
    /// A column of shares.
    share: Share,
    /// A column of probabilities.
    probability: Probability,
}

/// Decimals that a number in a table may have.
const MOST_DECIMALS: usize = 30;

/// Head of a table, without its rows: for writing it, and for reading it back.
#[derive(Clone, Debug)]
pub struct Schema {
    /// Name of the table and of its file, `<name>.csv`.
    pub name: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
    /// The level of its intervals; none where each row says it in the column `level`.
    pub level: Option<f64>,
}
