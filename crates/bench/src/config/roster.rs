//! The players: every `[[player]]`, and the players that its sweep makes of it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys;
use super::name;
use super::pattern::Pattern;
use super::reference;
use super::sweep::{Choice, DEEPEST, Sweep};
use crate::arena::{Arena, Entrant, Rules};
use crate::assets::Assets;
use crate::diagnostic::{Diagnostic, Lines, MOST_SHOWN, nearest, nearest_name};
use crate::settings::{self, Written};
use crate::text::{grouped, listed};

/// A player of an experiment.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name, which no other player of the experiment has and which can be the name of a file.
    pub name: String,
    /// How it plays.
    pub entrant: Entrant,
}

impl Entry {
    /// Whether it has the same name and plays the same.
    pub(super) fn is_same(&self, other: &Entry) -> bool {
        let (own, others) = (&self.entrant, &other.entrant);
        self.name == other.name && (own.algorithm, &own.settings) == (others.algorithm, &others.settings)
    }
}

/// The keys that every player must have, as written.
#[derive(Deserialize)]
pub(super) struct PlayerHead {
    #[allow(dead_code, reason = "names are collected as written, and only checked here")]
    pub(super) name: Pattern,
    #[allow(dead_code, reason = "likewise")]
    pub(super) algorithm: String,
}

impl PlayerHead {
    /// Values for the keys that must be there.
    pub(super) const EXAMPLE: &str = "name = 'x'\nalgorithm = 'x'";
}

/// The players so far.
#[derive(Default)]
pub(super) struct Roster {
    /// The files that players are built from; none where they are not to be opened.
    assets: Option<Arc<Assets>>,
    /// In the order of the file. Players with mistakes are not among them.
    pub(super) entries: Vec<Entry>,
    /// Every name, those of players with mistakes too, and its place among all players.
    pub(super) names: BTreeMap<String, usize>,
    /// The names in small letters, each with the name as written and its place in the file.
    folded: BTreeMap<String, (String, Range<usize>)>,
    /// Whether some names are not known.
    pub(super) has_gaps: bool,
    /// Whether some players have mistakes.
    is_unsound: bool,
    /// The players of each `[[player]]`, by its name as written: their places among all players, which are those of their
    /// entries as long as none has a mistake.
    families: BTreeMap<String, Vec<Range<usize>>>,
    /// How many players there are, those with mistakes too.
    entered: usize,
    /// How many names were looked up that there are not.
    unknown: Cell<usize>,
}

/// The keys of every player, whatever its algorithm.
const COMMON: [&str; 3] = ["name", "algorithm", "sweep"];

/// The most players of one sweep, and of all together. With that many, `check` and a run of short games take seconds to a minute
/// and 120 MB, and what compares players with each other takes minutes; more are a slip of the finger.
const MOST_PLAYERS: usize = 10_000;

/// Values that are still tried of a sweep with too many.
const TRIED: usize = 100;

impl Roster {
    /// No players yet, whose files are to be opened, if they are.
    pub(super) fn new(assets: Option<Arc<Assets>>) -> Roster {
        Roster { assets, ..Roster::default() }
    }

    /// Adds the players that one `[[player]]` stands for. `headings` are keys that belong to the experiment.
    pub(super) fn enter(
        &mut self,
        arena: &Arena,
        rules: &Rules,
        headings: &[&str],
        written: Written,
        source: &Lines,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let before = mistakes.len();
        if self.entered <= MOST_PLAYERS {
            self.enter_sound(arena, rules, headings, written, source, mistakes);
        }
        self.is_unsound |= mistakes.len() > before;
    }

