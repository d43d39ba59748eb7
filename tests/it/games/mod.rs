//! Rules of 2048 and Gomoku, and the players that are built in.

mod chance;
mod evaluate;
mod features;
mod generic_players;
mod gomoku;
mod gomoku_run;
mod gomoku_vcf;
mod known_scores;
pub(crate) mod laws;
mod players;
mod playthrough;
mod probe;
mod rules;
mod signature;
