//! `[tune.params]`: the settings that move, and how far.
//!
//! Nothing here knows the settings of an algorithm. Whether there is a setting, whether it is a whole number and what it may be
//! is asked of the algorithm itself: it is given the player's settings with a value put in.

use std::ops::Range;

use serde::Deserialize;
use serde_json::{Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::context::Context;
use super::super::sweep::DEEPEST;
use super::snippet::{at, put, snippet};
use crate::arena::Entrant;
use crate::diagnostic::{Diagnostic, nearest};
use crate::settings::{self, Written, shortest};

/// A setting that moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its dotted key, as tables of settings have it.
    pub key: String,
    /// The least value.
    pub min: f64,
    /// The largest value, which is more.
    pub max: f64,
    /// In which steps it moves.
    pub scale: Scale,
    /// Whether only whole numbers may stand there.
    pub is_whole: bool,
    /// The value that it starts from, from `min` to `max`.
    pub start: f64,
    /// The dotted keys of settings that always have the same value.
    pub tied: Vec<String>,
}

/// In which steps a setting moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Sums: from 10 it is as far to 0 as to 20.
    #[default]
    Linear,
    /// Products: from 10 it is as far to 5 as to 20.
    Log,
}

/// The most settings of one tuning. Each takes games, and with more of them no budget of days would do.
pub const MOST_PARAMS: usize = 50;

/// The largest number. Up to it every whole number is exact, and so is every difference.
const MOST: f64 = 1e15;

/// A number that a setting may have.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
struct Bound(f64);

impl TryFrom<f64> for Bound {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Bound, &'static str> {
        // Zero has no sign here.
        if number.abs() <= MOST {
            Ok(Bound(number + 0.0))
        } else {
            Err("must be a number from -1e15 to 1e15")
        }
    }
}

/// One setting of `[tune.params]` as written.
#[derive(Deserialize)]
pub(in crate::config) struct ParamAsWritten {
    min: Option<Bound>,
    max: Option<Bound>,
    scale: Option<Scale>,
    start: Option<Bound>,
    tied_to: Option<String>,
}

/// One line of `[tune.params]`.
struct Line<'a> {
    /// The dotted key as written.
    key: String,
    /// The place of the last part of the key.
    place: Range<usize>,
    /// What it is set to.
    written: Written<'a>,
}

impl Line<'_> {
    fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(self.place.clone(), message)
    }
}

/// Reads the settings that move, of this player if it is known. None where something in them is mistaken.
pub(super) fn check(
    value: &Spanned<DeValue>,
    context: Context,
    player: Option<&Entrant>,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Vec<Param>> {
    let before = mistakes.len();
    let DeValue::Table(table) = value.get_ref() else {
        mistakes.push(Diagnostic::at(value.span(), "must be a table headed `[tune.params]`"));
        return None;
    };
    let mut lines = Vec::new();
    descend(&[], table, &mut lines, mistakes);
    if lines.is_empty() && mistakes.len() == before {
        let help = "each is a line such as `weights.empty = { min = 0, max = 500 }`";
        mistakes.push(Diagnostic::at(value.span(), "names no setting that moves").helped(help));
    }
    if lines.len() > MOST_PARAMS {
        let message =
            format!("has {} settings, and at most {MOST_PARAMS} can be tuned together", lines.len());
        mistakes.push(Diagnostic::at(value.span(), message));
        return None;
    }
    let read: Vec<Option<ParamAsWritten>> = lines.iter().map(|line| read(line, mistakes)).collect();
    let mut free: Vec<Free> = Vec::new();
    for (line, read) in lines.iter().zip(&read) {
        if let Some(ParamAsWritten { min: Some(min), max: Some(max), scale, start, tied_to: None }) = read {
            let (min, max, start) = (min.0, max.0, start.map(|start| start.0));
            free.extend(ranged(line, min, max, start, scale.unwrap_or_default(), mistakes));
        }
    }
    let Some(player) = player else {
        let known: Vec<(String, bool)> = free.iter().map(|free| (free.line.key.clone(), false)).collect();
        ties(&lines, &read, &known, mistakes);
        return None;
    };
    let trial = Trial { context, player };
    let mut found = Vec::new();
    for free in free {
        found.extend(trial.settle(free, &found, mistakes));
    }
    let known: Vec<(String, bool)> =
        found.iter().map(|(free, param)| (free.line.key.clone(), param.is_whole)).collect();
    for (tied, to) in ties(&lines, &read, &known, mistakes) {
        let (_, param) = &found[to];
        let Some((key, number)) = trial.resolve(tied, &[param.start, param.min, param.max], mistakes) else {
            continue;
        };
        let all = found.iter().flat_map(|(_, param)| std::iter::once(&param.key).chain(&param.tied));
        if all.into_iter().any(|known| *known == key) {
            mistakes.push(tied.mistake("is listed twice"));
        } else if number.is_f64() == param.is_whole {
            let kind = |is_whole: bool| if is_whole { "a whole number" } else { "no whole number" };
            let message =
                format!("is {}, and `{}` is {}", kind(!param.is_whole), param.key, kind(param.is_whole));
            mistakes.push(tied.mistake(message));
        } else {
            found[to].1.tied.push(key);
        }
    }
    trial.try_all(&found, value.span(), mistakes);
    (mistakes.len() == before).then(|| found.into_iter().map(|(_, param)| param).collect())
}

/// The lines of the table, and of the tables in it.
fn descend<'a>(
    parents: &[String],
    table: &DeTable<'a>,
    lines: &mut Vec<Line<'a>>,
    mistakes: &mut Vec<Diagnostic>,
) {
    let keys = settings::fields::<ParamAsWritten>();
    for (key, value) in table {
        let mut path = parents.to_vec();
        path.extend(key.get_ref().split('.').map(str::to_owned));
        let DeValue::Table(inner) = value.get_ref() else {
            let message = "must be a table such as { min = 0, max = 500 }";
            mistakes.push(Diagnostic::at(value.span(), message));
            continue;
        };
        let is_table = |value: &Spanned<DeValue>| value.get_ref().is_table();
        let is_line = !inner.values().any(is_table)
            || inner.iter().any(|(key, value)| keys.contains(&key.get_ref().as_ref()) && !is_table(value));
        if !is_line && path.len() < DEEPEST {
            descend(&path, inner, lines, mistakes);
            continue;
        }
        let written = Written { table: inner.clone(), header: value.span() };
        let line = Line { key: path.join("."), place: key.span(), written };
        if lines.iter().any(|known| known.key == line.key) {
            mistakes.push(line.mistake("is listed twice"));
        } else {
            lines.push(line);
        }
    }
}

