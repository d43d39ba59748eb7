//! A position as data that other programs read and write.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// A position as any program can write and read it: as JSON a question of `gauntlet probe`. What is
/// not known is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagram {
    /// Its cells.
    #[serde(rename = "board")]
    pub cells: String,
    /// The points so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<u64>,
    /// Side to move, in the words of the game, where the cells do not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_move: Option<String>,
    /// Number of moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<u32>,
    /// True if the game counts as won already, by a move that the cells do not show.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub won: bool,
}

impl Diagram {
    /// These cells, and nothing else is known.
    pub fn of(cells: &str) -> Diagram {
        Diagram { cells: cells.to_owned(), ..Diagram::default() }
    }
}

/// One line of JSON.
impl Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}
