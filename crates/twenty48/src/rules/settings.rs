//! Settings of the rules: the winning tile, the end of a game, and exceptions that some original
//! programs need.

use std::fmt;

use gauntlet_core::game;
use gauntlet_core::settings::documented::documented;
use gauntlet_core::settings::section::KeyDeclaration;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::cells::{self, MAX_RANK};

documented! {
    /// Rules that an experiment may set.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Rules {
        /// The winning tile.
        pub win: GoalTile => "a tile: a power of two from 8 to 131072", "`2048`";
        /// Winning condition: reaching the tile, or earning that many points in one move.
        pub win_by: WinCriterion => r#"`"tile"` or `"gain"`"#, r#"`"tile"`"#;
        /// End of a game: no legal move, a win, or a tile.
        pub until: EndCondition => r#"`"game-over"`, `"win"` or a tile"#, r#"`"game-over"`"#;
        /// Moves that change nothing: illegal, or legal and followed by a new tile.
        pub idle_moves: IdleMoves => r#"`"illegal"` or `"spawn"`"#, r#"`"illegal"`"#;
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            win: GoalTile(11),
            win_by: WinCriterion::Tile,
            until: EndCondition::GameOver,
            idle_moves: IdleMoves::Illegal,
        }
    }
}

impl game::Rules for Rules {
    const MANUAL: &'static [KeyDeclaration] = Rules::KEYS;

    fn contradiction(&self) -> Option<(&'static str, String)> {
        let EndCondition::Tile(tile) = self.until else { return None };
        // The first tile that ends a game appears with at most seven others: eight merges in one
        // move.
        let most = match self.win_by {
            WinCriterion::Tile => tile.value(),
            WinCriterion::Gain => 8 * tile.value(),
        };
        let what = match self.win_by {
            WinCriterion::Tile => "reach",
            WinCriterion::Gain => "earn",
        };
        (most < self.win.value()).then(|| {
            let (win, tile) = (self.win.value(), tile.value());
            let at_once = if self.win_by == WinCriterion::Gain { " by one move" } else { "" };
            ("win", format!("no game can {what} {win}{at_once}: `until` stops each at {tile}"))
        })
    }

    fn win(&self) -> Option<String> {
        let win = self.win.value();
        Some(match self.win_by {
            WinCriterion::Tile => format!("the tile {win}"),
            WinCriterion::Gain => format!("a move that earns {win} points"),
        })
    }

    fn limit(&self, _max_tile: usize) -> Option<(i64, String)> {
        let last = self.last_tile()?.value();
        Some((last.into(), format!("`until` stops each at {last}")))
    }
}

impl Rules {
    /// Returns the tile that ends a game; `None` if games go on until nothing can move.
    pub fn last_tile(&self) -> Option<GoalTile> {
        match self.until {
            EndCondition::GameOver => None,
            // A merge to a tile earns its value, so that tile wins by gain, too.
            EndCondition::Win => Some(self.win),
            EndCondition::Tile(tile) => Some(tile),
        }
    }

    /// Returns true if the rules have no exceptions and nothing ends a game early.
    pub(super) fn are_plain(&self) -> bool {
        *self == Rules { win: self.win, ..Rules::default() }
    }

    /// Returns why no game by these rules ends like this, although games by other rules may.
    pub(super) fn flaw_of_end(
        &self,
        max_tile: i64,
        score: u64,
        won: bool,
        is_stopped: bool,
    ) -> Option<String> {
        let win = u64::from(self.win.value());
        let tile = max_tile as u64;
        let may_be_won = match self.win_by {
            WinCriterion::Tile => tile >= win,
            // One move makes at most eight tiles, and earns their values.
            WinCriterion::Gain => 8 * tile >= win && score >= win,
        };
        // Making the winning tile earns its value.
        if (won && !may_be_won) || (!won && tile >= win) {
            let not = if won { "" } else { "not " };
            return Some(format!(
                "no game with {score} points and a largest tile of {max_tile} is {not}won by these rules"
            ));
        }
        let (stops, goes_beyond) = match self.until {
            EndCondition::GameOver => (false, false),
            EndCondition::Win => (won, tile > win),
            EndCondition::Tile(last) => (tile == u64::from(last.value()), tile > u64::from(last.value())),
        };
        (goes_beyond || stops != is_stopped)
            .then(|| format!("`until` ends no game so, with a largest tile of {max_tile}"))
    }
}

