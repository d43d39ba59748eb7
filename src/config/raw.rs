//! An experiment as written: its keys sorted by whose they are, each with its place, none of them trusted yet.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::ops::Range;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, Visitor};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::name::Name;
use super::published::{Range as Numbers, Source};
use super::stop::{Difference, MethodName};
use crate::arena::{Arena, GAMES, Rules};
use crate::diagnostic::Diagnostic;
use crate::measure::Measure;
use crate::num::{Level, Risk, Share};
use crate::rng::SEED_LIMIT;
use crate::settings::{self, Written};

/// The keys of an experiment's file by whose they are.
pub(super) struct Raw<'a> {
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
    /// Keys that are there, but misspelt: they are not missing.
    pub(super) misspelt: Vec<String>,
}

/// What an experiment says of itself.
#[derive(Deserialize)]
pub(super) struct Head {
    pub(super) name: Name,
    #[allow(
        dead_code,
        reason = "the game is found before the rest is read, and only its type is checked here"
    )]
    pub(super) game: String,
    pub(super) seed: Option<SeedNumber>,
    pub(super) games: Option<Games>,
    pub(super) seeds: Option<Vec<SeedNumber>>,
    pub(super) max_moves: Option<NonZeroU32>,
}

impl Head {
    /// Values for the keys that must be there.
    pub(super) const EXAMPLE: &str = "name = 'x'\ngame = '2048'";
}

/// What every player says of itself, whatever its algorithm.
#[derive(Deserialize)]
pub(super) struct PlayerHead {
    #[allow(dead_code, reason = "names are collected as written, and only checked here")]
    pub(super) name: Name,
    #[allow(dead_code, reason = "likewise")]
    pub(super) algorithm: String,
}

impl PlayerHead {
    /// Values for the keys that must be there.
    pub(super) const EXAMPLE: &str = "name = 'x'\nalgorithm = 'x'";
}

/// A claim, whose players are still only names.
#[derive(Deserialize)]
pub(super) struct ClaimAsWritten {
    #[allow(dead_code, reason = "names are looked up as written, and only their type is checked here")]
    pub(super) better: String,
    #[allow(dead_code, reason = "likewise")]
    pub(super) than: String,
    #[allow(dead_code, reason = "read with the measures of the game")]
    pub(super) by: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) level: Level,
    pub(super) margin: Option<Share>,
}

impl ClaimAsWritten {
    /// Values for the keys that must be there.
    pub(super) const EXAMPLE: &str = "better = 'x'\nthan = 'y'";
}

/// A comparison that may end early, whose players are still only names.
#[derive(Deserialize)]
pub(super) struct StopAsWritten {
    #[allow(dead_code, reason = "names are looked up as written, and only their type is checked here")]
    pub(super) better: String,
    #[allow(dead_code, reason = "likewise")]
    pub(super) than: String,
    #[allow(dead_code, reason = "read with the measures of the game")]
    pub(super) by: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) method: MethodName,
    pub(super) difference: Option<Difference>,
    pub(super) alpha: Option<Risk>,
    pub(super) beta: Option<Risk>,
    pub(super) level: Option<Level>,
}

impl StopAsWritten {
    /// Values for the keys that must be there.
    pub(super) const EXAMPLE: &str = "better = 'x'\nthan = 'y'";
}

/// A published number, whose player is still only a name.
#[derive(Deserialize)]
pub(super) struct PublishedAsWritten {
    #[allow(dead_code, reason = "the name is looked up as written, and only its type is checked here")]
    pub(super) player: String,
    #[allow(dead_code, reason = "read with the measures of the game")]
    pub(super) what: IgnoredAny,
    pub(super) value: Numbers,
    pub(super) games: Option<NonZeroU64>,
    pub(super) source: Source,
}

impl PublishedAsWritten {
    /// Values for the keys that must be there.
    pub(super) const EXAMPLE: &str = "player = 'x'\nwhat = 'win'\nvalue = 0.5\nsource = 'x'";
}

/// A seed that can be written as a TOML integer.
#[derive(Clone, Copy)]
pub(super) struct SeedNumber(pub(super) u64);

impl<'de> Deserialize<'de> for SeedNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SeedNumber, D::Error> {
        let limit = SEED_LIMIT - 1;
        let refusal = format!("a seed is a whole number from 0 to {limit}");
        let expecting = format!("a whole number from 0 to {limit}");
        let read = |number| u64::try_from(number).ok().filter(|seed| *seed < SEED_LIMIT).map(SeedNumber);
        deserializer
            .deserialize_any(WholeNumber { expecting, read: |number| read(number).ok_or(refusal.clone()) })
    }
}