/// One line, with either its range or what it is tied to.
fn read(line: &Line, mistakes: &mut Vec<Diagnostic>) -> Option<ParamAsWritten> {
    let before = mistakes.len();
    let read = settings::read::<ParamAsWritten>(&line.written, "");
    let has = |key: &str| line.written.table.get(key).is_some();
    let strays = settings::strays(&line.written.table, settings::fields::<ParamAsWritten>());
    let is_meant = |key: &str| strays.iter().any(|stray| stray.meant.as_deref() == Some(key));
    if has("tied_to") {
        for key in ["min", "max", "scale", "start"].into_iter().filter(|key| has(key)) {
            let message = "a tied setting has this from the one that it is tied to".to_owned();
            mistakes.push(line.written.blame(key, message));
        }
    } else if !is_meant("tied_to") {
        for key in ["min", "max"].into_iter().filter(|key| !has(key) && !is_meant(key)) {
            mistakes.push(line.written.blame(key, settings::missing(key)));
        }
    }
    let read = read.map_err(|refused| mistakes.extend(refused)).ok()?;
    (mistakes.len() == before).then_some(read)
}

/// A setting with a range of its own; that there is such a setting is not known yet.
struct Free<'l, 'a> {
    line: &'l Line<'a>,
    min: f64,
    max: f64,
    start: Option<f64>,
    scale: Scale,
}

