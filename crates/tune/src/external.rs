//! Tuning with an external optimizer: it asks for the losses of candidates on given blocks, and
//! submits its answer at the end.
//!
//! The games are identical to games of `tune`: a player with equal settings plays an equal game in
//! the same block. The games have a separate journal, and repeated questions are answered from it.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::candidates::{Candidates, Side};
use super::files::{SettingsEvidence, TuningFiles};
use super::outcome::TuningOutcome;
use super::task::{MissingGamesReason, TuningJob};
use super::trials::{CandidateSummary, Trials};
use super::validation::{self, validate};
use crate::results::history::SettingChange;
use crate::section::{Param, TuneSection};
pub use gauntlet_analysis::results::store::tuning::ASK_FOLDER as FOLDER;
use gauntlet_core::arena::Entry;
use gauntlet_core::diagnostic::{Diagnostic, nearest};
use gauntlet_core::player::Stop;
use gauntlet_core::settings::format_shortest;
use gauntlet_run::bar::{ProgressDisplay, ProgressMode};

/// Settings by name, each with a value, in the order of the other program.
#[derive(Clone, Debug)]
pub struct SettingValues(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for SettingValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SettingValues, D::Error> {
        struct SettingValuesVisitor;

        impl<'de> Visitor<'de> for SettingValuesVisitor {
            type Value = SettingValues;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("settings, each with a value")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SettingValues, A::Error> {
                let mut values = Vec::new();
                while let Some(setting) = map.next_entry()? {
                    values.push(setting);
                }
                Ok(SettingValues(values))
            }
        }
        deserializer.deserialize_map(SettingValuesVisitor)
    }
}

/// Reason why settings make no candidate.
#[derive(Clone, Debug, PartialEq)]
pub enum CandidateRefusal {
    /// The request is invalid: an unknown setting, or a value that is not a number of the right
    /// kind.
    Mistaken(String),
    /// A value is outside its range, or the player refuses the settings.
    Refused(String),
}

/// A candidate: the player with the requested settings.
#[derive(Clone, Debug)]
pub struct ExternalCandidate {
    values: Vec<f64>,
    entry: Entry,
}

/// A tuning that an external program drives.
pub struct ExternalTuning<'a> {
    task: TuningJob<'a>,
    params: &'a [Param],
    candidates: Candidates<'a>,
    trials: Trials<'a>,
    /// The block after the last one that was requested.
    next_block: u64,
}

