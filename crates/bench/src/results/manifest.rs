//! Where, when and by what results were made: what a reader needs to make them again, and to see that they are the
//! same.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::config::Experiment;
use crate::rng;
use crate::run::journal::{Journal, Session};
use crate::run::keyed::Keyed;
use crate::run::machine;
use crate::text::quoted_path;

/// The content of `manifest.toml`; `docs/FORMAT.md` documents its keys.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    format: u32,
    experiment: String,
    command: String,
    games: u64,
    reproducible: bool,
    seed_scheme: u32,
    gauntlet: String,
    revision: String,
    /// The packages that the game and its players come from, but for those of the house.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    packages: Vec<String>,
    compiler: String,
    target: String,
    cpu: String,
    cores: usize,
    threads: usize,
    started: String,
    finished: String,
    seconds: f64,
    experiment_digest: String,
    /// What the program plays with each algorithm; none of one that time or chance may sway.
    signatures: BTreeMap<String, String>,
    /// The folder that their paths begin at, from that of the results, where players are built from files.
    #[serde(skip_serializing_if = "Option::is_none")]
    files_from: Option<String>,
    /// The digests of the files that players are built from.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, String>,
    digests: toml::Table,
    session: Vec<Run>,
}

/// A run that played some of the games.
#[derive(Clone, Debug, Serialize)]
struct Run {
    started: String,
    gauntlet: String,
    revision: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    packages: Vec<String>,
    cpu: String,
    threads: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    experiment: String,
    /// Which yardstick was played, and the nanoseconds of the processor that one took.
    #[serde(skip_serializing_if = "Option::is_none")]
    yardstick: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    yardstick_ns: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

impl From<&Session> for Run {
    fn from(session: &Session) -> Run {
        let Session {
            started,
            gauntlet,
            revision,
            packages,
            cpu,
            threads,
            shard,
            experiment,
            yardstick,
            yardsticks,
            seconds,
            ..
        } = session.clone();
        let yardstick_ns = yardsticks.mean_ns().map(|ns| (10.0 * ns).round() / 10.0);
        Run {
            started,
            gauntlet,
            revision,
            packages,
            cpu,
            threads,
            shard,
            experiment,
            yardstick,
            yardstick_ns,
            seconds,
        }
    }
}

/// The version of the format that this program writes. Manifests of before there was a version are of version 1.
pub const FORMAT: u32 = 2;

impl Manifest {
    pub(super) fn of(
        experiment: &Experiment,
        plan: &Keyed,
        journal: &Journal,
        digests: toml::Table,
        command: &str,
    ) -> Manifest {
        let sessions = journal.sessions();
        let seconds = sessions.iter().filter_map(|session| session.seconds).sum::<f64>();
        let signatures = plan.signatures().iter();
        let files = plan.players.iter().flat_map(|player| &player.entrant.files);
        Manifest {
            format: FORMAT,
            experiment: experiment.name().to_owned(),
            command: command.to_owned(),
            games: plan.games(),
            reproducible: plan.is_reproducible(),
            seed_scheme: rng::SCHEME,
            gauntlet: machine::VERSION.to_owned(),
            revision: machine::build().revision.to_owned(),
            packages: plan.packages(),
            compiler: machine::build().compiler.to_owned(),
            target: machine::build().target.to_owned(),
            cpu: machine::cpu(),
            cores: machine::cores(),
            threads: sessions.iter().map(|session| session.threads).max().unwrap_or(0),
            started: sessions.first().map_or_else(String::new, |session| session.started.clone()),
            finished: machine::now(),
            seconds: (seconds * 1000.0).round() / 1000.0,
            experiment_digest: digest(experiment),
            signatures: signatures.filter_map(|(name, own)| Some((name.clone(), own.clone()?))).collect(),
            files_from: sessions.iter().rev().find_map(|session| session.files_from.clone()),
            files: files
                .map(|file| (file.path.to_string_lossy().into_owned(), file.digest.clone()))
                .collect(),
            digests,
            session: sessions.iter().map(Run::from).collect(),
        }
    }

    /// The manifest of tables that nothing has written: of when they were finished it says nothing.
    pub(super) fn unfinished(&self) -> toml::Table {
        let mut manifest = toml::Table::try_from(self).expect("a manifest is plain data");
        manifest.remove("finished");
        manifest
    }

    pub(super) fn to_toml(&self) -> String {
        toml::to_string(self).expect("a manifest is plain data")
    }
}

/// The manifest of results whose verdicts were made anew: all that it tells of their games stays as it was.
pub(super) fn judged(
    manifest: &toml::Table,
    experiment: &Experiment,
    digests: toml::Table,
    lists: [(&str, Vec<String>); 3],
    command: &str,
) -> toml::Table {
    let mut by = toml::Table::new();
    by.insert("finished".to_owned(), machine::now().into());
    by.insert("gauntlet".to_owned(), machine::VERSION.into());
    by.insert("revision".to_owned(), machine::build().revision.into());
    by.insert("command".to_owned(), command.into());
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    by.extend(lists.map(|(key, list)| (key.to_owned(), list.into())));

    let mut judged = manifest.clone();
    judged.insert("experiment_digest".to_owned(), digest(experiment).into());
    judged.insert("digests".to_owned(), digests.into());
    // The sessions stay last.
    let sessions = judged.remove("session");
    judged.remove(JUDGED);
    judged.insert(JUDGED.to_owned(), by.into());
    judged.extend(sessions.map(|sessions| ("session".to_owned(), sessions)));
    judged
}

/// The table of a manifest that tells of verdicts made anew.
const JUDGED: &str = "judged";

/// A list of what was changed after the games were played, as far as a manifest knows.
pub(super) fn listed<'a>(manifest: &'a toml::Table, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let list = manifest.get(JUDGED).and_then(|judged| judged.get(key)?.as_array());
    list.into_iter().flatten().filter_map(toml::Value::as_str)
}

/// What a reader would type to get the same results. No folder of this machine is in it.
pub fn command(verb: &str, path: &Path) -> String {
    let shown = if path.is_absolute() { path.file_name().map(Path::new).unwrap_or(path) } else { path };
    format!("gauntlet {verb} {}", quoted_path(shown))
}

/// The digest of an experiment's file.
pub fn digest(experiment: &Experiment) -> String {
    blake3::hash(experiment.text().as_bytes()).to_hex().to_string()
}
