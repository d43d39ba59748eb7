//! What an experiment asks and what its games say: from a configuration file to a plan, and from
//! sums of games to tables, comparisons and verdicts. Knows no game but those that it is given.
//!
//! - [`config`]: the file of an experiment, read and checked
//! - [`mod@plan`]: the games that it asks for
//! - [`compare`]: two players, or one and a published number; what their difference is and how sure
//! - [`results`]: a folder of results, written and read back

pub mod compare;
pub mod config;
pub mod plan;
pub mod results;
