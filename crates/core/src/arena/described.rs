//! A game in names, texts and numbers: its manual, its rules, its positions and whole games.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::package::Package;
use crate::game::{Block, Outcome};

/// Entry of the manual on one algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Manual {
    /// As written in `algorithm = "…"`.
    pub name: &'static str,
    /// Play of the algorithm, in a sentence.
    pub summary: &'static str,
    /// A commented TOML snippet that names every setting.
    pub example: &'static str,
    /// Snippets with other settings, for tests and the signature.
    pub more_examples: &'static [&'static str],
    /// The names of its settings.
    pub settings: &'static [&'static str],
    /// The package that it comes from.
    pub package: Package,
}

/// Checked rules of some game.
#[derive(Clone)]
pub struct Rules {
    /// All settings, defaults included: what identifies the rules.
    pub settings: Value,
    /// Win, in words that follow "a win is"; none where the rules do not set that.
    pub win: Option<String>,
    /// Number of blocks of an experiment with openings that differ; none where there is no such
    /// limit.
    pub openings: Option<u64>,
    /// Limit of each fact: the value at which every game stops, and its reason.
    pub(super) limits: Vec<Option<(i64, String)>>,
    pub(super) typed: Arc<dyn Any + Send + Sync>,
}

/// A game to be written for other programs.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// Its block.
    pub block: Block,
    /// What it is among others of one file.
    pub title: &'a str,
    /// Its moves, as the game writes them.
    pub moves: &'a [String],
    /// The players in their seats.
    pub names: [&'a str; 2],
    /// Its outcome; none if it was cut.
    pub outcome: Option<Outcome>,
}

/// A game that was read from a text of another program.
#[derive(Clone, Debug)]
pub struct Read {
    /// The players in their seats.
    pub names: [String; 2],
    /// Its positions, from the start on.
    pub positions: Vec<Told>,
}

/// A position of such a game.
#[derive(Clone, Debug)]
pub struct Told {
    /// The move that led to it; none at the start.
    pub mv: Option<String>,
    /// State of the game.
    pub outcome: Outcome,
    /// The position as text.
    pub position: String,
}

/// Sight of a position.
#[derive(Clone, Debug)]
pub struct Sight {
    /// True if the rules end the game here, whatever the experiment says about its end.
    pub over: bool,
    /// True if there is any move; an empty board has none and is not over.
    pub movable: bool,
    /// Effect of each move.
    pub moves: Value,
    /// Every feature of the game.
    pub features: Vec<(&'static str, f64)>,
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.settings.fmt(f)
    }
}
