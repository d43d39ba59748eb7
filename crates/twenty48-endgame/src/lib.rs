//! Endgame tables of 2048: for boards with large tiles in a corner, the probability to win by the
//! best moves, computed in advance and kept in a file.
//!
//! - [`ask`]: answers of the tables in a folder; [`player`]: players that ask them
//! - [`build`]: building of tables on disk, resumable
//! - [`kind`]: names of tables; [`exact`]: exact tables; [`macroxue`]: the tables of
//!   macroxue/2048-ai; `rule`: what both define
//! - [`table`]: tables of files; `format`: their bytes; `mapping`: files in memory
//! - `index`: numbering of boards; `image`: their eight images; `values`: computation of values

#![warn(missing_docs)]

pub mod ask;
pub mod build;
pub mod exact;
mod format;
mod image;
mod index;
pub mod kind;
pub mod macroxue;
mod mapping;
pub mod player;
mod rule;
pub mod table;
mod values;

#[cfg(test)]
mod tests;
