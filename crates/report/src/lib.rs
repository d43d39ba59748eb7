//! Pages for a browser: the report of results with its plots, and the live page of a run, a tuning
//! or a training.
//!
//! - [`page`]: the report, its sections and plots; tables in documents
//! - [`live`]: a page that follows a folder

pub mod live;
pub mod page;
