//! The players so far: their names, and how other sections find them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use gauntlet_core::assets::AssetFiles;
use gauntlet_core::diagnostic::{Diagnostic, LineIndex, MOST_SHOWN, nearest};
use gauntlet_core::settings;
use gauntlet_core::settings::content::KeyContent;
use gauntlet_core::settings::tree::{TomlTable, TomlValue};
use gauntlet_core::text::{group_digits, list_names};

use super::name;
use super::player::{ExperimentPlayer, Head, PlayerAsWritten, PlayerContext, make_names};
use super::reference::{self, Reference};

/// The players so far.
#[derive(Default)]
pub struct Roster {
    /// Files from which players are built; `None` if they are not opened.
    assets: Option<Arc<AssetFiles>>,
    /// Players in the order of the file, without those with mistakes.
    pub(super) entries: Vec<ExperimentPlayer>,
    /// Every name, including players with mistakes, and its index among all players.
    pub names: BTreeMap<String, usize>,
    /// Names in lower case, each with the name as written and its position in the file.
    folded: BTreeMap<String, (String, Range<usize>)>,
    /// True if some names are unknown.
    pub(super) has_gaps: bool,
    /// True if some players have mistakes.
    is_unsound: bool,
    /// Players of each `[[player]]`, by its name as written: their indices among all players, which
    /// equal those in `entries` if no player has mistakes.
    families: BTreeMap<String, Vec<Range<usize>>>,
    /// The same in the order of the file.
    pub(super) in_order: Vec<Range<usize>>,
    /// Number of players, including those with mistakes.
    entered: usize,
    /// Number of unknown names that were looked up.
    unknown: Cell<usize>,
}

/// Largest number of players of a sweep, and of all together. With that many, `check` and a run of
/// short games take seconds to a minute and 120 MB, and comparisons of all players take minutes.
/// More are probably a typing error.
const MOST_PLAYERS: usize = 10_000;

/// Number of players that a message names.
const MOST_NAMED: usize = 4;

/// Number of values that are tried in a sweep with too many.
const MOST_TRIED: usize = 100;

impl Roster {
    /// Creates an empty roster; files of players are opened in `assets`, if given.
    pub(super) fn new(assets: Option<Arc<AssetFiles>>) -> Roster {
        Roster { assets, ..Roster::default() }
    }

    /// Adds the players of one `[[player]]`.
    pub(super) fn add_players(
        &mut self,
        file: PlayerContext,
        written: &PlayerAsWritten,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let before = mistakes.len();
        if self.entered <= MOST_PLAYERS {
            let head = Head::read(file, written, mistakes);
            self.add_swept_players(head, before, mistakes);
        }
        self.is_unsound |= mistakes.len() > before || written.name.is_mistaken();
    }

    /// Adds the players of a `[[player]]`; its mistakes come after the first `before` ones.
    fn add_swept_players(&mut self, head: Head, before: usize, mistakes: &mut Vec<Diagnostic>) {
        let (written, source) = (head.written, head.file.source);
        let first = mistakes.len();
        let sweep = head.read_sweep(mistakes);
        let is_clear = mistakes.len() == first;
        let is_too_large = sweep.count() > MOST_PLAYERS;
        if is_too_large {
            let message = format!("has more than {MOST_PLAYERS} combinations");
            mistakes.push(Diagnostic::new(sweep.place.clone(), message));
        }
        self.entered += if is_too_large { MOST_TRIED } else { sweep.count() };
        if self.entered > MOST_PLAYERS {
            let place = if sweep.count() > 1 { &sweep.place } else { &written.header.0 };
            let message = format!("more than {MOST_PLAYERS} players in total");
            mistakes.push(
                Diagnostic::new(place.clone(), message).with_help("the rest of the file was not checked"),
            );
            self.has_gaps = true;
            return;
        }
        let most = if is_too_large { MOST_TRIED } else { MOST_PLAYERS };
        let settled = head.build(&sweep, most, self.assets.as_deref(), mistakes).unwrap_or_default();
        let place = written.name_place();
        let is_clear = is_clear && !is_too_large && !head.misspells_name();
        let name = written.name.value().filter(|_| is_clear);
        let names = match name.map(|name| make_names(name, &place, &sweep, &settled, source)) {
            Some(Ok(names)) => names,
            other => {
                mistakes.extend(other.and_then(Result::err).flatten());
                self.has_gaps = true;
                return;
            }
        };
        let taken = self.register(&names, head.has_flaw, &place, source);
        mistakes.extend(taken.map(|mistake| match written.name.is_written() {
            true => mistake,
            false => mistake.with_help("without a `name`, a player has the name of its algorithm"),
        }));
        if let (Some(name), true) = (name, mistakes.len() == before && !written.algorithm.is_mistaken()) {
            let first = self.entries.len();
            let entries =
                names.into_iter().zip(settled).map(|(name, entrant)| ExperimentPlayer { name, entrant });
            self.entries.extend(entries);
            let all = first..self.entries.len();
            self.families.entry(name.to_owned()).or_default().push(all.clone());
            self.in_order.push(all);
        }
    }

