//! Tables as data: typed columns and rows of cells. Their formats (CSV, JSON, aligned text,
//! Markdown, the report page) are generated from it, and their CSV can be read back without loss.
//! `terminal` formats a table for people, on a [`TextTable`].

mod answer;
mod cell;
mod column;
mod rows;
mod terminal;
mod text_table;
mod typed_rows;

pub use answer::AnswerText;
pub use cell::Cell;
pub use column::{CellKind, Column, Schema};
pub use rows::{ColumnHeading, EstimateText, Row, Table};
pub use text_table::{ColumnContent, TableWidth, TextTable};
pub use typed_rows::{CellValue, FieldType, TableEstimate, TypedRow, table};
