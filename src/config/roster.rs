//! The players: every `[[player]]`, and the players that its sweep makes of it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use toml::de::DeTable;

use super::keys;
use super::name::{self, Name};
use super::sweep::{Choice, Sweep};
use crate::arena::{Arena, Entrant, Rules};
use crate::assets::Assets;
use crate::diagnostic::{Diagnostic, Lines, MOST_SHOWN, nearest_name};
use crate::settings::{self, Written};

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
    pub(super) name: Name,
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
        mut written: Written,
        source: &Lines,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        if self.entered > MOST_PLAYERS {
            return;
        }
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
        mistakes.extend(self.register(name, &place, &sweep, source));
        if mistakes.len() == before {
            let names = sweep.combinations().map(|choice| format!("{name}{}", sweep.suffix(&choice)));
            self.entries.extend(names.zip(settled).map(|(name, entrant)| Entry { name, entrant }));
        }
    }

    /// The place of the player whose name stands under this key. An unknown name is reported.
    pub(super) fn find(&self, table: &DeTable, key: &str, mistakes: &mut Vec<Diagnostic>) -> Option<usize> {
        let name = keys::text(table, key)?;
        let known = self.names.get(name).copied();
        // Where some names are not known, this may be one of them.
        if known.is_none() && !self.has_gaps {
            let mut mistake = Diagnostic::at(keys::span(table, key)?, "there is no such player");
            let swept = self.names.range(format!("{name} ")..).next().map(|(name, _)| name);
            let swept = swept.filter(|full| full.starts_with(&format!("{name} ")));
            mistake.help = match swept {
                Some(full) => Some(format!("a sweep makes several of it, such as {full:?}")),
                // To compare a name with all others takes its time, and no more mistakes than these are shown.
                None if self.unknown.replace(self.unknown.get() + 1) >= MOST_SHOWN => None,
                None => name::did_you_mean(name, self.names.keys().map(String::as_str)),
            };
            mistakes.push(mistake);
        }
        known
    }

    /// Registers the names that a sweep makes of one, up to the first mistake.
    fn register(
        &mut self,
        name: &str,
        place: &Range<usize>,
        sweep: &Sweep,
        source: &Lines,
    ) -> Option<Diagnostic> {
        let own_flaw = name::flaw(name).is_some();
        for choice in sweep.combinations() {
            let full = format!("{name}{}", sweep.suffix(&choice));
            let mistake = if let Some(flaw) = name::flaw(&full).filter(|_| !own_flaw) {
                format!("the sweep makes it {full:?}: {flaw}")
            } else if let Some((twin, other)) = self.folded.get(&full.to_lowercase()) {
                let (line, column) = source.place(other.start);
                let place =
                    format!("there is a player called {twin:?} already, at line {line}, column {column}");
                if *twin == full { place } else { place + "; some file systems know no capital letters" }
            } else {
                self.folded.insert(full.to_lowercase(), (full.clone(), place.clone()));
                self.names.insert(full, self.names.len());
                continue;
            };
            // Most other names of the sweep would have the same mistake.
            self.has_gaps |= sweep.count() > 1;
            return Some(Diagnostic::at(place.clone(), mistake));
        }
        None
    }
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
            let mistake = |(setting, flaw): (&str, String)| written.blame(setting, flaw).helped(help);
            Err(flaws.into_iter().map(mistake).collect())
        }
    }
}
