//! `[tune.params]`: the tuned settings, and their ranges.

use gauntlet_analysis::config::driver::Context;
use gauntlet_core::arena::Entry;
use gauntlet_core::diagnostic::{Diagnostic, nearest};
use gauntlet_core::settings::SettingsTable;
use gauntlet_core::settings::content::{KeyContent, ValueType};
use gauntlet_core::settings::section::{self, NamedSections};
use gauntlet_core::settings::tree::{self, Leaf, PlacedValue, TomlTable};

use super::param::{FreeSetting, Param, ParamAsWritten, Row, is_valid, read_range};
use super::tried::TrialPlayer;

/// Largest number of settings of a tuning. Each takes games, and with more settings no budget of
/// days would suffice.
pub const MOST_PARAMS: usize = 50;

/// A `[tune.params]` as written.
#[derive(Debug)]
pub(super) struct Params(Vec<Row>);

impl ValueType for Params {
    fn read(written: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<Params> {
        let tree::TomlValue::Table(table) = written.get_ref() else {
            mistakes.push(Diagnostic::new(written.span(), "must be a table `[tune.params]`"));
            return None;
        };
        let before = mistakes.len();
        let rows = read_rows(table, mistakes);
        // If rows have mistakes, the table is not missing.
        (!rows.is_empty() || mistakes.len() == before).then_some(Params(rows))
    }
}

impl NamedSections for Params {
    type Row = ParamAsWritten;
}

/// Checks the tuned settings of this player, if it is known. `None` if there are mistakes.
pub(super) fn check(
    said: &KeyContent<Params>,
    context: Context,
    player: Option<&Entry>,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Vec<Param>> {
    let before = mistakes.len();
    let Params(rows) = said.value()?;
    let place = said.place().unwrap_or_default();
    if rows.is_empty() {
        let help = "add settings such as `weights.empty = { min = 0, max = 500 }`";
        mistakes.push(Diagnostic::new(place.clone(), "has no settings to tune").with_help(help));
    }
    if rows.len() > MOST_PARAMS {
        let message = format!("has {} settings; at most {MOST_PARAMS} can be tuned together", rows.len());
        mistakes.push(Diagnostic::new(place, message));
        return None;
    }
    let sound: Vec<&Row> = rows.iter().filter(|row| is_valid(row, mistakes)).collect();
    let free: Vec<FreeSetting> = sound.iter().filter_map(|row| read_range(row, mistakes)).collect();
    let Some(player) = player else {
        let known: Vec<&str> = free.iter().map(|free| free.row.key.as_str()).collect();
        find_ties(rows, &sound, &known, mistakes);
        return None;
    };
    let tried = TrialPlayer { context, player };
    let mut found = Vec::new();
    for free in free {
        found.extend(tried.check_setting(free, &found, mistakes));
    }
    let known: Vec<&str> = found.iter().map(|(free, _)| free.row.key.as_str()).collect();
    for (tied, to) in find_ties(rows, &sound, &known, mistakes) {
        let (_, param) = &found[to];
        if !param.choices.is_empty() {
            let message = format!("`{}` has choices; only numbers can be tied", param.key);
            mistakes.push(tied.written.tied_to.mistake(message));
            continue;
        }
        let Some((key, number)) = tried.resolve(tied, &[param.start, param.min, param.max], mistakes) else {
            continue;
        };
        let all = found.iter().flat_map(|(_, param)| std::iter::once(&param.key).chain(&param.tied));
        if all.into_iter().any(|known| *known == key) {
            mistakes.push(tied.make_mistake("is listed twice"));
        } else if number.is_f64() == param.is_whole {
            let kind = |is_whole: bool| if is_whole { "a whole number" } else { "not a whole number" };
            let message =
                format!("is {}, but `{}` is {}", kind(!param.is_whole), param.key, kind(param.is_whole));
            mistakes.push(tied.make_mistake(message));
        } else {
            found[to].1.tied.push(key);
        }
    }
    tried.try_all(&found, place, mistakes);
    (mistakes.len() == before).then(|| found.into_iter().map(|(_, param)| param).collect())
}

/// Returns the rows of the table, and of nested tables.
fn read_rows(table: &TomlTable, mistakes: &mut Vec<Diagnostic>) -> Vec<Row> {
    let is_row = |inner: &TomlTable| {
        let keys = section::key_names::<ParamAsWritten>();
        let is_table = |value: &PlacedValue| matches!(value.get_ref(), tree::TomlValue::Table(_));
        !inner.values().any(is_table)
            || inner.iter().any(|(key, value)| keys.contains(&key.get_ref().as_str()) && !is_table(value))
    };
    let mut rows: Vec<Row> = Vec::new();
    for Leaf { path, place, value } in tree::leaves(table, is_row) {
        let tree::TomlValue::Table(inner) = value.get_ref() else {
            let message = "must be a table such as { min = 0, max = 500 }";
            mistakes.push(Diagnostic::new(value.span(), message));
            continue;
        };
        let written = SettingsTable { table: inner.clone(), header: value.span() };
        let written = section::read("", ParamAsWritten::default(), &written, mistakes);
        let row = Row { key: path.join("."), place, written };
        if rows.iter().any(|known| known.key == row.key) {
            mistakes.push(row.make_mistake("is listed twice"));
        } else {
            rows.push(row);
        }
    }
    rows
}

/// Returns the tied settings of the valid rows, each with the index of the setting to which it is
/// tied.
fn find_ties<'l>(
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
            Some(_) if *to == row.key => ("a setting cannot be tied to itself".to_owned(), None),
            Some(other) if other.written.tied_to.is_written() => {
                (format!("`{to}` is itself tied: tie both to the same setting"), None)
            }
            // The other setting has mistakes, reported elsewhere.
            Some(_) => continue,
            None => {
                let near = nearest(to, rows.iter().map(|row| &*row.key).filter(|key| *key != row.key));
                let help = near.map(|near| format!("did you mean \"{near}\"?"));
                ("unknown setting in `[tune.params]`".to_owned(), help)
            }
        };
        let mistake = row.written.tied_to.mistake(message);
        mistakes.push(Diagnostic { help, ..mistake });
    }
    found
}
