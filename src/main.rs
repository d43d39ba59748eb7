//! The program `gauntlet`, with the built-in games.

use std::process::ExitCode;

use gauntlet::memory::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    gauntlet::main(&gauntlet::GAMES)
}
