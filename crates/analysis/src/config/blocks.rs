//! Seeds and numbers of games in a file.

use gauntlet_core::num::BoundedLong;
use gauntlet_core::rng::SEED_LIMIT;

/// A seed that fits in a TOML integer.
pub type SeedNumber = BoundedLong<0, { SEED_LIMIT - 1 }>;

/// Number of games of each player.
pub(super) type GameCount = BoundedLong<1, MAX_GAMES_EACH>;

/// Largest number of games of one player. More are probably a typing error: at a million games a
/// second they would take over a quarter of an hour for each player, and the slowest players need a
/// second per game.
pub(super) const MAX_GAMES_EACH: u64 = 1_000_000_000;
