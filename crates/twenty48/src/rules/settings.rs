//! Settings of the rules: the winning tile, the end of a game, and exceptions that some original
//! programs need.

use std::fmt;

use gauntlet_core::game::{self, Facts, Outcome};
use gauntlet_core::rng::{Rng, Seed};
use gauntlet_core::settings::documented::documented;
use gauntlet_core::settings::section::KeyDeclaration;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::cells::{self, MAX_RANK};
use super::stages;
use super::start_board::StartBoard;

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
        /// Moves that change nothing: illegal; or legal if a cell is empty, and followed by a new
        /// tile.
        pub idle_moves: IdleMoves => r#"`"illegal"` or `"spawn"`"#, r#"`"illegal"`"#;
        /// Cell of a new tile: any empty cell, or one of the first empty cells.
        #[serde(skip_serializing_if = "is_default")]
        pub spawn: SpawnLaw => r#"`"uniform"` or `"stale"`"#, r#"`"uniform"`"#;
        /// Probability that a new tile is a 4.
        #[serde(skip_serializing_if = "is_default")]
        pub four: FourProbability => r#"decimal or fraction, such as `0.25` or `"1/4"`"#, r#"`"1/10"`"#;
        /// Board to which the first two tiles are added.
        #[serde(skip_serializing_if = "is_default")]
        pub start: StartBoard => "string of 16 tiles, row by row; `.` or `0` is an empty cell", "an empty board";
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            win: GoalTile(11),
            win_by: WinCriterion::Tile,
            until: EndCondition::GameOver,
            idle_moves: IdleMoves::Illegal,
            spawn: SpawnLaw::Uniform,
            four: FourProbability::default(),
            start: StartBoard::default(),
        }
    }
}

/// Returns true for a default, which is not written: rules without it have kept their identity.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl game::Rules for Rules {
    const MANUAL: &'static [KeyDeclaration] = Rules::KEYS;

    fn contradiction(&self) -> Option<(&'static str, String)> {
        let limits = [("win", Some(self.win)), ("until", self.last_tile())];
        let is_reached = |tile: &GoalTile| self.start.max_rank() >= tile.rank();
        if let Some((key, tile)) =
            limits.into_iter().find_map(|(key, tile)| Some((key, tile.filter(is_reached)?)))
        {
            let message = format!("must only have tiles below {}, because of `{key}`", tile.value());
            return Some(("start", message));
        }
        let EndCondition::Tile(tile) = self.until else { return None };
        // The first tile that ends a game appears with at most seven others: eight merges in one
        // move.
        let limit = match self.win_by {
            WinCriterion::Tile => tile.value(),
            WinCriterion::Gain => 8 * tile.value(),
        };
        let verb = match self.win_by {
            WinCriterion::Tile => "reach",
            WinCriterion::Gain => "earn",
        };
        (limit < self.win.value()).then(|| {
            let (win, tile) = (self.win.value(), tile.value());
            let suffix = if self.win_by == WinCriterion::Gain { " by one move" } else { "" };
            ("win", format!("no game can {verb} {win}{suffix}: `until` ends games at {tile}"))
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
        Some((last.into(), format!("`until` ends games at {last}")))
    }

    /// With `spawn = "stale"`, there are no stages: a move may spawn no tile, so the number of
    /// moves does not show the number of tiles.
    fn stages(&self) -> Vec<String> {
        let exist = self.spawn != SpawnLaw::Stale && stages::exist_from(self.last_rank(), self.start);
        if exist { stages::names(self.last_rank()) } else { Vec::new() }
    }

    fn count_stages_reached(&self, outcome: Outcome, &[max_tile, _]: &Facts, moves: u32) -> usize {
        let max_rank = max_tile.checked_ilog2().unwrap_or(0) as u8;
        stages::count_reached(self.last_rank(), self.start, max_rank, outcome.score(), moves)
    }
}

impl Rules {
    /// Returns the tile that ends a game; `None` if a game only ends when nothing can move.
    pub fn last_tile(&self) -> Option<GoalTile> {
        match self.until {
            EndCondition::GameOver => None,
            // A merge to a tile earns its value, so that tile wins by gain, too.
            EndCondition::Win => Some(self.win),
            EndCondition::Tile(tile) => Some(tile),
        }
    }

    /// Returns a digest that other rules hardly ever have.
    pub(super) fn digest(&self) -> u64 {
        let text = serde_json::to_string(self).expect("rules are JSON");
        Seed::root(0).child(&text, 0).stream()
    }

    fn last_rank(&self) -> Option<u8> {
        self.last_tile().map(GoalTile::rank)
    }

    /// Returns true if the rules have no exceptions and nothing ends a game early. Games may start
    /// from any board.
    pub(super) fn are_standard(&self) -> bool {
        *self == Rules { win: self.win, start: self.start, ..Rules::default() }
    }

    /// Returns true if the rules are standard and games start from an empty board.
    pub(super) fn are_standard_from_empty_board(&self) -> bool {
        self.are_standard() && self.start == StartBoard::default()
    }

    /// Returns true if tiles appear as in the original game.
    #[inline]
    pub fn have_original_spawns(&self) -> bool {
        self.spawn == SpawnLaw::Uniform && self.four == FourProbability::ORIGINAL
    }

    /// Returns why no game by these rules ends like this, although games by other rules may.
    pub(super) fn invalid_end_reason(
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
            let verb = if won { "cannot" } else { "must" };
            return Some(format!(
                "a game with {score} points and a largest tile of {max_tile} {verb} be won by these rules"
            ));
        }
        let (stops, goes_beyond) = match self.until {
            EndCondition::GameOver => (false, false),
            EndCondition::Win => (won, tile > win),
            EndCondition::Tile(last) => (tile == u64::from(last.value()), tile > u64::from(last.value())),
        };
        (goes_beyond || stops != is_stopped)
            .then(|| format!("a game with `until` cannot end this way with a largest tile of {max_tile}"))
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

/// Choice of the cell of a new tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpawnLaw {
    /// Each empty cell is equally likely.
    #[default]
    Uniform,
    /// With e cells empty before the move, the tile comes to the k-th empty cell in row order, with
    /// k uniform below e. No tile comes if e is 0. An environment of PufferLib had this fault.
    Stale,
}

/// Probability that a new tile is a 4, as a fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FourProbability {
    numerator: u32,
    denominator: u32,
}

