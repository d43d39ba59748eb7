//! Players of 2048 for tests.

pub(crate) use gauntlet::laws::table::{SelfPlay, begin, blocks, new_game_rng, play, seat_seed};
use gauntlet::player::{BuildContext, Player, Recipe};
use gauntlet::twenty48::rules::Twenty48;

/// Returns a player of 2048 with these JSON settings.
pub(crate) fn build_player<C>(settings: &str) -> Box<dyn Player<Twenty48>>
where
    C: Recipe<Twenty48> + serde::de::DeserializeOwned,
{
    let config: C = serde_json::from_str(settings).expect("settings of the algorithm");
    config.build(&BuildContext::default()).expect("these players need nothing from outside")
}
