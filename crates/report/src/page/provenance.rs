//! The provenance of results: what is needed to reproduce them, and to compare them.

use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::store::manifest::{Manifest, ReevaluationKeys, RunKeys, TuningKeys};
use gauntlet_analysis::results::store::snapshot::{EXPERIMENT, ResultsSnapshot};
use gauntlet_run::programs::format_program_name;

/// Provenance as the page shows it.
pub(super) struct Provenance {
    /// The command that reproduces the results, if it can be suggested.
    pub(super) command: Option<String>,
    /// True if this command needs permission to start external programs.
    pub(super) has_commands: bool,
    pub(super) facts: Vec<(&'static str, String)>,
    /// Players that are programs, each with the name that the program reports.
    pub(super) programs: Vec<(String, String)>,
    pub(super) digests: Vec<(String, String)>,
    /// The text of the experiment.
    pub(super) experiment: String,
}

impl Provenance {
    pub(super) fn new(snapshot: &ResultsSnapshot, experiment: &Experiment) -> Provenance {
        let manifest = snapshot.manifest();
        let mut digests = vec![(EXPERIMENT.to_owned(), manifest.experiment_digest.clone())];
        let tables = manifest.digests.iter();
        digests.extend(tables.filter_map(|(name, digest)| Some((name.clone(), digest.as_str()?.to_owned()))));
        let run = manifest.run_keys();
        digests.extend(run.iter().flat_map(|run| run.files.clone()));
        Provenance {
            command: manifest.command.to_text(),
            has_commands: experiment.players().iter().any(|entry| entry.entry.facts().command.is_some()),
            facts: facts(manifest, experiment),
            programs: run.map(|run| programs(run, experiment)).unwrap_or_default(),
            digests,
            experiment: experiment.text().to_owned(),
        }
    }
}

/// Returns the names that programs report. A manifest may come from a stranger, so only players of
/// the experiment are listed, and names are shortened again.
fn programs(run: &RunKeys, experiment: &Experiment) -> Vec<(String, String)> {
    let players = experiment.players().iter();
    let program_of = |name: &str| Some((name.to_owned(), format_program_name(run.programs.get(name)?)));
    players.filter_map(|entry| program_of(&entry.name)).collect()
}

/// Returns the facts of a manifest, in the order of the page.
fn facts(manifest: &Manifest, experiment: &Experiment) -> Vec<(&'static str, String)> {
    let reason =
        || experiment.plan().irreproducibility().map_or_else(String::new, |text| format!(": {text}"));
    let tuning = |value: fn(&TuningKeys) -> String| manifest.tuning().map(value).unwrap_or_default();
    let run = |value: fn(&RunKeys) -> String| manifest.run_keys().map(value).unwrap_or_default();
    let mut facts = vec![
        ("method", tuning(|keys| keys.method.clone())),
        ("objective", tuning(|keys| keys.objective.clone())),
        ("budget (games)", tuning(|keys| keys.budget.to_string())),
        ("games", manifest.games.to_string()),
        ("rejected candidates", tuning(|keys| keys.refused.to_string())),
        (
            "played again",
            manifest.run_keys().map_or_else(String::new, |keys| match keys.reproducible {
                true => "reproducible on any machine".to_owned(),
                false => format!("not reproducible{}", reason()),
            }),
        ),
        (
            "signatures of play",
            run(|keys| {
                keys.signatures
                    .iter()
                    .map(|(name, signature)| format!("{name} {signature}"))
                    .collect::<Vec<_>>()
                    .join(", ")
            }),
        ),
        ("gauntlet", manifest.gauntlet.clone()),
        ("revision", manifest.revision.clone()),
        ("compiler", manifest.compiler.clone()),
        ("target", run(|keys| keys.target.clone())),
        ("processor", manifest.cpu.clone()),
        ("cores", manifest.cores.to_string()),
        ("threads", manifest.threads.to_string()),
        ("started", run(|keys| keys.started.clone())),
        ("finished", manifest.finished.clone()),
        ("seconds of play", run(|keys| format!("{:?}", keys.seconds))),
        ("seconds of the search", tuning(|keys| format!("{:?}", keys.search_seconds))),
        (
            "verdicts re-evaluated",
            run(|keys| keys.judged.as_ref().map(describe_evaluation).unwrap_or_default()),
        ),
        ("sessions", run(|keys| keys.session.len().to_string())),
    ];
    // The manifest of an unfinished tuning does not have these facts yet.
    let is_unfinished = manifest.tuning().is_some() && manifest.finished.is_empty();
    let final_facts = ["games", "rejected candidates", "threads", "seconds of the search"];
    facts.retain(|(name, value)| !(value.is_empty() || is_unfinished && final_facts.contains(name)));
    facts
}

fn describe_evaluation(evaluation: &ReevaluationKeys) -> String {
    let ReevaluationKeys { finished, gauntlet, revision, command, .. } = evaluation;
    let command = command.to_text().map_or_else(String::new, |command| format!(", command {command}"));
    format!("finished {finished}, gauntlet {gauntlet}, revision {revision}{command}")
}