impl FourProbability {
    /// Probability in the original game.
    const ORIGINAL: FourProbability = FourProbability { numerator: 1, denominator: 10 };

    /// Largest denominator.
    const MAX_DENOMINATOR: u64 = 1_000_000_000;

    /// Draws 1 for a 4, else 0.
    pub(super) fn draw(self, game_rng: &mut Rng) -> u32 {
        u32::from(game_rng.below(self.denominator.into()) < self.numerator.into())
    }

    fn from_fraction(numerator: u64, denominator: u64) -> Option<FourProbability> {
        if denominator == 0 || numerator > denominator {
            return None;
        }
        let (mut a, mut b) = (denominator, numerator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        let reduce = |number: u64| u32::try_from(number / a).ok();
        let (numerator, denominator) = (reduce(numerator)?, reduce(denominator)?);
        (u64::from(denominator) <= FourProbability::MAX_DENOMINATOR)
            .then_some(FourProbability { numerator, denominator })
    }

    /// Parses `1/4` or `0.25`.
    fn parse(text: &str) -> Option<FourProbability> {
        let number = |digits: &str| digits.parse::<u64>().ok().filter(|_| !digits.starts_with('+'));
        if let Some((numerator, denominator)) = text.split_once('/') {
            return FourProbability::from_fraction(number(numerator.trim())?, number(denominator.trim())?);
        }
        let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
        let denominator = 10_u64.checked_pow(digits.len().try_into().ok()?)?;
        let fraction = if digits.is_empty() { 0 } else { number(digits)? };
        FourProbability::from_fraction(
            number(whole)?.checked_mul(denominator)?.checked_add(fraction)?,
            denominator,
        )
    }
}

impl Default for FourProbability {
    fn default() -> FourProbability {
        FourProbability::ORIGINAL
    }
}

impl Serialize for FourProbability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}/{}", self.numerator, self.denominator))
    }
}

