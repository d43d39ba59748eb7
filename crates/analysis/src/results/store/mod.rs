//! The store: folders of results, whose files belong together and are replaced together.

pub mod absent;
pub mod claim_history;
pub mod command;
pub mod continued;
pub mod files;
pub mod folder;
pub mod manifest;
pub mod origin;
pub mod partial;
pub mod read;
pub mod replacement;
pub mod set;
pub mod training;
pub mod tuning;
pub mod write;
