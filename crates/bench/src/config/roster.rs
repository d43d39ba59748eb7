//! The players: every `[[player]]`, and the players that its sweep makes of it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::name;
use super::pattern::{self, Pattern};
use super::reference::{self, Reference};
use super::sweep::{Choice, Sweep};
use crate::arena::{Arena, Entrant, Rules};
use crate::assets::Assets;
use crate::diagnostic::{Diagnostic, Lines, MOST_SHOWN, nearest, nearest_name};
use crate::player::FileMistake;
use crate::settings::section::{Header, Keys, Said, Section};
use crate::settings::tree::{self, Table, Value};
use crate::settings::{self, Written};
use crate::text::{grouped, listed};

/// A player of an experiment.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name, which no other player of the experiment has and which can be the name of a file.
    pub name: String,
    /// Its recipe and rules.
    pub entrant: Entrant,
}

impl Entry {
    /// True if it has the same name and plays the same.
    pub(super) fn is_same(&self, other: &Entry) -> bool {
        let (own, others) = (&self.entrant, &other.entrant);
        self.name == other.name && (own.algorithm, &own.settings) == (others.algorithm, &others.settings)
    }
}

/// A `[[player]]` as written. Its settings are those of its algorithm, which alone knows them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PlayerAsWritten {
    pub(super) header: Header,
    pub(super) name: Said<String>,
    pub(super) algorithm: Said<String>,
    pub(super) sweep: Said<Value>,
    pub(super) settings: Table,
}

impl Section for PlayerAsWritten {
    fn keys(&mut self, keys: &mut Keys) {
        keys.header(&mut self.header);
        keys.key("name", &mut self.name);
        keys.key("algorithm", &mut self.algorithm);
        keys.key("sweep", &mut self.sweep);
        keys.rest(None, &mut self.settings);
    }
}

impl PlayerAsWritten {
    /// A player with all its settings: the same to the last bit, whatever of it was a default, came from a
    /// sweep or stood in a table of its own.
    pub(super) fn of(name: &str, entrant: &Entrant) -> PlayerAsWritten {
        PlayerAsWritten {
            name: Said::of(pattern::literal(name)),
            algorithm: Said::of(entrant.algorithm.to_owned()),
            settings: tree::of_settings(&entrant.settings),
            ..PlayerAsWritten::default()
        }
    }

    /// True if it is written under this name.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name.value().is_some_and(|own| own == name)
    }

    /// Its sweep, in an experiment that is sound.
    pub(super) fn swept(&self) -> Sweep {
        Sweep::read(&self.sweep, None, &self.settings, &mut Vec::new())
    }
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
    /// True if some names are not known.
    pub(super) has_gaps: bool,
    /// True if some players have mistakes.
    is_unsound: bool,
    /// The players of each `[[player]]`, by its name as written: their places among all players, which are
    /// those of their entries as long as none has a mistake.
    families: BTreeMap<String, Vec<Range<usize>>>,
    /// Number of players, those with mistakes too.
    entered: usize,
    /// Number of unknown names that were looked up.
    unknown: Cell<usize>,
}

