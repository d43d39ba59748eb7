//! A bench for game-playing AIs: the games of the house, and the bench that plays them.

use std::process::ExitCode;

pub use gauntlet_bench::{cli, compare, config, page, plan, results, run, tally, tune};
pub use gauntlet_core::{
    arena, assets, diagnostic, disk, game, measure, num, player, record, rng, settings, stats, table, text,
};
pub use gauntlet_games::{GAMES, eval, games, players};

use arena::Arena;

/// The program: reads the command line, does what it says with these games, and tells how it went by its exit status.
pub fn main(games: &'static [Arena]) -> ExitCode {
    run::machine::set_build(run::machine::Build {
        revision: env!("GAUNTLET_REVISION"),
        compiler: env!("GAUNTLET_COMPILER"),
        target: env!("GAUNTLET_TARGET"),
    });
    cli::main(games)
}
