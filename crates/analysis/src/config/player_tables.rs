//! The `[[player]]` tables of an experiment that is changed: which players they have, and which are
//! kept.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::ops::Range;
use std::rc::Rc;

use gauntlet_core::diagnostic::nearest;
use gauntlet_core::settings::content::KeyContent;
use gauntlet_core::settings::tree::{PlacedValue, TomlTable, TomlValue, wrap_unplaced};
use gauntlet_core::settings::{SettingsTable, flatten};
use gauntlet_core::text::list_names;

use super::experiment::Experiment;
use super::name;
use super::pattern::{self, Pattern};
use super::player::ExperimentPlayer;
use super::selection::Selection;
use super::sweep::{Sweep, SweepChoice};

/// A `[[player]]` table, and the indices of its players in the unchanged experiment.
pub(super) struct PlayerTable {
    pub(super) table: TomlTable,
    /// Name of the `[[player]]` in the unchanged experiment, as written.
    written: String,
    pub(super) players: Range<usize>,
    /// True if a setting is changed.
    pub(super) is_changed: bool,
    /// Sweep of which it was one player, and the end of its name before changes.
    divided: Option<(Rc<Sweep>, Result<String, String>)>,
}

impl PlayerTable {
    /// Returns true if the player with this index is in the table.
    pub(super) fn has(&self, player: usize) -> bool {
        self.players.contains(&player)
    }

    /// Returns the name as written, or the algorithm after which the player is named.
    pub(super) fn name(&self) -> &str {
        let text = |key: &str| self.table.get(key).and_then(|value| value.get_ref().as_text());
        text("name").or(text("algorithm")).unwrap_or_default()
    }

    /// Returns true if a name on the command line means this table: its name as written, or the
    /// name of its only player.
    pub(super) fn is_named(&self, name: &str, experiment: &Experiment) -> bool {
        self.written == name || (self.players.len() == 1 && self.has_player_named(name, experiment))
    }

    /// Returns true if one of its players has this name.
    fn has_player_named(&self, name: &str, experiment: &Experiment) -> bool {
        experiment.players()[self.players.clone()].iter().any(|entry| entry.name == name)
    }

    /// Returns the names that its players have after its settings were changed.
    fn names(&self, experiment: &Experiment) -> Result<Vec<String>, String> {
        let entries = &experiment.players()[self.players.clone()];
        let pattern = Pattern::read(&self.written).ok().filter(|name| name.literal_name().is_none());
        if let Some(pattern) = pattern {
            let sweep = self.sweep();
            let name = |(entry, choice): (&ExperimentPlayer, SweepChoice)| {
                let mut table = sweep.apply(&choice, &self.table);
                let algorithm = table.remove("algorithm");
                let algorithm = algorithm.as_ref().and_then(|value| value.get_ref().as_text()).unwrap_or("");
                for key in ["name", "group", "sweep"] {
                    table.remove(key);
                }
                let settings = SettingsTable { table, header: 0..0 };
                // Settings that are refused are reported when the changed experiment is read.
                let changed = experiment.arena().read_entry(experiment.rules(), algorithm, &settings).ok();
                let name = changed.and_then(|changed| pattern.fill(&flatten(&changed.settings)).ok());
                name.unwrap_or_else(|| entry.name.clone())
            };
            return Ok(entries.iter().zip(sweep.combinations()).map(name).collect());
        }
        let mut names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
        if let (Some((sweep, before)), [name]) = (&self.divided, &mut names[..]) {
            let suffix = sweep.suffix(&self.table);
            if suffix != *before {
                let lacks = |key| format!("the name of {name:?} contains `{key}`, so it must have a value");
                let suffix = suffix.map_err(lacks)?;
                *name = format!("{}{suffix}", self.written);
            }
        }
        Ok(names)
    }

    /// Returns the sweep, if there is one.
    pub(super) fn sweep(&self) -> Sweep {
        let lists = self.table.get("sweep").map(|lists| KeyContent::read(lists, &mut Vec::new()));
        Sweep::read(&lists.unwrap_or_default(), None, &self.table, &mut Vec::new())
    }
}

