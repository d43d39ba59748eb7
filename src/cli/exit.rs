//! Exit codes, and the error for a mistake on the command line.

use std::fmt;

/// A command line that cannot be executed.
#[derive(Debug)]
pub(super) struct Usage(pub(super) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Something failed and was already reported.
pub(super) const FAILED: u8 = 1;
/// A mistake of the user.
pub(super) const MISTAKE: u8 = 2;
/// A player has become worse, with `compare --fail-on`.
pub(super) const REGRESSION: u8 = 5;
/// `tune` found no significant improvement.
pub(super) const NOT_SHOWN: u8 = 6;
/// `tune` found a significantly worse player.
pub(super) const WORSE: u8 = 7;
/// A shard was stopped by SIGTERM and can be resumed. Batch systems treat this as a temporary
/// failure (`EX_TEMPFAIL`).
pub(super) const AGAIN: u8 = 75;
/// Stopped by a signal; can be resumed.
pub(super) const STOPPED: u8 = 130;
