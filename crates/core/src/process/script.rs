//! Scripts written by this program, called at the user's request.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

/// Runs a shell script and waits for its end. Its output goes where this program's output goes.
pub fn call_script(path: &Path) -> io::Result<ExitStatus> {
    Command::new("sh").arg(path).status()
}
