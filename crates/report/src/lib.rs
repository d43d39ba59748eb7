//! Pages for a browser: the report of results with its plots, and tables in documents.

pub mod page;
