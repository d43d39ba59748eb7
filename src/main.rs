//! The program, with the games of the house.

use std::process::ExitCode;

use gauntlet::memory::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    gauntlet::main(&gauntlet::GAMES)
}
