//! Players whose search assumes that the game ends at a tile, regardless of the rules.

use gauntlet_core::player::RulesMismatch;
use gauntlet_twenty48::rules::Rules;
use gauntlet_twenty48::rules::settings::GoalTile;

/// Returns the mismatch between such a player and rules that end the game elsewhere. `fitting` is
/// the setting for a last tile.
pub(super) fn find_mismatch(
    rules: &Rules,
    own: GoalTile,
    fitting: impl FnOnce(Option<GoalTile>) -> String,
) -> Option<RulesMismatch> {
    let last = rules.last_tile();
    let end = last.map_or("continue".to_owned(), |last| format!("end at {}", last.value()));
    (last != Some(own)).then(|| RulesMismatch {
        what: format!("ends at tile {}, but games {end}", own.value()),
        fitting: fitting(last),
    })
}
