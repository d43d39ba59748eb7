//! `[tune.params]`: the settings that move, and how far.
//!
//! Nothing here knows the settings of an algorithm. Whether there is a setting, whether it is a whole number
//! and what it may be is asked of the algorithm itself: it is given the player's settings with a value put
//! in.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::values::{Bound, at, put};
use crate::arena::Entrant;
use crate::config::context::Context;
use crate::diagnostic::{Diagnostic, nearest};
use crate::settings::section::{self, Header, Keys, Said, Section, Wire};
use crate::settings::tree::{self, Leaf, Placed, Table, unplaced};
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
    /// True if it takes whole numbers only.
    pub is_whole: bool,
    /// The value that it starts from, from `min` to `max`.
    pub start: f64,
    /// The dotted keys of settings that always have the same value.
    pub tied: Vec<String>,
}

/// In which steps a setting moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// One setting of `[tune.params]` as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ParamAsWritten {
    header: Header,
    min: Said<Bound>,
    max: Said<Bound>,
    scale: Said<Scale>,
    start: Said<Bound>,
    tied_to: Said<String>,
}

impl Section for ParamAsWritten {
    fn keys(&mut self, keys: &mut Keys) {
        keys.header(&mut self.header);
        keys.key("min", &mut self.min);
        keys.key("max", &mut self.max);
        keys.key("scale", &mut self.scale);
        keys.key("start", &mut self.start);
        keys.key("tied_to", &mut self.tied_to);
    }
}

/// A `[tune.params]` as written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Params(Vec<Row>);

/// One row of `[tune.params]`.
#[derive(Clone, Debug)]
struct Row {
    /// The dotted key as written.
    key: String,
    /// The place of the last part of the key.
    place: Range<usize>,
    /// Its values.
    written: ParamAsWritten,
}

impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        (&self.key, &self.written) == (&other.key, &other.written)
    }
}

impl Row {
    fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(self.place.clone(), message)
    }
}

impl Wire for Params {
    fn read(written: &Placed, mistakes: &mut Vec<Diagnostic>) -> Option<Params> {
        let tree::Value::Table(table) = written.get_ref() else {
            mistakes.push(Diagnostic::at(written.span(), "must be a table headed `[tune.params]`"));
            return None;
        };
        let before = mistakes.len();
        let rows = rows(table, mistakes);
        // Lines that are mistaken are not missing.
        (!rows.is_empty() || mistakes.len() == before).then_some(Params(rows))
    }

    fn write(&self) -> tree::Value {
        let value = |row: &Row| unplaced(tree::Value::Table(section::table(&row.written)));
        tree::Value::Table(self.0.iter().map(|row| (unplaced(row.key.clone()), value(row))).collect())
    }
}

