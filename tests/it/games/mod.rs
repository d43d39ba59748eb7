//! Rules of 2048 and Gomoku, and the players that are built in.

mod any_players;
mod chance;
mod evaluate;
mod features;
mod gomoku;
mod gomoku_run;
mod gomoku_vcf;
pub(crate) mod laws;
mod players;
mod playthrough;
mod probe;
mod rules;
mod signature;
mod truths;
