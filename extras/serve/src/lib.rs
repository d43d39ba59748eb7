//! Players and losses for other programs: `gauntlet serve` chooses moves for a tournament manager,
//! and `gauntlet ask` plays candidates for an external optimizer.

mod ask;
mod serve;

use gauntlet_cli::command::{Command, define, parse_arguments};
use gauntlet_cli::output::accept_closed_pipe;

/// The commands of this extra.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "ask",
        synonyms: &[],
        define: define::<ask::Args>,
        run: |program, matches| accept_closed_pipe(ask::run(program.catalog, &parse_arguments(matches))),
    },
    Command {
        name: "serve",
        synonyms: &[],
        define: define::<serve::Args>,
        run: |program, matches| accept_closed_pipe(serve::run(program.catalog, &parse_arguments(matches))),
    },
];
