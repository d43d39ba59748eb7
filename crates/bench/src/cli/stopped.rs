//! End of a tuning or training session that stopped early: what is kept, and how to resume.

use super::live;
use super::say::complain;
use crate::config::time::Time;
use crate::live::picture::State;
use crate::live::server::Server;

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
    /// Prints how to resume, after `progress` if the time is over; shows the end on the live page.
    pub(super) fn tell(
        &self,
        server: Option<&Server>,
        progress: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let StoppedSession { kept, again, time } = self;
        self.show(server);
        if let Some(time) = time {
            progress()?;
            complain(format_args!("{}", out_of_time(again, time)));
        } else {
            complain(format_args!("stopped; {kept}; to go on:\n  {again}"));
        }
        Ok(())
    }
}

impl StoppedSession<'_> {
    /// The same of a session in which the time was too short for one game, with this message.
    pub(super) fn tell_in_vain(
        &self,
        server: Option<&Server>,
        progress: impl FnOnce() -> anyhow::Result<()>,
        message: &str,
    ) -> anyhow::Result<()> {
        self.show(server);
        progress()?;
        complain(format_args!("{message}"));
        Ok(())
    }

    fn show(&self, server: Option<&Server>) {
        let Some(server) = server else { return };
        let why = if self.time.is_some() { "The time is over" } else { "The session was stopped" };
        let said = format!("{why}; {}, and the same command goes on.", self.kept);
        live::show_end(server.hub(), State::Stopped, said);
    }
}

/// Message for a session that ended by `--for`, with the command that resumes it for as long again.
pub(super) fn out_of_time(again: &str, time: &Time) -> String {
    format!("the time is over; to go on for as long again:\n  {again} --for {time}")
}
