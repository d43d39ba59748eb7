//! The store: folders of results, whose files belong together and are replaced together.

pub mod claim_history;
pub mod command;
pub mod experiment_copy;
pub mod files;
pub mod folder;
pub mod manifest;
pub mod missing_results;
pub mod partial;
pub mod read;
pub mod replacement;
pub mod replay;
pub mod snapshot;
pub mod training;
pub mod tuning;
pub mod write;
