//! The players so far: their names, and how other sections find them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use gauntlet_core::assets::AssetFiles;
use gauntlet_core::diagnostic::{Diagnostic, LineIndex, MAX_SHOWN, nearest};
use gauntlet_core::settings;
use gauntlet_core::settings::content::KeyContent;
use gauntlet_core::settings::tree::{TomlTable, TomlValue};
use gauntlet_core::text::{group_digits, list_names};

use super::name;
use super::player::{ExperimentPlayer, PlayerAsWritten, PlayerContext, PlayerReader, make_names};
use super::reference::{self, Reference};

/// The players so far.
#[derive(Default)]
pub struct Roster {
    /// Files from which players are built; `None` if they are not opened.
    assets: Option<Arc<AssetFiles>>,
    /// Players in the order of the file, without those with mistakes.
    pub(super) players: Vec<ExperimentPlayer>,
    /// Every name, including players with mistakes, and its index among all players.
    pub names: BTreeMap<String, usize>,
    /// Names in lower case, each with the name as written and its position in the file.
    lower_case_names: BTreeMap<String, (String, Range<usize>)>,
    /// Groups in lower case, each with its first name as written and the position in the file.
    lower_case_groups: BTreeMap<String, (String, Range<usize>)>,
    /// True if some names are unknown.
    pub(super) has_gaps: bool,
    /// True if some players have mistakes.
    has_mistakes: bool,
    /// Players of each `[[player]]`, by its name as written: their indices among all players, which
    /// equal those in `players` if no player has mistakes.
    families: BTreeMap<String, Vec<Range<usize>>>,
    /// The same in the order of the file.
    pub(super) families_in_order: Vec<Range<usize>>,
    /// Number of players, including those with mistakes.
    player_count: usize,
    /// Number of unknown names that were looked up.
    unknown_count: Cell<usize>,
}

/// Largest number of players of a sweep, and of all together. With that many, `check` and a run of
/// short games take seconds to a minute and 120 MB, and comparisons of all players take minutes.
/// More are probably a typing error.
const MAX_PLAYERS: usize = 10_000;

/// Number of players that a message names.
const MAX_NAMED: usize = 4;

/// Number of values that are tried in a sweep with too many.
const MAX_TRIED_VALUES: usize = 100;

impl Roster {
    /// Creates an empty roster; files of players are opened in `assets`, if given.
    pub(super) fn new(assets: Option<Arc<AssetFiles>>) -> Roster {
        Roster { assets, ..Roster::default() }
    }

    /// Adds the players of one `[[player]]`.
    pub(super) fn add_players(
        &mut self,
        file: PlayerContext,
        raw_player: &PlayerAsWritten,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let mistakes_before = mistakes.len();
        mistakes.extend(self.register_group(&raw_player.group, file.source));
        if self.player_count <= MAX_PLAYERS {
            let reader = PlayerReader::read(file, raw_player, mistakes);
            self.add_swept_players(reader, mistakes_before, mistakes);
        }
        self.has_mistakes |= mistakes.len() > mistakes_before || raw_player.name.is_mistaken();
    }

    /// Adds the players of a `[[player]]`; its mistakes come after the first `mistakes_before`
    /// ones.
    fn add_swept_players(
        &mut self,
        reader: PlayerReader,
        mistakes_before: usize,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let (raw_player, source) = (reader.raw_player, reader.file.source);
        let count_before_sweep = mistakes.len();
        let sweep = reader.read_sweep(mistakes);
        let is_clear = mistakes.len() == count_before_sweep;
        let is_too_large = sweep.count() > MAX_PLAYERS;
        if is_too_large {
            let message = format!("has more than {MAX_PLAYERS} combinations");
            mistakes.push(Diagnostic::new(sweep.place.clone(), message));
        }
        self.player_count += if is_too_large { MAX_TRIED_VALUES } else { sweep.count() };
        if self.player_count > MAX_PLAYERS {
            let place = if sweep.count() > 1 { &sweep.place } else { &raw_player.header.0 };
            let message = format!("more than {MAX_PLAYERS} players in total");
            mistakes.push(
                Diagnostic::new(place.clone(), message).with_help("the rest of the file was not checked"),
            );
            self.has_gaps = true;
            return;
        }
        let max_players = if is_too_large { MAX_TRIED_VALUES } else { MAX_PLAYERS };
        let entries = reader.build(&sweep, max_players, self.assets.as_deref(), mistakes).unwrap_or_default();
        let place = raw_player.name_place();
        let is_clear = is_clear && !is_too_large && !reader.misspells_name();
        let name = raw_player.name.value().filter(|_| is_clear);
        let names = match name.map(|name| make_names(name, &place, &sweep, &entries, source)) {
            Some(Ok(names)) => names,
            other => {
                mistakes.extend(other.and_then(Result::err).flatten());
                self.has_gaps = true;
                return;
            }
        };
        let name_mistake = self.register(&names, reader.has_invalid_name, &place, source);
        mistakes.extend(name_mistake.map(|mistake| match raw_player.name.is_written() {
            true => mistake,
            false => mistake.with_help("without a `name`, a player has the name of its algorithm"),
        }));
        if let (Some(name), true) =
            (name, mistakes.len() == mistakes_before && !raw_player.algorithm.is_mistaken())
        {
            let start = self.players.len();
            let group = raw_player.group.value();
            let player = |(name, entry)| ExperimentPlayer { name, entry, group: group.cloned() };
            let players = names.into_iter().zip(entries).map(player);
            self.players.extend(players);
            let indices = start..self.players.len();
            self.families.entry(name.to_owned()).or_default().push(indices.clone());
            self.families_in_order.push(indices);
        }
    }

