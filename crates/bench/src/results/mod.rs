//! A folder of results: written, and read back.
//!
//! - [`mod@write`]: all tables of a finished experiment; [`tables`]: those made from sums; `verdicts`: those that judge;
//!   `times`: the one by which times are compared; `duels`: those of a game of two
//! - [`mod@judge`]: the tables of verdicts made anew, without a journal
//! - [`settings`]: the table of all settings of the players, which is joined to others
//! - [`manifest`]: where, when and by what they were made
//! - [`folder`]: what lies there, and of which version; [`set`]: the files that belong together, read and checked;
//!   `replacement`: how they are replaced together; [`files`]: single files that are replaced whole or not at all
//! - [`origin`]: the experiment with the files of its players, where they lay when it was played
//! - [`partial`]: the tables of a run that has not ended, made of its journal and written nowhere
//! - [`absent`]: why there are none where they were looked for
//! - [`continued`]: which tables may take the place of others
//! - [`tuning`]: the folder of a tuning; [`tunings`]: its tables; [`tuned`]: a tuning read back
//! - [`pick`]: one game of many to be looked at
//! - [`read`]: results read back; [`contestants`]: their players beside each other; [`versus`]: that as a person reads it;
//!   [`rank`]: a leaderboard; [`reached`]: the values of a fact in a line for each player; [`doubts`]: what gives reason to doubt
//!   comparisons of them; `doubts_of_run`: what gives reason to doubt the tables of one run

pub mod absent;
pub mod contestants;
pub mod continued;
pub mod doubts;
mod doubts_of_run;
mod duels;
pub mod files;
pub mod folder;
pub mod judge;
pub mod manifest;
pub mod origin;
pub mod partial;
pub mod pick;
pub mod rank;
pub mod reached;
pub mod read;
pub(crate) mod replacement;
pub mod set;
pub mod settings;
pub mod tables;
mod times;
pub mod tuned;
pub mod tuning;
pub mod tunings;
mod verdicts;
pub mod versus;
pub mod write;
