//! A `[[player]]`: as written, and the players of its sweep.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use gauntlet_core::arena::{AlgorithmManual, Arena, CheckedRules, Entry};
use gauntlet_core::assets::AssetFiles;
use gauntlet_core::diagnostic::{Diagnostic, LineIndex, MOST_SHOWN, nearest, nearest_name};
use gauntlet_core::player::FileMistake;
use gauntlet_core::settings::content::KeyContent;
use gauntlet_core::settings::section::declare;
use gauntlet_core::settings::tree::{TomlTable, TomlValue};
use gauntlet_core::settings::{self, SettingsTable};

use super::pattern::Pattern;
use super::sweep::{Sweep, SweepChoice};

/// A player of an experiment.
#[derive(Clone, Debug)]
pub struct ExperimentPlayer {
    /// Name, unique in the experiment and valid as the name of a file.
    pub name: String,
    /// Recipe and rules.
    pub entrant: Entry,
}

impl ExperimentPlayer {
    /// Returns true if the names are equal and the players play equally.
    pub(super) fn is_same(&self, other: &ExperimentPlayer) -> bool {
        let (own, others) = (&self.entrant, &other.entrant);
        self.name == other.name && (own.algorithm, &own.settings) == (others.algorithm, &others.settings)
    }
}

declare! {
    /// A `[[player]]` as written. Its settings are those of its algorithm, which alone knows them.
    pub(super) struct PlayerAsWritten {
        /// Unique name in tables and claims.
        pub(super) key name: KeyContent<String>, "[name](#names), or a [pattern](#names-of-a-sweep)", "name of the algorithm";
        /// [Algorithm](#algorithms) that chooses the moves.
        pub(super) key algorithm: KeyContent<String>, "string";
        /// [Settings with several values](#sweeps); each combination is a player.
        pub(super) key sweep: KeyContent<TomlValue>, "table, `[player.sweep]`", "none";
    } rest { pub(super) settings }
}

impl PlayerAsWritten {
    /// Names a player without a name after its algorithm.
    pub(super) fn assume_name(&mut self) {
        if let Some(algorithm) = self.algorithm.value() {
            self.name.assume(algorithm.clone());
        }
    }

    /// Returns the position of its name, or of the algorithm after which it is named.
    pub(super) fn name_place(&self) -> Range<usize> {
        self.name.place().or_else(|| self.algorithm.place()).unwrap_or_default()
    }
}

/// Context of the players of a file.
#[derive(Clone, Copy)]
pub(super) struct PlayerContext<'f> {
    pub(super) arena: &'f Arena,
    pub(super) rules: &'f CheckedRules,
    /// Keys that belong to the experiment.
    pub(super) headings: &'f [&'f str],
    pub(super) source: &'f LineIndex<'f>,
}

/// A `[[player]]` without its unknown keys.
pub(super) struct Head<'h> {
    pub(super) file: PlayerContext<'h>,
    pub(super) written: &'h PlayerAsWritten,
    /// Manual of its algorithm, if the algorithm exists.
    known: Option<AlgorithmManual>,
    table: TomlTable,
    /// Messages for missing keys that are probably misspelt.
    misspelt: Vec<String>,
    /// Suggestion where to read about its settings.
    pointer: String,
    /// True if its name is invalid.
    pub(super) has_flaw: bool,
}

