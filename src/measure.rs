//! What players are compared by: winning, a tile, the score, the time.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use crate::games::twenty48::rules::Tile;

/// What a number is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The share of games won.
    Win,
    /// The share of games whose largest tile is at the end at least this.
    Reach(u32),
    /// The mean score.
    Score,
    /// Milliseconds of thinking for a move.
    MsPerMove,
    /// Milliseconds of thinking for a game.
    MsPerGame,
}

/// The column that tells how far a game has come, without which nothing can be reached.
pub const REACHED: &str = "max_tile";

impl What {
    /// What a text names, if anything, as [`Display`](fmt::Display) writes it.
    pub fn find(text: &str) -> Option<What> {
        What::read(text).ok()
    }

    fn read(text: &str) -> Result<What, Unknown> {
        match text {
            "win" => Ok(What::Win),
            "score" => Ok(What::Score),
            // The short word means the same wherever somebody writes it.
            "ms-per-move" | "ms" => Ok(What::MsPerMove),
            "ms-per-game" => Ok(What::MsPerGame),
            _ => {
                let tile = text.strip_prefix("reach ").ok_or(Unknown::Word)?;
                let tile = Tile::try_from(tile.parse::<i64>().unwrap_or(0)).map_err(Unknown::Tile)?;
                Ok(What::Reach(tile.value()))
            }
        }
    }

    /// Whether the number is a part of all games.
    pub fn is_rate(self) -> bool {
        matches!(self, What::Win | What::Reach(_))
    }

    fn is_reach(self) -> bool {
        matches!(self, What::Reach(_))
    }

    /// Whether the number is read from a clock.
    pub fn is_time(self) -> bool {
        matches!(self, What::MsPerMove | What::MsPerGame)
    }

    /// What is wrong with such a number of this.
    pub fn flaw(self, number: f64) -> Option<&'static str> {
        if self.is_rate() {
            (!(0.0..=1.0).contains(&number)).then_some("a rate is a share of all games, from 0 to 1")
        } else {
            (number < 0.0).then_some("must not be below 0")
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            What::Win => f.write_str("win"),
            What::Reach(tile) => write!(f, "reach {tile}"),
            What::Score => f.write_str("score"),
            What::MsPerMove => f.write_str("ms-per-move"),
            What::MsPerGame => f.write_str("ms-per-game"),
        }
    }
}

/// Why a text names nothing that a number could be of.
#[derive(Debug, PartialEq)]
enum Unknown {
    Word,
    Tile(String),
}

/// Reads one of these words, or another tile.
fn read_one_of<'de, D: Deserializer<'de>>(
    deserializer: D,
    expecting: &'static str,
    known: &'static [&'static str],
) -> Result<What, D::Error> {
    struct Words(&'static str, &'static [&'static str]);
    impl Visitor<'_> for Words {
        type Value = What;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str(self.0)
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<What, E> {
            let is_known = |what: &What| what.is_reach() || self.1.contains(&what.to_string().as_str());
            match What::read(text) {
                Ok(what) if is_known(&what) => Ok(what),
                Err(Unknown::Tile(refusal)) => Err(E::custom(format!("what is reached {refusal}"))),
                _ => Err(E::unknown_variant(text, self.1)),
            }
        }
    }
    deserializer.deserialize_any(Words(expecting, known))
}

impl<'de> Deserialize<'de> for What {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<What, D::Error> {
        const KNOWN: &[&str] = &["win", "reach 2048", "score", "ms-per-move", "ms-per-game"];
        let expecting =
            "\"win\", \"reach 2048\" or another tile, \"score\", \"ms-per-move\" or \"ms-per-game\"";
        read_one_of(deserializer, expecting, KNOWN)
    }
}

/// What a claim is decided by: winning, where nothing else is said.
#[derive(Clone, Copy, Debug)]
pub struct By(pub What);

impl Default for By {
    fn default() -> By {
        By(What::Win)
    }
}

impl<'de> Deserialize<'de> for By {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<By, D::Error> {
        const KNOWN: &[&str] = &["win", "reach 2048", "score", "ms-per-move"];
        let expecting = "\"win\", \"reach 2048\" or another tile, \"score\" or \"ms-per-move\"";
        read_one_of(deserializer, expecting, KNOWN).map(By)
    }
}

/// What a run can be stopped by: what each block decides for one player, the other, or neither.
#[derive(Clone, Copy, Debug)]
pub struct ByBlock(pub What);

impl Default for ByBlock {
    fn default() -> ByBlock {
        ByBlock(What::Win)
    }
}

impl<'de> Deserialize<'de> for ByBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ByBlock, D::Error> {
        const KNOWN: &[&str] = &["win", "reach 2048", "score"];
        read_one_of(deserializer, "\"win\", \"reach 2048\" or another tile, or \"score\"", KNOWN).map(ByBlock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_as_it_is_read() {
        for word in ["win", "reach 8", "reach 2048", "reach 131072", "score", "ms-per-move", "ms-per-game"] {
            assert_eq!(What::read(word).map(|what| what.to_string()), Ok(word.to_owned()));
        }
        for word in ["", "Win", "reach", "reach2048", "2048", "ns"] {
            assert_eq!(What::read(word), Err(Unknown::Word), "{word:?}");
        }
        for word in
            ["reach ", "reach 0", "reach -8", "reach 2047", "reach 4", "reach 262144", "reach  8", "reach x"]
        {
            assert!(matches!(What::read(word), Err(Unknown::Tile(_))), "{word:?}");
        }
    }
}