impl<'a> ExternalTuning<'a> {
    /// Opens the folder of the task and locks its journal, to tune `params`.
    pub fn open(task: &TuningJob<'a>, params: &'a [Param]) -> anyhow::Result<ExternalTuning<'a>> {
        let candidates = Candidates { experiment: task.experiment, tune: task.tune };
        // The journal is locked from here on, so no other process writes into the folder.
        let trials = Trials::new(candidates, task)?;
        TuningFiles::begin(task)?;
        Ok(ExternalTuning { task: *task, params, candidates, trials, next_block: 0 })
    }

    /// Returns the block after the last one that was requested.
    pub fn next_block(&self) -> u64 {
        self.next_block
    }

    /// Returns the candidate with these settings. Settings that are not named keep their start
    /// value. Tied settings follow.
    pub fn make_candidate(&self, settings: &SettingValues) -> Result<ExternalCandidate, CandidateRefusal> {
        let mut values = self.start_values();
        let mut given_keys: Vec<Option<&str>> = vec![None; values.len()];
        for (key, value) in &settings.0 {
            let index = self.find_setting(key)?;
            if let Some(earlier) = given_keys[index].replace(key) {
                if earlier == key {
                    return Err(CandidateRefusal::Mistaken(format!("{key:?} is given twice")));
                }
                return Err(CandidateRefusal::Mistaken(format!(
                    "{earlier:?} and {key:?} are the same setting"
                )));
            }
            let param = &self.params[index];
            if !param.choices.is_empty() {
                let Some(choice) = param.choices.iter().position(|choice| choice == value) else {
                    return Err(CandidateRefusal::Refused(format!(
                        "{key}: {value} is not one of its values"
                    )));
                };
                values[index] = choice as f64;
                continue;
            }
            let Some(value) = value.as_f64() else {
                return Err(CandidateRefusal::Mistaken(format!("{key:?} must be a number")));
            };
            if param.is_whole && value.fract() != 0.0 {
                return Err(CandidateRefusal::Mistaken(format!("{key:?} must be a whole number")));
            }
            if !(param.min..=param.max).contains(&value) {
                let [value, min, max] = [value, param.min, param.max].map(format_shortest);
                return Err(CandidateRefusal::Refused(format!("{key}: {value} is outside {min} to {max}")));
            }
            values[index] = value;
        }
        let entry = self.candidates.build_with_values(&values);
        let entry = entry.map_err(|mistakes| CandidateRefusal::Refused(join_messages(&mistakes)))?;
        Ok(ExternalCandidate { values, entry })
    }

    /// Plays candidates on the same blocks, and reads games that the journal already has.
    pub fn play(
        &mut self,
        candidates: &[ExternalCandidate],
        first: u64,
        blocks: u64,
        stop: &Stop,
    ) -> Result<Vec<CandidateSummary>, MissingGamesReason> {
        let blocks = first..first + blocks;
        self.next_block = self.next_block.max(blocks.end);
        let players: Vec<&Entry> = candidates.iter().map(|candidate| &candidate.entry).collect();
        self.trials.play_games(&players, blocks, None, stop)
    }

    /// Fails if there were so many validations that no further answer can be validated.
    pub fn check_validations_left(&self) -> anyhow::Result<()> {
        validation::check(&self.task)
    }

    /// Validates an answer against the start, and writes the files that `tune` writes.
    pub fn validate_answer(
        &mut self,
        candidate: ExternalCandidate,
        stop: &Stop,
    ) -> Result<TuningOutcome, MissingGamesReason> {
        self.trials.close()?;
        let games = self.trials.journal().games();
        let tune = TuneSection { budget: games, ..self.task.tune.clone() };
        let task = TuningJob { tune: &tune, ..self.task };
        let mut files = TuningFiles::begin(&task)?;
        let start = self.start_values();
        let is_start = candidate.values == start;
        let values = self.params.iter().zip(&candidate.values);
        let settings =
            values.map(|(param, &value)| SettingChange::new(param, param.format_value(value))).collect();
        let start_entry = self
            .candidates
            .build_with_values(&start)
            .map_err(|mistakes| anyhow::anyhow!(join_messages(&mistakes)))?;
        let sides = [("start", start_entry), ("tuned", candidate.entry)]
            .map(|(name, entry)| Side { name: name.to_owned(), entry });
        let display = ProgressDisplay::new(ProgressMode::Quiet, |_| ());
        let validation = if is_start { None } else { Some(validate(&task, &sides, &display, stop)?) };
        files.write_tuned(
            &sides[1],
            self.candidates.player_name(&Vec::new()),
            SettingsEvidence::from_validation(validation.as_ref()),
        )?;
        files.write_validation(validation.as_ref())?;
        let outcome = TuningOutcome {
            settings,
            winner: None,
            search_ends: Vec::new(),
            validation,
            games,
            games_played: self.trials.games_played(),
            refused_candidates: 0,
        };
        self.trials.close()?;
        files.finish(FOLDER, &outcome, self.trials.journal())?;
        Ok(outcome)
    }

    /// Ends the session in the journal.
    pub fn close(mut self) -> anyhow::Result<()> {
        self.trials.close().map(|_| ())
    }

    fn start_values(&self) -> Vec<f64> {
        self.params.iter().map(|param| param.start).collect()
    }

    /// Returns the setting that a key names: in full, or by a prefix that only one setting has.
    fn find_setting(&self, key: &str) -> Result<usize, CandidateRefusal> {
        if let Some(index) = self.params.iter().position(|param| param.key == key) {
            return Ok(index);
        }
        let has_prefix =
            |param: &Param| param.key.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
        let mut matches = (0..self.params.len()).filter(|&index| has_prefix(&self.params[index]));
        if let (Some(index), None) = (matches.next(), matches.next()) {
            return Ok(index);
        }
        let tied_param = self.params.iter().find(|param| param.tied.iter().any(|tied| tied == key));
        let keys = || self.params.iter().map(|param| &*param.key);
        Err(CandidateRefusal::Mistaken(match (tied_param, nearest(key, keys())) {
            (Some(param), _) => format!("{key:?} is tied to {0:?}; set {0:?} instead", param.key),
            (None, Some(near)) => format!("{key:?} is not tuned; did you mean {near:?}?"),
            (None, None) => {
                let keys: Vec<String> = keys().map(|key| format!("{key:?}")).collect();
                format!("{key:?} is not tuned; expected one of {}", gauntlet_core::text::list_names(&keys, 8))
            }
        }))
    }
}

/// Joins the messages of a player that refuses settings.
fn join_messages(mistakes: &[Diagnostic]) -> String {
    let mut messages: Vec<&str> = mistakes.iter().map(|mistake| &*mistake.message).collect();
    messages.sort_unstable();
    messages.join("; ")
}
