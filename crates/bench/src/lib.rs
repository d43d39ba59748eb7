//! The bench: experiments, runs, tables, reports and the command line. It knows no game but those that it is given. Modules are
//! listed in the order of layers; each names only modules of a lower one (`docs/ARCHITECTURE.md`).

use gauntlet_core::{
    arena, assets, diagnostic, disk, game, measure, num, player, record, rng, settings, stats, table, text,
};

// 7
pub mod methods;
// 8
pub mod config;
// 9
pub mod plan;
// 10
pub mod run;
// 11
pub mod tally;
// 12
pub mod compare;
// 13
pub mod results;
// 14
pub mod page;
pub mod tune;
// 15
pub mod cli;