    /// Finds a player's index by its name, or by the name of its `[[player]]` and settings. An
    /// unknown player is reported.
    pub fn find(&self, content: &KeyContent<Reference>, mistakes: &mut Vec<Diagnostic>) -> Option<usize> {
        let place = content.span().unwrap_or_default();
        match content.value()? {
            Reference::Name(name) => self.find_by_name(name, place, mistakes),
            Reference::NameAndSettings(table) => self.find_by_settings(table, place, mistakes),
        }
    }

    /// Finds the indices of all players of a `[[player]]`, or of one player. An unknown player is
    /// reported, unless it may be one with a mistake.
    pub fn find_all(&self, content: &KeyContent<Reference>, mistakes: &mut Vec<Diagnostic>) -> Vec<usize> {
        let family = match content.value() {
            Some(Reference::Name(name)) => self.families.get(name),
            _ => None,
        };
        match family {
            Some(family) => family.iter().cloned().flatten().collect(),
            None if self.has_mistakes => Vec::new(),
            None => self.find(content, mistakes).into_iter().collect(),
        }
    }

    /// Returns true if no player has a mistake.
    pub fn is_valid(&self) -> bool {
        !self.has_mistakes
    }

    /// Returns the player with this index; `None` if some player has a mistake, so that indices are
    /// unknown.
    pub fn player(&self, index: usize) -> Option<&ExperimentPlayer> {
        self.players.get(index).filter(|_| self.is_valid())
    }

    fn find_by_name(&self, name: &str, place: Range<usize>, mistakes: &mut Vec<Diagnostic>) -> Option<usize> {
        let index = self.names.get(name).copied();
        // If some names are unknown, this may be one of them.
        if index.is_none() && !self.has_gaps {
            let mut mistake = Diagnostic::new(place, "unknown player");
            let swept_name = self.names.range(format!("{name} ")..).next().map(|(name, _)| name.as_str());
            let swept_name = swept_name.filter(|full| full.starts_with(&format!("{name} ")));
            let pattern_name =
                || self.families.get(name).map(|family| self.players[family[0].start].name.as_str());
            mistake.help = match (swept_name, pattern_name()) {
                (Some(example), _) => {
                    Some(format!("a sweep creates several players from `{name}`, such as {example:?}"))
                }
                (None, Some(example)) => Some(format!("the name pattern creates names such as {example:?}")),
                (None, None) => {
                    Some(self.suggest_name(name, self.names.keys()).unwrap_or_else(|| self.list_players()))
                }
            };
            mistakes.push(mistake);
        }
        index
    }

