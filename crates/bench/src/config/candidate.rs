//! Candidates of a tuning: the tuned player with other values, written as an experiment that is checked, planned and run like
//! any other.

use toml_edit::DocumentMut;

use super::experiment::Experiment;
use super::pairings;
use super::tune::{self, Field};

/// The tuned player with other values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate<'a> {
    /// What it is called, which can be the name of a file.
    pub name: &'a str,
    /// A value for each setting that moves, in the order of the file. Whole settings get the nearest whole number.
    pub values: &'a [f64],
}

/// The text of an experiment in which these candidates play in place of the players of the file. What the file says of players
/// (claims, `[stop]`, published numbers, `[tune]`) is not in it, nor is how many games were planned.
///
/// # Panics
/// If the experiment tunes no settings, or a candidate has not one finite value for each.
pub(super) fn text(experiment: &Experiment, candidates: &[Candidate]) -> Result<String, String> {
    let mut document: DocumentMut =
        experiment.text().parse().map_err(|error| format!("the experiment cannot be changed: {error}"))?;
    for key in
        ["player", "claim", "stop", "published", "tune", "planned_games", "extended_from", pairings::KEY]
    {
        document.remove(key);
    }
    let mut text = document.to_string();
    for candidate in candidates {
        text.push('\n');
        text += &player(experiment, candidate);
    }
    Ok(text)
}

/// A candidate as a `[[player]]`.
fn player(experiment: &Experiment, candidate: &Candidate) -> String {
    let field = experiment.tune().map(|tune| &tune.field);
    let Some(Field::Params { player, params }) = field else { panic!("no settings are tuned") };
    assert_eq!(params.len(), candidate.values.len(), "a candidate has a value for each setting");
    let entrant = &experiment.entries()[*player].entrant;
    let mut settings = entrant.settings.clone();
    for (param, &value) in params.iter().zip(candidate.values) {
        param.put(&mut settings, value);
    }
    tune::player(candidate.name, entrant.algorithm, &settings)
}
