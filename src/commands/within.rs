//! `gauntlet players --within`: for each player, finds the largest limit of its search that takes
//! at most a given time per move.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use gauntlet_analysis::config::time::MoveTime;
use gauntlet_analysis::config::{Catalog, Experiment, ExperimentPlayer};
use gauntlet_analysis::results::store::folder::RESULTS;
use gauntlet_core::arena::Entry;
use gauntlet_core::search_limit::LimitKind;
use gauntlet_core::settings::limits::SearchLimit;
use gauntlet_core::settings::{SettingsTable, flatten, tree};
use gauntlet_core::text::{format_duration, list_names};
use gauntlet_run::bar::ProgressDisplay;
use gauntlet_run::limit_search::{LimitResult, LimitTrial, find_limit};
use gauntlet_run::machine;
use gauntlet_run::move_time::MoveTimer;
use gauntlet_run::plan::Plan;
use gauntlet_run::progress::{Progress, ProgressUnit, RunState};
use gauntlet_run::snapshot::Snapshot;
use serde_json::{Map, Value};

use super::player_toml::player_to_toml;
use gauntlet_cli::output::{print_message, progress_mode, screen};
use gauntlet_cli::target::{Results, Target};

/// The most players that a comment names.
const MAX_NAMES: usize = 5;

