//! Analysis: answers from results that were read back. Nothing is played for them.
//!
//! - [`contestants`]: the players of several results beside each other; [`versus`]: that as a person reads it; [`rank`]: a
//!   leaderboard; [`doubts`]: what gives reason to doubt comparisons, and what forbids them
//! - [`mod@judge`]: the tables of verdicts made anew, without a journal
//! - [`mod@pick`]: one game of many to be looked at

pub mod contestants;
pub mod doubts;
pub mod judge;
pub mod pick;
pub mod rank;
pub mod versus;
