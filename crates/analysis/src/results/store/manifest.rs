//! Origin of results: place, time and program. A reader needs it to make them again, and to see
//! that they are the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::bail;
use gauntlet_core::rng;
use gauntlet_core::text::shown;
use gauntlet_run::journal::{self, AnswerEntry, Journal};
use gauntlet_run::keyed::KeyedPlan;
use gauntlet_run::plan::Plan;
use gauntlet_run::tally::Tally;
use gauntlet_run::tally::clock::Clock;
use gauntlet_run::{machine, programs};
use gauntlet_stats::RULES;
use serde::{Deserialize, Serialize};

use super::command::ManifestCommand;
use crate::compare::growth::{AnswerRecord, EarlierAnswers, Present};
use crate::compare::verdict::Verdict;
use crate::config::Experiment;

/// The copy of an experiment's file beside its tables.
pub const EXPERIMENT: &str = "experiment.toml";

/// The content of `manifest.toml`, as it is written and read; `docs/FORMAT.md` documents its keys.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of its format.
    pub format: u32,
    /// Name of the experiment.
    pub experiment: String,
    /// The command that makes the same; empty if none is known.
    #[serde(default)]
    pub command: ManifestCommand,
    /// Games of all players, or of the search.
    pub games: u64,
    /// The version of the program, and of what it was built,
    pub gauntlet: String,
    /// with a `+` if its tree was changed,
    pub revision: String,
    /// and by what.
    pub compiler: String,
    /// The processor.
    pub cpu: String,
    /// Number of its cores.
    pub cores: usize,
    /// The most threads that were at work.
    pub threads: usize,
    /// When it came to its end; empty if it did not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub finished: String,
    /// The digest of the experiment's file.
    pub experiment_digest: String,
    /// The digests of the other files, in their order.
    pub digests: toml::Table,
    /// The kind of results, with its further keys.
    #[serde(flatten)]
    pub of: Of,
}

/// Kinds of results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "lowercase")]
pub enum Of {
    /// The games of an experiment.
    Run(Box<Run>),
    /// A tuning.
    Tuning(Tuning),
}

/// The keys of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// True if games are the same on every machine.
    pub reproducible: bool,
    /// The version of the way from seeds to games.
    pub seed_scheme: u32,
    /// The machine that the program is for.
    pub target: String,
    /// The packages that the game and its players come from, but for those of the house.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
    /// When the first session began.
    pub started: String,
    /// Seconds of play of all sessions.
    pub seconds: f64,
    /// Signature of each algorithm; none of one that time or chance may sway.
    pub signatures: BTreeMap<String, String>,
    /// What the programs among the players called themselves ([`programs::told`]), by the names of
    /// the players.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
    /// The folder that their paths begin at, from that of the results, where players are built from
    /// files.
    pub files_from: Option<String>,
    /// The digests of the files that players are built from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// Recorded answers about its games, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<AnswerRecord>,
    /// Who made the verdicts anew.
    pub judged: Option<Judged>,
    /// The runs that played some of the games.
    pub session: Vec<Session>,
}

/// The keys of a tuning.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tuning {
    /// The method of the search.
    pub method: String,
    /// The objective of the search.
    pub objective: String,
    /// The most games of the search.
    pub budget: u64,
    /// Candidates that the player refused.
    pub refused: u64,
    /// Verdict of the validation.
    pub verdict: Verdict,
    /// The folder of the validation that says so.
    pub validation: Option<String>,
    /// Seconds of play of the search.
    pub search_seconds: f64,
    /// Sessions of its journal at the end: where that has more, the search has gone on. Older
    /// versions did not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<usize>,
    /// Bytes of its journal at the end: where that has as many, it has not gone on. Older versions
    /// did not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_bytes: Option<u64>,
}

