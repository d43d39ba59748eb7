//! A folder of results: written, and read back.
//!
//! - [`tables`]: all tables of an experiment, made of what its games add up to
//! - [`store`]: the folder that keeps them, with the experiment and the manifest; the one place
//!   where files of results are written
//! - [`analysis`]: comparisons of the players of several results, leaderboards, verdicts made anew

pub mod analysis;
pub mod store;
pub mod tables;
