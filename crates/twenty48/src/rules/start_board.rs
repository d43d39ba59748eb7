//! Board from which games start.

use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::board::{Afterstate, Board};
use super::cells::{Cells, MAX_RANK};

/// Board to which the first two tiles are added, by default an empty one.
///
/// Games can reach it from an empty board, so bounds on the ends of games hold for games from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartBoard(Cells);

impl StartBoard {
    /// Returns the board, before the first two tiles.
    #[inline]
    pub(super) fn afterstate(self) -> Afterstate {
        Afterstate::new(self.0)
    }

    pub(super) fn max_rank(self) -> u8 {
        self.0.max_rank()
    }

    /// Returns the points of a game that reaches this board with 2s only ([`Board::potential`]).
    #[inline]
    pub(super) fn potential(self) -> u64 {
        if self == StartBoard::default() { 0 } else { Board::new(self.0).potential() }
    }

    /// Returns the number of 2s that make this board.
    pub(super) fn twos(self) -> u64 {
        self.0.values().into_iter().map(|value| u64::from(value) / 2).sum()
    }
}

impl FromStr for StartBoard {
    type Err = String;

    fn from_str(text: &str) -> Result<StartBoard, String> {
        let cells: Cells = text.parse().map_err(|error| format!("{error}"))?;
        if cells.count_empty() < 2 {
            return Err("must have two empty cells for the first two tiles".to_owned());
        }
        // While the i larger tiles stay, tile i must be made of two halves, and so on down to a 2.
        let mut ranks = cells.ranks();
        ranks.sort_unstable_by(|a, b| b.cmp(a));
        if (0..).zip(ranks).any(|(i, rank)| rank > MAX_RANK - i) {
            return Err("must be a board that a game can reach".to_owned());
        }
        Ok(StartBoard(cells))
    }
}

/// Writes the values with commas, because a word of the protocol has no blanks.
impl Serialize for StartBoard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.values().map(|value| value.to_string()).join(","))
    }
}

impl<'de> Deserialize<'de> for StartBoard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StartBoard, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
