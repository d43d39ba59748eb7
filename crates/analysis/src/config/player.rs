//! A `[[player]]`: as written, and the players of its sweep.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use gauntlet_core::arena::{AlgorithmManual, Arena, CheckedRules, Entry};
use gauntlet_core::assets::AssetFiles;
use gauntlet_core::diagnostic::{Diagnostic, LineIndex, MAX_SHOWN, nearest, nearest_name};
use gauntlet_core::game::Shape;
use gauntlet_core::player::FileMistake;
use gauntlet_core::settings::content::KeyContent;
use gauntlet_core::settings::section::declare;
use gauntlet_core::settings::tree::{TomlTable, TomlValue};
use gauntlet_core::settings::{self, SettingsTable};

use super::name::invalid_reason;
use super::pattern::Pattern;
use super::sweep::{Sweep, SweepChoice};

/// A player of an experiment.
#[derive(Clone, Debug)]
pub struct ExperimentPlayer {
    /// Name, unique in the experiment and valid as the name of a file.
    pub name: String,
    /// Recipe and rules.
    pub entry: Entry,
    /// Name shared by players that are one row in the table of groups.
    pub group: Option<String>,
}

impl ExperimentPlayer {
    /// Returns true if the names are equal and the players play equally.
    pub(super) fn is_same(&self, other: &ExperimentPlayer) -> bool {
        let (own, others) = (&self.entry, &other.entry);
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
        /// Name of a [group](COMMANDS.md#groups) of players, such as networks of one training with
        /// several seeds; only in one-player games.
        pub(super) key group: KeyContent<String>, "[name](#names)", "none";
        /// [Settings with several values](#sweeps); each combination is a player.
        pub(super) key sweep: KeyContent<TomlValue>, "table, `[player.sweep]`", "none";
    } rest { pub(super) settings }
}

impl PlayerAsWritten {
    /// Names a player without a name after its algorithm.
    pub(super) fn assume_name(&mut self) {
        if let Some(algorithm) = self.algorithm.value() {
            self.name.set_default(algorithm.clone());
        }
    }

    /// Returns the position of its name, or of the algorithm after which it is named.
    pub(super) fn name_place(&self) -> Range<usize> {
        self.name.span().or_else(|| self.algorithm.span()).unwrap_or_default()
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
pub(super) struct PlayerReader<'h> {
    pub(super) file: PlayerContext<'h>,
    pub(super) raw_player: &'h PlayerAsWritten,
    /// Manual of its algorithm, if the algorithm exists.
    manual: Option<AlgorithmManual>,
    table: TomlTable,
    /// Messages for missing keys that are probably misspelt.
    misspelt_keys: Vec<String>,
    /// Suggestion where to read about its settings.
    settings_hint: String,
    /// True if its name is invalid.
    pub(super) has_invalid_name: bool,
}

impl<'h> PlayerReader<'h> {
    /// Reads it, and reports mistakes in its keys, its name and its algorithm.
    pub(super) fn read(
        file: PlayerContext<'h>,
        raw_player: &'h PlayerAsWritten,
        mistakes: &mut Vec<Diagnostic>,
    ) -> PlayerReader<'h> {
        let PlayerAsWritten { header, name, algorithm: algorithm_key, .. } = raw_player;
        let manuals = file.arena.manual();
        let algorithm = algorithm_key.value().map_or("", String::as_str);
        let manual = manuals.iter().find(|candidate| candidate.name == algorithm).copied();
        let settings_hint = match manual {
            Some(manual) => format!("`gauntlet players {}` shows its settings", manual.name),
            None => "`gauntlet players` shows them all".to_owned(),
        };
        let reason = name.value().and_then(|name| Pattern::invalid_reason(name));
        let (table, misspelt_keys, has_invalid_name) =
            (raw_player.settings.clone(), Vec::new(), reason.is_some());
        let mut reader =
            PlayerReader { file, raw_player, manual, table, misspelt_keys, settings_hint, has_invalid_name };
        reader.take_unknown_keys(mistakes);
        if !algorithm_key.is_written() && !reader.is_misspelt("algorithm") {
            mistakes.push(Diagnostic::new(header.0.clone(), settings::missing_message("algorithm")));
        }
        mistakes.extend(reason.map(|reason| name.mistake(reason)));
        let group = &raw_player.group;
        let group_mistake = group.value().and_then(|name| match reader.file.arena.shape {
            Shape::Solo => invalid_reason(name),
            Shape::Duel => Some("only players of one-player games have a group".to_owned()),
        });
        mistakes.extend(group_mistake.map(|reason| group.mistake(reason)));
        if manual.is_none() && algorithm_key.value().is_some() {
            let suggestion = nearest_name(algorithm, manuals.iter().map(|manual| manual.name));
            let help = suggestion.map(|suggestion| format!("did you mean \"{suggestion}\"?"));
            let message = format!("unknown algorithm for {}", file.arena.name);
            mistakes
                .push(algorithm_key.mistake(message).with_help(help.unwrap_or(reader.settings_hint.clone())));
        }
        reader
    }