    fn enter_sound(
        &mut self,
        arena: &Arena,
        rules: &Rules,
        headings: &[&str],
        mut written: Written,
        source: &Lines,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let before = mistakes.len();
        let manual = arena.manual();
        let algorithm = keys::text(&written.table, "algorithm").unwrap_or_default().to_owned();
        let known = manual.iter().find(|known| known.name == algorithm);
        let pointer = match known {
            Some(known) => format!("`gauntlet players {}` shows its settings", known.name),
            None => "`gauntlet players` shows them all".to_owned(),
        };

        // Step 1. Unknown keys. If the algorithm is unknown, only likely slips of the common keys are reported.
        let candidates = [known.map_or(&[][..], |known| known.settings), &COMMON[..]].concat();
        let mut misspelt = Vec::new();
        for stray in settings::strays(&written.table, &candidates) {
            if known.is_some() || stray.meant.is_some() {
                let mut mistake = stray.mistake;
                if headings.contains(&stray.key.as_str()) {
                    mistake.help = Some(format!("`{}` belongs above the first `[[player]]`", stray.key));
                } else if stray.meant.is_none() {
                    mistake.help = Some(pointer.clone());
                }
                mistakes.push(mistake);
            }
            misspelt.extend(stray.meant.map(|meant| settings::missing(&meant)));
            written.table.remove(stray.key.as_str());
        }

        // Step 2. Name and algorithm.
        let sweep = written.table.remove("sweep");
        let head = Written {
            table: keys::take(&mut written.table, &["name", "algorithm"]),
            header: written.header.clone(),
        };
        if let Err(refused) = settings::read::<PlayerHead>(&head, PlayerHead::EXAMPLE) {
            mistakes.extend(refused.into_iter().filter(|mistake| !misspelt.contains(&mistake.message)));
        }
        if known.is_none()
            && let Some(span) = head.table.get("algorithm").filter(|name| name.get_ref().is_str())
        {
            let near = nearest_name(&algorithm, manual.iter().map(|known| known.name));
            let help = near.map(|near| format!("did you mean \"{near}\"?"));
            let message = format!("there is no such algorithm for {}", arena.name);
            mistakes.push(Diagnostic::at(span.span(), message).helped(help.unwrap_or(pointer.clone())));
        }

        // Step 3. Settings, tried with each of the values that are listed for them.
        let first = mistakes.len();
        let known_settings = known.map(|known| known.settings);
        let sweep = sweep.map(|sweep| Sweep::read(sweep, known_settings, &written.table, mistakes));
        let is_clear = mistakes.len() == first;
        let sweep = sweep.unwrap_or_default();
        let is_too_large = sweep.count() > MOST_PLAYERS;
        if is_too_large {
            let message = format!("has more than {MOST_PLAYERS} combinations");
            mistakes.push(Diagnostic::at(sweep.place.clone(), message));
        }
        self.entered += if is_too_large { TRIED } else { sweep.count() };
        if self.entered > MOST_PLAYERS {
            let place = if sweep.count() > 1 { &sweep.place } else { &written.header };
            let message = format!("with this there are more than {MOST_PLAYERS} players");
            mistakes
                .push(Diagnostic::at(place.clone(), message).helped("what comes after it is not checked"));
            self.has_gaps = true;
            return;
        }
        let mut settled = Vec::new();
        if known.is_some() {
            let spoilt = sweep.spoilt.iter().map(|key| settings::missing(key)).collect::<Vec<_>>();
            let mut read = |choice: &Choice| {
                let table = sweep.apply(choice, &written.table);
                let settings = Written { table, header: written.header.clone() };
                let outcome = arena.enter(rules, &algorithm, &settings);
                let outcome =
                    outcome.and_then(|entrant| open_files(entrant, &settings, self.assets.as_deref()));
                let refused = match outcome {
                    Ok(entrant) => return Some(entrant),
                    Err(refused) => refused,
                };
                for mut mistake in refused {
                    mistake.help.get_or_insert_with(|| pointer.clone());
                    let is_consequence =
                        spoilt.contains(&mistake.message) || misspelt.contains(&mistake.message);
                    if !is_consequence && !mistakes[first..].contains(&mistake) {
                        mistakes.push(mistake);
                    }
                }
                None
            };
            let tried = if is_too_large { TRIED } else { MOST_PLAYERS };
            let refused = sweep.probes().take(tried).filter(|choice| read(choice).is_none());
            // More than these are not shown.
            let is_sound = refused.take(2 * MOST_SHOWN).count() == 0;
            if is_sound && !is_too_large {
                settled = sweep.combinations().map_while(|choice| read(&choice)).collect();
            }
        }

        // Step 4. Names.
        let Some(name) = keys::text(&head.table, "name").filter(|_| is_clear && !is_too_large) else {
            self.has_gaps = true;
            return;
        };
        let place = keys::span(&head.table, "name").unwrap_or_default();
        let names = match names(name, &place, &sweep, &settled, source) {
            Ok(names) => names,
            Err(mistake) => {
                mistakes.extend(mistake);
                self.has_gaps = true;
                return;
            }
        };
        // What is wrong with a name as written is told already.
        let is_told =
            Pattern::read(name).is_ok_and(|name| name.plain().is_some_and(|name| name::flaw(name).is_some()));
        mistakes.extend(self.register(&names, is_told, &place, source));
        if mistakes.len() == before {
            let first = self.entries.len();
            let entries = names.into_iter().zip(settled).map(|(name, entrant)| Entry { name, entrant });
            self.entries.extend(entries);
            self.families.entry(name.to_owned()).or_default().push(first..self.entries.len());
        }
    }

