//! Descriptions of a game as names, texts and numbers: its manual, rules, positions and whole
//! games.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::package::CargoPackage;
use crate::game::{Block, Outcome};
use crate::settings::limits::SearchLimit;

/// Manual entry of one algorithm.
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmManual {
    /// Name, as in `algorithm = "…"`.
    pub name: &'static str,
    /// One sentence on how the algorithm plays.
    pub summary: &'static str,
    /// Commented TOML example with every setting.
    pub example: &'static str,
    /// Examples with other settings, for tests and the signature.
    pub more_examples: &'static [&'static str],
    /// Names of the settings.
    pub settings: &'static [&'static str],
    /// Settings that limit the search for one move.
    pub limits: fn() -> Vec<SearchLimit>,
    /// Package that provides the algorithm.
    pub package: CargoPackage,
}

/// Checked rules of a game.
#[derive(Clone)]
pub struct CheckedRules {
    /// All settings including defaults, which identify the rules.
    pub settings: Value,
    /// Definition of a win, to follow "a win is"; `None` if the rules do not set it.
    pub win: Option<String>,
    /// Maximum number of blocks with distinct openings; `None` if there is no such limit.
    pub openings: Option<u64>,
    /// Limit of each fact: the value at which every game stops, and the reason.
    pub(super) limits: Vec<Option<(i64, String)>>,
    pub(super) typed_rules: Arc<dyn Any + Send + Sync>,
}

/// Game to export to other programs.
#[derive(Clone, Copy, Debug)]
pub struct ExportedGame<'a> {
    /// Block of the game.
    pub block: Block,
    /// Title among other games in the file.
    pub title: &'a str,
    /// Moves in the game's notation.
    pub moves: &'a [String],
    /// Names of the players by seat.
    pub names: [&'a str; 2],
    /// Outcome; `None` if the game was cut.
    pub outcome: Option<Outcome>,
}

/// Game imported from another program's text.
#[derive(Clone, Debug)]
pub struct ImportedGame {
    /// Names of the players by seat.
    pub names: [String; 2],
    /// Positions, starting with the initial position.
    pub positions: Vec<ImportedPosition>,
}

/// Position of an imported game.
#[derive(Clone, Debug)]
pub struct ImportedPosition {
    /// Move that led to this position; `None` at the start.
    pub mv: Option<String>,
    /// Outcome so far.
    pub outcome: Outcome,
    /// Position as text.
    pub position: String,
}

/// Features and moves of a position.
#[derive(Clone, Debug)]
pub struct PositionDetails {
    /// True if the rules end the game here, regardless of the experiment's settings.
    pub is_over: bool,
    /// True if there is a legal move. An empty board has none and is not over.
    pub has_moves: bool,
    /// Effect of each move.
    pub moves: Value,
    /// Value of every feature of the game.
    pub features: Vec<(&'static str, f64)>,
}

impl fmt::Debug for CheckedRules {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.settings.fmt(f)
    }
}

/// Entry of a feature in the manual.
#[derive(Clone, Debug)]
pub struct FeatureEntry {
    /// Name of the feature.
    pub name: &'static str,
    /// What it measures, in at most 20 words.
    pub meaning: &'static str,
    /// Program that it comes from; empty if none.
    pub source: &'static str,
    /// Default power, if the power of the feature can be set.
    pub power: Option<f64>,
}
