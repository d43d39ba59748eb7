//! Losses of the steps of a tuning in a journal, so that a tuning that resumes need not compute
//! them from its games.

use super::entry::{JournalEntry, StepLosses, format_line};
use super::journal::Journal;
use super::line_reader::MAX_LINE_LENGTH;

impl Journal {
    /// Removes the losses of a step from memory and returns them, if a line of the file has them.
    pub fn take_losses(&mut self, step: &str) -> Option<Vec<Option<Vec<f64>>>> {
        let losses = self.losses.remove(step)?;
        let from_bits = |bits: Vec<u64>| bits.into_iter().map(f64::from_bits).collect();
        Some(losses.into_iter().map(|bits| bits.map(from_bits)).collect())
    }

    /// Appends the losses of a step, unless they are too long for a line.
    pub fn append_losses(&mut self, step: String, losses: &[Option<Vec<f64>>]) -> anyhow::Result<()> {
        let to_bits = |losses: &Vec<f64>| losses.iter().map(|loss| loss.to_bits()).collect();
        let losses = losses.iter().map(|losses| losses.as_ref().map(to_bits)).collect();
        let line = format_line(&JournalEntry::<()>::Losses(StepLosses { step, losses }));
        if line.len() > MAX_LINE_LENGTH { Ok(()) } else { self.append(&line) }
    }
}
