//! Shared by the games and the bench: the contracts of games and players, and where the two meet; seeds, numbers,
//! settings, tables and statistics. Modules are listed in the order of layers; each names only modules of a lower
//! one (`docs/ARCHITECTURE.md`).

// 0
pub mod text;
// 1
pub mod diagnostic;
pub mod disk;
pub mod memory;
pub mod num;
pub mod protocol;
pub mod rng;
pub mod stats;
// 2
pub mod game;
pub mod settings;
// 3
pub mod learning;
pub mod measure;
pub mod record;
// 4
pub mod assets;
pub mod table;
// 5
pub mod player;
// 6
pub mod process;
// 8
pub mod arena;
// 9
pub mod laws;
