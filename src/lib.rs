//! A bench for game-playing AIs. Modules are listed in the order of layers; each names only modules above it in
//! this list that stand on a lower layer (`docs/ARCHITECTURE.md`).

// 0
pub mod text;
// 1
pub mod diagnostic;
pub mod disk;
pub mod num;
pub mod rng;
pub mod stats;
// 2
pub mod game;
pub mod settings;
// 3
pub mod games;
pub mod measure;
pub mod record;
// 4
pub mod assets;
pub mod eval;
pub mod table;
// 5
pub mod player;
// 6
pub mod players;
// 7
pub mod arena;
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