/// The `[[player]]` tables of an experiment without mistakes.
pub(super) struct PlayerTables(pub(super) Vec<PlayerTable>);

impl PlayerTables {
    /// Takes the tables from those of an experiment.
    pub(super) fn take(experiment: &Experiment, table: &mut TomlTable) -> PlayerTables {
        let Some(TomlValue::List(tables)) = table.remove("player").map(PlacedValue::into_inner) else {
            return PlayerTables(Vec::new());
        };
        let player_tables = tables.into_iter().zip(&experiment.families).filter_map(|(table, players)| {
            let TomlValue::Table(table) = table.into_inner() else { return None };
            let mut player = PlayerTable {
                table,
                written: String::new(),
                players: players.clone(),
                is_changed: false,
                divided: None,
            };
            player.written = player.name().to_owned();
            Some(player)
        });
        PlayerTables(player_tables.collect())
    }

    pub(super) fn into_value(self) -> PlacedValue {
        wrap_unplaced(TomlValue::List(
            self.0.into_iter().map(|player| wrap_unplaced(TomlValue::Table(player.table))).collect(),
        ))
    }

    /// Returns for each player whether it is kept, if `--only` names players.
    pub(super) fn select(
        &self,
        only_names: &[String],
        experiment: &Experiment,
    ) -> Result<Option<Vec<bool>>, String> {
        let entries = experiment.players();
        let mut is_kept = vec![false; entries.len()];
        for name in only_names {
            let mut is_known = false;
            for family in &self.0 {
                let is_whole = family.name() == name;
                for player in family.players.clone().filter(|&one| is_whole || entries[one].name == *name) {
                    (is_kept[player], is_known) = (true, true);
                }
            }
            if !is_known {
                let names = self.0.iter().map(PlayerTable::name);
                let names = names.chain(entries.iter().map(|entry| &*entry.name));
                return Err(unknown_player_message("--only", name, names));
            }
        }
        Ok((!only_names.is_empty()).then_some(is_kept))
    }

    /// Replaces a table that loses some players of its sweep, or of which `only_names` names a
    /// player, by one table for each remaining player, so that its swept settings can be changed.
    pub(super) fn exclude(&mut self, selection: &Selection, only_names: &[String], experiment: &Experiment) {
        let mut tables = Vec::new();
        for family in mem::take(&mut self.0) {
            let is_divided = only_names
                .iter()
                .any(|name| family.written != *name && family.has_player_named(name, experiment));
            if !is_divided && family.players.clone().all(|one| selection.has(one)) {
                tables.push(family);
                continue;
            }
            let sweep = Rc::new(family.sweep());
            let players = family.players.clone().zip(sweep.combinations());
            for (one, choice) in players.filter(|(one, _)| selection.has(*one)) {
                let mut table = sweep.apply(&choice, &family.table);
                let name = pattern::escape_braces(&selection.players[one].name);
                table.remove("sweep");
                table.insert(wrap_unplaced("name".to_owned()), wrap_unplaced(TomlValue::Text(name)));
                let written = family.written.clone();
                let divided = Some((Rc::clone(&sweep), sweep.suffix(&table)));
                tables.push(PlayerTable {
                    table,
                    written,
                    players: one..one + 1,
                    is_changed: false,
                    divided,
                });
            }
        }
        self.0 = tables;
    }

    /// Renames players whose names contain settings that were changed. Returns their new names, by
    /// their index.
    pub(super) fn rename(&mut self, experiment: &Experiment) -> Result<BTreeMap<usize, String>, String> {
        let entries = experiment.players();
        let mut renamed = BTreeMap::new();
        for family in self.0.iter_mut().filter(|family| family.is_changed) {
            for (player, name) in family.players.clone().zip(family.names(experiment)?) {
                if name == entries[player].name {
                    continue;
                }
                if let Some(reason) = name::invalid_reason(&name) {
                    return Err(format!("{:?} would be renamed to {name:?}: {reason}", entries[player].name));
                }
                if family.divided.is_some() {
                    let written = TomlValue::Text(pattern::escape_braces(&name));
                    family.table.insert(wrap_unplaced("name".to_owned()), wrap_unplaced(written));
                }
                renamed.insert(player, name);
            }
        }
        let mut names = BTreeSet::new();
        for player in self.0.iter().flat_map(|family| family.players.clone()) {
            let name = renamed.get(&player).unwrap_or(&entries[player].name);
            if !names.insert(name) {
                return Err(format!(
                    "two players would have the name {name:?}; select one of them with --only"
                ));
            }
        }
        Ok(renamed)
    }
}

