//! Players whose search assumes that the game ends at a tile, regardless of the rules.

use gauntlet_core::player::RulesMismatch;
use gauntlet_twenty48::rules::Rules;
use gauntlet_twenty48::rules::settings::GoalTile;

/// Returns the mismatch between such a player and rules that end the game elsewhere. `setting_for`
/// is the setting for a last tile.
pub(super) fn find_mismatch(
    rules: &Rules,
    end_tile: GoalTile,
    setting_for: impl FnOnce(Option<GoalTile>) -> String,
) -> Option<RulesMismatch> {
    let last_tile = rules.last_tile();
    let end = last_tile.map_or("continue".to_owned(), |last_tile| format!("end at {}", last_tile.value()));
    (last_tile != Some(end_tile)).then(|| RulesMismatch {
        difference: format!("ends at tile {}, but games {end}", end_tile.value()),
        fitting_setting: setting_for(last_tile),
    })
}
