//! A bench for game-playing AIs: the games of the house, and the bench that plays them.

#![warn(missing_docs)]

pub mod cli;

use std::process::ExitCode;

pub use gauntlet_analysis::{compare, config, results};
pub use gauntlet_core::laws::laws;
pub use gauntlet_core::package;
pub use gauntlet_core::{
    arena, assets, diagnostic, disk, game, laws, learning, measure, memory, num, player, record, rng,
    settings, table, text,
};
pub use gauntlet_games::{GAMES, gomoku, players, twenty48};
pub use gauntlet_report::page;
pub use gauntlet_run::{plan, tally};
pub use {
    gauntlet_methods as methods, gauntlet_run as run, gauntlet_stats as stats, gauntlet_train as train,
    gauntlet_tune as tune,
};

use arena::Arena;

/// The program: reads the command line, does what it says with these games, and tells how it went
/// by its exit status.
///
/// A package of your own calls it with games of its own ([`Arena::of`]), and with games of the
/// house to which it adds players ([`twenty48::with`], [`gomoku::with`]); `examples/own` is such a
/// package.
pub fn main(games: &[Arena]) -> ExitCode {
    run::machine::set_build(run::machine::Build {
        revision: env!("GAUNTLET_REVISION"),
        compiler: env!("GAUNTLET_COMPILER"),
        target: env!("GAUNTLET_TARGET"),
    });
    // They last as long as the program: all that it reads and plays refers to them.
    cli::main(games.to_vec().leak())
}
