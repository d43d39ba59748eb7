//! Settings of players as TOML.

use gauntlet_analysis::config::pattern::escape_braces;
use gauntlet_core::arena::Entry;
use gauntlet_core::text::group_digits;
use serde_json::Value;

/// Formats a player as a `[[player]]`, with all its settings.
pub(super) fn player_to_toml(name: &str, player: &Entry) -> String {
    let name = escape_braces(name);
    let first_keys = [("name", Value::from(name)), ("algorithm", Value::from(player.algorithm))];
    let mut text = "[[player]]\n".to_owned();
    let settings = player.settings.as_object().into_iter().flatten();
    let settings = settings.filter(|(_, value)| !value.is_null());
    let keys = first_keys
        .iter()
        .map(|(key, value)| (*key, value))
        .chain(settings.map(|(key, value)| (key.as_str(), value)));
    for (key, value) in keys {
        text += &format!("{} = {}\n", toml_key(key), toml_value(value));
    }
    text
}

/// Formats settings as `key = value` on one line; long lists are cut.
pub(super) fn short_settings(settings: &Value) -> String {
    toml_settings(settings, MAX_LIST_VALUES)
}

/// The most values of a list that are shown.
const MAX_LIST_VALUES: usize = 8;

/// Formats settings, with at most `max_values` values of each list.
fn toml_settings(settings: &Value, max_values: usize) -> String {
    let set_values = settings.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let entries =
        set_values.map(|(key, value)| format!("{} = {}", toml_key(key), cut_value(value, max_values)));
    entries.collect::<Vec<_>>().join(", ")
}

fn toml_key(key: &str) -> String {
    let is_bare = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_bare && !key.is_empty() { key.to_owned() } else { toml_value(&key.into()) }
}

/// Formats a value on one line.
pub(super) fn toml_value(value: &Value) -> String {
    cut_value(value, usize::MAX)
}

/// Formats a value with at most `max_values` values of a list, and the number of the others.
fn cut_value(value: &Value, max_values: usize) -> String {
    match value {
        Value::Null => "\"\"".to_owned(),
        Value::Bool(boolean) => boolean.to_string(),
        // With a decimal point, which some settings require.
        Value::Number(number) if number.is_f64() => format!("{:?}", number.as_f64().unwrap_or_default()),
        Value::Number(number) => number.to_string(),
        Value::String(text) => toml::Value::from(text.as_str()).to_string(),
        Value::Array(values) => {
            let shown_values: Vec<String> =
                values.iter().take(max_values).map(|value| cut_value(value, max_values)).collect();
            let suffix = match values.len() - shown_values.len() {
                0 => String::new(),
                omitted => format!(" and {} more", group_digits(omitted as u64)),
            };
            format!("[{}{suffix}]", shown_values.join(", "))
        }
        Value::Object(_) => format!("{{ {} }}", toml_settings(value, max_values)),
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_analysis::config;
    use gauntlet_games::GAMES;

    use super::*;

    /// Settings as printed make the same player.
    #[test]
    fn all_settings_of_a_player_can_be_put_into_an_experiment() {
        const HEADER: &str = "name = 'x'\ngame = '2048'\nseeds = [1]\n";
        let mut players = 0;
        for algorithm in GAMES[0].manual() {
            for example in [algorithm.example].iter().chain(algorithm.more_examples) {
                let text = format!("{HEADER}[[player]]\nname = 'a {{{{b}}}}'\n{example}");
                let experiment = config::parse(crate::catalog(&GAMES), "x", &text)
                    .unwrap_or_else(|mistakes| panic!("{mistakes}"));
                let player = &experiment.players()[0];
                let player_text = player_to_toml(&player.name, &player.entry);
                let result = config::parse(crate::catalog(&GAMES), "x", &format!("{HEADER}{player_text}"));
                let second_experiment = result.unwrap_or_else(|mistakes| panic!("{player_text}\n{mistakes}"));
                assert_eq!(second_experiment.players()[0].name, "a {b}");
                assert_eq!(
                    second_experiment.players()[0].entry.settings,
                    player.entry.settings,
                    "{player_text}"
                );
                players += 1;
            }
        }
        assert!(players > 20, "{players}");
    }
}