    /// Removes unknown keys. If the algorithm is unknown, only likely misspellings of the common
    /// keys are reported.
    fn take_unknown_keys(&mut self, mistakes: &mut Vec<Diagnostic>) {
        let headings = self.file.headings;
        let PlayerAsWritten { name, algorithm, group, sweep, .. } = self.raw_player;
        let common_keys = [
            ("name", name.is_written()),
            ("algorithm", algorithm.is_written()),
            ("group", group.is_written()),
            ("sweep", sweep.is_written()),
        ];
        let missing_keys =
            common_keys.into_iter().filter_map(|(key, is_written)| (!is_written).then_some(key));
        let candidates: Vec<&str> =
            self.manual.iter().flat_map(|manual| manual.settings).copied().chain(missing_keys).collect();
        for unknown_key in settings::find_unknown_keys(&self.table, &candidates) {
            if self.manual.is_some() || unknown_key.suggestion.is_some() {
                let mut mistake = unknown_key.mistake;
                if headings.contains(&unknown_key.key.as_str()) {
                    mistake.help =
                        Some(format!("`{}` belongs above the first `[[player]]`", unknown_key.key));
                } else if unknown_key.suggestion.is_none() {
                    let heading = nearest(&unknown_key.key, headings.iter().copied());
                    mistake.help = Some(heading.map_or_else(
                        || self.settings_hint.clone(),
                        |suggestion| {
                            format!("did you mean `{suggestion}`? It belongs above the first `[[player]]`")
                        },
                    ));
                }
                mistakes.push(mistake);
            }
            self.misspelt_keys.extend(unknown_key.suggestion);
            self.table.remove(unknown_key.key.as_str());
        }
    }

    /// Returns true if a key is probably a misspelt `name`.
    pub(super) fn misspells_name(&self) -> bool {
        self.is_misspelt("name")
    }

    /// Returns true if a key is probably this one, misspelt.
    fn is_misspelt(&self, key: &str) -> bool {
        self.misspelt_keys.iter().any(|intended_key| intended_key == key)
    }

    /// Reads its sweep.
    pub(super) fn read_sweep(&self, mistakes: &mut Vec<Diagnostic>) -> Sweep {
        let known_settings = self.manual.map(|manual| manual.settings);
        Sweep::read(&self.raw_player.sweep, known_settings, &self.table, mistakes)
    }

