//! Positions as data that other programs can read and write.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// Position in a form that any program can read and write; in JSON, a question to `gauntlet probe`.
/// Unknown fields are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagram {
    /// Cells of the board.
    #[serde(rename = "board")]
    pub cells: String,
    /// Points so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<u64>,
    /// Side to move, as the game names it, if the cells do not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_move: Option<String>,
    /// Number of moves so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<u32>,
    /// True if the game already counts as won, by a move that the cells do not show.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub won: bool,
}

impl Diagram {
    /// Creates a diagram from cells alone.
    pub fn from_cells(cells: &str) -> Diagram {
        Diagram { cells: cells.to_owned(), ..Diagram::default() }
    }
}

/// Writes the diagram as one line of JSON.
impl Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}
