//! Board from which games start.

use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::board::{Afterstate, Board};
use super::cells::{self, BoardParseError, Cells};

/// Board to which the first two tiles are added, by default an empty one.
///
/// Its i-th largest tile is at most as large as games from an empty board allow. A move preserves
/// that, so bounds on the largest tiles hold for games from this board, too.
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

    pub(super) fn has_rank(self, rank: u8) -> bool {
        self.0.has_rank(rank)
    }

    pub(super) fn count_tiles(self) -> u64 {
        u64::from(16 - self.0.count_empty())
    }

    /// Returns the points of a game that reaches this board with 2s only ([`Board::potential`]).
    #[inline]
    pub(super) fn potential(self) -> u64 {
        // Most games start from an empty board, and they may be short.
        if self == StartBoard::default() { 0 } else { Board::new(self.0).potential() }
    }

    /// Returns the number of 2s that make this board.
    pub(super) fn count_twos(self) -> u64 {
        self.0.values().into_iter().map(|value| u64::from(value) / 2).sum()
    }

    /// Returns true if a game can be over before its first move.
    fn may_be_over(self) -> bool {
        let mut ranks = self.0.ranks();
        let empty_cells: Vec<usize> = (0..16).filter(|&cell| ranks[cell] == 0).collect();
        let [first, second] = empty_cells[..] else { return false };
        [(1, 1), (1, 2), (2, 1), (2, 2)].into_iter().any(|tiles| {
            (ranks[first], ranks[second]) = tiles;
            Board::new(Cells::from_ranks(ranks)).is_over()
        })
    }
}

impl FromStr for StartBoard {
    type Err = String;

    fn from_str(text: &str) -> Result<StartBoard, String> {
        let cells: Cells = text.parse().map_err(|error: BoardParseError| error.to_string())?;
        if cells.count_empty() < 2 {
            return Err("must have two empty cells for the first two tiles".to_owned());
        }
        let mut ranks = cells.ranks();
        ranks.sort_unstable_by(|a, b| b.cmp(a));
        if (0..).zip(ranks).any(|(i, rank)| rank > cells::max_rank_of(i)) {
            return Err("must be a board that a game can reach".to_owned());
        }
        let start = StartBoard(cells);
        if start.may_be_over() {
            return Err("must leave a move after the first two tiles".to_owned());
        }
        Ok(start)
    }
}

/// Writes the values with commas, because the protocol would encode blanks.
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
