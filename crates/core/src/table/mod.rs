//! A table as data: columns of a kind, and rows of typed cells. Its forms (CSV, JSON, aligned text,
//! Markdown, the view of the page) are made from it, and from its CSV it is read back as it was.
//! `terminal` is its form for a person, on a [`Sheet`].
//!
//! - `column`: columns and their kinds, and the head of a table
//! - `cell`: a typed cell, and its forms
//! - `sheet`: a table for a person, cut to the room that there is
//! - `terminal`: the view of a table on such a sheet
//! - `rows`: a table and its rows, and all of its forms but that for a person
//! - `typed`: tables whose rows are structs

mod cell;
mod column;
mod rows;
mod sheet;
mod terminal;
mod typed;

pub use cell::Cell;
pub use column::{Column, Kind, Schema};
pub use rows::{Head, Row, Table, Written};
pub use sheet::{Holds, Room, Sheet};
pub use typed::{CellValue, Field, TypedRow, WrittenEstimate, table};
