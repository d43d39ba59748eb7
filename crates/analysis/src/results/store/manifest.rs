//! The manifest of results: where, when and by which program they were made. It is needed to
//! reproduce them, and to verify that they are equal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::bail;
use gauntlet_core::rng;
use gauntlet_core::settings::documented::documented;
use gauntlet_core::text::display_path;
use gauntlet_run::journal::{self, AnsweredClaim, Journal, LookEntry};
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::plan::Plan;
use gauntlet_run::{machine, programs};
use gauntlet_stats::RULES;
use serde::{Deserialize, Serialize};

use super::claim_history;
use super::command::ManifestCommand;
use crate::compare::earlier_looks::{CurrentLook, EarlierLooks, InterimLook};
use crate::compare::verdict::Verdict;
use crate::config::Experiment;

/// Name of the copy of the experiment's file.
pub const EXPERIMENT: &str = "experiment.toml";

documented! {
    /// Content of `manifest.toml`.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub struct Manifest {
        /// Version of the format, now 1. Newer versions are refused.
        pub format: u32;
        /// Name of the experiment.
        pub experiment: String;
        /// Command that repeats the run or tuning.
        pub command: ManifestCommand;
        /// Number of games of all players or, for a tuning, of the search.
        pub games: u64;
        /// Version of gauntlet.
        pub gauntlet: String;
        /// Git revision of the build, with `+` if the source had uncommitted changes.
        pub revision: String;
        /// Compiler of the build.
        pub compiler: String;
        /// Processor of the machine.
        pub cpu: String;
        /// Number of cores.
        pub cores: usize;
        /// Largest number of threads that played.
        pub threads: usize;
        /// Time of the end; absent if unfinished.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub finished: String;
        /// BLAKE3 digest of `experiment.toml`.
        pub experiment_digest: String;
        /// Table: BLAKE3 digest of each file.
        pub digests: toml::Table;
    } also {
        /// Kind of results, with further keys.
        #[serde(flatten)]
        pub kind: ResultsKind;
    }
}

/// Kind of results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "lowercase")]
pub enum ResultsKind {
    /// Games of an experiment.
    Run(Box<RunKeys>),
    /// A tuning.
    Tuning(TuningKeys),
}

documented! {
    /// Keys of a run.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub struct RunKeys {
        /// `false` if games may differ: a time limit applies, or an external player lacks
        /// `reproducible = true`.
        pub reproducible: bool;
        /// Version of the derivation of games from seeds.
        pub seed_scheme: u32;
        /// Target platform of the build.
        pub target: String;
        /// Packages outside gauntlet that provide the game or players, with their versions.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub packages: Vec<String>;
        /// Python functions that play without an identity: their games are never resumed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub unidentified: Vec<String>;
        /// Table: reason for each player that was skipped after failures in a row.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub skipped: BTreeMap<String, String>;
        /// Start time of the first session.
        pub started: String;
        /// Seconds of play in all sessions that ended normally.
        pub seconds: f64;
        /// Table: digest of the games of this build for each algorithm without a time limit.
        pub signatures: BTreeMap<String, String>;
        /// Table: name that each external program reported, by player.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub programs: BTreeMap<String, String>;
        /// Folder to which the players' file paths are relative.
        pub files_from: Option<String>;
        /// Table: BLAKE3 digest of each file that players use.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub files: BTreeMap<String, String>;
        /// Tables: answers from the games, oldest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub answer: Vec<InterimLook>;
        /// Claims that were added after games of both players were played.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub added_claims: Vec<String>;
        /// Claims that had an answer on this seed before a player changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub repeated_claims: Vec<String>;
        /// Tables: claims that had an answer, oldest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub answered_claim: Vec<AnsweredClaim>;
        /// Table: last re-evaluation by `gauntlet judge`.
        pub judged: Option<ReevaluationKeys>;
        /// Tables: runs that played the games.
        pub session: Vec<Session>;
    }
}

documented! {
    /// Keys of a tuning.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub struct TuningKeys {
        /// Search method.
        pub method: String;
        /// Objective of the search.
        pub objective: String;
        /// Budget of the search.
        pub budget: u64;
        /// Number of candidates that the player refused.
        pub refused: u64;
        /// `better`, `inconclusive` or `worse`.
        pub verdict: Verdict;
        /// Folder of the validation; absent if the search stayed at its initial point.
        pub validation: Option<String>;
        /// Seconds of play of the search.
        pub search_seconds: f64;
        /// Sessions in the journal when the search ended.
        pub sessions: Option<usize>;
        /// Bytes in the journal when the search ended.
        pub journal_bytes: Option<u64>;
    }
}

