//! The program: reads the command line, does what it says, and tells how it went by its exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    gauntlet::cli::main()
}