/// How [`Rules::win`] is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WinCriterion {
    /// By a tile of that value, or a larger one.
    #[default]
    Tile,
    /// By a single move that earns at least that many points: one merge to that tile, or several
    /// smaller ones. This is how datumbox's program counts.
    Gain,
}

/// Treatment of a move that changes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdleMoves {
    /// The move is refused.
    #[default]
    Illegal,
    /// The move spawns a tile like every other move, if a cell is empty. This is how datumbox's
    /// program of April 2014 plays.
    Spawn,
}

/// Tile that can win or end a game: 8 to 131072. A 4 may be on the board from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GoalTile(u8);

impl GoalTile {
    /// Returns the rank: 11 for 2048.
    #[inline]
    pub(super) fn rank(self) -> u8 {
        self.0
    }

    /// Returns the value of the tile.
    pub const fn value(self) -> u32 {
        cells::value_of(self.0)
    }
}

impl TryFrom<i64> for GoalTile {
    type Error = String;

    fn try_from(value: i64) -> Result<GoalTile, String> {
        let tile = (3..=MAX_RANK).find(|&rank| i64::from(cells::value_of(rank)) == value);
        tile.map(GoalTile)
            .ok_or_else(|| format!("must be a tile: a power of two from 8 to {}", cells::value_of(MAX_RANK)))
    }
}

impl Serialize for GoalTile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.value())
    }
}

impl<'de> Deserialize<'de> for GoalTile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<GoalTile, D::Error> {
        GoalTile::try_from(i64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// When a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndCondition {
    /// Only when nothing can move.
    GameOver,
    /// Also at a win.
    Win,
    /// Also at the first tile of this value.
    Tile(GoalTile),
}

impl Serialize for EndCondition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            EndCondition::GameOver => serializer.serialize_str("game-over"),
            EndCondition::Win => serializer.serialize_str("win"),
            EndCondition::Tile(tile) => tile.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for EndCondition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EndCondition, D::Error> {
        const WORDS: [&str; 2] = ["game-over", "win"];
        let read = tile_or_word(deserializer, &WORDS, "\"game-over\", \"win\" or a tile")?;
        Ok(read.map_or_else(
            |word| if word == 0 { EndCondition::GameOver } else { EndCondition::Win },
            EndCondition::Tile,
        ))
    }
}

/// Deserializes a tile, or one of these words, whose index is returned as the error.
pub fn tile_or_word<'de, D: Deserializer<'de>>(
    deserializer: D,
    words: &'static [&'static str],
    expected: &'static str,
) -> Result<Result<GoalTile, usize>, D::Error> {
    struct Visitor(&'static [&'static str], &'static str);

    impl serde::de::Visitor<'_> for Visitor {
        type Value = Result<GoalTile, usize>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str(self.1)
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
            let word = self.0.iter().position(|word| *word == text);
            word.map(Err).ok_or_else(|| E::unknown_variant(text, self.0))
        }

        fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Self::Value, E> {
            GoalTile::try_from(value).map(Ok).map_err(E::custom)
        }

        // TOML has signed integers only; JSON passes positive ones this way.
        fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Self::Value, E> {
            self.visit_i64(value.try_into().unwrap_or(i64::MAX))
        }
    }
    deserializer.deserialize_any(Visitor(words, expected))
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::Rules as _;

    use super::*;

    #[test]
    fn games_end_somewhere() {
        let rules = |until| Rules { win: GoalTile(9), until, ..Rules::default() };
        assert_eq!(rules(EndCondition::GameOver).limit(0), None);
        let at = |value: i64| Some((value, format!("`until` stops each at {value}")));
        assert_eq!(rules(EndCondition::Tile(GoalTile(10))).limit(0), at(1024));
        assert_eq!(rules(EndCondition::Win).limit(0), at(512));
    }

    #[test]
    fn a_win_is_said_in_words() {
        let rules = Rules::default();
        assert_eq!(rules.win().as_deref(), Some("the tile 2048"));
        let rules = Rules { win: GoalTile(10), win_by: WinCriterion::Gain, ..rules };
        assert_eq!(rules.win().as_deref(), Some("a move that earns 1024 points"));
    }
}
