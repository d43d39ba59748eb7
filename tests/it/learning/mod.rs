//! Tunings and trainings.

mod train;
mod tune;
pub(crate) mod tuned;
mod untuned;
mod workers;
