//! Features of Gomoku positions.
//!
//! Source: Kesoyuh/Gomoku at commit `34dc049`, in Objective-C.

pub mod runs;
pub mod windows;

use gauntlet_core::arena::FeatureEntry;

use crate::rules::{Gomoku, Stone};

/// Features: the name, what it measures, and the stones that it concerns.
const FEATURES: [(&str, &str, Stone); 2] = [
    ("runs-black", "Value of black's runs in `gomoku-minimax`, by length and blocked ends.", Stone::Black),
    ("runs-white", "Value of white's runs in `gomoku-minimax`, by length and blocked ends.", Stone::White),
];

/// Returns the manual of the features.
pub fn manual() -> Vec<FeatureEntry> {
    FEATURES
        .into_iter()
        .map(|(name, meaning, _)| FeatureEntry { name, meaning, source: "Kesoyuh/Gomoku", power: None })
        .collect()
}

/// Computes every feature of a position, by name.
pub fn compute_features(position: &Gomoku) -> Vec<(&'static str, f64)> {
    FEATURES.map(|(name, _, stone)| (name, f64::from(runs::sum_runs(position.board(), stone)))).to_vec()
}