documented! {
    /// A re-evaluation of verdicts, with the claims and published numbers that were added or
    /// removed after the games were known.
    #[derive(Clone, Debug, Default, Serialize, Deserialize)]
    pub struct ReevaluationKeys {
        /// Time of the re-evaluation.
        pub finished: String;
        /// Version of gauntlet.
        pub gauntlet: String;
        /// Git revision of the build.
        pub revision: String;
        /// Command as typed.
        pub command: ManifestCommand;
        /// Claims that were added after the games were played.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub added_claims: Vec<String>;
        /// Claims that were removed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub removed_claims: Vec<String>;
        /// Published numbers that were removed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub removed_published: Vec<String>;
    }
}

documented! {
    /// A run that played some of the games.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub struct Session {
        /// Start time.
        started: String;
        /// Version of gauntlet.
        gauntlet: String;
        /// Git revision of the build.
        revision: String;
        /// Packages outside gauntlet that provide the game or players.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        packages: Vec<String>;
        /// Processor of the machine.
        pub cpu: String;
        /// Largest number of threads that played.
        pub threads: usize;
        /// Shard, such as `1/4`.
        shard: Option<String>;
        /// Digest of the experiment.
        experiment: String;
        /// Version of the calibration loop.
        pub yardstick: Option<u32>;
        /// Version of the rules for verdicts.
        rules: u32;
        /// CPU time of one calibration loop in nanoseconds.
        pub(super) yardstick_ns: Option<f64>;
        /// Number of games played in the session; absent if unknown.
        games: Option<u64>;
        /// Seconds of play; absent if the session was killed.
        seconds: Option<f64>;
    }
}

impl From<&journal::SessionEntry> for Session {
    fn from(session: &journal::SessionEntry) -> Session {
        let yardstick_ns = session.sums.calibration_runs.mean_ns().map(|ns| (10.0 * ns).round() / 10.0);
        let journal::SessionEntry { started, gauntlet, revision, packages, cpu, .. } = session.clone();
        let journal::SessionEntry { threads, shard, experiment, yardstick, rules, seconds, .. } =
            session.clone();
        Session {
            started,
            gauntlet,
            revision,
            packages,
            cpu,
            threads,
            shard,
            experiment,
            yardstick,
            rules,
            yardstick_ns,
            games: Some(session.sums.games),
            seconds,
        }
    }
}

impl Session {
    /// Returns true if this is a session of a journal.
    fn is_same(&self, other: &journal::SessionEntry) -> bool {
        let own = (&self.started, &self.cpu, &self.experiment, &self.shard);
        have_same_duration(self.seconds, other.seconds)
            && own == (&other.started, &other.cpu, &other.experiment, &other.shard)
    }

    /// Returns true if both are the same session, with an equal number of games.
    fn has_games_of(&self, other: &Session) -> bool {
        let own = (&self.started, &self.cpu, &self.experiment, &self.shard, self.games);
        self.games.is_some()
            && have_same_duration(self.seconds, other.seconds)
            && own == (&other.started, &other.cpu, &other.experiment, &other.shard, other.games)
    }
}

/// Compares durations of sessions. Two runs may begin in one second, but hardly take equal time to
/// a microsecond. Journals and manifests differ in smaller digits. A run that was killed has no
/// duration.
fn have_same_duration(one: Option<f64>, other: Option<f64>) -> bool {
    one.zip(other).is_none_or(|(one, other)| (one - other).abs() < 1e-6)
}

