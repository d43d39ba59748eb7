//! A bench for game-playing AIs: the built-in games, and the bench that plays them.

#![warn(missing_docs)]

mod built_in;
mod commands;
mod extras;

use std::process::ExitCode;

pub use commands::probe;
pub use gauntlet_analysis::{compare, config, results};
pub use gauntlet_cli as cli;
pub use gauntlet_core::laws::check_laws;
pub use gauntlet_core::package;
pub use gauntlet_core::{
    arena, assets, diagnostic, disk, game, laws, learning, measure, memory, num, player, record, rng,
    settings, table, text, user_cache,
};
pub use gauntlet_games::{GAMES, gomoku, players, twenty48};
pub use gauntlet_report::page;
pub use gauntlet_run::{plan, tally};
pub use {
    gauntlet_methods as methods, gauntlet_run as run, gauntlet_stats as stats, gauntlet_train as train,
    gauntlet_tune as tune,
};

use arena::{Arena, Arenas};
use cli::command::{Command, Program};
use config::Catalog;

/// Returns what experiments with these games can contain: the games, and the sections of all
/// drivers.
pub const fn catalog(games: Arenas) -> Catalog {
    Catalog {
        games,
        sections: &[tune::section::SECTION, train::section::SECTION],
        built_in: &built_in::BUILT_IN,
    }
}

/// Records which build this is, for the manifests of results.
pub fn set_build() {
    run::machine::set_build(run::machine::Build {
        revision: env!("GAUNTLET_REVISION"),
        compiler: env!("GAUNTLET_COMPILER"),
        target: env!("GAUNTLET_TARGET"),
    });
}

/// Runs the command line with these games, and returns the exit status of the program.
///
/// A package calls it with its games ([`Arena::new`]), and with built-in games to which it adds
/// players ([`twenty48::arena_with_guests`], [`gomoku::arena_with_guests`]); `examples/own` is an
/// example.
pub fn main(games: &[Arena]) -> ExitCode {
    main_with(games, &[])
}

/// Runs the command line like [`main`], with additional commands of another package.
pub fn main_with(games: &[Arena], commands: &'static [Command]) -> ExitCode {
    set_build();
    user_cache::set_enabled(true);
    // The games are leaked, because everything that the program reads and plays refers to them.
    program(games.to_vec().leak(), commands).main()
}

/// Returns the program with these games and, after the commands of the extras, these commands.
pub fn program(games: Arenas, commands: &'static [Command]) -> Program {
    let extras = [extras::EXTRAS, &[commands]].concat().leak();
    Program { catalog: catalog(games), core: commands::COMMANDS, extras }
}