impl<'de> Deserialize<'de> for FourProbability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FourProbability, D::Error> {
        struct Visitor;

        impl serde::de::Visitor<'_> for Visitor {
            type Value = FourProbability;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a probability such as 0.25 or \"1/4\"")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                FourProbability::parse(text).ok_or_else(|| {
                    E::custom("must be a probability such as 0.25 or \"1/4\", with at most 9 decimals")
                })
            }

            // The shortest decimal that reads back as this number is what was written.
            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Self::Value, E> {
                self.visit_str(&value.to_string())
            }

            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Self::Value, E> {
                self.visit_str(&value.to_string())
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Self::Value, E> {
                self.visit_str(&value.to_string())
            }
        }
        deserializer.deserialize_any(Visitor)
    }
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
        let tile_or_index = tile_or_word(deserializer, &WORDS, "\"game-over\", \"win\" or a tile")?;
        Ok(tile_or_index.map_or_else(
            |index| if index == 0 { EndCondition::GameOver } else { EndCondition::Win },
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
            let index = self.0.iter().position(|word| *word == text);
            index.map(Err).ok_or_else(|| E::unknown_variant(text, self.0))
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
        let limit_at = |value: i64| Some((value, format!("`until` ends games at {value}")));
        assert_eq!(rules(EndCondition::Tile(GoalTile(10))).limit(0), limit_at(1024));
        assert_eq!(rules(EndCondition::Win).limit(0), limit_at(512));
    }

    #[test]
    fn probabilities_are_fractions() {
        let parse = |json: &str| serde_json::from_str::<FourProbability>(json);
        for json in ["0.25", r#""1/4""#, r#""25/100""#, r#""0.25""#, r#""0.2500000000""#] {
            assert_eq!(serde_json::to_string(&parse(json).unwrap()).unwrap(), r#""1/4""#, "{json}");
        }
        assert_eq!(parse("0.1").unwrap(), FourProbability::default());
        assert_eq!(serde_json::to_string(&parse("0").unwrap()).unwrap(), r#""0/1""#);
        assert_eq!(serde_json::to_string(&parse("1.0").unwrap()).unwrap(), r#""1/1""#);
        for json in [
            "1.5",
            "-0.1",
            "2",
            r#""1/0""#,
            r#""3/2""#,
            r#""+1/2""#,
            r#""a half""#,
            r#""1/2000000000""#,
            r#""1844674407370955161.9""#,
        ] {
            assert!(parse(json).is_err(), "{json}");
        }
        // Rules keep the identity that they had before these keys existed.
        let json = serde_json::to_string(&Rules::default()).unwrap();
        assert!(!json.contains("spawn\":") && !json.contains("four"), "{json}");
    }

    /// From an empty board, these numbers would show the stage `1024` only.
    #[test]
    fn stages_count_from_the_start_board() {
        let rules = |start: &str| Rules { start: start.parse().expect("a board"), ..Rules::default() };
        let started_rules = rules("1024 512 256 2  0 0 0 0  0 0 0 0  0 0 0 0");
        let outcome = Outcome::Points { score: 0, won: false };
        let count = started_rules.count_stages_reached(outcome, &[1024, 0], 0);
        assert_eq!(started_rules.stages()[count - 1], "1024-256");
        let count = Rules::default().count_stages_reached(outcome, &[1024, 0], 0);
        assert_eq!(started_rules.stages()[count - 1], "1024");
        assert!(rules("1024 2 1024 2  0 0 0 0  0 0 0 0  0 0 0 0").stages().is_empty());
    }

    #[test]
    fn a_win_is_said_in_words() {
        let rules = Rules::default();
        assert_eq!(rules.win().as_deref(), Some("the tile 2048"));
        let rules = Rules { win: GoalTile(10), win_by: WinCriterion::Gain, ..rules };
        assert_eq!(rules.win().as_deref(), Some("a move that earns 1024 points"));
    }
}
