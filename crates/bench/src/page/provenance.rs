//! The provenance of results: what it takes to make them again, and to see that they are the same.

use crate::config::Experiment;
use crate::results::set::Set;

/// As the page shows it.
pub(super) struct Provenance {
    /// The command that made them; empty if it is not known.
    pub(super) command: String,
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) digests: Vec<(String, String)>,
    /// How many sessions played; none where that is not told.
    pub(super) sessions: Option<usize>,
    /// The experiment, to the letter.
    pub(super) experiment: String,
}

/// What is told of a manifest, in this order: its key, and what it is called. `signature` and `jobs` are keys of manifests
/// of version 1.
const FACTS: [(&str, &str); 21] = [
    ("method", "method"),
    ("objective", "objective"),
    ("budget", "budget in games"),
    ("games", "games"),
    ("refused", "candidates refused"),
    ("reproducible", "the same everywhere"),
    ("signature", "signature of play"),
    ("signatures", "signatures of play"),
    ("gauntlet", "gauntlet"),
    ("revision", "revision"),
    ("compiler", "compiler"),
    ("target", "target"),
    ("cpu", "processor"),
    ("cores", "cores"),
    ("threads", "threads at work"),
    ("jobs", "threads at work"),
    ("started", "started"),
    ("finished", "finished"),
    ("seconds", "seconds of play"),
    ("search_seconds", "seconds of the search"),
    ("judged", "verdicts made anew"),
];

impl Provenance {
    pub(super) fn of(set: &Set, experiment: &Experiment) -> Provenance {
        let manifest = set.manifest();
        let fact = |(key, name): (&str, &'static str)| {
            let value = match manifest.get(key)? {
                toml::Value::String(text) => text.clone(),
                toml::Value::Boolean(true) => "yes".to_owned(),
                toml::Value::Boolean(false) => "no: time limits a player or the games".to_owned(),
                toml::Value::Table(table) => {
                    let entry =
                        |(name, value): (&String, &toml::Value)| Some(format!("{name} {}", value.as_str()?));
                    table.iter().filter_map(entry).collect::<Vec<_>>().join(", ")
                }
                other => other.to_string(),
            };
            (!value.is_empty()).then_some((name, value))
        };
        let digest = |name: &str, value: &toml::Value| Some((name.to_owned(), value.as_str()?.to_owned()));
        let own = manifest.get("experiment_digest").and_then(|value| digest("experiment.toml", value));
        let tables = manifest.get("digests").and_then(toml::Value::as_table);
        let files = manifest.get("files").and_then(toml::Value::as_table);
        let tables =
            tables.into_iter().chain(files).flatten().filter_map(|(name, value)| digest(name, value));
        let sessions = manifest.get("session").and_then(toml::Value::as_array).map(Vec::len);
        Provenance {
            command: set.command().to_owned(),
            facts: FACTS.into_iter().filter_map(fact).collect(),
            digests: own.into_iter().chain(tables).collect(),
            sessions,
            experiment: experiment.text().to_owned(),
        }
    }
}
