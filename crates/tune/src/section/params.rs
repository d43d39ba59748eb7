//! `[tune.params]`: the tuned settings, and their ranges.

use gauntlet_analysis::config::driver::Context;
use gauntlet_core::arena::Entry;
use gauntlet_core::diagnostic::{Diagnostic, nearest};
use gauntlet_core::settings::SettingsTable;
use gauntlet_core::settings::content::{KeyContent, ValueType};
use gauntlet_core::settings::section::{self, NamedSections};
use gauntlet_core::settings::tree::{self, Leaf, PlacedValue, TomlTable};

use super::param::{FreeSetting, Param, ParamAsWritten, Row, is_valid, read_range};
use super::trial_player::TrialPlayer;

/// Largest number of settings of a tuning. Each takes games, and with more settings no budget of
/// days would suffice.
pub const MAX_PARAMS: usize = 50;

/// A `[tune.params]` as written.
#[derive(Debug)]
pub(super) struct Params(Vec<Row>);

impl ValueType for Params {
    fn read(value: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<Params> {
        let tree::TomlValue::Table(table) = value.get_ref() else {
            mistakes.push(Diagnostic::new(value.span(), "must be a table `[tune.params]`"));
            return None;
        };
        let earlier_count = mistakes.len();
        let rows = read_rows(table, mistakes);
        // If rows have mistakes, the table is not missing.
        (!rows.is_empty() || mistakes.len() == earlier_count).then_some(Params(rows))
    }
}

impl NamedSections for Params {
    type Row = ParamAsWritten;
}

/// Checks the tuned settings of this player, if it is known. `None` if there are mistakes.
pub(super) fn check(
    content: &KeyContent<Params>,
    context: Context,
    player: Option<&Entry>,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Vec<Param>> {
    let earlier_count = mistakes.len();
    let Params(rows) = content.value()?;
    let span = content.span().unwrap_or_default();
    if rows.is_empty() {
        let help = "add settings such as `weights.empty = { min = 0, max = 500 }`";
        mistakes.push(Diagnostic::new(span.clone(), "has no settings to tune").with_help(help));
    }
    if rows.len() > MAX_PARAMS {
        let message = format!("has {} settings; at most {MAX_PARAMS} can be tuned together", rows.len());
        mistakes.push(Diagnostic::new(span, message));
        return None;
    }
    let valid_rows: Vec<&Row> = rows.iter().filter(|row| is_valid(row, mistakes)).collect();
    let free_settings: Vec<FreeSetting> =
        valid_rows.iter().filter_map(|row| read_range(row, mistakes)).collect();
    let Some(player) = player else {
        let keys: Vec<&str> = free_settings.iter().map(|setting| setting.row.key.as_str()).collect();
        find_ties(rows, &valid_rows, &keys, mistakes);
        return None;
    };
    let trial_player = TrialPlayer { context, player };
    let mut tuned_settings = Vec::new();
    for setting in free_settings {
        tuned_settings.extend(trial_player.check_setting(setting, &tuned_settings, mistakes));
    }
    let keys: Vec<&str> = tuned_settings.iter().map(|(setting, _)| setting.row.key.as_str()).collect();
    for (tied_row, target) in find_ties(rows, &valid_rows, &keys, mistakes) {
        let (_, param) = &tuned_settings[target];
        if !param.choices.is_empty() {
            let message = format!("`{}` has choices; only numbers can be tied", param.key);
            mistakes.push(tied_row.section.tied_to.mistake(message));
            continue;
        }
        let Some((key, number)) =
            trial_player.resolve(tied_row, &[param.start, param.min, param.max], mistakes)
        else {
            continue;
        };
        let listed_keys =
            tuned_settings.iter().flat_map(|(_, param)| std::iter::once(&param.key).chain(&param.tied));
        if listed_keys.into_iter().any(|other| *other == key) {
            mistakes.push(tied_row.make_mistake("is listed twice"));
        } else if number.is_f64() == param.is_whole {
            let kind = |is_whole: bool| if is_whole { "a whole number" } else { "not a whole number" };
            let message =
                format!("is {}, but `{}` is {}", kind(!param.is_whole), param.key, kind(param.is_whole));
            mistakes.push(tied_row.make_mistake(message));
        } else {
            tuned_settings[target].1.tied.push(key);
        }
    }
    trial_player.try_all(&tuned_settings, span, mistakes);
    (mistakes.len() == earlier_count).then(|| tuned_settings.into_iter().map(|(_, param)| param).collect())
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
    for Leaf { path, span, value } in tree::leaves(table, is_row) {
        let tree::TomlValue::Table(inner) = value.get_ref() else {
            let message = "must be a table such as { min = 0, max = 500 }";
            mistakes.push(Diagnostic::new(value.span(), message));
            continue;
        };
        let settings_table = SettingsTable { table: inner.clone(), header: value.span() };
        let row_section = section::read("", ParamAsWritten::default(), &settings_table, mistakes);
        let row = Row { key: path.join("."), span, section: row_section };
        if rows.iter().any(|other| other.key == row.key) {
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
    valid_rows: &[&'l Row],
    keys: &[&str],
    mistakes: &mut Vec<Diagnostic>,
) -> Vec<(&'l Row, usize)> {
    let mut ties = Vec::new();
    for &row in valid_rows {
        let Some(target) = row.section.tied_to.value() else { continue };
        if let Some(index) = keys.iter().position(|key| key == target) {
            ties.push((row, index));
            continue;
        }
        let (message, help) = match rows.iter().find(|other| other.key == *target) {
            Some(_) if *target == row.key => ("a setting cannot be tied to itself".to_owned(), None),
            Some(other) if other.section.tied_to.is_written() => {
                (format!("`{target}` is itself tied: tie both to the same setting"), None)
            }
            // The other setting has mistakes, reported elsewhere.
            Some(_) => continue,
            None => {
                let suggestion =
                    nearest(target, rows.iter().map(|row| &*row.key).filter(|key| *key != row.key));
                let help = suggestion.map(|suggestion| format!("did you mean \"{suggestion}\"?"));
                ("unknown setting in `[tune.params]`".to_owned(), help)
            }
        };
        let mistake = row.section.tied_to.mistake(message);
        mistakes.push(Diagnostic { help, ..mistake });
    }
    ties
}