/// How many games each player plays.
pub(super) struct Games(pub(super) u64);

/// More games than this are not a plan but a slip of the finger: at a million games a second it would take a
/// quarter of an hour for each player, and the slowest players need a second for each game.
const MOST_GAMES: u64 = 1_000_000_000;

impl<'de> Deserialize<'de> for Games {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Games, D::Error> {
        let read = |number| match u64::try_from(number) {
            Ok(0) | Err(_) if number <= 0 => Err("each player must play at least 1 game".to_owned()),
            Ok(games) if games <= MOST_GAMES => Ok(Games(games)),
            _ => Err(format!("each player may play at most {MOST_GAMES} games")),
        };
        let expecting = format!("a whole number from 1 to {MOST_GAMES}");
        deserializer.deserialize_any(WholeNumber { expecting, read })
    }
}

/// Reads a whole number of any size, to give it a range of its own and words of its own.
struct WholeNumber<F> {
    expecting: String,
    read: F,
}

impl<T, F: Fn(i128) -> Result<T, String>> Visitor<'_> for WholeNumber<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.expecting)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_i128(number.into())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        self.visit_i128(number.into())
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<T, E> {
        (self.read)(number).map_err(E::custom)
    }
}

/// Sorts the keys of a file. Those that nobody knows are reported and left out.
pub(super) fn split<'a>(mut tree: DeTable<'a>, mistakes: &mut Vec<Diagnostic>) -> Raw<'a> {
    let head = settings::fields::<Head>();
    let rules = GAMES.iter().flat_map(|arena| (arena.rule_keys)().iter().copied()).collect::<Vec<_>>();
    let known = [head, &rules, &["player", "claim", "published", "stop"]].concat();
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
    let stop = tree.remove("stop").and_then(|value| {
        let header = value.span();
        let DeValue::Table(table) = value.into_inner() else {
            mistakes.push(Diagnostic::at(header, "must be one table headed `[stop]`"));
            return None;
        };
        Some(Written { table, header })
    });
    Raw {
        head: Written { table: take(&mut tree, head), header: 0..0 },
        rules: Written { table: take(&mut tree, &rules), header: 0..0 },
        players: players.unwrap_or_default(),
        claims: claims.unwrap_or_default(),
        published: published.unwrap_or_default(),
        stop,
        misspelt,
    }
}

/// The tables under one key, each with a header in double brackets and about one `thing`. What is written differently
/// is reported; none if there is nothing at all.
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

/// The measure under a key: one that may stand there, and that the rules let players be compared by.
pub(super) fn measure(
    written: &Written,
    key: &str,
    arena: &Arena,
    rules: &Rules,
    may_stand: fn(Measure) -> bool,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Measure> {
    let value = written.table.get(key)?;
    match arena.measures().read(value, may_stand) {
        Ok(measure) => {
            let refusal = arena.refusal(rules, measure);
            mistakes.extend(refusal.map(|message| Diagnostic::at(value.span(), message)));
            Some(measure)
        }
        Err(mistake) => {
            mistakes.push(mistake);
            None
        }
    }
}

/// The measure under `by`; wins where it is not written and the game has them.
pub(super) fn by(
    written: &Written,
    arena: &Arena,
    rules: &Rules,
    may_stand: fn(Measure) -> bool,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Measure> {
    if written.table.get("by").is_some() {
        return measure(written, "by", arena, rules, may_stand, mistakes);
    }
    if arena.measures().has(Measure::Win) {
        return Some(Measure::Win);
    }
    mistakes.push(written.blame("by", settings::missing("by")));
    None
}

/// Takes some keys out of a table, as a table of their own.
pub(super) fn take<'a>(table: &mut DeTable<'a>, keys: &[&str]) -> DeTable<'a> {
    keys.iter().filter_map(|key| table.remove_entry(*key)).collect()
}

/// The text under a key, if there is one.
pub(super) fn text<'t>(table: &'t DeTable, key: &str) -> Option<&'t str> {
    table.get(key)?.get_ref().as_str()
}

/// Where the value of a key stands.
pub(super) fn span(table: &DeTable, key: &str) -> Option<Range<usize>> {
    table.get(key).map(Spanned::span)
}
