//! End of a tuning or training session that stopped early: what is kept, and how to resume.

use super::say::complain;
use crate::config::time::Time;

/// Prints how to resume a session that stopped early. `kept` is what remains of it, as a clause, and `again` the command that resumes
/// it, without `--for`. If its `time` was over, its progress is told before.
pub(super) fn tell_stopped(
    kept: &str,
    again: &str,
    time: Option<&Time>,
    progress: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Some(time) = time else {
        complain(format_args!("stopped; {kept}; to go on:\n  {again}"));
        return Ok(());
    };
    progress()?;
    complain(format_args!("{}", out_of_time(again, time)));
    Ok(())
}

/// Message for a session that ended by `--for`, with the command that resumes it for as long again.
pub(super) fn out_of_time(again: &str, time: &Time) -> String {
    format!("the time is over; to go on for as long again:\n  {again} --for {time}")
}
