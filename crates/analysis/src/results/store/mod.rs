//! The store: folders of results, whose files belong together and are replaced together.
//!
//! - [`folder`]: contents of a folder, and their version; [`manifest`]: where, when and by which
//!   program they were made; [`set`]: the files that belong together, read and verified;
//!   `replacement`: replaces them together; [`files`]: single files that are replaced atomically
//! - [`command`]: the command that made results, safe to suggest
//! - [`mod@write`]: from a journal to all files of a folder; [`read`]: reads results
//! - [`claim_history`]: which claims were added later, or played again after a player changed
//! - [`partial`]: tables of a run that has not ended, from its journal, kept in memory
//! - [`origin`]: the experiment with the files of its players, as they were when it was played
//! - [`continued`]: which tables may replace others
//! - [`tuning`]: the folder of a tuning, and the folders of results in it; [`training`]: the folder
//!   of a training
//! - [`absent`]: errors about paths without results

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
