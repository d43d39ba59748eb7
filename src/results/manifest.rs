//! Where, when and by what results were made: what somebody needs to make them again, and to see that they are
//! the same.

use std::path::Path;

use serde::Serialize;

use crate::arena;
use crate::config::Experiment;
use crate::plan::Plan;
use crate::rng;
use crate::run::journal::{Journal, Session};
use crate::run::machine;
use crate::text::quoted_path;

/// The content of `manifest.toml`; `docs/FORMAT.md` documents its keys.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    experiment: String,
    command: String,
    games: u64,
    reproducible: bool,
    seed_scheme: u32,
    signature: String,
    gauntlet: String,
    revision: String,
    compiler: String,
    target: String,
    cpu: String,
    cores: usize,
    jobs: usize,
    started: String,
    finished: String,
    seconds: f64,
    experiment_digest: String,
    digests: toml::Table,
    session: Vec<Session>,
}

impl Manifest {
    pub(super) fn of(
        experiment: &Experiment,
        plan: &Plan,
        journal: &Journal,
        digests: Vec<(String, String)>,
        command: &str,
    ) -> Manifest {
        let sessions = journal.sessions();
        let seconds = sessions.iter().filter_map(|session| session.seconds).sum::<f64>();
        Manifest {
            experiment: experiment.name().to_owned(),
            command: command.to_owned(),
            games: plan.games(),
            reproducible: plan.is_reproducible(),
            seed_scheme: rng::SCHEME,
            signature: arena::signature(),
            gauntlet: machine::VERSION.to_owned(),
            revision: machine::REVISION.to_owned(),
            compiler: machine::COMPILER.to_owned(),
            target: machine::TARGET.to_owned(),
            cpu: machine::cpu(),
            cores: machine::cores(),
            jobs: sessions.iter().map(|session| session.jobs).max().unwrap_or(0),
            started: sessions.first().map_or_else(String::new, |session| session.started.clone()),
            finished: machine::now(),
            seconds: (seconds * 1000.0).round() / 1000.0,
            experiment_digest: digest(experiment),
            digests: digests.into_iter().map(|(name, digest)| (name, digest.into())).collect(),
            session: sessions.to_vec(),
        }
    }

    pub(super) fn to_toml(&self) -> String {
        toml::to_string(self).expect("a manifest is plain data")
    }
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
