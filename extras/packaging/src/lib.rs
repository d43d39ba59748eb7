//! What packages of gauntlet need: man pages, shell completions, and a digest of how a build plays.

mod completions;
mod man;
mod signature;

use gauntlet_cli::command::{Command, arguments, define};
use gauntlet_cli::say::printed;

/// The commands of this extra.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "signature",
        synonyms: &[],
        define: define::<signature::Args>,
        run: |program, _| printed(signature::run(program.catalog.games)),
    },
    Command {
        name: "completions",
        synonyms: &[],
        define: define::<completions::Args>,
        run: |program, matches| printed(completions::run(&arguments(matches), &mut program.command_line())),
    },
    Command {
        name: "man",
        synonyms: &[],
        define: define::<man::Args>,
        run: |program, matches| printed(man::run(&arguments(matches), program.command_line())),
    },
];
