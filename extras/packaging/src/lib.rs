//! What packages of gauntlet need: man pages, shell completions, and a digest of how a build plays.

mod completions;
mod man;
mod signature;

use gauntlet_cli::command::{Command, define, parse_arguments};
use gauntlet_cli::output::accept_closed_pipe;

/// The commands of this extra.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "signature",
        synonyms: &[],
        define: define::<signature::Args>,
        run: |program, _| accept_closed_pipe(signature::run(program.catalog.games)),
    },
    Command {
        name: "completions",
        synonyms: &[],
        define: define::<completions::Args>,
        run: |program, matches| {
            accept_closed_pipe(completions::run(&parse_arguments(matches), &mut program.definition()))
        },
    },
    Command {
        name: "man",
        synonyms: &[],
        define: define::<man::Args>,
        run: |program, matches| accept_closed_pipe(man::run(&parse_arguments(matches), program.definition())),
    },
];
