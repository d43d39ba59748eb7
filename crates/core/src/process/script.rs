//! A script that this program wrote, and calls because its user asked for that.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

/// Calls a script of sh, and waits for its end. What it says goes where this program's words go.
pub fn call_script(path: &Path) -> io::Result<ExitStatus> {
    Command::new("sh").arg(path).status()
}
