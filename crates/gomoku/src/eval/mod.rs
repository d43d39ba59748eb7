//! Features of Gomoku positions.
//!
//! - [`runs`]: value of consecutive stones
//! - [`windows`]: value of five cells in a row
//!
//! Source: Kesoyuh/Gomoku at commit `34dc049`, in Objective-C.

pub mod runs;
pub mod windows;

use crate::rules::{Gomoku, Stone};

/// Computes every feature of a position, by name.
pub fn measured(position: &Gomoku) -> Vec<(&'static str, f64)> {
    let names = ["runs-black", "runs-white"];
    let runs = Stone::BOTH.map(|stone| f64::from(runs::sum(position.board(), stone)));
    names.into_iter().zip(runs).collect()
}