/// The settings that move, of this player if it is known. None where something in them is mistaken.
pub(super) fn check(
    said: &Said<Params>,
    context: Context,
    player: Option<&Entrant>,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Vec<Param>> {
    let before = mistakes.len();
    let Params(rows) = said.value()?;
    let place = said.place().unwrap_or_default();
    if rows.is_empty() {
        let help = "each is a row such as `weights.empty = { min = 0, max = 500 }`";
        mistakes.push(Diagnostic::at(place.clone(), "names no setting that moves").helped(help));
    }
    if rows.len() > MOST_PARAMS {
        let message = format!("has {} settings, and at most {MOST_PARAMS} can be tuned together", rows.len());
        mistakes.push(Diagnostic::at(place, message));
        return None;
    }
    let sound: Vec<&Row> = rows.iter().filter(|row| is_sound(row, mistakes)).collect();
    let free: Vec<Free> = sound.iter().filter_map(|row| ranged(row, mistakes)).collect();
    let Some(player) = player else {
        let known: Vec<&str> = free.iter().map(|free| free.row.key.as_str()).collect();
        ties(rows, &sound, &known, mistakes);
        return None;
    };
    let tried = Tried { context, player };
    let mut found = Vec::new();
    for free in free {
        found.extend(tried.settle(free, &found, mistakes));
    }
    let known: Vec<&str> = found.iter().map(|(free, _)| free.row.key.as_str()).collect();
    for (tied, to) in ties(rows, &sound, &known, mistakes) {
        let (_, param) = &found[to];
        let Some((key, number)) = tried.resolve(tied, &[param.start, param.min, param.max], mistakes) else {
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
    tried.try_all(&found, place, mistakes);
    (mistakes.len() == before).then(|| found.into_iter().map(|(_, param)| param).collect())
}

/// The rows of the table, and of the tables in it.
fn rows(table: &Table, mistakes: &mut Vec<Diagnostic>) -> Vec<Row> {
    let is_row = |inner: &Table| {
        let keys = ["min", "max", "scale", "start", "tied_to"];
        let is_table = |value: &Placed| matches!(value.get_ref(), tree::Value::Table(_));
        !inner.values().any(is_table)
            || inner.iter().any(|(key, value)| keys.contains(&key.get_ref().as_str()) && !is_table(value))
    };
    let mut rows: Vec<Row> = Vec::new();
    for Leaf { path, place, value } in tree::leaves(table, is_row) {
        let tree::Value::Table(inner) = value.get_ref() else {
            let message = "must be a table such as { min = 0, max = 500 }";
            mistakes.push(Diagnostic::at(value.span(), message));
            continue;
        };
        let written = Written { table: inner.clone(), header: value.span() };
        let written = section::read(ParamAsWritten::default(), &written, mistakes);
        let row = Row { key: path.join("."), place, written };
        if rows.iter().any(|known| known.key == row.key) {
            mistakes.push(row.mistake("is listed twice"));
        } else {
            rows.push(row);
        }
    }
    rows
}

/// True if a row has either a range or a setting that it is tied to, and no mistake.
fn is_sound(row: &Row, mistakes: &mut Vec<Diagnostic>) -> bool {
    let before = mistakes.len();
    let ParamAsWritten { header, min, max, scale, start, tied_to } = &row.written;
    let places = [min.place(), max.place(), scale.place(), start.place()];
    if tied_to.is_written() {
        let message = "a tied setting has this from the one that it is tied to";
        mistakes.extend(places.into_iter().flatten().map(|place| Diagnostic::at(place, message)));
    } else {
        for (key, said) in [("min", min), ("max", max)].into_iter().filter(|(_, said)| !said.is_written()) {
            mistakes.push(said.blame(header, settings::missing(key)));
        }
    }
    let is_read = !(min.is_mistaken() || max.is_mistaken() || scale.is_mistaken() || start.is_mistaken());
    is_read && !tied_to.is_mistaken() && mistakes.len() == before
}

/// A setting with a range of its own; that there is such a setting is not known yet.
struct Free<'l> {
    row: &'l Row,
    min: f64,
    max: f64,
    start: Option<f64>,
    scale: Scale,
}

/// A setting whose range is a range.
fn ranged<'l>(row: &'l Row, mistakes: &mut Vec<Diagnostic>) -> Option<Free<'l>> {
    let before = mistakes.len();
    let ParamAsWritten { header, min: least, start: first, .. } = &row.written;
    let (min, max) = (least.value()?.get(), row.written.max.value()?.get());
    let start = first.value().map(|start| start.get());
    let scale = row.written.scale.value().copied().unwrap_or_default();
    if min >= max {
        mistakes.push(least.blame(header, format!("must be below `max`, which is {}", shortest(max))));
    } else if let Some(start) = start.filter(|start| !(min..=max).contains(start)) {
        mistakes.push(first.blame(header, outside(start, min, max)));
    }
    if scale == Scale::Log && min <= 0.0 {
        mistakes.push(least.blame(header, "must be above 0 where `scale = \"log\"`"));
    }
    (mistakes.len() == before).then_some(Free { row, min, max, start, scale })
}

fn outside(start: f64, min: f64, max: f64) -> String {
    format!("{} is not from {} to {}", shortest(start), shortest(min), shortest(max))
}

/// The tied ones of the sound rows, each with the place of the setting that it is tied to among these.
fn ties<'l>(
    rows: &[Row],
    sound: &[&'l Row],
    known: &[&str],
    mistakes: &mut Vec<Diagnostic>,
) -> Vec<(&'l Row, usize)> {
    let mut found = Vec::new();
    for &row in sound {
        let Some(to) = row.written.tied_to.value() else { continue };
        if let Some(place) = known.iter().position(|key| key == to) {
            found.push((row, place));
            continue;
        }
        let (message, help) = match rows.iter().find(|other| other.key == *to) {
            Some(_) if *to == row.key => ("a setting is not tied to itself".to_owned(), None),
            Some(other) if other.written.tied_to.is_written() => {
                (format!("`{to}` is tied itself: tie both to the same one"), None)
            }
            // That one has mistakes of its own.
            Some(_) => continue,
            None => {
                let near = nearest(to, rows.iter().map(|row| &*row.key).filter(|key| *key != row.key));
                let help = near.map(|near| format!("did you mean \"{near}\"?"));
                ("there is no such setting in `[tune.params]`".to_owned(), help)
            }
        };
        let mistake = row.written.tied_to.blame(&row.written.header, message);
        mistakes.push(Diagnostic { help, ..mistake });
    }
    found
}

/// A player whose settings are tried with other values.
struct Tried<'a> {
    context: Context<'a>,
    player: &'a Entrant,
}