/// A setting whose range is a range.
fn ranged<'l, 'a>(
    line: &'l Line<'a>,
    min: f64,
    max: f64,
    start: Option<f64>,
    scale: Scale,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Free<'l, 'a>> {
    let before = mistakes.len();
    if min >= max {
        let message = format!("must be below `max`, which is {}", shortest(max));
        mistakes.push(line.written.blame("min", message));
    } else if let Some(start) = start.filter(|start| !(min..=max).contains(start)) {
        mistakes.push(line.written.blame("start", outside(start, min, max)));
    }
    if scale == Scale::Log && min <= 0.0 {
        let message = "must be above 0 where `scale = \"log\"`".to_owned();
        mistakes.push(line.written.blame("min", message));
    }
    (mistakes.len() == before).then_some(Free { line, min, max, start, scale })
}

fn outside(start: f64, min: f64, max: f64) -> String {
    format!("{} is not from {} to {}", shortest(start), shortest(min), shortest(max))
}

/// The tied lines, each with the place of the setting that it is tied to among these.
fn ties<'l, 'a>(
    lines: &'l [Line<'a>],
    read: &[Option<ParamAsWritten>],
    known: &[(String, bool)],
    mistakes: &mut Vec<Diagnostic>,
) -> Vec<(&'l Line<'a>, usize)> {
    let mut found = Vec::new();
    for (line, read) in lines.iter().zip(read) {
        let Some(to) = read.as_ref().and_then(|read| read.tied_to.as_ref()) else { continue };
        if let Some(place) = known.iter().position(|(key, _)| key == to) {
            found.push((line, place));
            continue;
        }
        let other = lines.iter().position(|other| other.key == *to);
        let (message, help) = match other {
            Some(_) if *to == line.key => ("a setting is not tied to itself".to_owned(), None),
            Some(other) if lines[other].written.table.get("tied_to").is_some() => {
                (format!("`{to}` is tied itself: tie both to the same one"), None)
            }
            // That one has mistakes of its own.
            Some(_) => continue,
            None => {
                let near = nearest(to, lines.iter().map(|line| &*line.key).filter(|key| *key != line.key));
                let help = near.map(|near| format!("did you mean \"{near}\"?"));
                ("there is no such setting in `[tune.params]`".to_owned(), help)
            }
        };
        let mistake = line.written.blame("tied_to", message);
        mistakes.push(Diagnostic { help, ..mistake });
    }
    found
}

/// A player whose settings are tried with other values.
struct Trial<'a> {
    context: Context<'a>,
    player: &'a Entrant,
}

