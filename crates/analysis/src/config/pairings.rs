//! The keys `pairings` and `anchor`: which players of a duel play against each other, and which one
//! has rating 0.

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::game::Shape;
use gauntlet_core::settings::content::{KeyContent, ValueType};
use gauntlet_core::settings::tree::{PlacedValue, TomlValue};

use super::reference::Reference;
use super::roster::Roster;

/// Pairings as written.
#[derive(Debug)]
pub(super) enum Pairings {
    /// Each player against each other.
    RoundRobin,
    /// The first player against each of the others.
    Gauntlet,
    /// The listed pairs.
    Listed(Vec<KeyContent<Pair>>),
}

/// Two players; a name of several players makes a pair with each.
#[derive(Debug)]
pub(super) struct Pair([KeyContent<Reference>; 2]);

const EXPECTED: &str = "must be \"round-robin\", \"gauntlet\" (the first player against each other player), or a list of pairs such as [[\"a\", \"b\"]]";

impl ValueType for Pairings {
    fn read(value: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<Pairings> {
        match value.get_ref() {
            TomlValue::Text(word) if word == "round-robin" => Some(Pairings::RoundRobin),
            TomlValue::Text(word) if word == "gauntlet" => Some(Pairings::Gauntlet),
            TomlValue::List(pairs) if !pairs.is_empty() => {
                Some(Pairings::Listed(pairs.iter().map(|pair| KeyContent::read(pair, mistakes)).collect()))
            }
            _ => {
                mistakes.push(Diagnostic::new(value.span(), EXPECTED));
                None
            }
        }
    }
}

impl ValueType for Pair {
    fn read(value: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<Pair> {
        if let TomlValue::List(pair) = value.get_ref()
            && let [first, second] = &pair[..]
        {
            return Some(Pair([KeyContent::read(first, mistakes), KeyContent::read(second, mistakes)]));
        }
        mistakes.push(Diagnostic::new(value.span(), "must be two players, such as [\"a\", \"b\"]"));
        None
    }
}

/// Finds the player whose rating is 0.
pub(super) fn check_anchor(
    anchor: &KeyContent<Reference>,
    shape: Shape,
    roster: &Roster,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<usize> {
    if shape == Shape::Solo && anchor.is_written() {
        mistakes.push(anchor.mistake("ratings are only for two-player games"));
        return None;
    }
    roster.find(anchor, mistakes)
}

/// Returns the pairs that play against each other, by index; none in a solo game.
pub(super) fn check(
    pairings: &KeyContent<Pairings>,
    shape: Shape,
    roster: &Roster,
    mistakes: &mut Vec<Diagnostic>,
) -> Vec<[usize; 2]> {
    let players = roster.players.len();
    if shape == Shape::Solo {
        if pairings.is_written() {
            let message = "pairings are only for two-player games";
            mistakes.push(pairings.mistake(message));
        }
        return Vec::new();
    }
    match pairings.value() {
        // Mistakes were reported already.
        None if pairings.is_written() => Vec::new(),
        None | Some(Pairings::RoundRobin) => {
            (0..players).flat_map(|one| (one + 1..players).map(move |other| [one, other])).collect()
        }
        Some(Pairings::Gauntlet) => (1..players).map(|other| [0, other]).collect(),
        Some(Pairings::Listed(pairs)) => {
            let mut index_pairs: Vec<[usize; 2]> = Vec::new();
            for item in pairs {
                let Some(Pair(pair)) = item.value() else { continue };
                let [ones, others] = [&pair[0], &pair[1]].map(|player| roster.find_all(player, mistakes));
                for &one in &ones {
                    for &other in &others {
                        if one == other {
                            mistakes.push(item.mistake("a player cannot play against itself"));
                        } else if index_pairs
                            .iter()
                            .any(|&[a, b]| (a, b) == (one, other) || (a, b) == (other, one))
                        {
                            mistakes.push(item.mistake("duplicate pair"));
                        } else {
                            index_pairs.push([one, other]);
                        }
                    }
                }
            }
            index_pairs
        }
    }
}