/// The most players of one sweep, and of all together. With that many, `check` and a run of short games take
/// seconds to a minute and 120 MB, and what compares players with each other takes minutes; more are a slip
/// of the finger.
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
        written: &PlayerAsWritten,
        source: &Lines,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let before = mistakes.len();
        if self.entered <= MOST_PLAYERS {
            self.enter_sound(arena, rules, headings, written, source, mistakes);
        }
        self.is_unsound |= mistakes.len() > before || written.name.is_mistaken();
    }

    fn enter_sound(
        &mut self,
        arena: &Arena,
        rules: &Rules,
        headings: &[&str],
        written: &PlayerAsWritten,
        source: &Lines,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let before = mistakes.len();
        let manual = arena.manual();
        let PlayerAsWritten { header, name, algorithm: named, sweep, .. } = written;
        let mut table = written.settings.clone();
        let algorithm = named.value().map_or("", String::as_str);
        let known = manual.iter().find(|known| known.name == algorithm);
        let pointer = match known {
            Some(known) => format!("`gauntlet players {}` shows its settings", known.name),
            None => "`gauntlet players` shows them all".to_owned(),
        };

        // Step 1. Unknown keys. If the algorithm is unknown, only likely slips of the common keys are
        // reported.
        let common =
            [("name", name.is_written()), ("algorithm", named.is_written()), ("sweep", sweep.is_written())];
        let common = common.into_iter().filter_map(|(key, is_written)| (!is_written).then_some(key));
        let candidates: Vec<&str> =
            known.iter().flat_map(|known| known.settings).copied().chain(common).collect();
        let mut misspelt = Vec::new();
        for stray in settings::strays(&table, &candidates) {
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
            table.remove(stray.key.as_str());
        }

        // Step 2. Name and algorithm.
        for (key, is_written) in [("name", name.is_written()), ("algorithm", named.is_written())] {
            if !is_written && !misspelt.contains(&settings::missing(key)) {
                mistakes.push(Diagnostic::at(header.0.clone(), settings::missing(key)));
            }
        }
        let flaw = name.value().and_then(|name| Pattern::flaw(name));
        let is_told = flaw.is_some();
        mistakes.extend(flaw.map(|flaw| name.blame(header, flaw)));
        if known.is_none() && named.value().is_some() {
            let near = nearest_name(algorithm, manual.iter().map(|known| known.name));
            let help = near.map(|near| format!("did you mean \"{near}\"?"));
            let message = format!("there is no such algorithm for {}", arena.name);
            mistakes.push(named.blame(header, message).helped(help.unwrap_or(pointer.clone())));
        }

        // Step 3. Settings, tried with each of the values that are listed for them.
        let first = mistakes.len();
        let known_settings = known.map(|known| known.settings);
        let sweep = Sweep::read(sweep, known_settings, &table, mistakes);
        let is_clear = mistakes.len() == first;
        let is_too_large = sweep.count() > MOST_PLAYERS;
        if is_too_large {
            let message = format!("has more than {MOST_PLAYERS} combinations");
            mistakes.push(Diagnostic::at(sweep.place.clone(), message));
        }
        self.entered += if is_too_large { TRIED } else { sweep.count() };
        if self.entered > MOST_PLAYERS {
            let place = if sweep.count() > 1 { &sweep.place } else { header };
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
                let settings = Written { table: sweep.apply(choice, &table), header: header.0.clone() };
                let refused = match enter(arena, rules, algorithm, &settings, self.assets.as_deref()) {
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
        let place = name.place().unwrap_or_default();
        let Some(name) = name.value().filter(|_| is_clear && !is_too_large) else {
            self.has_gaps = true;
            return;
        };
        let names = match names(name, &place, &sweep, &settled, source) {
            Ok(names) => names,
            Err(mistake) => {
                mistakes.extend(mistake);
                self.has_gaps = true;
                return;
            }
        };
        mistakes.extend(self.register(&names, is_told, &place, source));
        if mistakes.len() == before && !named.is_mistaken() {
            let first = self.entries.len();
            let entries = names.into_iter().zip(settled).map(|(name, entrant)| Entry { name, entrant });
            self.entries.extend(entries);
            self.families.entry(name.to_owned()).or_default().push(first..self.entries.len());
        }
    }

    /// The place of the player that is named: by its name, or by the name and the settings of its
    /// `[[player]]`. An unknown one is reported.
    pub(super) fn find(&self, said: &Said<Reference>, mistakes: &mut Vec<Diagnostic>) -> Option<usize> {
        let place = said.place().unwrap_or_default();
        match said.value()? {
            Reference::Name(name) => self.find_by_name(name, place, mistakes),
            Reference::Picked(picked) => self.find_by_settings(picked, place, mistakes),
        }
    }

    /// The places of all players of a `[[player]]` that is named, or of the one player. An unknown one is
    /// reported, unless it may be a player with a mistake.
    pub(super) fn find_all(&self, said: &Said<Reference>, mistakes: &mut Vec<Diagnostic>) -> Vec<usize> {
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

    /// True if no player has a mistake.
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
        table: &Table,
        place: Range<usize>,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<usize> {
        let Some(name) = table.get("name") else {
            let help = "say the name of its `[[player]]`, and of its settings what tells it from the others";
            mistakes.push(Diagnostic::at(place, settings::missing("name")).helped(help));
            return None;
        };
        let Value::Text(written) = name.get_ref() else {
            mistakes.push(Diagnostic::at(name.span(), settings::mistyped("a string", name.get_ref())));
            return None;
        };
        // A player with a mistake may be the one that is meant.
        if self.is_unsound {
            return None;
        }
        let Some(families) = self.families.get(written) else {
            let mut mistake = Diagnostic::at(name.span(), "there is no `[[player]]` of this name");
            mistake.help = self.near(written, self.families.keys());
            mistakes.push(mistake);
            return None;
        };
        let all = || families.iter().cloned().flatten();
        let picked = reference::picked(table);
        let unknown = picked
            .iter()
            .find(|leaf| !all().any(|one| reference::is_known_to(&self.entries[one].entrant, leaf)));
        if let Some(unknown) = unknown {
            let mut mistake = Diagnostic::at(unknown.place.clone(), "there is no such setting");
            let known = settings::flat(&self.entries[families[0].start].entrant.settings);
            mistake.help = nearest(&unknown.path.join("."), known.iter().map(|(key, _)| key.as_str()))
                .map(|near| format!("did you mean `{near}`?"));
            mistakes.push(mistake);
            return None;
        }
        let fitting: Vec<usize> = all()
            .filter(|&one| picked.iter().all(|leaf| reference::fits(&self.entries[one].entrant, leaf)))
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

/// A player with these settings. Opens the files that it is built from; one that cannot be read, or is
/// damaged, is a mistake at the setting that names it.
pub(super) fn enter(
    arena: &Arena,
    rules: &Rules,
    algorithm: &str,
    written: &Written,
    assets: Option<&Assets>,
) -> Result<Entrant, Vec<Diagnostic>> {
    let mut entrant = arena.enter(rules, algorithm, written)?;
    let Some(assets) = assets else { return Ok(entrant) };
    match entrant.open_files(assets) {
        Ok(()) => Ok(entrant),
        Err(flaws) => {
            let paths = || entrant.facts().files.iter().map(|(_, path)| path);
            let to_be_learned = paths().find_map(|path| untrained(path, assets.folder()));
            let is_absent = paths().any(|path| !assets.folder().join(path).exists());
            let relative = || "the path is relative to the file of the experiment".to_owned();
            let help = to_be_learned.or_else(|| is_absent.then(relative));
            let mistake = |mistake: FileMistake| {
                // Without a setting to blame it is shown at the head of the player.
                let told = written.blame(mistake.setting.unwrap_or(""), mistake.message);
                match &help {
                    Some(help) => told.helped(help),
                    None => told,
                }
            };
            Err(flaws.into_iter().map(mistake).collect())
        }
    }
}

/// The way to a file that is not there, if it lies where a training would write it: `NAME/train/network`, or a copy beside it as
/// `network-500000`.
fn untrained(path: &Path, folder: &Path) -> Option<String> {
    let (file, train) = (path.file_name()?.to_str()?, path.parent()?);
    let name = train.parent()?.file_name()?.to_str()?;
    let is_learned = train.ends_with("train") && (file == "network" || file.starts_with("network-"));
    (is_learned && !folder.join(path).exists())
        .then(|| format!("`gauntlet train` makes it, from the file of the experiment {name}"))
}
