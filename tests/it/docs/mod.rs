//! Documents and help: they describe the program as it is.

mod committed_results;
mod format;
mod glossary;
pub(crate) mod help;
mod indexes;
mod links;
mod reliability;
mod tutorial;
pub(crate) mod walk;
