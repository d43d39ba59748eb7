//! Players of an experiment that a change keeps, and what it keeps of the sections about them.

use std::collections::BTreeMap;

use gauntlet_core::settings::tree::{PlacedValue, TomlTable, TomlValue, wrap_unplaced};

use super::player::ExperimentPlayer;

/// Reason for dropping something together with its players.
pub(super) const EXCLUDED: &str = "for excluded players";

/// Selected players of an experiment, by their index in it.
pub struct Selection<'a> {
    pub(super) players: &'a [ExperimentPlayer],
    /// For each player, whether it is kept; `None` if all are kept.
    is_kept: Option<Vec<bool>>,
    /// New names of players whose names contain settings that are changed.
    pub(super) renamed: BTreeMap<usize, String>,
}

impl Selection<'_> {
    /// Selects players that keep their names.
    pub(super) fn new(players: &[ExperimentPlayer], is_kept: Option<Vec<bool>>) -> Selection<'_> {
        Selection { players, is_kept, renamed: BTreeMap::new() }
    }

    /// Returns true if some players are excluded or renamed, so that keys about players must be
    /// written anew.
    pub fn changes_names(&self) -> bool {
        self.is_kept.is_some() || !self.renamed.is_empty()
    }

    /// Returns true if a player is kept.
    pub fn has(&self, player: usize) -> bool {
        self.is_kept.as_ref().is_none_or(|is_kept| is_kept[player])
    }

    /// Lists the names of players as a value.
    pub fn names(&self, players: &[usize]) -> PlacedValue {
        wrap_unplaced(TomlValue::List(players.iter().map(|&player| self.name(player)).collect()))
    }

    fn name(&self, player: usize) -> PlacedValue {
        let name = self.renamed.get(&player).unwrap_or(&self.players[player].name);
        wrap_unplaced(TomlValue::Text(name.clone()))
    }

    /// Returns true if all players that keys of a table refer to are kept. If others are excluded
    /// or renamed, players of a sweep are single players, so the keys get their full names.
    pub fn keep(&self, table: &mut TomlTable, players: &[(&str, usize)]) -> bool {
        if !players.iter().all(|(_, player)| self.has(*player)) {
            return false;
        }
        for (key, player) in players.iter().filter(|_| self.changes_names()) {
            table.insert(wrap_unplaced((*key).to_owned()), self.name(*player));
        }
        true
    }
}

/// Drops the table under a key of an experiment, unless `keep` returns true.
pub(super) fn retain_table(
    experiment: &mut TomlTable,
    key: &str,
    dropped_parts: &mut Vec<String>,
    keep: impl FnOnce(&mut TomlTable) -> bool,
) {
    if let Some(TomlValue::Table(table)) = experiment.get_mut(key).map(PlacedValue::get_mut)
        && !keep(table)
    {
        experiment.remove(key);
        dropped_parts.push(format!("the [{key}], {EXCLUDED}"));
    }
}

/// Drops the tables under a key of an experiment for which `reason` returns a reason, given the
/// checked table.
pub(super) fn retain_tables<T>(
    experiment: &mut TomlTable,
    key: &str,
    checked_tables: &[T],
    dropped_parts: &mut Vec<String>,
    drop_reason: impl Fn(&mut TomlTable, &T) -> Option<&'static str>,
) {
    let Some(TomlValue::List(tables)) = experiment.get_mut(key).map(PlacedValue::get_mut) else { return };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut remaining = checked_tables.iter();
    tables.retain_mut(|table| {
        let (TomlValue::Table(table), Some(item)) = (table.get_mut(), remaining.next()) else { return true };
        let reason = drop_reason(table, item);
        if let Some(text) = reason {
            *counts.entry(text).or_default() += 1;
        }
        reason.is_none()
    });
    if tables.is_empty() {
        experiment.remove(key);
    }
    dropped_parts.extend(counts.into_iter().map(|(reason, count)| match count {
        1 => format!("a [[{key}]], {reason}"),
        _ => format!("{count} [[{key}]], {reason}"),
    }));
}

#[cfg(test)]
mod tests {
    use gauntlet_core::settings::tree;
    use gauntlet_games::GAMES;

    use super::*;
    use crate::config::{self, Catalog};

    const TEXT: &str = "name = 'x'\ngame = '2048'\nseed = 1\ngames = 1\n[[player]]\nname = 'a'\nalgorithm = 'random'\n\
                        [[player]]\nname = 'b'\nalgorithm = 'greedy'\n";

    #[test]
    fn a_table_is_kept_with_all_its_players_and_gets_their_names() {
        let experiment = config::parse(Catalog::new(&GAMES), "x.toml", TEXT).expect("an experiment");
        let kept = |is_kept: Option<Vec<bool>>, renamed: &[(usize, &str)], players: &[(&str, usize)]| {
            let mut selection = Selection::new(experiment.players(), is_kept);
            selection.renamed = renamed.iter().map(|&(player, name)| (player, name.to_owned())).collect();
            let mut table = tree::parse_table("better = 'as written'");
            let is_kept = selection.keep(&mut table, players);
            is_kept.then(|| tree::write_document(&table))
        };
        let [a, b] = [("better", 0), ("than", 1)];
        assert_eq!(kept(None, &[], &[a]).as_deref(), Some("better = \"as written\"\n"));
        assert_eq!(kept(Some(vec![true, false]), &[], &[a]).as_deref(), Some("better = \"a\"\n"));
        assert_eq!(kept(Some(vec![true, false]), &[], &[a, b]), None);
        assert_eq!(kept(None, &[(0, "c")], &[a]).as_deref(), Some("better = \"c\"\n"));
    }

    #[test]
    fn tables_that_are_dropped_are_counted_by_reason() {
        let text = "[[claim]]\nn = 1\n[[claim]]\nn = 2\n[[claim]]\nn = 3\n[[claim]]\nn = 4\n";
        let retain = |reasons: [Option<&'static str>; 4]| {
            let (mut table, mut dropped_parts) = (tree::parse_table(text), Vec::new());
            retain_tables(&mut table, "claim", &reasons, &mut dropped_parts, |_, reason| *reason);
            (tree::write_document(&table).matches("[[claim]]").count(), dropped_parts)
        };
        assert_eq!(retain([None; 4]), (4, vec![]));
        let (left, dropped_parts) = retain([Some("one way"), None, Some("another"), Some("one way")]);
        assert_eq!(
            (left, dropped_parts),
            (1, vec!["a [[claim]], another".into(), "2 [[claim]], one way".into()])
        );
        assert_eq!(retain([Some("one way"); 4]), (0, vec!["4 [[claim]], one way".into()]));
    }
}