    fn find_by_settings(
        &self,
        table: &TomlTable,
        place: Range<usize>,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<usize> {
        let Some(name) = table.get("name") else {
            let help = "give the `name` in `[[player]]`, and the settings that identify the player";
            mistakes.push(Diagnostic::new(place, settings::missing_message("name")).with_help(help));
            return None;
        };
        let TomlValue::Text(written_name) = name.get_ref() else {
            mistakes
                .push(Diagnostic::new(name.span(), settings::mistyped_message("a string", name.get_ref())));
            return None;
        };
        // It may be a player with a mistake.
        if self.has_mistakes {
            return None;
        }
        let Some(families) = self.families.get(written_name) else {
            let mut mistake = Diagnostic::new(name.span(), "no `[[player]]` has this name");
            mistake.help = self.suggest_name(written_name, self.families.keys());
            mistakes.push(mistake);
            return None;
        };
        let indices = || families.iter().cloned().flatten();
        let leaves = reference::identifying_settings(table);
        let unknown_leaf = leaves
            .iter()
            .find(|leaf| !indices().any(|one| reference::has_setting(&self.players[one].entry, leaf)));
        if let Some(leaf) = unknown_leaf {
            let mut mistake = Diagnostic::new(leaf.span.clone(), "unknown setting");
            let known_settings = settings::flatten(&self.players[families[0].start].entry.settings);
            mistake.help = nearest(&leaf.path.join("."), known_settings.iter().map(|(key, _)| key.as_str()))
                .map(|suggestion| format!("did you mean `{suggestion}`?"));
            mistakes.push(mistake);
            return None;
        }
        let matches: Vec<usize> = indices()
            .filter(|&one| leaves.iter().all(|leaf| reference::has_value(&self.players[one].entry, leaf)))
            .collect();
        let (message, candidates) = match matches[..] {
            [one] => return Some(one),
            [] => ("no player with this name has these settings".to_owned(), indices().collect()),
            _ => {
                (format!("{} players match: give more settings", group_digits(matches.len() as u64)), matches)
            }
        };
        mistakes.push(Diagnostic::new(place, message).with_help(self.list_some(&candidates)));
        None
    }

    /// Lists the first of all players.
    fn list_players(&self) -> String {
        let names: Vec<String> = self.names.keys().map(|name| format!("{name:?}")).collect();
        format!("known players: {}", list_names(&names, MAX_NAMED))
    }

    /// Lists the first of some players.
    fn list_some(&self, players: &[usize]) -> String {
        let names: Vec<String> = players.iter().map(|&one| format!("{:?}", self.players[one].name)).collect();
        format!("there are {}", list_names(&names, MAX_NAMED))
    }

    /// Returns a suggestion for an unknown name.
    fn suggest_name<'n>(&self, name: &str, known_names: impl Iterator<Item = &'n String>) -> Option<String> {
        // Comparing a name with all others takes time, and no more mistakes than these are shown.
        if self.unknown_count.replace(self.unknown_count.get() + 1) >= MAX_SHOWN {
            return None;
        }
        name::suggest_name(name, known_names.map(String::as_str))
    }

    /// Registers the group of a player, unless an earlier one differs from it only in case.
    fn register_group(&mut self, group: &KeyContent<String>, source: &LineIndex) -> Option<Diagnostic> {
        let (name, place) = (group.value()?, group.span()?);
        let first = self.lower_case_groups.entry(name.to_lowercase());
        let (other_name, other_place) = first.or_insert_with(|| (name.clone(), place));
        let (line, column) = source.line_and_column(other_place.start);
        (other_name != name).then(|| {
            group.mistake(format!("{other_name:?} at line {line}, column {column} differs only in case"))
        })
    }

    /// Registers the names of players, up to the first mistake. Invalid names may have been
    /// reported.
    fn register(
        &mut self,
        names: &[String],
        is_reported: bool,
        place: &Range<usize>,
        source: &LineIndex,
    ) -> Option<Diagnostic> {
        for full_name in names {
            let mistake = if let Some(reason) = name::invalid_reason(full_name).filter(|_| !is_reported) {
                let origin = if names.len() > 1 { "the sweep creates" } else { "its settings create" };
                format!("{origin} the name {full_name:?}: {reason}")
            } else if let Some((other_name, other_place)) =
                self.lower_case_names.get(&full_name.to_lowercase())
                && other_name == full_name
                && other_place == place
            {
                let help = "add a differing setting to the name, such as `{depth}`";
                self.has_gaps = true;
                let message = format!("several players would have the name {full_name:?}");
                return Some(Diagnostic::new(place.clone(), message).with_help(help));
            } else if let Some((other_name, other_place)) =
                self.lower_case_names.get(&full_name.to_lowercase())
            {
                let (line, column) = source.line_and_column(other_place.start);
                let message = format!("duplicate name: {other_name:?} is at line {line}, column {column}");
                if other_name == full_name { message } else { message + "; some file systems ignore case" }
            } else {
                self.lower_case_names.insert(full_name.to_lowercase(), (full_name.clone(), place.clone()));
                self.names.insert(full_name.clone(), self.names.len());
                continue;
            };
            // Most other names of the sweep would have an equal mistake.
            self.has_gaps |= names.len() > 1;
            return Some(Diagnostic::new(place.clone(), mistake));
        }
        None
    }
}