impl Tried<'_> {
    /// The player with such settings.
    fn enter(&self, settings: &Value) -> Result<Entrant, Vec<Diagnostic>> {
        let written = Written { table: tree::of_settings(settings), header: 0..0 };
        self.context.arena.enter(self.context.rules, self.player.algorithm, &written)
    }

    /// The key and the value of the number that a key leads to in these settings, if it leads to one. A table
    /// of which one number can be written in its place leads to this number: a weight stands for itself and
    /// the usual power.
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

    /// The setting of a row: its key, and a number that can stand there: the player's own value, or where it
    /// has none one of those in `values`. Reports where there is no such setting, or it is no number.
    fn resolve(&self, row: &Row, values: &[f64], mistakes: &mut Vec<Diagnostic>) -> Option<(String, Number)> {
        let settings = &self.player.settings;
        if let Some(value) = at(settings, &row.key) {
            let number = self.number(settings, &row.key);
            if number.is_none() {
                let mut mistake = row.mistake("is no number");
                mistake.help = value.as_object().and_then(|fields| {
                    let numbers = fields.iter().filter(|(_, value)| value.is_number() || value.is_object());
                    let keys: Vec<String> =
                        numbers.map(|(name, _)| format!("`{}.{name}`", row.key)).collect();
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
                put(&mut tried, &row.key, value, is_whole);
                match self.enter(&tried) {
                    Ok(entrant) => {
                        if let Some(found) = self.number(&entrant.settings, &row.key) {
                            return Some(found);
                        }
                    }
                    Err(said) => refused = said,
                }
            }
        }
        mistakes.push(self.unknown(row, refused));
        None
    }

    /// Message for a key that is no setting, and of which the player says something itself.
    fn unknown(&self, row: &Row, refused: Vec<Diagnostic>) -> Diagnostic {
        let known = settings::flat(&self.player.settings);
        if let Some(near) = nearest(&row.key, known.iter().map(|(key, _)| key.as_str())) {
            return row.mistake("there is no such setting").helped(format!("did you mean `{near}`?"));
        }
        let first = row.key.split('.').next().unwrap_or_default();
        if self.player.settings.get(first).is_some()
            && let Some(said) = refused.into_iter().next()
        {
            return Diagnostic { help: said.help, ..row.mistake(said.message) };
        }
        let help = format!("`gauntlet players {}` shows its settings", self.player.algorithm);
        row.mistake("there is no such setting").helped(help)
    }

    /// A setting that moves, with what the player says of it.
    fn settle<'l>(
        &self,
        free: Free<'l>,
        earlier: &[(Free, Param)],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(Free<'l>, Param)> {
        let before = mistakes.len();
        let row = free.row;
        let values: Vec<f64> = free.start.into_iter().chain([free.min, free.max]).collect();
        let (key, number) = self.resolve(row, &values, mistakes)?;
        if earlier.iter().any(|(_, param)| param.key == key) {
            mistakes.push(row.mistake("is listed twice"));
            return None;
        }
        let is_whole = !number.is_f64();
        let ParamAsWritten { header, min, max, start, .. } = &row.written;
        for said in [min, max, start] {
            if is_whole && said.value().is_some_and(|value| value.get().fract() != 0.0) {
                mistakes.push(said.blame(header, "must be a whole number, as this setting is one"));
            }
        }
        if mistakes.len() > before {
            return None;
        }
        let own = at(&self.player.settings, &key).and_then(Value::as_f64);
        let Some(start) = free.start.or(own) else {
            mistakes.push(row.mistake("the player sets no value to start from").helped("write its `start`"));
            return None;
        };
        if !(free.min..=free.max).contains(&start) {
            let message = format!("starts where the player sets it: {}", outside(start, free.min, free.max));
            let help = "write another `start`, or widen the range";
            mistakes.push(row.mistake(message).helped(help));
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
            let ParamAsWritten { min, max, .. } = &free.row.written;
            for (said, end) in [(min, param.min), (max, param.max)] {
                let mut tried = start.clone();
                param.put(&mut tried, end);
                if let Err(refused) = self.enter(&tried) {
                    let place = said.place().unwrap_or_default();
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
                let ParamAsWritten { header, start, .. } = &free.row.written;
                let place = start.place().unwrap_or(header.0.clone());
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

/// Refusals of a player, at the place of the values that it refuses.
fn refusals(said: Vec<Diagnostic>, what: &str, place: &Range<usize>) -> Vec<Diagnostic> {
    let refusal = |said: Diagnostic| Diagnostic {
        span: Some(place.clone()),
        message: format!("the player refuses {what}: {}", said.message),
        help: said.help,
    };
    said.into_iter().map(refusal).collect()
}
