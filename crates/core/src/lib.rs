//! Common base of games, players and the bench: their contracts and shared types. It knows no
//! particular game and no experiments.
//!
//! - [`rng`]: seeds and generators; [`num`]: checked numbers; [`text`]: numbers, times and names as
//!   people read them; [`diagnostic`]: a user's mistake, with a caret; [`disk`]: file operations
//!   that survive accidents; [`memory`]: the program's allocator
//! - [`settings`]: structs and sections read from TOML; [`mod@table`]: typed columns and rows
//! - [`game`], [`player`], [`learning`]: the contracts of games, players and learners
//! - [`record`]: a game that was played; [`measure`]: the measures by which players are compared
//! - [`assets`]: large constant files that players are built from
//! - [`process`]: programs that are players; [`protocol`]: the lines that they exchange
//! - [`arena`]: brings games and players together, and hides the game's type
//! - [`laws`]: what every game and player must keep

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
pub mod settings;
pub mod table;
pub mod text;
