//! Common base of games, players and the bench: their contracts and shared types. It does not
//! depend on any particular game or on experiments.

#![warn(missing_docs)]

pub mod arena;
pub mod assets;
pub mod diagnostic;
pub mod disk;
pub mod game;
pub mod laws;
pub mod learning;
pub mod measure;
pub mod memory;
pub mod num;
pub mod player;
pub mod process;
pub mod protocol;
pub mod record;
pub mod rng;
pub mod search_limit;
pub mod settings;
pub mod table;
pub mod text;
pub mod user_cache;
