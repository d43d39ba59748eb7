//! Tables as data: typed columns and rows of cells. Their formats (CSV, JSON, aligned text,
//! Markdown, the report page) are generated from it, and their CSV can be read back without loss.
//! `terminal` formats a table for people, on a [`TextTable`].

mod answer;
mod cell;
mod column;
mod rows;
mod sheet;
mod terminal;
mod typed;

pub use answer::AnswerText;
pub use cell::Cell;
pub use column::{CellKind, Column, Schema};
pub use rows::{ColumnHeading, EstimateText, Row, Table};
pub use sheet::{ColumnContent, TableWidth, TextTable};
pub use typed::{CellValue, FieldType, TableEstimate, TypedRow, table};
