//! Definition of a command.

use std::process::ExitCode;

use clap::{ArgMatches, Args, FromArgMatches};
use gauntlet_analysis::config::Catalog;
use gauntlet_core::arena::Arenas;

/// The games, the sections of experiments and the commands of a program.
#[derive(Clone, Copy)]
pub struct Program {
    pub catalog: Catalog,
    /// Commands of the core, in the order of the help.
    pub core: &'static [Command],
    /// Commands of each extra.
    pub extras: &'static [&'static [Command]],
}

/// A command of the program.
pub struct Command {
    pub name: &'static str,
    /// Names of this command in other programs, for suggestions.
    pub synonyms: &'static [&'static str],
    /// Adds help and arguments to an empty command. Some values depend on the games.
    pub define: fn(clap::Command, Arenas) -> clap::Command,
    pub run: fn(Program, &ArgMatches) -> anyhow::Result<ExitCode>,
}

/// Defines a command by its arguments. The comment on the arguments is the help of the command.
pub fn define<A: Args>(command: clap::Command, _: Arenas) -> clap::Command {
    A::augment_args(command)
}

/// Returns the arguments of a command that was defined by them.
pub fn parse_arguments<A: FromArgMatches>(matches: &ArgMatches) -> A {
    A::from_arg_matches(matches).unwrap_or_else(|error| error.exit())
}

impl Program {
    /// Returns all commands, those of the core first.
    pub fn commands(self) -> impl Iterator<Item = &'static Command> {
        self.core.iter().chain(self.extras.iter().copied().flatten())
    }
}
