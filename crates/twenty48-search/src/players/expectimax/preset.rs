//! Evaluations by name.

use std::sync::Arc;

use gauntlet_core::player::Player;
use gauntlet_twenty48::eval::Weights;
use gauntlet_twenty48::rules::Twenty48;
use serde::{Deserialize, Serialize};

use super::evaluate::{EvaluationSetting, build_with_network};
use super::player::ExpectimaxSettings;
use crate::network::Network;

/// Evaluation of a board just after a move, whose weights can be changed individually.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvaluationPreset {
    /// Evaluation of nneonneo's program.
    #[default]
    Nneonneo,
    /// Evaluation of macroxue's program. Its limits of values are off unless `least_value` is set.
    Macroxue,
    /// Evaluation of ovolve's program.
    Ovolve,
    /// Tiles along a path that winds to a corner.
    Snake,
    /// No features except for those in `weights`.
    None,
}

impl EvaluationSetting for EvaluationPreset {
    const IS_CUSTOM: bool = false;

    fn weights(&self) -> Option<Weights> {
        let weights: &[(&str, f64)] = match self {
            // 200000 per line; features counted per line there are counted per cell here.
            EvaluationPreset::Nneonneo => &[
                ("constant", 1_600_000.0),
                ("empty", 540.0),
                ("merges", 700.0),
                ("monotonicity-power", -47.0),
                ("rank-power", -22.0),
            ],
            EvaluationPreset::Macroxue => &[("corner-slope", 1.0)],
            EvaluationPreset::Ovolve => &[
                ("smoothness-nearest", 0.1),
                ("monotonicity-lines", 1.0),
                ("empty-log", 2.7),
                ("max-rank", 1.0),
            ],
            EvaluationPreset::Snake => &[("snake-power", 1.0)],
            EvaluationPreset::None => return None,
        };
        Some(Weights::from_pairs(weights))
    }

    fn loss_value(&self) -> f64 {
        match self {
            EvaluationPreset::Nneonneo | EvaluationPreset::Snake | EvaluationPreset::None => 0.0,
            EvaluationPreset::Macroxue => -131_072.0,
            // From its minimax.
            EvaluationPreset::Ovolve => -10_000.0,
        }
    }

    fn is_loss_minimum(&self) -> bool {
        *self == EvaluationPreset::Nneonneo
    }

    fn build_player(
        &self,
        weights: Option<&Weights>,
        network: Option<(Arc<Network>, f64)>,
        max_value: f64,
        settings: ExpectimaxSettings,
    ) -> Option<Box<dyn Player<Twenty48>>> {
        Some(match network {
            None => weights?.compile_exact(max_value, settings),
            Some(network) => build_with_network(weights?, network, max_value, settings),
        })
    }
}