    /// The place of the player that is named under this key: by its name, or by the name and the settings of its `[[player]]`.
    /// An unknown one is reported.
    pub(super) fn find(&self, table: &DeTable, key: &str, mistakes: &mut Vec<Diagnostic>) -> Option<usize> {
        self.find_one(table.get(key)?, mistakes)
    }

    fn find_one(&self, value: &Spanned<DeValue>, mistakes: &mut Vec<Diagnostic>) -> Option<usize> {
        match value.get_ref() {
            DeValue::String(name) => self.find_by_name(name, value.span(), mistakes),
            DeValue::Table(picked) => self.find_by_settings(picked, value.span(), mistakes),
            _ => None,
        }
    }

    /// The places of all players of a `[[player]]` that is named, or of the one player. An unknown one is reported, unless it may
    /// be a player with a mistake.
    pub(super) fn find_all(&self, value: &Spanned<DeValue>, mistakes: &mut Vec<Diagnostic>) -> Vec<usize> {
        let family = value.get_ref().as_str().and_then(|name| self.families.get(name));
        match family {
            Some(family) => family.iter().cloned().flatten().collect(),
            None if self.is_unsound => Vec::new(),
            None => self.find_one(value, mistakes).into_iter().collect(),
        }
    }

    /// Whether no player has a mistake.
    pub(super) fn is_sound(&self) -> bool {
        !self.is_unsound
    }

    /// The player at a place among all; none where some player has a mistake, and places are not known.
    pub(super) fn entry(&self, place: usize) -> Option<&Entry> {
        self.entries.get(place).filter(|_| self.is_sound())
    }

    fn find_by_name(&self, name: &str, place: Range<usize>, mistakes: &mut Vec<Diagnostic>) -> Option<usize> {
        let known = self.names.get(name).copied();
        // Where some names are not known, this may be one of them.
        if known.is_none() && !self.has_gaps {
            let mut mistake = Diagnostic::at(place, "there is no such player");
            let swept = self.names.range(format!("{name} ")..).next().map(|(name, _)| name.as_str());
            let swept = swept.filter(|full| full.starts_with(&format!("{name} ")));
            let made = || self.families.get(name).map(|of| self.entries[of[0].start].name.as_str());
            mistake.help = match (swept, made()) {
                (Some(full), _) => Some(format!("a sweep makes several of it, such as {full:?}")),
                (None, Some(full)) => Some(format!("its pattern makes names such as {full:?}")),
                (None, None) => self.near(name, self.names.keys()),
            };
            mistakes.push(mistake);
        }
        known
    }

    fn find_by_settings(
        &self,
        table: &DeTable,
        place: Range<usize>,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<usize> {
        let Some(name) = table.get("name") else {
            let help = "say the name of its `[[player]]`, and of its settings what tells it from the others";
            mistakes.push(Diagnostic::at(place, settings::missing("name")).helped(help));
            return None;
        };
        let DeValue::String(written) = name.get_ref() else {
            mistakes.push(Diagnostic::at(name.span(), settings::mistyped("a string", name.get_ref())));
            return None;
        };
        // A player with a mistake may be the one that is meant.
        if self.is_unsound {
            return None;
        }
        let Some(families) = self.families.get(written.as_ref()) else {
            let mut mistake = Diagnostic::at(name.span(), "there is no `[[player]]` of this name");
            mistake.help = self.near(written, self.families.keys());
            mistakes.push(mistake);
            return None;
        };
        let all = || families.iter().cloned().flatten();
        let picked = reference::picked(table, DEEPEST);
        let unknown =
            picked.iter().find(|setting| !all().any(|one| setting.is_known_to(&self.entries[one].entrant)));
        if let Some(unknown) = unknown {
            let mut mistake = Diagnostic::at(unknown.place.clone(), "there is no such setting");
            let known = settings::flat(&self.entries[families[0].start].entrant.settings);
            mistake.help = nearest(&unknown.path.join("."), known.iter().map(|(key, _)| key.as_str()))
                .map(|near| format!("did you mean `{near}`?"));
            mistakes.push(mistake);
            return None;
        }
        let fitting: Vec<usize> = all()
            .filter(|&one| picked.iter().all(|setting| setting.fits(&self.entries[one].entrant)))
            .collect();
        let (message, shown) = match fitting[..] {
            [one] => return Some(one),
            [] => ("no player of this name has these settings".to_owned(), all().collect()),
            _ => {
                (format!("{} players fit: say more of the settings", grouped(fitting.len() as u64)), fitting)
            }
        };
        mistakes.push(Diagnostic::at(place, message).helped(self.some_of(&shown)));
        None
    }

    /// The first of some players, in words.
    fn some_of(&self, players: &[usize]) -> String {
        const NAMED: usize = 4;
        let names: Vec<String> = players.iter().map(|&one| format!("{:?}", self.entries[one].name)).collect();
        format!("there are {}", listed(&names, NAMED))
    }

    /// The help for an unknown name.
    fn near<'n>(&self, name: &str, known: impl Iterator<Item = &'n String>) -> Option<String> {
        // To compare a name with all others takes its time, and no more mistakes than these are shown.
        if self.unknown.replace(self.unknown.get() + 1) >= MOST_SHOWN {
            return None;
        }
        name::did_you_mean(name, known.map(String::as_str))
    }

