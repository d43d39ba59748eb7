//! Tables as data: typed columns and rows of cells. Their formats (CSV, JSON, aligned text,
//! Markdown, the report page) are generated from it, and their CSV can be read back without loss.
//! `terminal` formats a table for people, on a [`TextTable`].
//!
//! - `column`: columns and their kinds, and the schema of a table
//! - `cell`: typed cells and their formats
//! - `answer`: what people read in place of the row of a table
//! - `sheet`: a table of text, fitted to the available width
//! - `terminal`: formats a table on such a sheet
//! - `rows`: a table with its rows, and all other formats
//! - `typed`: tables whose rows are structs

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
