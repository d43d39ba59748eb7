//! Seeds and numbers of games in a file.

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::rng::SEED_LIMIT;
use gauntlet_core::settings::content::{ValueType, whole};
use gauntlet_core::settings::tree::PlacedValue;

/// A seed that fits in a TOML integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeedNumber(pub u64);

impl ValueType for SeedNumber {
    fn read(written: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<SeedNumber> {
        let range = format!("a whole number from 0 to {}", SEED_LIMIT - 1);
        whole(written, &range, mistakes, |number| match u64::try_from(number) {
            Ok(seed) if seed < SEED_LIMIT => Ok(SeedNumber(seed)),
            _ => Err(format!("a seed is {range}")),
        })
    }
}

/// Number of games of each player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GameCount(pub(super) u64);

/// Largest number of games of one player. More are probably a typing error: at a million games a
/// second they would take over a quarter of an hour for each player, and the slowest players need a
/// second per game.
const MOST_EACH: u64 = 1_000_000_000;

impl GameCount {
    /// Parses a number of games, or returns what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<u64, String> {
        let games = text.parse().map_err(|_| format!("must be a whole number from 1 to {MOST_EACH}"))?;
        GameCount::of(games).map(|GameCount(games)| games)
    }

    /// Checks a number of games, or returns what is wrong with it.
    pub(super) fn of(games: i128) -> Result<GameCount, String> {
        match u64::try_from(games) {
            _ if games <= 0 => Err("each player must play at least 1 game".to_owned()),
            Ok(games) if games <= MOST_EACH => Ok(GameCount(games)),
            _ => Err(format!("each player may play at most {MOST_EACH} games")),
        }
    }
}

impl ValueType for GameCount {
    fn read(written: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<GameCount> {
        whole(written, &format!("a whole number from 1 to {MOST_EACH}"), mistakes, GameCount::of)
    }
}
