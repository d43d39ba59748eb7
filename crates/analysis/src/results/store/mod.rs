//! The store: folders of results, whose files belong together and change at once.
//!
//! - [`folder`]: what lies there, and of which version; [`manifest`]: where, when and by what it
//!   was made; [`set`]: the files that belong together, read and checked; `replacement`: how they
//!   are replaced together; [`files`]: single files that are replaced whole or not at all
//! - [`command`]: the command that made them, as it is offered to be typed again
//! - [`mod@write`]: from a journal to all files of a folder; [`read`]: results read back
//! - [`partial`]: the tables of a run that has not ended, made of its journal and written nowhere
//! - [`origin`]: the experiment with the files of its players, where they lay when it was played
//! - [`continued`]: which tables may take the place of others
//! - [`tuning`]: the folder of a tuning, and the folders of results in it; [`training`]: the folder
//!   of a training
//! - [`absent`]: why there are no results where they were looked for

pub mod absent;
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