    /// Builds the players of all combinations, at most `max_players`, from files in `assets`, if
    /// given; `None` if one is refused. The first combinations have every listed value, so that
    /// every refused value is reported.
    pub(super) fn build(
        &self,
        sweep: &Sweep,
        max_players: usize,
        assets: Option<&AssetFiles>,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Entry>> {
        let (mut built_entries, mut refused_count, mut new_mistakes) = (BTreeMap::new(), 0, Vec::new());
        for choice in sweep.probes().take(max_players) {
            match self.build_one(sweep, &choice, assets, &mut new_mistakes) {
                Some(entry) => _ = built_entries.insert(choice, entry),
                None => refused_count += 1,
            }
            // Only so many mistakes are shown.
            if refused_count == 2 * MAX_SHOWN {
                break;
            }
        }
        let mut players = None;
        if refused_count == 0 && sweep.count() <= max_players {
            let entries = sweep.combinations().map(|choice| {
                built_entries
                    .remove(&choice)
                    .or_else(|| self.build_one(sweep, &choice, assets, &mut new_mistakes))
            });
            players = entries.collect();
        }
        mistakes.extend(new_mistakes);
        players
    }

    /// Builds the player of one combination of values. A mistake that follows from another, or was
    /// reported for an earlier combination, is not reported.
    fn build_one(
        &self,
        sweep: &Sweep,
        choice: &SweepChoice,
        assets: Option<&AssetFiles>,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Entry> {
        let table = sweep.apply(choice, &self.table);
        let settings = SettingsTable { table, header: self.raw_player.header.0.clone() };
        let refusals =
            match read_entry(self.file.arena, self.file.rules, self.manual?.name, &settings, assets) {
                Ok(entry) => return Some(entry),
                Err(refusals) => refusals,
            };
        for mut mistake in refusals {
            mistake.help.get_or_insert_with(|| self.settings_hint.clone());
            let mut missing_keys = sweep.invalid_settings.iter().chain(&self.misspelt_keys);
            let is_consequence = missing_keys.any(|key| mistake.is_missing_key(key));
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
    written_name: &str,
    place: &Range<usize>,
    sweep: &Sweep,
    entries: &[Entry],
    source: &LineIndex,
) -> Result<Vec<String>, Option<Diagnostic>> {
    let pattern = Pattern::read(written_name).map_err(|_| None)?;
    if let Some(name) = pattern.literal_name() {
        return Ok(sweep.names(name));
    }
    if entries.len() < sweep.count() {
        return Err(None);
    }
    let name = |entry: &Entry| {
        pattern.fill(&settings::flatten(&entry.settings)).map_err(|error| {
            // Position of the braces, unless the text contains escapes.
            let braces = format!("{{{}}}", error.key);
            let start = source.text().get(place.clone()).and_then(|text| text.find(&braces));
            let place = start.map_or(place.clone(), |start| {
                let start = place.start + start;
                start..start + braces.len()
            });
            let (message, help) = (error.message, error.help);
            Some(Diagnostic { span: Some(place), message, help, ..Diagnostic::default() })
        })
    };
    entries.iter().map(name).collect()
}

/// Builds a player with these settings. Opens its files; if a file is damaged or cannot be read,
/// the mistake is at the setting that names it.
pub(super) fn read_entry(
    arena: &Arena,
    rules: &CheckedRules,
    algorithm: &str,
    settings: &SettingsTable,
    assets: Option<&AssetFiles>,
) -> Result<Entry, Vec<Diagnostic>> {
    let mut entry = arena.read_entry(rules, algorithm, settings)?;
    let Some(assets) = assets else { return Ok(entry) };
    match entry.open_files(assets) {
        Ok(()) => Ok(entry),
        Err(file_mistakes) => {
            let paths = || entry.facts().files.iter().map(|(_, path)| path);
            let training_hint = paths().find_map(|path| suggest_training(path, assets.folder()));
            let is_missing = paths().any(|path| !assets.folder().join(path).exists());
            let path_hint = || "the path is relative to the file of the experiment".to_owned();
            let help = training_hint.or_else(|| is_missing.then(path_hint));
            let mistake = |mistake: FileMistake| {
                // Without a setting at fault, the mistake is shown at the head of the player.
                let diagnostic = settings.blame(mistake.setting.unwrap_or(""), mistake.message);
                match &help {
                    Some(help) => diagnostic.with_help(help),
                    None => diagnostic,
                }
            };
            Err(file_mistakes.into_iter().map(mistake).collect())
        }
    }
}

/// Suggests how to make a missing file that a training would write: `NAME/train/network`, or a copy
/// next to it such as `network-500000`.
fn suggest_training(path: &Path, folder: &Path) -> Option<String> {
    let (file, train_folder) = (path.file_name()?.to_str()?, path.parent()?);
    let name = train_folder.parent()?.file_name()?.to_str()?;
    let is_learned = train_folder.ends_with("train") && (file == "network" || file.starts_with("network-"));
    (is_learned && !folder.join(path).exists())
        .then(|| format!("`gauntlet train` creates it from the experiment {name}"))
}
