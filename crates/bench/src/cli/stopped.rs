//! End of a tuning or training session that stopped early: what is kept, and how to resume.

use super::say::complain;
use crate::config::time::Time;

/// A session that stopped early.
pub(super) struct StoppedSession<'a> {
    /// What remains of the session, as a clause.
    pub(super) kept: &'a str,
    /// The command that resumes it, without `--for`.
    pub(super) again: &'a str,
    /// The time limit, if it ended the session.
    pub(super) time: Option<&'a Time>,
}

impl StoppedSession<'_> {
    /// Prints how to resume, after `progress` if the time is over.
    pub(super) fn tell(&self, progress: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
        let StoppedSession { kept, again, time } = self;
        if let Some(time) = time {
            progress()?;
            complain(format_args!("{}", out_of_time(again, time)));
        } else {
            complain(format_args!("stopped; {kept}; to go on:\n  {again}"));
        }
        Ok(())
    }

    /// The same of a session in which the time was too short for one game, with this message.
    pub(super) fn tell_in_vain(
        &self,
        progress: impl FnOnce() -> anyhow::Result<()>,
        message: &str,
    ) -> anyhow::Result<()> {
        progress()?;
        complain(format_args!("{message}"));
        Ok(())
    }
}

/// Message for a session that ended by `--for`, with the command that resumes it for as long again.
pub(super) fn out_of_time(again: &str, time: &Time) -> String {
    format!("the time is over; to go on for as long again:\n  {again} --for {time}")
}
