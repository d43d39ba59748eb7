//! The keys above the first section: what an experiment says of itself, besides its rules.

use std::num::{NonZeroU32, NonZeroU64};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::blocks::{GameCount, SeedNumber};
use super::name::Name;
use crate::num::Seconds;

/// What an experiment says of itself, as written.
#[derive(Deserialize)]
pub(super) struct Head {
    pub(super) name: Name,
    #[allow(
        dead_code,
        reason = "the game is found before the rest is read, and only its type is checked here"
    )]
    pub(super) game: String,
    pub(super) seed: Option<SeedNumber>,
    pub(super) games: Option<GameCount>,
    pub(super) seeds: Option<Vec<SeedNumber>>,
    #[allow(dead_code, reason = "read when the players are known")]
    pub(super) pairings: Option<IgnoredAny>,
    pub(super) planned_games: Option<NonZeroU64>,
    pub(super) extended_from: Option<NonZeroU64>,
    pub(super) max_moves: Option<NonZeroU32>,
    pub(super) max_seconds: Option<Seconds>,
}

impl Head {
    /// Values for the keys that must be there.
    pub(super) const EXAMPLE: &str = "name = 'x'\ngame = 'x'";
}
