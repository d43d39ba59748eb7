//! A bench for game-playing AIs. Modules are listed in the order of layers; each names only modules above it in
//! this list that stand on a lower layer (`docs/ARCHITECTURE.md`).

// 0
pub mod diagnostic;
pub mod disk;
pub mod num;
pub mod rng;
pub mod stats;
pub mod text;
// 1
pub mod game;
pub mod settings;
// 2
pub mod games;
pub mod measure;
pub mod record;
// 3
pub mod assets;
pub mod eval;
pub mod table;
// 4
pub mod player;
// 5
pub mod players;
// 6
pub mod arena;
// 7
pub mod config;
// 8
pub mod plan;
// 9
pub mod run;
// 10
pub mod tally;
// 11
pub mod compare;
// 12
pub mod results;
// 13
pub mod page;
// 14
pub mod cli;