    /// Finds a player's index by its name, or by the name of its `[[player]]` and settings. An
    /// unknown player is reported.
    pub fn find(&self, said: &KeyContent<Reference>, mistakes: &mut Vec<Diagnostic>) -> Option<usize> {
        let place = said.place().unwrap_or_default();
        match said.value()? {
            Reference::Name(name) => self.find_by_name(name, place, mistakes),
            Reference::Picked(picked) => self.find_by_settings(picked, place, mistakes),
        }
    }

    /// Finds the indices of all players of a `[[player]]`, or of one player. An unknown player is
    /// reported, unless it may be one with a mistake.
    pub fn find_all(&self, said: &KeyContent<Reference>, mistakes: &mut Vec<Diagnostic>) -> Vec<usize> {
        let family = match said.value() {
            Some(Reference::Name(name)) => self.families.get(name),
            _ => None,
        };
        match family {
            Some(family) => family.iter().cloned().flatten().collect(),
            None if self.is_unsound => Vec::new(),
            None => self.find(said, mistakes).into_iter().collect(),
        }
    }

    /// Returns true if no player has a mistake.
    pub fn is_valid(&self) -> bool {
        !self.is_unsound
    }

    /// Returns the player with this index; `None` if some player has a mistake, so that indices are
    /// unknown.
    pub fn entry(&self, place: usize) -> Option<&ExperimentPlayer> {
        self.entries.get(place).filter(|_| self.is_valid())
    }

