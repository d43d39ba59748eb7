//! Experiments that are made of another: under another head, with players of its own making. Each is a text, and goes the way
//! of every text.

use std::slice;
use std::sync::Arc;

use toml_edit::DocumentMut;

use super::experiment::Experiment;
use super::tune::{MethodName, player};
use super::{pairings, parse_with};
use crate::arena::Entrant;
use crate::diagnostic::Mistakes;
use crate::game::Shape;

/// The head of an experiment that is made of another: what it does not share with it.
#[derive(Clone, Copy, Debug)]
pub struct NewHead<'a> {
    /// What a reader of the file must know first.
    pub comment: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its seed.
    pub seed: u64,
    /// How many games each player plays, or in a game of two each two players: an even number.
    pub games: u64,
}

/// Keys of the head that a new one has of its own, or that were announced for the games of the other.
const OWN: [&str; 7] = ["name", "seed", "seeds", "games", "planned_games", "extended_from", pairings::KEY];

/// Sections about the players of the other.
const SECTIONS: [&str; 5] = ["player", "claim", "published", "stop", "tune"];

/// An experiment of the same game by the same rules with these players, each under its name and with all its settings; and with
/// further sections about them.
pub fn derived<'p>(
    of: &Experiment,
    head: NewHead,
    players: impl IntoIterator<Item = (&'p str, &'p Entrant)>,
    sections: &str,
) -> Result<Experiment, Mistakes> {
    let number = |number: u64| toml_edit::value(i64::try_from(number).expect("numbers of files are small"));
    let written: DocumentMut = of.text().parse().expect("the text of an experiment is TOML");
    let mut document = DocumentMut::new();
    document["name"] = toml_edit::value(head.name);
    for (key, item) in written.iter().filter(|(key, _)| !OWN.contains(key) && !SECTIONS.contains(key)) {
        // Comments are about the other experiment.
        let mut value = item.clone().into_value().expect("a key of the head has a value");
        value.decor_mut().clear();
        document[key] = toml_edit::value(value);
    }
    document["seed"] = number(head.seed);
    document["games"] = number(head.games);
    if of.arena().shape == Shape::Duel {
        // The first player is the one that the others are beside.
        document[pairings::KEY] = toml_edit::value("gauntlet");
    }
    let comment = head.comment.lines().map(|line| format!("# {line}\n"));
    let mut text: String = comment.chain([document.to_string()]).collect();
    for (name, entrant) in players {
        text.push('\n');
        text += &player(name, entrant.algorithm, &entrant.settings);
    }
    text += sections;
    parse_with(slice::from_ref(of.arena()), head.name, &text, Some(Arc::clone(of.assets())))
}

/// The same experiment, tuned by another method or from another seed, under a name of its own.
pub fn tuned_otherwise(
    of: &Experiment,
    method: Option<MethodName>,
    seed: Option<u64>,
) -> Result<Experiment, Mistakes> {
    let mut document: DocumentMut = of.text().parse().expect("the text of an experiment is TOML");
    let mut name = of.name().to_owned();
    if let Some(method) = method {
        name += &format!("+method={method}");
        document["tune"]["method"] = toml_edit::value(method.name());
    }
    if let Some(seed) = seed {
        name += &format!("+seed={seed}");
        document["seed"] = toml_edit::value(i64::try_from(seed).unwrap_or(i64::MAX));
    }
    document["name"] = toml_edit::value(&*name);
    parse_with(slice::from_ref(of.arena()), &name, &document.to_string(), Some(Arc::clone(of.assets())))
}
