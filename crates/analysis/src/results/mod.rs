//! Folders of results, written and read.
//!
//! - [`tables`]: all tables of an experiment, made from the sums of its games
//! - [`store`]: the folder with these tables, the experiment and the manifest; the only place where
//!   files of results are written
//! - [`analysis`]: comparisons of players of several results, leaderboards, re-evaluated verdicts

pub mod analysis;
pub mod store;
pub mod tables;