    fn find_by_name(&self, name: &str, place: Range<usize>, mistakes: &mut Vec<Diagnostic>) -> Option<usize> {
        let known = self.names.get(name).copied();
        // If some names are unknown, this may be one of them.
        if known.is_none() && !self.has_gaps {
            let mut mistake = Diagnostic::new(place, "unknown player");
            let swept = self.names.range(format!("{name} ")..).next().map(|(name, _)| name.as_str());
            let swept = swept.filter(|full| full.starts_with(&format!("{name} ")));
            let made = || self.families.get(name).map(|of| self.entries[of[0].start].name.as_str());
            mistake.help = match (swept, made()) {
                (Some(full), _) => {
                    Some(format!("a sweep creates several players from `{name}`, such as {full:?}"))
                }
                (None, Some(full)) => Some(format!("the name pattern creates names such as {full:?}")),
                (None, None) => {
                    Some(self.suggest_name(name, self.names.keys()).unwrap_or_else(|| self.list_players()))
                }
            };
            mistakes.push(mistake);
        }
        known
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
        let TomlValue::Text(written) = name.get_ref() else {
            mistakes
                .push(Diagnostic::new(name.span(), settings::mistyped_message("a string", name.get_ref())));
            return None;
        };
        // It may be a player with a mistake.
        if self.is_unsound {
            return None;
        }
        let Some(families) = self.families.get(written) else {
            let mut mistake = Diagnostic::new(name.span(), "no `[[player]]` has this name");
            mistake.help = self.suggest_name(written, self.families.keys());
            mistakes.push(mistake);
            return None;
        };
        let all = || families.iter().cloned().flatten();
        let picked = reference::identifying_settings(table);
        let unknown = picked
            .iter()
            .find(|leaf| !all().any(|one| reference::has_setting(&self.entries[one].entrant, leaf)));
        if let Some(unknown) = unknown {
            let mut mistake = Diagnostic::new(unknown.place.clone(), "unknown setting");
            let known = settings::flatten(&self.entries[families[0].start].entrant.settings);
            mistake.help = nearest(&unknown.path.join("."), known.iter().map(|(key, _)| key.as_str()))
                .map(|near| format!("did you mean `{near}`?"));
            mistakes.push(mistake);
            return None;
        }
        let fitting: Vec<usize> = all()
            .filter(|&one| picked.iter().all(|leaf| reference::has_value(&self.entries[one].entrant, leaf)))
            .collect();
        let (message, shown) = match fitting[..] {
            [one] => return Some(one),
            [] => ("no player with this name has these settings".to_owned(), all().collect()),
            _ => {
                (format!("{} players match: give more settings", group_digits(fitting.len() as u64)), fitting)
            }
        };
        mistakes.push(Diagnostic::new(place, message).with_help(self.list_some(&shown)));
        None
    }

    /// Lists the first of all players.
    fn list_players(&self) -> String {
        let names: Vec<String> = self.names.keys().map(|name| format!("{name:?}")).collect();
        format!("known players: {}", list_names(&names, MOST_NAMED))
    }

    /// Lists the first of some players.
    fn list_some(&self, players: &[usize]) -> String {
        let names: Vec<String> = players.iter().map(|&one| format!("{:?}", self.entries[one].name)).collect();
        format!("there are {}", list_names(&names, MOST_NAMED))
    }

    /// Returns a suggestion for an unknown name.
    fn suggest_name<'n>(&self, name: &str, known: impl Iterator<Item = &'n String>) -> Option<String> {
        // Comparing a name with all others takes time, and no more mistakes than these are shown.
        if self.unknown.replace(self.unknown.get() + 1) >= MOST_SHOWN {
            return None;
        }
        name::suggest_name(name, known.map(String::as_str))
    }

    /// Registers the names of players, up to the first mistake. Invalid names may have been
    /// reported.
    fn register(
        &mut self,
        names: &[String],
        is_told: bool,
        place: &Range<usize>,
        source: &LineIndex,
    ) -> Option<Diagnostic> {
        for full in names {
            let mistake = if let Some(flaw) = name::invalid_reason(full).filter(|_| !is_told) {
                let what = if names.len() > 1 { "the sweep creates" } else { "its settings create" };
                format!("{what} the name {full:?}: {flaw}")
            } else if let Some((twin, other)) = self.folded.get(&full.to_lowercase())
                && twin == full
                && other == place
            {
                let help = "add a differing setting to the name, such as `{depth}`";
                self.has_gaps = true;
                let message = format!("several players would have the name {full:?}");
                return Some(Diagnostic::new(place.clone(), message).with_help(help));
            } else if let Some((twin, other)) = self.folded.get(&full.to_lowercase()) {
                let (line, column) = source.line_and_column(other.start);
                let place = format!("duplicate name: {twin:?} is at line {line}, column {column}");
                if twin == full { place } else { place + "; some file systems ignore case" }
            } else {
                self.folded.insert(full.to_lowercase(), (full.clone(), place.clone()));
                self.names.insert(full.clone(), self.names.len());
                continue;
            };
            // Most other names of the sweep would have an equal mistake.
            self.has_gaps |= names.len() > 1;
            return Some(Diagnostic::new(place.clone(), mistake));
        }
        None
    }
}