/// Who made the verdicts of a run anew, and what was claimed or published only before its games
/// were known, or only afterwards.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Judged {
    /// When.
    pub finished: String,
    /// The version of the program,
    pub gauntlet: String,
    /// and of what it was built.
    pub revision: String,
    /// The command as typed.
    pub command: ManifestCommand,
    /// Claims that were made afterwards, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added_claims: Vec<String>,
    /// Claims that were taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed_claims: Vec<String>,
    /// Published numbers that were taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed_published: Vec<String>,
}

/// A session of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Session {
    started: String,
    gauntlet: String,
    revision: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    packages: Vec<String>,
    /// The processor.
    pub cpu: String,
    /// The most threads that were at work.
    pub threads: usize,
    shard: Option<String>,
    experiment: String,
    /// The version of the yardstick that was played,
    pub yardstick: Option<u32>,
    /// The version of the rules of verdicts that were known; none is the first.
    rules: Option<u32>,
    /// and the nanoseconds of the processor that one took.
    yardstick_ns: Option<f64>,
    /// The number of games; none in older manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    games: Option<u64>,
    seconds: Option<f64>,
}

impl From<&journal::Session> for Session {
    fn from(session: &journal::Session) -> Session {
        let yardstick_ns = session.counted.yardsticks.mean_ns().map(|ns| (10.0 * ns).round() / 10.0);
        let journal::Session { started, gauntlet, revision, packages, cpu, .. } = session.clone();
        let journal::Session { threads, shard, experiment, yardstick, rules, seconds, .. } = session.clone();
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
            games: Some(session.counted.games),
            seconds,
        }
    }
}

impl Session {
    /// True if it recorded no answers.
    fn is_of_older_program(&self) -> bool {
        self.rules.unwrap_or(1) < RULES_OF_ANSWERS
    }

    /// True if this is a session of a journal. Two runs may begin in one second, but they hardly
    /// take the same time to a microsecond; of what is smaller the last digit is not read alike
    /// from a journal and from a manifest.
    fn is(&self, other: &journal::Session) -> bool {
        // A run that was killed told no time.
        let took_as_long = self.seconds.zip(other.seconds).is_none_or(|(one, two)| (one - two).abs() < 1e-6);
        let own = (&self.started, &self.cpu, &self.experiment, &self.shard);
        took_as_long && own == (&other.started, &other.cpu, &other.experiment, &other.shard)
    }
}

impl Run {
    /// The oldest rules of verdicts that some of its games were played under.
    pub fn rules(&self) -> u32 {
        self.session.iter().map(|session| session.rules.unwrap_or(1)).min().unwrap_or(RULES)
    }

    /// The answers before the one that the tables of a plan are.
    pub fn earlier_answers(&self, plan: &Plan, tallies: &[Tally]) -> EarlierAnswers {
        let clocks = plan.players.iter().zip(tallies).map(|(player, tally)| (player.name, &tally.clock));
        self.earlier_answers_by(plan, plan.legs() * plan.blocks.len(), clocks)
    }

