//! The key `pairings`: which players of a game of two play against each other.

use toml::Spanned;
use toml::de::DeValue;
use toml_edit::{Array, DocumentMut};

use super::experiment::Experiment;
use super::roster::Roster;
use crate::diagnostic::Diagnostic;
use crate::game::Shape;
use crate::settings;

/// The key.
pub(super) const KEY: &str = "pairings";

const EXPECTED: &str = "must be \"round-robin\", \"gauntlet\" (the first player against each other one), or a list of pairs as [[\"a\", \"b\"]]";

/// Which of this number of players play against each other, by their places; none in a game of one.
pub(super) fn check(
    written: Option<&Spanned<DeValue>>,
    shape: Shape,
    roster: &Roster,
    mistakes: &mut Vec<Diagnostic>,
) -> Vec<[usize; 2]> {
    let players = roster.entries.len();
    if shape == Shape::Solo {
        if let Some(written) = written {
            let message = "only players of a game of two play against each other";
            mistakes.push(Diagnostic::at(written.span(), message));
        }
        return Vec::new();
    }
    let round_robin = || (0..players).flat_map(|one| (one + 1..players).map(move |other| [one, other]));
    let Some(written) = written else { return round_robin().collect() };
    match written.get_ref() {
        DeValue::String(word) if &**word == "round-robin" => round_robin().collect(),
        DeValue::String(word) if &**word == "gauntlet" => (1..players).map(|other| [0, other]).collect(),
        DeValue::Array(pairs) if !pairs.is_empty() => {
            let mut all = Vec::new();
            for pair in pairs.iter() {
                listed(pair, roster, &mut all, mistakes);
            }
            all
        }
        _ => {
            mistakes.push(Diagnostic::at(written.span(), EXPECTED));
            Vec::new()
        }
    }
}

/// One pair of a list. A name that stands for several players makes a pair with each of them.
fn listed(
    pair: &Spanned<DeValue>,
    roster: &Roster,
    all: &mut Vec<[usize; 2]>,
    mistakes: &mut Vec<Diagnostic>,
) {
    let Some([first, second]) = pair.get_ref().as_array().map(|pair| &pair[..]) else {
        mistakes.push(Diagnostic::at(pair.span(), "must be two players, as [\"a\", \"b\"]"));
        return;
    };
    for player in [first, second] {
        if !matches!(player.get_ref(), DeValue::String(_) | DeValue::Table(_)) {
            mistakes.push(Diagnostic::at(
                player.span(),
                settings::mistyped("the name of a player", player.get_ref()),
            ));
        }
    }
    let [ones, others] = [first, second].map(|player| roster.find_all(player, mistakes));
    for &one in &ones {
        for &other in &others {
            if one == other {
                mistakes.push(Diagnostic::at(pair.span(), "no player plays against itself"));
            } else if all.iter().any(|&[a, b]| (a, b) == (one, other) || (a, b) == (other, one)) {
                mistakes.push(Diagnostic::at(pair.span(), "these two are paired above already"));
            } else {
                all.push([one, other]);
            }
        }
    }
}

/// Keeps the pairs of an experiment of which both players are kept. The word "round-robin" stays: it is of those that are there.
pub(super) fn keep(
    document: &mut DocumentMut,
    experiment: &Experiment,
    is_kept: &[bool],
    dropped: &mut Vec<String>,
) -> Result<(), String> {
    let written = document.get(KEY).filter(|written| written.as_str() != Some("round-robin"));
    if written.is_none() {
        return Ok(());
    }
    let names = |pair: &[usize; 2]| -> Array {
        pair.iter().map(|&player| experiment.entries()[player].name.as_str()).collect()
    };
    let all = experiment.pairs();
    let kept: Vec<&[usize; 2]> =
        all.iter().filter(|pair| pair.iter().all(|&player| is_kept[player])).collect();
    if kept.is_empty() {
        return Err("of the players that are kept no two play against each other".to_owned());
    }
    if kept.len() < all.len() {
        dropped.push(format!(
            "{} of {} pairings, about players that are left out",
            all.len() - kept.len(),
            all.len()
        ));
    }
    document[KEY] = toml_edit::value(kept.into_iter().map(names).collect::<Array>());
    Ok(())
}
