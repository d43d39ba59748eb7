//! Experiments and their results: from a configuration file to a plan, and from sums of games to
//! tables, comparisons and verdicts. This package depends on no game; games are parameters.

pub mod answer;
pub mod compare;
pub mod config;
pub mod plan;
pub mod results;
