//! The bench: experiments, runs, tables, reports and the command line. It knows no game but those that it is given. Modules are
//! listed in the order of layers; each names only modules of a lower one (`docs/ARCHITECTURE.md`).

use gauntlet_core::{
    arena, assets, diagnostic, disk, game, learning, measure, num, player, process, protocol, record, rng,
    settings, stats, table, text,
};

// 9
pub mod methods;
// 10
pub mod config;
// 11
pub mod plan;
// 12
pub mod run;
// 13
pub mod tally;
// 14
pub mod compare;
// 15
pub mod results;
// 16
pub mod page;
pub mod train;
pub mod tune;
// 17
pub mod live;
// 18
pub mod cli;
