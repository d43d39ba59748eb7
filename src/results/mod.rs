//! A folder of results: written, and read back.
//!
//! - [`mod@write`]: all tables of a finished experiment; [`tables`]: those made from sums; `times`: the
//!   one by which times are compared
//! - [`manifest`]: where, when and by what they were made
//! - [`folder`]: what lies there, and of which version; [`files`]: files that are replaced whole or not at all
//! - [`read`]: results read back; [`contestants`]: their players beside each other; [`rank`]: a leaderboard;
//!   [`doubts`]: what gives reason to doubt them

pub mod contestants;
pub mod doubts;
pub mod files;
pub mod folder;
pub mod manifest;
pub mod rank;
pub mod read;
pub mod tables;
mod times;
pub mod write;