/// Returns the message about an unknown player.
pub(super) fn unknown_player_message<'a>(
    option: &str,
    name: &str,
    names: impl Iterator<Item = &'a str>,
) -> String {
    const MAX_NAMED: usize = 10;
    let mut seen_names = BTreeSet::new();
    let names: Vec<&str> = names.filter(|name| seen_names.insert(*name)).collect();
    let suggestion = nearest(name, names.iter().copied());
    // For the name of a sweep, suggests one of its players.
    let suggestion = suggestion
        .or_else(|| names.iter().copied().find(|full_name| full_name.starts_with(&format!("{name} "))));
    match suggestion {
        Some(suggestion) => format!("{option}: no such player {name:?}; did you mean {suggestion:?}?"),
        None => {
            format!("{option}: no such player {name:?}; expected one of {}", list_names(&names, MAX_NAMED))
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_games::GAMES;

    use super::*;
    use crate::config::{self, Catalog};

    /// A sweep, a pattern, and a name with braces.
    const TEXT: &str = r#"
name = "x"
game = "2048"
seed = 1
games = 1

[[player]]
name = "e"
algorithm = "swift-expectimax"
sweep.depth = [1, 2]

[[player]]
name = "n {depth}"
algorithm = "swift-expectimax"
depth = 3

[[player]]
name = "a {{b}}"
algorithm = "random"
"#;

    fn experiment() -> Experiment {
        config::parse(Catalog::new(&GAMES), "x.toml", TEXT).expect("an experiment")
    }

    /// Returns the tables that are left with these options `--only`.
    fn tables(experiment: &Experiment, only: &[&str]) -> PlayerTables {
        let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
        let mut tables = PlayerTables::take(experiment, &mut experiment.table());
        let is_kept = tables.select(&only, experiment).expect("players");
        tables.exclude(&Selection::new(experiment.players(), is_kept), &only, experiment);
        tables
    }

    #[test]
    fn players_that_are_named_get_their_own_tables() {
        let experiment = experiment();
        let check = |only: &[&str], expected: &[&str]| {
            let tables = tables(&experiment, only);
            assert_eq!(tables.0.iter().map(PlayerTable::name).collect::<Vec<_>>(), expected, "{only:?}");
        };
        check(&[], &["e", "n {depth}", "a {{b}}"]);
        check(&["e"], &["e"]);
        check(&["e depth=2"], &["e depth=2"]);
        check(&["e depth=2", "e depth=1"], &["e depth=1", "e depth=2"]);
        check(&["n 3"], &["n 3"]);
        check(&["a {b}", "n {depth}"], &["n {depth}", "a {{b}}"]);
    }

    #[test]
    fn a_table_is_meant_by_its_name_and_by_that_of_its_only_player() {
        let experiment = experiment();
        let meant = |only: &[&str], name: &str| {
            let is_named = |table: &&PlayerTable| table.is_named(name, &experiment);
            tables(&experiment, only).0.iter().filter(is_named).count()
        };
        assert_eq!([meant(&[], "e"), meant(&[], "e depth=1")], [1, 0]);
        let both = ["e depth=1", "e depth=2"];
        assert_eq!([meant(&both, "e"), meant(&both, "e depth=1")], [2, 1]);
        for only in [vec![], vec!["n 3"]] {
            assert_eq!([meant(&only, "n {depth}"), meant(&only, "n 3"), meant(&only, "n 4")], [1, 1, 0]);
        }
        assert_eq!(meant(&[], "a {b}"), 1);
    }
}
