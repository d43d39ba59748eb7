//! The program, with the games of the house.

use std::process::ExitCode;

fn main() -> ExitCode {
    gauntlet::main(&gauntlet::GAMES)
}