    /// The answers before the one about this number of games: recorded ones, those of older
    /// programs, and `extended_from`. The clocks show in which sessions a player's games were
    /// played.
    pub fn earlier_answers_by<'a>(
        &self,
        plan: &Plan,
        games: u64,
        clocks: impl Iterator<Item = (&'a str, &'a Clock)>,
    ) -> EarlierAnswers {
        let mut all = self.answers_of_older_programs(plan, clocks);
        all.extend(self.answer.iter().cloned());
        let players = plan.players.iter().map(|player| player.name.to_owned()).collect();
        let present =
            Present { games, is_sequential: plan.stop.is_some(), extended_from: plan.extended_from };
        EarlierAnswers::of(all, players, present)
    }

    /// The answers that sessions of older programs gave, which did not record them.
    fn answers_of_older_programs<'a>(
        &self,
        plan: &Plan,
        clocks: impl Iterator<Item = (&'a str, &'a Clock)>,
    ) -> Vec<AnswerRecord> {
        let sessions = |clock: &Clock| clock.places.keys().map(|(session, _)| *session).collect();
        let played_in: BTreeMap<&str, BTreeSet<u64>> =
            clocks.map(|(player, clock)| (player, sessions(clock))).collect();
        // The answer about all games of older programs may have been recorded since.
        let lineups = plan.lineups.len() as u64;
        let first = self.answer.first().and_then(|answer| answer.games?.checked_mul(lineups));
        let is_recorded = first.is_some() && first == self.games_of_older_programs();
        let mut all = Vec::new();
        for (number, pair) in (1..).zip(self.session.windows(2)) {
            // Where the experiment was changed between two sessions, what the first one had shown
            // was known.
            let is_recorded = is_recorded && !pair[1].is_of_older_program();
            let was_changed = pair[0].experiment != pair[1].experiment;
            if is_recorded || !was_changed || !pair[0].is_of_older_program() {
                continue;
            }
            // Games of other players were not added.
            let is_added = |player: &str| {
                played_in
                    .get(player)
                    .is_some_and(|of| of.iter().any(|&it| it <= number) && of.iter().any(|&it| it > number))
            };
            let (with, without): (Vec<&str>, Vec<&str>) =
                plan.players.iter().map(|player| player.name).partition(|player| is_added(player));
            if !with.is_empty() {
                let without = without.into_iter().map(str::to_owned).collect();
                all.push(AnswerRecord { without, ..AnswerRecord::default() });
            }
        }
        all
    }

    /// The games of all sessions of older programs; none if that is not known.
    fn games_of_older_programs(&self) -> Option<u64> {
        self.session.iter().filter(|session| session.is_of_older_program()).map(|it| it.games).sum()
    }

    /// True if there is a session, and all are among these.
    pub fn is_made_by(&self, sessions: &[&journal::Session]) -> bool {
        let is_known = |told: &Session| sessions.iter().any(|session| told.is(session));
        !self.session.is_empty() && self.session.iter().all(is_known)
    }
}

/// The rules of verdicts under which sessions record each answer.
const RULES_OF_ANSWERS: u32 = 3;

/// The answers in a journal that are about players of a plan.
fn answers(plan: &KeyedPlan, journal: &Journal) -> Vec<AnswerRecord> {
    let record = |answer: &AnswerEntry| {
        let is_in = |&lineup: &usize| answer.keys.is_empty() || answer.keys.contains(plan.key(lineup));
        let lineups = (0..plan.lineups.len()).filter(is_in);
        let with: BTreeSet<usize> =
            lineups.flat_map(|lineup| plan.lineups[lineup].members().iter().copied()).collect();
        let without = plan.players.iter().enumerate().filter(|(place, _)| !with.contains(place));
        (!with.is_empty()).then(|| AnswerRecord {
            games: Some(plan.legs() * answer.blocks),
            without: without.map(|(_, player)| player.name.to_owned()).collect(),
            is_stopped: answer.stopped,
        })
    };
    journal.answers().iter().filter_map(record).collect()
}

/// The version of the format that this program writes.
pub const FORMAT: u32 = 1;

impl Manifest {
    /// That of the games in a journal.
    pub fn of_run(plan: &KeyedPlan, journal: &Journal, experiment: &Experiment, command: &str) -> Manifest {
        let sessions = journal.sessions();
        let signatures = plan.signatures().iter();
        let files = plan.players.iter().flat_map(|player| &player.entrant.files);
        let run = Run {
            reproducible: plan.is_reproducible(),
            seed_scheme: rng::SCHEME,
            target: machine::build().target.to_owned(),
            packages: plan.packages(),
            started: sessions.first().map_or_else(String::new, |session| session.started.clone()),
            seconds: seconds(sessions),
            signatures: signatures.filter_map(|(name, own)| Some((name.clone(), own.clone()?))).collect(),
            programs: programs::told(plan, journal),
            files_from: sessions.iter().rev().find_map(|session| session.files_from.clone()),
            files: files
                .map(|file| (file.path.to_string_lossy().into_owned(), file.digest.clone()))
                .collect(),
            answer: answers(plan, journal),
            judged: None,
            session: sessions.iter().map(Session::from).collect(),
        };
        Manifest {
            games: plan.games(),
            ..Manifest::new(Of::Run(Box::new(run)), sessions, experiment, command)
        }
    }