impl RunKeys {
    /// Lists the games of an experiment without players that were skipped.
    pub(in crate::results) fn plan<'a>(&self, experiment: &'a Experiment) -> Plan<'a> {
        let plan = experiment.plan();
        let names = plan.players.iter().map(|player| player.name).enumerate();
        let skipped = names.filter_map(|(index, name)| Some((index, self.skipped.get(name)?.clone())));
        plan.without_players(skipped.collect())
    }

    /// Returns true if the claim with this description was added after games of both players.
    pub(in crate::results) fn is_added_claim(&self, description: &str) -> bool {
        let judged = self.judged.iter().flat_map(|judged| &judged.added_claims);
        self.added_claims.iter().chain(judged).any(|added| added == description)
    }

    /// Returns the oldest rules of verdicts under which some of its games were played.
    pub fn rules(&self) -> u32 {
        self.session.iter().map(|session| session.rules).min().unwrap_or(RULES)
    }

    /// Returns the answers that precede an answer about this number of games of a plan: recorded
    /// ones, and `extended_from`.
    pub fn earlier_answers(&self, plan: &Plan, games: u64) -> EarlierLooks {
        let players = plan.players.iter().map(|player| player.name.to_owned()).collect();
        EarlierLooks::new(self.answer.clone(), players, current_look(plan, games))
    }

    /// Returns true if both are about the same games: equal players of equal sessions, each with an
    /// equal number of games in the journal. The journal must have no other games.
    fn has_games_of(&self, other: &RunKeys) -> bool {
        let players = |run: &RunKeys| {
            let RunKeys { packages, skipped, signatures, programs, files_from, files, .. } = run.clone();
            (run.seed_scheme, packages, skipped, signatures, programs, files_from, files)
        };
        self.session.len() == other.session.len()
            && self.session.iter().zip(&other.session).all(|(own, other)| own.has_games_of(other))
            && players(self) == players(other)
    }

    /// Returns true if there is a session, and all sessions are among these.
    pub fn is_from_sessions(&self, sessions: &[&journal::SessionEntry]) -> bool {
        let is_known = |own_session: &Session| sessions.iter().any(|session| own_session.is_same(session));
        !self.session.is_empty() && self.session.iter().all(is_known)
    }
}

/// Returns the answers that a journal records before the tables of a plan.
pub(super) fn recorded_answers(plan: &KeyedPlan, journal: &Journal) -> EarlierLooks {
    let players = plan.players.iter().map(|player| player.name.to_owned()).collect();
    EarlierLooks::new(
        collect_looks(plan, journal),
        players,
        current_look(plan, plan.legs() * plan.blocks.len()),
    )
}

/// Returns the answer about this number of games of a plan.
fn current_look(plan: &Plan, games: u64) -> CurrentLook {
    CurrentLook { games, is_sequential: plan.stop.is_some(), extended_from: plan.extended_from }
}

/// Returns the answers in a journal about players of a plan.
fn collect_looks(plan: &KeyedPlan, journal: &Journal) -> Vec<InterimLook> {
    let to_look = |answer: &LookEntry| {
        let is_in = |&lineup: &usize| answer.keys.is_empty() || answer.keys.contains(plan.key(lineup));
        let lineups = (0..plan.lineups.len()).filter(is_in);
        let covered_players: BTreeSet<usize> =
            lineups.flat_map(|lineup| plan.lineups[lineup].members().iter().copied()).collect();
        let other_players =
            plan.players.iter().enumerate().filter(|(index, _)| !covered_players.contains(index));
        (!covered_players.is_empty()).then(|| InterimLook {
            games: plan.legs() * answer.blocks,
            without: other_players.map(|(_, player)| player.name.to_owned()).collect(),
            is_stopped: answer.stopped,
        })
    };
    let mut answers: Vec<InterimLook> = Vec::new();
    for answer in journal.answers().iter().filter_map(to_look) {
        // Two answers may differ only in their claims.
        if !answers.contains(&answer) {
            answers.push(answer);
        }
    }
    answers
}

/// Version of the format that this program writes.
pub const FORMAT: u32 = 1;

impl Manifest {
    /// Makes the manifest of the games in a journal. `earlier_claims` are the answers to claims in
    /// the manifests that it replaces.
    pub fn from_journal(
        plan: &KeyedPlan,
        journal: &Journal,
        experiment: &Experiment,
        command: &str,
        earlier_claims: &[AnsweredClaim],
    ) -> Manifest {
        let history = claim_history::collect_answered_claims(earlier_claims, journal);
        let sessions = journal.sessions();
        let signatures = plan.signatures().iter();
        let files = plan.players.iter().flat_map(|player| &player.entry.files);
        let run = RunKeys {
            reproducible: plan.is_reproducible(),
            seed_scheme: rng::SCHEME,
            target: machine::build().target.to_owned(),
            packages: plan.packages(),
            unidentified: plan.unidentified_players().map(str::to_owned).collect(),
            skipped: plan
                .skipped
                .iter()
                .map(|(&player, reason)| (plan.players[player].name.to_owned(), reason.clone()))
                .collect(),
            started: sessions.first().map_or_else(String::new, |session| session.started.clone()),
            seconds: total_seconds(sessions),
            signatures: signatures.filter_map(|(name, own)| Some((name.clone(), own.clone()?))).collect(),
            programs: programs::reported_names(plan, journal),
            files_from: sessions.iter().rev().find_map(|session| session.files_from.clone()),
            files: files
                .map(|file| (file.path.to_string_lossy().into_owned(), file.digest.clone()))
                .collect(),
            answer: collect_looks(plan, journal),
            added_claims: claim_history::find_added_claims(plan, journal, experiment),
            repeated_claims: claim_history::find_repeated_claims(plan, experiment, &history),
            answered_claim: history,
            judged: None,
            session: sessions.iter().map(Session::from).collect(),
        };
        Manifest {
            games: plan.games(),
            ..Manifest::new(ResultsKind::Run(Box::new(run)), sessions, experiment, command)
        }
    }

