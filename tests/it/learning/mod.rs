//! Tunings and trainings.

mod train;
mod tune;
pub(crate) mod tuning_results;
mod unfinished_tunings;
mod workers;