/// Prints each player of an experiment with the largest limit that takes at most this time per
/// move.
pub(super) fn run(catalog: Catalog, path: &Path, time: &MoveTime) -> anyhow::Result<ExitCode> {
    let experiment = Target::find(catalog, path, &Results::new(Path::new(RESULTS)))?.experiment;
    let plan = experiment.plan();
    let families = group_players(&experiment);
    let mut display =
        ProgressDisplay::new(progress_mode(false), |line| print_message(format_args!("{line}")));
    let (mut found, mut left_out) = (String::new(), String::new());
    for (done, family) in families.iter().enumerate() {
        let mut show_trial = |trial: String| {
            if display.is_due() {
                let unit = ProgressUnit::Player;
                let progress = Progress::from_games(done as u64, families.len() as u64, RunState::Plays);
                let snapshot = Snapshot::from_progress("times", Progress { unit, ..progress });
                display.show(&Snapshot { remarks: vec![trial], ..snapshot });
            }
        };
        match family.find(&experiment, &plan, time, &mut show_trial)? {
            Ok(player) => found += &format!("\n{player}"),
            Err(reason) => left_out += &format!("# {}: {reason}\n", list_names(&family.names, MAX_NAMES)),
        }
    }
    display.finish();
    let mut out = screen();
    write!(out, "# Largest limits with at most {time} per move on {}\n{found}", machine::cpu_name())?;
    if !left_out.is_empty() {
        write!(out, "\n# Left out:\n{left_out}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Players that differ only in the limits of their searches.
struct Family<'e> {
    first: &'e ExperimentPlayer,
    names: Vec<&'e str>,
    /// Settings without limits.
    settings: Map<String, Value>,
    /// All limits that its settings can have.
    limits: Vec<SearchLimit>,
    /// The limit to find; `None` if it has no reproducible one.
    limit: Option<SearchLimit>,
}

/// Groups the players of an experiment into families, in the order of the file.
fn group_players(experiment: &Experiment) -> Vec<Family<'_>> {
    let manuals = experiment.arena().manual();
    let mut families: Vec<Family> = Vec::new();
    for player in experiment.players() {
        let algorithm = player.entry.algorithm;
        let manual = manuals.iter().find(|manual| manual.name == algorithm);
        let limits = manual.map_or_else(Vec::new, |manual| (manual.limits)());
        let mut settings = player.entry.settings.as_object().cloned().unwrap_or_default();
        let limit = choose_limit(&settings, &limits);
        // A limit that is set together with the chosen one is no alternative to it.
        let is_set =
            limit.is_some_and(|limit| settings.get(limit.setting).is_some_and(|value| !value.is_null()));
        settings.retain(|name, value| {
            let is_chosen = limit.is_some_and(|limit| limit.setting == name);
            let is_limit = limits.iter().any(|limit| limit.setting == name);
            !is_limit || (is_set && !is_chosen && !value.is_null())
        });
        let is_same = |family: &&mut Family| {
            family.first.entry.algorithm == algorithm
                && (&family.settings, family.limit) == (&settings, limit)
                && limit.is_some()
        };
        match families.iter_mut().find(is_same) {
            Some(family) => family.names.push(&player.name),
            None => {
                families.push(Family { first: player, names: vec![&player.name], settings, limits, limit });
            }
        }
    }
    families
}

/// Returns the reproducible limit that the settings have; otherwise a count rather than a depth,
/// because it is finer.
fn choose_limit(settings: &Map<String, Value>, limits: &[SearchLimit]) -> Option<SearchLimit> {
    let reproducible = || limits.iter().copied().filter(|limit| limit.kind != LimitKind::Time);
    let is_set = |limit: &SearchLimit| settings.get(limit.setting).is_some_and(|value| !value.is_null());
    reproducible().find(is_set).or_else(|| reproducible().min_by_key(|limit| limit.kind == LimitKind::Depth))
}

impl Family<'_> {
    /// Returns the player with its largest limit as TOML, or why it has none. `show_trial` receives
    /// each limit before it is measured.
    fn find(
        &self,
        experiment: &Experiment,
        plan: &Plan,
        time: &MoveTime,
        show_trial: &mut dyn FnMut(String),
    ) -> anyhow::Result<Result<String, String>> {
        if self.first.entry.facts().is_external() {
            return Ok(Err("external programs are not started".to_owned()));
        }
        let mut timer = MoveTimer::new(plan, time.get());
        let mut measure = |entry: &Entry, trial: String| {
            show_trial(trial);
            timer.measure(entry)
        };
        let Some(SearchLimit { setting, kind }) = self.limit else {
            let ms = measure(&self.first.entry, self.first.name.clone())?;
            return Ok(Err(format!("{}; no setting limits its search", format_move_time(ms))));
        };
        let max_ms = 1e3 * time.get().as_secs_f64();
        let result = find_limit(kind, max_ms, |limit| match self.read_entry(experiment, setting, limit) {
            Ok(entry) => Ok(LimitTrial::Measured(measure(&entry, self.name(setting, limit))?)),
            Err(reason) => Ok(LimitTrial::Refused(reason)),
        })?;
        Ok(match result {
            LimitResult::Fits { limit, ms, too_slow } => {
                self.read_entry(experiment, setting, limit).map(|entry| {
                    let toml = player_to_toml(&self.name(setting, limit), &entry);
                    let next = too_slow
                        .map(|(limit, ms)| format!("; {} with {setting} = {limit}", format_move_time(ms)));
                    format!("# {}{}\n{toml}", format_move_time(ms), next.unwrap_or_default())
                })
            }
            LimitResult::TooSlow { limit, ms } => {
                Err(format!("{} with {setting} = {limit}, the smallest", format_move_time(ms)))
            }
            LimitResult::Refused(reason) => Err(format!("accepts no `{setting}`: {reason}")),
        })
    }

    /// Builds the player with this limit in place of all others. Returns why it is refused, if it
    /// is.
    fn read_entry(&self, experiment: &Experiment, setting: &str, limit: u64) -> Result<Entry, String> {
        let mut settings = self.settings.clone();
        settings.insert(setting.to_owned(), limit.into());
        let table = tree::table_from_settings(&settings.into());
        let entry = experiment.read_entry(self.first.entry.algorithm, &SettingsTable { table, header: 0..0 });
        entry.map_err(|mistakes| mistakes.into_iter().next().map_or_else(String::new, |first| first.message))
    }

    /// Returns the name of the player with this limit: that of the first player, in which the limit
    /// is replaced if it is written as in a sweep. Otherwise, a name for several players gets the
    /// limit as a suffix.
    fn name(&self, setting: &str, limit: u64) -> String {
        let old_limits = flatten(&self.first.entry.settings).into_iter().filter_map(|(name, value)| {
            let is_limit = self.limits.iter().any(|limit| limit.setting == name);
            Some(format!("{name}={}", value.filter(|_| is_limit)?))
        });
        let old_limits: Vec<String> = old_limits.collect();
        let new_limit = format!("{setting}={limit}");
        let is_old = |word: &str| old_limits.iter().any(|old_limit| old_limit == word);
        let mut words: Vec<&str> = self.first.name.split(' ').collect();
        words.iter_mut().filter(|word| is_old(word)).for_each(|word| *word = &new_limit);
        if self.names.len() > 1 && !words.contains(&&*new_limit) {
            words.push(&new_limit);
        }
        words.join(" ")
    }
}

/// Formats a time per move.
fn format_move_time(ms: f64) -> String {
    if ms.is_finite() { format!("{} per move", format_duration(ms)) } else { "no move ended".to_owned() }
}