impl Trial<'_> {
    /// The player with such settings.
    fn enter(&self, settings: &Value) -> Result<Entrant, Vec<Diagnostic>> {
        let text = snippet(settings);
        let table = DeTable::parse(&text).expect("settings can be written as TOML").into_inner();
        let written = Written { table, header: 0..0 };
        self.context.arena.enter(self.context.rules, self.player.algorithm, &written)
    }

    /// The key and the value of the number that a key leads to in these settings, if it leads to one. A table of which one number
    /// can be written in its place leads to this number: a weight stands for itself and the usual power.
    fn number(&self, settings: &Value, key: &str) -> Option<(String, Number)> {
        match at(settings, key)? {
            Value::Number(number) => Some((key.to_owned(), number.clone())),
            Value::Object(fields) => fields.iter().find_map(|(name, value)| {
                let Value::Number(number) = value else { return None };
                let mut short = settings.clone();
                put(&mut short, key, number.as_f64()?, !number.is_f64());
                let is_same = self.enter(&short).is_ok_and(|entrant| entrant.settings == *settings);
                is_same.then(|| (format!("{key}.{name}"), number.clone()))
            }),
            _ => None,
        }
    }

    /// The setting of a line: its key, and a number that can stand there: the player's own value, or where it has none one of
    /// those in `values`. Reports where there is no such setting, or it is no number.
    fn resolve(
        &self,
        line: &Line,
        values: &[f64],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(String, Number)> {
        let settings = &self.player.settings;
        if let Some(value) = at(settings, &line.key) {
            let number = self.number(settings, &line.key);
            if number.is_none() {
                let mut mistake = line.mistake("is no number");
                mistake.help = value.as_object().and_then(|fields| {
                    let numbers = fields.iter().filter(|(_, value)| value.is_number() || value.is_object());
                    let keys: Vec<String> =
                        numbers.map(|(name, _)| format!("`{}.{name}`", line.key)).collect();
                    (!keys.is_empty()).then(|| format!("there are {}", crate::text::listed(&keys, 4)))
                });
                mistakes.push(mistake);
            }
            return number;
        }
        let mut refused = Vec::new();
        for &value in values.iter().chain(&[1.0]) {
            for is_whole in [false, true] {
                if is_whole && value.fract() != 0.0 {
                    continue;
                }
                let mut tried = settings.clone();
                put(&mut tried, &line.key, value, is_whole);
                match self.enter(&tried) {
                    Ok(entrant) => {
                        if let Some(found) = self.number(&entrant.settings, &line.key) {
                            return Some(found);
                        }
                    }
                    Err(said) => refused = said,
                }
            }
        }
        mistakes.push(self.unknown(line, refused));
        None
    }

    /// What is said of a key that is no setting, and of which the player says something itself.
    fn unknown(&self, line: &Line, refused: Vec<Diagnostic>) -> Diagnostic {
        let known = settings::flat(&self.player.settings);
        if let Some(near) = nearest(&line.key, known.iter().map(|(key, _)| key.as_str())) {
            return line.mistake("there is no such setting").helped(format!("did you mean `{near}`?"));
        }
        let first = line.key.split('.').next().unwrap_or_default();
        if self.player.settings.get(first).is_some()
            && let Some(said) = refused.into_iter().next()
        {
            return Diagnostic { help: said.help, ..line.mistake(said.message) };
        }
        let help = format!("`gauntlet players {}` shows its settings", self.player.algorithm);
        line.mistake("there is no such setting").helped(help)
    }

    /// A setting that moves, with what the player says of it.
    fn settle<'l, 'a>(
        &self,
        free: Free<'l, 'a>,
        earlier: &[(Free, Param)],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(Free<'l, 'a>, Param)> {
        let before = mistakes.len();
        let line = free.line;
        let values: Vec<f64> = free.start.into_iter().chain([free.min, free.max]).collect();
        let (key, number) = self.resolve(line, &values, mistakes)?;
        if earlier.iter().any(|(_, param)| param.key == key) {
            mistakes.push(line.mistake("is listed twice"));
            return None;
        }
        let is_whole = !number.is_f64();
        for (name, value) in [("min", Some(free.min)), ("max", Some(free.max)), ("start", free.start)] {
            if is_whole && value.is_some_and(|value| value.fract() != 0.0) {
                let message = "must be a whole number, as this setting is one".to_owned();
                mistakes.push(line.written.blame(name, message));
            }
        }
        if mistakes.len() > before {
            return None;
        }
        let own = at(&self.player.settings, &key).and_then(Value::as_f64);
        let Some(start) = free.start.or(own) else {
            mistakes.push(line.mistake("the player sets no value to start from").helped("write its `start`"));
            return None;
        };
        if !(free.min..=free.max).contains(&start) {
            let message = format!("starts where the player sets it: {}", outside(start, free.min, free.max));
            let help = "write another `start`, or widen the range";
            mistakes.push(line.mistake(message).helped(help));
            return None;
        }
        let (min, max, scale) = (free.min, free.max, free.scale);
        Some((free, Param { key, min, max, scale, is_whole, start, tied: Vec::new() }))
    }

    /// Tries the start of all settings together, and from there both ends of each range alone.
    fn try_all(&self, found: &[(Free, Param)], place: Range<usize>, mistakes: &mut Vec<Diagnostic>) {
        let mut start = self.player.settings.clone();
        for (_, param) in found {
            param.put(&mut start, param.start);
        }
        match self.enter(&start) {
            Ok(entrant) if !entrant.is_reproducible() => {
                let message =
                    "the player is limited by time from these starts on, and clocks do not steer a tuning";
                mistakes.push(Diagnostic::at(place, message));
                return;
            }
            Ok(_) => {}
            Err(refused) => {
                let is_told = self.try_starts(found, mistakes);
                if !is_told {
                    mistakes.extend(refusals(refused, "these starts together", &place));
                }
                return;
            }
        }
        for (free, param) in found {
            for (key, end) in [("min", param.min), ("max", param.max)] {
                let mut tried = start.clone();
                param.put(&mut tried, end);
                if let Err(refused) = self.enter(&tried) {
                    let place = free.line.written.blame(key, String::new()).span.unwrap_or_default();
                    mistakes.extend(refusals(refused, "this value", &place));
                }
            }
        }
    }

    /// Tries the start of each setting alone, and tells whether one is refused.
    fn try_starts(&self, found: &[(Free, Param)], mistakes: &mut Vec<Diagnostic>) -> bool {
        let before = mistakes.len();
        for (free, param) in found {
            let mut tried = self.player.settings.clone();
            param.put(&mut tried, param.start);
            if let Err(refused) = self.enter(&tried) {
                let place = free.line.written.blame("start", String::new()).span.unwrap_or_default();
                mistakes.extend(refusals(refused, "this start", &place));
            }
        }
        mistakes.len() > before
    }
}

impl Param {
    /// Puts a value into the settings of a player, here and where this setting is tied.
    pub(in crate::config) fn put(&self, settings: &mut Value, value: f64) {
        for key in std::iter::once(&self.key).chain(&self.tied) {
            put(settings, key, value, self.is_whole);
        }
    }
}

/// What a player says of values that it does not take, at the place of these values.
fn refusals(said: Vec<Diagnostic>, what: &str, place: &Range<usize>) -> Vec<Diagnostic> {
    let refusal = |said: Diagnostic| Diagnostic {
        span: Some(place.clone()),
        message: format!("the player refuses {what}: {}", said.message),
        help: said.help,
    };
    said.into_iter().map(refusal).collect()
}
