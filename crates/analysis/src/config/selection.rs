//! Players of an experiment that a change keeps, and what it keeps of the sections about them.

use std::collections::BTreeMap;

use gauntlet_core::settings::tree::{PlacedValue, TomlTable, TomlValue, wrap_unplaced};

use super::player::ExperimentPlayer;

/// Reason for dropping something together with its players.
pub(super) const EXCLUDED: &str = "for excluded players";

/// Selected players of an experiment, by their index in it.
pub struct Selection<'a> {
    pub(super) entries: &'a [ExperimentPlayer],
    /// For each player, whether it is kept; `None` if all are kept.
    pub is_kept: Option<Vec<bool>>,
}

impl Selection<'_> {
    /// Returns true if a player is kept.
    pub fn has(&self, player: usize) -> bool {
        self.is_kept.as_ref().is_none_or(|is_kept| is_kept[player])
    }

    /// Lists the names of players as a value.
    pub fn names(&self, players: &[usize]) -> PlacedValue {
        wrap_unplaced(TomlValue::List(players.iter().map(|&player| self.name(player)).collect()))
    }

    fn name(&self, player: usize) -> PlacedValue {
        wrap_unplaced(TomlValue::Text(self.entries[player].name.clone()))
    }

    /// Returns true if all players that keys of a table refer to are kept. If others are excluded,
    /// players of a sweep are single players, so the keys get their full names.
    pub fn keep(&self, table: &mut TomlTable, players: &[(&str, usize)]) -> bool {
        if !players.iter().all(|(_, player)| self.has(*player)) {
            return false;
        }
        for (key, player) in players.iter().filter(|_| self.is_kept.is_some()) {
            table.insert(wrap_unplaced((*key).to_owned()), self.name(*player));
        }
        true
    }
}

/// Drops the table under a key of an experiment, unless `keep` returns true.
pub(super) fn retain_table(
    experiment: &mut TomlTable,
    key: &str,
    dropped: &mut Vec<String>,
    keep: impl FnOnce(&mut TomlTable) -> bool,
) {
    if let Some(TomlValue::Table(table)) = experiment.get_mut(key).map(PlacedValue::get_mut)
        && !keep(table)
    {
        experiment.remove(key);
        dropped.push(format!("the [{key}], {EXCLUDED}"));
    }
}

/// Drops the tables under a key of an experiment for which `reason` returns a reason, given the
/// checked table.
pub(super) fn retain_tables<T>(
    experiment: &mut TomlTable,
    key: &str,
    checked: &[T],
    dropped: &mut Vec<String>,
    reason: impl Fn(&mut TomlTable, &T) -> Option<&'static str>,
) {
    let Some(TomlValue::List(tables)) = experiment.get_mut(key).map(PlacedValue::get_mut) else { return };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut each = checked.iter();
    tables.retain_mut(|table| {
        let (TomlValue::Table(table), Some(checked)) = (table.get_mut(), each.next()) else { return true };
        let reason = reason(table, checked);
        if let Some(why) = reason {
            *counts.entry(why).or_default() += 1;
        }
        reason.is_none()
    });
    if tables.is_empty() {
        experiment.remove(key);
    }
    dropped.extend(counts.into_iter().map(|(why, count)| match count {
        1 => format!("a [[{key}]], {why}"),
        _ => format!("{count} [[{key}]], {why}"),
    }));
}
