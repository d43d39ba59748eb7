//! Sorts the keys of a file by section, each with its place; nothing in them is checked yet.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::head::Head;
use super::keys::take;
use crate::arena::Arena;
use crate::diagnostic::Diagnostic;
use crate::settings::{self, Written};

/// The keys of an experiment's file, by section.
pub(super) struct Sections<'a> {
    /// Those of [`Head`].
    pub(super) head: Written<'a>,
    /// Those of the rules of some game.
    pub(super) rules: Written<'a>,
    /// Each `[[player]]`.
    pub(super) players: Vec<Written<'a>>,
    /// Each `[[claim]]`.
    pub(super) claims: Vec<Written<'a>>,
    /// Each `[[published]]`.
    pub(super) published: Vec<Written<'a>>,
    /// The `[stop]`, if there is one.
    pub(super) stop: Option<Written<'a>>,
    /// The `[tune]`, if there is one.
    pub(super) tune: Option<Written<'a>>,
    /// The keys that misspelt ones probably mean: these are not missing.
    pub(super) misspelt: Vec<String>,
}

/// Sorts the keys of a file, which may be about one of these games. Unknown keys are reported and left out.
pub(super) fn sort<'a>(
    mut tree: DeTable<'a>,
    games: &[Arena],
    mistakes: &mut Vec<Diagnostic>,
) -> Sections<'a> {
    let head = settings::fields::<Head>();
    let rules = games.iter().flat_map(|arena| (arena.rule_keys)().iter().copied()).collect::<Vec<_>>();
    let known = [head, &rules, &["player", "claim", "published", "stop", "tune"]].concat();
    let strays = settings::strays(&tree, &known);
    let misspelt = strays.iter().filter_map(|stray| stray.meant.clone()).collect::<Vec<_>>();
    mistakes.extend(strays.into_iter().map(|stray| stray.mistake));

    let players = tables(&mut tree, "player", "player", mistakes);
    if players.is_none() && !misspelt.iter().any(|key| key == "player") {
        mistakes
            .push(Diagnostic::of_file("there is no player").helped("each begins with a line `[[player]]`"));
    }
    let claims = tables(&mut tree, "claim", "claim", mistakes);
    let published = tables(&mut tree, "published", "published number", mistakes);
    let [stop, tune] = ["stop", "tune"].map(|key| table(&mut tree, key, mistakes));
    Sections {
        head: Written { table: take(&mut tree, head), header: 0..0 },
        rules: Written { table: take(&mut tree, &rules), header: 0..0 },
        players: players.unwrap_or_default(),
        claims: claims.unwrap_or_default(),
        published: published.unwrap_or_default(),
        stop,
        tune,
        misspelt,
    }
}

/// The one table under a key. Anything else is reported.
fn table<'a>(tree: &mut DeTable<'a>, key: &str, mistakes: &mut Vec<Diagnostic>) -> Option<Written<'a>> {
    let value = tree.remove(key)?;
    let header = value.span();
    let DeValue::Table(table) = value.into_inner() else {
        mistakes.push(Diagnostic::at(header, format!("must be one table headed `[{key}]`")));
        return None;
    };
    Some(Written { table, header })
}

/// The tables under one key, each with a header in double brackets and about one `thing`. Anything else is
/// reported. None if the key is not there.
fn tables<'a>(
    tree: &mut DeTable<'a>,
    key: &str,
    thing: &str,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Vec<Written<'a>>> {
    let value = tree.remove(key)?;
    let refusal = format!("must be a table headed `[[{key}]]`");
    let span = value.span();
    let items = match value.into_inner() {
        DeValue::Array(items) if items.is_empty() => {
            mistakes.push(Diagnostic::at(span, format!("there is no {thing} in this list")));
            items.into_iter().collect::<Vec<_>>()
        }
        DeValue::Array(items) => items.into_iter().collect(),
        // One pair of brackets in place of two is clear enough to go on.
        DeValue::Table(table) => {
            mistakes.push(Diagnostic::at(span.clone(), refusal.clone()));
            vec![Spanned::new(span, DeValue::Table(table))]
        }
        _ => {
            mistakes.push(Diagnostic::at(span, refusal.clone()));
            Vec::new()
        }
    };
    let written = items.into_iter().filter_map(|item| {
        let header = item.span();
        match item.into_inner() {
            DeValue::Table(table) => Some(Written { table, header }),
            _ => {
                mistakes.push(Diagnostic::at(header, refusal.clone()));
                None
            }
        }
    });
    Some(written.collect())
}
