//! Exit codes, and the error for a mistake on the command line.

use std::fmt;

/// A command line that cannot be executed.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Declares the exit statuses with their rows of the manual.
macro_rules! statuses {
    ($($(#[doc = $meaning:literal])+ $name:ident = $status:literal;)*) => {
        $($(#[doc = $meaning])+ pub const $name: u8 = $status;)*

        /// Statuses with the manual's text, in order.
        pub const STATUSES: &[(u8, &[&str])] = &[(0, &["Success."]), $(($status, &[$($meaning),+])),*];
    };
}

statuses! {
    /// Failure, such as a full disk, missing games, or a panic of a player.
    FAILED = 1;
    /// Mistake in a file or on the command line, such as a missing file.
    MISTAKE = 2;
    /// `compare --fail-on regression`: a player is significantly worse.
    REGRESSION = 5;
    /// `tune`: the verdict is inconclusive.
    NOT_SHOWN = 6;
    /// `tune`: the tuned player is significantly worse.
    WORSE = 7;
    /// SIGTERM stopped `run --shard` or `tune --worker`; the same command resumes it.
    AGAIN = 75;
    /// Ctrl-C or SIGTERM stopped the command; the same command resumes it.
    STOPPED = 130;
}