    /// Makes a manifest for results of these sessions, made by this program on this machine. It has
    /// no games and no files yet.
    pub fn new(
        kind: ResultsKind,
        sessions: &[journal::SessionEntry],
        experiment: &Experiment,
        command: &str,
    ) -> Manifest {
        let build = machine::build();
        Manifest {
            format: FORMAT,
            experiment: experiment.name().to_owned(),
            command: ManifestCommand::new(command),
            games: 0,
            kind,
            gauntlet: machine::VERSION.to_owned(),
            revision: build.revision.to_owned(),
            compiler: build.compiler.to_owned(),
            cpu: machine::cpu_name(),
            cores: machine::cores(),
            threads: sessions.iter().map(|session| session.threads).max().unwrap_or(0),
            finished: String::new(),
            experiment_digest: experiment_digest(experiment),
            digests: toml::Table::new(),
        }
    }

    /// Parses a manifest; returns `None` if it is damaged. Fails if a newer version of the program
    /// has written it.
    pub fn read(bytes: &[u8], path: &Path) -> anyhow::Result<Option<Manifest>> {
        let Ok(text) = std::str::from_utf8(bytes) else { return Ok(None) };
        let format = text.parse().ok().and_then(|table: toml::Table| table.get("format")?.as_integer());
        match format {
            Some(format) if format > FORMAT.into() => bail!(
                "{} was written by a newer gauntlet (format {format}; this version reads up to {FORMAT})",
                display_path(path)
            ),
            _ => Ok(toml::from_str(text).ok()),
        }
    }

    /// Returns the digest of a file.
    pub fn file_digest(&self, name: &str) -> Option<&str> {
        if name == EXPERIMENT { Some(&self.experiment_digest) } else { self.digests.get(name)?.as_str() }
    }

    /// Formats the manifest as in its file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a manifest is plain data")
    }

    /// Returns true if both are about the same games of a run, in the rows of the same build.
    pub(super) fn has_games_of(&self, other: &Manifest) -> bool {
        let rows = |manifest: &Manifest| {
            let Manifest { games, gauntlet, revision, compiler, experiment_digest, .. } = manifest.clone();
            (games, gauntlet, revision, compiler, experiment_digest)
        };
        let runs = self.run_keys().zip(other.run_keys());
        rows(self) == rows(other) && runs.is_some_and(|(own, other)| own.has_games_of(other))
    }

    /// Returns the keys of a run; `None` for a tuning.
    pub fn run_keys(&self) -> Option<&RunKeys> {
        if let ResultsKind::Run(run) = &self.kind { Some(run) } else { None }
    }

    /// Returns the keys of a tuning; `None` for a run.
    pub fn tuning(&self) -> Option<&TuningKeys> {
        if let ResultsKind::Tuning(tuning) = &self.kind { Some(tuning) } else { None }
    }
}

/// Sums the duration of all sessions that ended in good order, to a millisecond.
pub fn total_seconds(sessions: &[journal::SessionEntry]) -> f64 {
    (sessions.iter().filter_map(|session| session.seconds).sum::<f64>() * 1000.0).round() / 1000.0
}

/// Returns the digest of an experiment's file.
pub fn experiment_digest(experiment: &Experiment) -> String {
    blake3::hash(experiment.text().as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_known_by_what_they_did() {
        let session = |seconds| journal::SessionEntry {
            started: "2026-11-22T07:00:00Z".to_owned(),
            cpu: "a processor".to_owned(),
            experiment: "0a".to_owned(),
            seconds,
            ..journal::SessionEntry::default()
        };
        let is_made =
            |recorded: Option<f64>, seconds| Session::from(&session(recorded)).is_same(&session(seconds));
        // JSON is parsed to the last digit but one.
        let parsed: f64 = serde_json::from_str("1.5311191100000001").unwrap();
        for seconds in [parsed, 1.5311191100000001, 1.53111911] {
            assert!(is_made(Some(1.5311191100000001), Some(seconds)), "{seconds}");
        }
        assert!(!is_made(Some(1.5312), Some(1.5311)));
        // A run that was killed has no duration.
        assert!(is_made(None, Some(1.0)) && is_made(Some(1.0), None));
    }
}