impl<'h> Head<'h> {
    /// Reads it, and reports mistakes in its keys, its name and its algorithm.
    pub(super) fn read(
        file: PlayerContext<'h>,
        written: &'h PlayerAsWritten,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Head<'h> {
        let PlayerAsWritten { header, name, algorithm: named, .. } = written;
        let manual = file.arena.manual();
        let algorithm = named.value().map_or("", String::as_str);
        let known = manual.iter().find(|known| known.name == algorithm).copied();
        let pointer = match known {
            Some(known) => format!("`gauntlet players {}` shows its settings", known.name),
            None => "`gauntlet players` shows them all".to_owned(),
        };
        let flaw = name.value().and_then(|name| Pattern::invalid_reason(name));
        let (table, misspelt, has_flaw) = (written.settings.clone(), Vec::new(), flaw.is_some());
        let mut head = Head { file, written, known, table, misspelt, pointer, has_flaw };
        head.take_unknown_keys(mistakes);
        if !named.is_written() && !head.is_misspelt("algorithm") {
            mistakes.push(Diagnostic::new(header.0.clone(), settings::missing_message("algorithm")));
        }
        mistakes.extend(flaw.map(|flaw| name.mistake(flaw)));
        if known.is_none() && named.value().is_some() {
            let near = nearest_name(algorithm, manual.iter().map(|known| known.name));
            let help = near.map(|near| format!("did you mean \"{near}\"?"));
            let message = format!("unknown algorithm for {}", file.arena.name);
            mistakes.push(named.mistake(message).with_help(help.unwrap_or(head.pointer.clone())));
        }
        head
    }

    /// Removes unknown keys. If the algorithm is unknown, only likely misspellings of the common
    /// keys are reported.
    fn take_unknown_keys(&mut self, mistakes: &mut Vec<Diagnostic>) {
        let headings = self.file.headings;
        let PlayerAsWritten { name, algorithm, sweep, .. } = self.written;
        let common = [
            ("name", name.is_written()),
            ("algorithm", algorithm.is_written()),
            ("sweep", sweep.is_written()),
        ];
        let common = common.into_iter().filter_map(|(key, is_written)| (!is_written).then_some(key));
        let candidates: Vec<&str> =
            self.known.iter().flat_map(|known| known.settings).copied().chain(common).collect();
        for stray in settings::find_unknown_keys(&self.table, &candidates) {
            if self.known.is_some() || stray.meant.is_some() {
                let mut mistake = stray.mistake;
                if headings.contains(&stray.key.as_str()) {
                    mistake.help = Some(format!("`{}` belongs above the first `[[player]]`", stray.key));
                } else if stray.meant.is_none() {
                    let heading = nearest(&stray.key, headings.iter().copied());
                    mistake.help = Some(heading.map_or_else(
                        || self.pointer.clone(),
                        |near| format!("did you mean `{near}`? It belongs above the first `[[player]]`"),
                    ));
                }
                mistakes.push(mistake);
            }
            self.misspelt.extend(stray.meant);
            self.table.remove(stray.key.as_str());
        }
    }

    /// Returns true if a key is probably a misspelt `name`.
    pub(super) fn misspells_name(&self) -> bool {
        self.is_misspelt("name")
    }

    /// Returns true if a key is probably this one, misspelt.
    fn is_misspelt(&self, key: &str) -> bool {
        self.misspelt.iter().any(|meant| meant == key)
    }

    /// Reads its sweep.
    pub(super) fn read_sweep(&self, mistakes: &mut Vec<Diagnostic>) -> Sweep {
        let known = self.known.map(|known| known.settings);
        Sweep::read(&self.written.sweep, known, &self.table, mistakes)
    }

    /// Builds the players of all combinations, at most `most`, from files in `assets`, if given;
    /// `None` if one is refused. The first combinations have every listed value, so that every
    /// refused value is reported.
    pub(super) fn build(
        &self,
        sweep: &Sweep,
        most: usize,
        assets: Option<&AssetFiles>,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Entry>> {
        let (mut built, mut refused, mut own) = (BTreeMap::new(), 0, Vec::new());
        for choice in sweep.probes().take(most) {
            match self.one(sweep, &choice, assets, &mut own) {
                Some(entrant) => _ = built.insert(choice, entrant),
                None => refused += 1,
            }
            // Only so many mistakes are shown.
            if refused == 2 * MOST_SHOWN {
                break;
            }
        }
        let mut players = None;
        if refused == 0 && sweep.count() <= most {
            let all = sweep
                .combinations()
                .map(|choice| built.remove(&choice).or_else(|| self.one(sweep, &choice, assets, &mut own)));
            players = all.collect();
        }
        mistakes.extend(own);
        players
    }

    /// Builds the player of one combination of values. A mistake that follows from another, or was
    /// reported for an earlier combination, is not reported.
    fn one(
        &self,
        sweep: &Sweep,
        choice: &SweepChoice,
        assets: Option<&AssetFiles>,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Entry> {
        let table = sweep.apply(choice, &self.table);
        let settings = SettingsTable { table, header: self.written.header.0.clone() };
        let refused = match read_entry(self.file.arena, self.file.rules, self.known?.name, &settings, assets)
        {
            Ok(entrant) => return Some(entrant),
            Err(refused) => refused,
        };
        for mut mistake in refused {
            mistake.help.get_or_insert_with(|| self.pointer.clone());
            let mut absent = sweep.spoilt.iter().chain(&self.misspelt);
            let is_consequence = absent.any(|key| mistake.is_missing_key(key));
            if !is_consequence && !mistakes.contains(&mistake) {
                mistakes.push(mistake);
            }
        }
        None
    }
}

/// Makes the names of the players of one `[[player]]`; `None` if a mistake reported before makes
/// them unknown.
pub(super) fn make_names(
    written: &str,
    place: &Range<usize>,
    sweep: &Sweep,
    settled: &[Entry],
    source: &LineIndex,
) -> Result<Vec<String>, Option<Diagnostic>> {
    let pattern = Pattern::read(written).map_err(|_| None)?;
    if let Some(name) = pattern.literal_name() {
        return Ok(sweep.names(name));
    }
    if settled.len() < sweep.count() {
        return Err(None);
    }
    let name = |entrant: &Entry| {
        pattern.fill(&settings::flatten(&entrant.settings)).map_err(|unfit| {
            // Position of the braces, unless the text contains escapes.
            let braces = format!("{{{}}}", unfit.key);
            let start = source.text().get(place.clone()).and_then(|text| text.find(&braces));
            let place = start.map_or(place.clone(), |start| {
                let start = place.start + start;
                start..start + braces.len()
            });
            let (message, help) = (unfit.message, unfit.help);
            Some(Diagnostic { span: Some(place), message, help, ..Diagnostic::default() })
        })
    };
    settled.iter().map(name).collect()
}

/// Builds a player with these settings. Opens its files; if a file is damaged or cannot be read,
/// the mistake is at the setting that names it.
pub(super) fn read_entry(
    arena: &Arena,
    rules: &CheckedRules,
    algorithm: &str,
    written: &SettingsTable,
    assets: Option<&AssetFiles>,
) -> Result<Entry, Vec<Diagnostic>> {
    let mut entrant = arena.read_entry(rules, algorithm, written)?;
    let Some(assets) = assets else { return Ok(entrant) };
    match entrant.open_files(assets) {
        Ok(()) => Ok(entrant),
        Err(flaws) => {
            let paths = || entrant.facts().files.iter().map(|(_, path)| path);
            let to_be_learned = paths().find_map(|path| suggest_training(path, assets.folder()));
            let is_absent = paths().any(|path| !assets.folder().join(path).exists());
            let relative = || "the path is relative to the file of the experiment".to_owned();
            let help = to_be_learned.or_else(|| is_absent.then(relative));
            let mistake = |mistake: FileMistake| {
                // Without a setting at fault, the mistake is shown at the head of the player.
                let told = written.blame(mistake.setting.unwrap_or(""), mistake.message);
                match &help {
                    Some(help) => told.with_help(help),
                    None => told,
                }
            };
            Err(flaws.into_iter().map(mistake).collect())
        }
    }
}

/// Suggests how to make a missing file that a training would write: `NAME/train/network`, or a copy
/// next to it such as `network-500000`.
fn suggest_training(path: &Path, folder: &Path) -> Option<String> {
    let (file, train) = (path.file_name()?.to_str()?, path.parent()?);
    let name = train.parent()?.file_name()?.to_str()?;
    let is_learned = train.ends_with("train") && (file == "network" || file.starts_with("network-"));
    (is_learned && !folder.join(path).exists())
        .then(|| format!("`gauntlet train` creates it from the experiment {name}"))
}
