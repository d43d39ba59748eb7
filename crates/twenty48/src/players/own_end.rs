//! Players to whose search the game ends at a tile, whatever the rules say.

use crate::player::Misfit;
use crate::rules::Rules;
use crate::rules::settings::Tile;

/// Misfit of such a player, if the rules end the game elsewhere. `fitting` is the setting for a last tile.
pub(super) fn misfit(
    rules: &Rules,
    own: Tile,
    fitting: impl FnOnce(Option<Tile>) -> String,
) -> Option<Misfit> {
    let last = rules.last_tile();
    let end = last.map_or("go on".to_owned(), |last| format!("end at {}", last.value()));
    (last != Some(own)).then(|| Misfit {
        what: format!("takes the tile {} for the end of the game, and these games {end}", own.value()),
        fitting: fitting(last),
    })
}