    /// That of what these sessions made, by this program on this machine; it has no games and no
    /// files yet.
    pub fn new(of: Of, sessions: &[journal::Session], experiment: &Experiment, command: &str) -> Manifest {
        let build = machine::build();
        Manifest {
            format: FORMAT,
            experiment: experiment.name().to_owned(),
            command: ManifestCommand::new(command),
            games: 0,
            of,
            gauntlet: machine::VERSION.to_owned(),
            revision: build.revision.to_owned(),
            compiler: build.compiler.to_owned(),
            cpu: machine::cpu(),
            cores: machine::cores(),
            threads: sessions.iter().map(|session| session.threads).max().unwrap_or(0),
            finished: String::new(),
            experiment_digest: digest(experiment),
            digests: toml::Table::new(),
        }
    }

    /// The manifest in these bytes; none if they are damaged. Fails if a newer version of the
    /// program has written them.
    pub fn read(bytes: &[u8], path: &Path) -> anyhow::Result<Option<Manifest>> {
        let Ok(text) = std::str::from_utf8(bytes) else { return Ok(None) };
        let format = text.parse().ok().and_then(|table: toml::Table| table.get("format")?.as_integer());
        match format {
            Some(format) if format > FORMAT.into() => bail!(
                "{} was written by a newer gauntlet (format {format}; this one reads up to {FORMAT})",
                shown(path)
            ),
            _ => Ok(toml::from_str(text).ok()),
        }
    }

    /// The digest of a file that it names.
    pub fn digest_of(&self, name: &str) -> Option<&str> {
        if name == EXPERIMENT { Some(&self.experiment_digest) } else { self.digests.get(name)?.as_str() }
    }

    /// As it stands in its file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a manifest is plain data")
    }

    /// The keys of a run; none of a tuning.
    pub fn run(&self) -> Option<&Run> {
        if let Of::Run(run) = &self.of { Some(run) } else { None }
    }

    /// The keys of a tuning; none of a run.
    pub fn tuning(&self) -> Option<&Tuning> {
        if let Of::Tuning(tuning) = &self.of { Some(tuning) } else { None }
    }
}

/// The seconds of play of all sessions that ended in good order, to a millisecond.
pub fn seconds(sessions: &[journal::Session]) -> f64 {
    (sessions.iter().filter_map(|session| session.seconds).sum::<f64>() * 1000.0).round() / 1000.0
}

/// The digest of an experiment's file.
pub fn digest(experiment: &Experiment) -> String {
    blake3::hash(experiment.text().as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_known_by_what_they_did() {
        let session = |seconds| journal::Session {
            started: "2026-11-22T07:00:00Z".to_owned(),
            cpu: "a processor".to_owned(),
            experiment: "0a".to_owned(),
            seconds,
            ..journal::Session::default()
        };
        let is_made = |told: Option<f64>, seconds| Session::from(&session(told)).is(&session(seconds));
        // JSON is read to the last digit but one.
        let read: f64 = serde_json::from_str("1.5311191100000001").unwrap();
        for seconds in [read, 1.5311191100000001, 1.53111911] {
            assert!(is_made(Some(1.5311191100000001), Some(seconds)), "{seconds}");
        }
        assert!(!is_made(Some(1.5312), Some(1.5311)));
        // A run that was killed told no time.
        assert!(is_made(None, Some(1.0)) && is_made(Some(1.0), None));
    }
}