    /// Registers the names of players, up to the first mistake. Flaws may be told already.
    fn register(
        &mut self,
        names: &[String],
        is_told: bool,
        place: &Range<usize>,
        source: &Lines,
    ) -> Option<Diagnostic> {
        for full in names {
            let mistake = if let Some(flaw) = name::flaw(full).filter(|_| !is_told) {
                let what = if names.len() > 1 { "the sweep makes" } else { "its settings make" };
                format!("{what} it {full:?}: {flaw}")
            } else if let Some((twin, other)) = self.folded.get(&full.to_lowercase())
                && twin == full
                && other == place
            {
                let help = "put into the name what differs, as in `{depth}`";
                self.has_gaps = true;
                let message = format!("several of the players would be called {full:?}");
                return Some(Diagnostic::at(place.clone(), message).helped(help));
            } else if let Some((twin, other)) = self.folded.get(&full.to_lowercase()) {
                let (line, column) = source.place(other.start);
                let place =
                    format!("there is a player called {twin:?} already, at line {line}, column {column}");
                if twin == full { place } else { place + "; some file systems know no capital letters" }
            } else {
                self.folded.insert(full.to_lowercase(), (full.clone(), place.clone()));
                self.names.insert(full.clone(), self.names.len());
                continue;
            };
            // Most other names of the sweep would have the same mistake.
            self.has_gaps |= names.len() > 1;
            return Some(Diagnostic::at(place.clone(), mistake));
        }
        None
    }
}

/// The names of the players of one `[[player]]`; none where a mistake that is told already hides them.
fn names(
    written: &str,
    place: &Range<usize>,
    sweep: &Sweep,
    settled: &[Entrant],
    source: &Lines,
) -> Result<Vec<String>, Option<Diagnostic>> {
    let pattern = Pattern::read(written).map_err(|_| None)?;
    if let Some(name) = pattern.plain() {
        return Ok(sweep.names(name));
    }
    if settled.len() < sweep.count() {
        return Err(None);
    }
    let name = |entrant: &Entrant| {
        pattern.name(&settings::flat(&entrant.settings)).map_err(|unfit| {
            // The place of the braces, unless the text is written with escapes.
            let braces = format!("{{{}}}", unfit.key);
            let start = source.text().get(place.clone()).and_then(|text| text.find(&braces));
            let place = start.map_or(place.clone(), |start| {
                let start = place.start + start;
                start..start + braces.len()
            });
            Some(Diagnostic { span: Some(place), message: unfit.message, help: unfit.help })
        })
    };
    settled.iter().map(name).collect()
}

/// Opens the files that a player is built from. One that cannot be read, or is damaged, is a mistake at the setting that
/// names it.
fn open_files(
    mut entrant: Entrant,
    written: &Written,
    assets: Option<&Assets>,
) -> Result<Entrant, Vec<Diagnostic>> {
    let Some(assets) = assets else { return Ok(entrant) };
    match entrant.open_files(assets) {
        Ok(()) => Ok(entrant),
        Err(flaws) => {
            let help = "the path is relative to the file of the experiment";
            let mistake = |(setting, flaw): (Option<&str>, String)| {
                // Without a setting to blame it is told at the head of the player.
                written.blame(setting.unwrap_or(""), flaw).helped(help)
            };
            Err(flaws.into_iter().map(mistake).collect())
        }
    }
}
