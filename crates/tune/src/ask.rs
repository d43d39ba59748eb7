//! Tuning with an external optimizer: it asks for the losses of candidates on given blocks, and
//! submits its answer at the end.
//!
//! The games are identical to games of `tune`: a player with equal settings plays an equal game in
//! the same block. The games have a separate journal, and repeated questions are answered from it.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::answer::TuningOutcome;
use super::candidates::{Candidates, Side};
use super::files::{SettingsEvidence, TuningFiles};
use super::task::{MissingGamesReason, TuningJob};
use super::trials::{CandidateSummary, Trials};
use super::validation::{self, validate};
use crate::results::course::SettingChange;
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
                let mut named = Vec::new();
                while let Some(setting) = map.next_entry()? {
                    named.push(setting);
                }
                Ok(SettingValues(named))
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
    entrant: Entry,
}

/// A tuning that an external program drives.
pub struct ExternalTuning<'a> {
    task: TuningJob<'a>,
    params: &'a [Param],
    candidates: Candidates<'a>,
    trials: Trials<'a>,
    /// The block after the last one that was requested.
    next: u64,
}

impl<'a> ExternalTuning<'a> {
    /// Opens the folder of the task and locks its journal, to tune `params`.
    pub fn open(task: &TuningJob<'a>, params: &'a [Param]) -> anyhow::Result<ExternalTuning<'a>> {
        let candidates = Candidates { experiment: task.experiment, tune: task.tune };
        // The journal is locked from here on, so no other process writes into the folder.
        let trials = Trials::new(candidates, task)?;
        TuningFiles::begin(task)?;
        Ok(ExternalTuning { task: *task, params, candidates, trials, next: 0 })
    }

    /// Returns the block after the last one that was requested.
    pub fn next_block(&self) -> u64 {
        self.next
    }

    /// Returns the candidate with these settings. Settings that are not named keep their start
    /// value. Tied settings follow.
    pub fn make_candidate(&self, named: &SettingValues) -> Result<ExternalCandidate, CandidateRefusal> {
        let mut values = self.start_values();
        let mut known: Vec<Option<&str>> = vec![None; values.len()];
        for (key, value) in &named.0 {
            let place = self.find_setting(key)?;
            if let Some(earlier) = known[place].replace(key) {
                if earlier == key {
                    return Err(CandidateRefusal::Mistaken(format!("{key:?} is given twice")));
                }
                return Err(CandidateRefusal::Mistaken(format!(
                    "{earlier:?} and {key:?} are the same setting"
                )));
            }
            let param = &self.params[place];
            if !param.choices.is_empty() {
                let Some(choice) = param.choices.iter().position(|choice| choice == value) else {
                    return Err(CandidateRefusal::Refused(format!(
                        "{key}: {value} is not one of its values"
                    )));
                };
                values[place] = choice as f64;
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
            values[place] = value;
        }
        let entrant = self.candidates.build_with_values(&values);
        let entrant = entrant.map_err(|said| CandidateRefusal::Refused(join_messages(&said)))?;
        Ok(ExternalCandidate { values, entrant })
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
        self.next = self.next.max(blocks.end);
        let players: Vec<&Entry> = candidates.iter().map(|candidate| &candidate.entrant).collect();
        self.trials.play_games(&players, blocks, None, stop)
    }

    /// Fails if there were so many validations that no further answer can be validated.
    pub fn check_validations_left(&self) -> anyhow::Result<()> {
        validation::check(&self.task)
    }

    /// Validates an answer against the start, and writes the files that `tune` writes.
    pub fn validate_answer(
        &mut self,
        told: ExternalCandidate,
        stop: &Stop,
    ) -> Result<TuningOutcome, MissingGamesReason> {
        let games = self.trials.close()?.games();
        let tune = TuneSection { budget: games, ..self.task.tune.clone() };
        let task = TuningJob { tune: &tune, ..self.task };
        let mut leaves = TuningFiles::begin(&task)?;
        let start = self.start_values();
        let is_start = told.values == start;
        let values = self.params.iter().zip(&told.values);
        let settings =
            values.map(|(param, &value)| SettingChange::new(param, param.format_value(value))).collect();
        let begun = self
            .candidates
            .build_with_values(&start)
            .map_err(|said| anyhow::anyhow!(join_messages(&said)))?;
        let sides = [("start", begun), ("tuned", told.entrant)]
            .map(|(name, entrant)| Side { name: name.to_owned(), entrant });
        let quiet = ProgressDisplay::new(ProgressMode::Quiet, |_| ());
        let validation = if is_start { None } else { Some(validate(&task, &sides, &quiet, stop)?) };
        leaves.write_tuned(
            &sides[1],
            self.candidates.player_name(&Vec::new()),
            SettingsEvidence::from_validation(validation.as_ref()),
        )?;
        leaves.write_validation(validation.as_ref())?;
        let answer = TuningOutcome {
            settings,
            winner: None,
            ends: Vec::new(),
            validation,
            games,
            played: self.trials.games_played(),
            refused: 0,
        };
        leaves.finish(FOLDER, &answer, self.trials.close()?)?;
        Ok(answer)
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
        if let Some(place) = self.params.iter().position(|param| param.key == key) {
            return Ok(place);
        }
        let begins = |param: &Param| param.key.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
        let mut found = (0..self.params.len()).filter(|&place| begins(&self.params[place]));
        if let (Some(place), None) = (found.next(), found.next()) {
            return Ok(place);
        }
        let tied = self.params.iter().find(|param| param.tied.iter().any(|tied| tied == key));
        let keys = || self.params.iter().map(|param| &*param.key);
        Err(CandidateRefusal::Mistaken(match (tied, nearest(key, keys())) {
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
fn join_messages(said: &[Diagnostic]) -> String {
    let mut said: Vec<&str> = said.iter().map(|mistake| &*mistake.message).collect();
    said.sort_unstable();
    said.join("; ")
}
