//! Ends of a command: exit codes, and the mistake on the command line that has one of them.

use std::fmt;

/// Something on the command line that cannot be done as it was said.
#[derive(Debug)]
pub(super) struct Usage(pub(super) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Something went wrong and has been said already.
pub(super) const FAILED: u8 = 1;
/// The user's mistake.
pub(super) const MISTAKE: u8 = 2;
/// A player has become worse, as asked for by `compare --fail-on`.
pub(super) const REGRESSION: u8 = 5;
/// `tune` has not shown that what it found is better.
pub(super) const NOT_SHOWN: u8 = 6;
/// `tune` has shown that what it found is worse.
pub(super) const WORSE: u8 = 7;
/// A shard was stopped by SIGTERM, to be resumed: what batch systems know as a passing failure
/// (`EX_TEMPFAIL`).
pub(super) const AGAIN: u8 = 75;
/// Stopped by a signal, to be resumed.
pub(super) const STOPPED: u8 = 130;
