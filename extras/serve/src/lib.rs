//! Players and losses for other programs: `gauntlet serve` chooses moves for a tournament manager,
//! and `gauntlet ask` plays candidates for an external optimizer.

mod ask;
mod serve;

use gauntlet_cli::command::{Command, arguments, define};
use gauntlet_cli::say::printed;

/// The commands of this extra.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "ask",
        synonyms: &[],
        define: define::<ask::Args>,
        run: |program, matches| printed(ask::run(program.catalog, &arguments(matches))),
    },
    Command {
        name: "serve",
        synonyms: &[],
        define: define::<serve::Args>,
        run: |program, matches| printed(serve::run(program.catalog, &arguments(matches))),
    },
];
