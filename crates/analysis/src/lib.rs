//! Experiments and their results: from a configuration file to a plan, and from sums of games to
//! tables, comparisons and verdicts. This package depends on no game; games are parameters.
//!
//! - [`config`]: the file of an experiment, read and checked
//! - [`mod@plan`]: the games of an experiment
//! - [`compare`]: two players, or one and a published number: the difference, and how sure it is
//! - [`results`]: reads and writes a folder of results

pub mod compare;
pub mod config;
pub mod plan;
pub mod results;
