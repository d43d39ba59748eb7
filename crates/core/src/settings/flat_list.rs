//! Settings as a flat list of words: `weights.empty` is `20`.

use serde_json::Value;
use toml::Spanned;

use super::tree::{self, PlacedValue};

/// Returns every setting with its dotted key, in order, and its value as in names and tables;
/// `None` if it is not set.
pub fn flatten(settings: &Value) -> Vec<(String, Option<String>)> {
    let mut entries = Vec::new();
    descend(String::new(), settings, &mut entries);
    entries
}

fn descend(key: String, value: &Value, entries: &mut Vec<(String, Option<String>)>) {
    match value {
        Value::Object(inner) => {
            for (name, value) in inner {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                descend(key, value, entries);
            }
        }
        value => entries.push((key, tree::TomlValue::from_json(value).as_ref().map(short_label))),
    }
}

/// Writes a value as a word, with `-` between the items of a list. `format_real` formats numbers
/// with a decimal point.
pub fn label(value: &tree::TomlValue, format_real: &dyn Fn(&str) -> String) -> String {
    use tree::TomlValue;
    match value {
        TomlValue::Text(text) | TomlValue::Date(text) => text.clone(),
        TomlValue::Whole(number) => number.to_string(),
        TomlValue::Real(number) => format_real(number),
        TomlValue::Truth(truth) => truth.to_string(),
        TomlValue::List(values) => {
            values.iter().map(|value| label(value.get_ref(), format_real)).collect::<Vec<_>>().join("-")
        }
        TomlValue::Table(table) => {
            let entry = |(key, value): (&Spanned<String>, &PlacedValue)| {
                format!("{}={}", key.get_ref(), label(value.get_ref(), format_real))
            };
            table.iter().map(entry).collect::<Vec<_>>().join(",")
        }
    }
}

/// Writes a value as a word, with numbers in their shortest form: 20 for 20.0.
pub fn short_label(value: &tree::TomlValue) -> String {
    label(value, &|number| number.parse().map_or_else(|_| number.to_owned(), format_shortest))
}

/// Writes a number in its shortest form, for names and tables: 1e-9 for 0.000000001, but 1000 and
/// not 1e3.
pub fn format_shortest(number: f64) -> String {
    /// Number of digits that are easily read.
    const MAX_PLAIN_LENGTH: usize = 7;
    let (decimal, scientific) = (number.to_string(), format!("{number:e}"));
    if decimal.len() > MAX_PLAIN_LENGTH && scientific.len() < decimal.len() { scientific } else { decimal }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_have_dotted_keys_and_short_values() {
        let settings = json!({
            "depth": 3,
            "millis": null,
            "weights": { "empty": 20.0, "rank-power": { "weight": -2.5, "power": 1e-9 } },
            "order": ["up", "down"],
            "steps": [1.0, { "a": 1, "b": true }],
        });
        let flat = flatten(&settings);
        let pairs = flat.iter().map(|(key, value)| (key.as_str(), value.as_deref())).collect::<Vec<_>>();
        assert_eq!(
            pairs,
            [
                ("depth", Some("3")),
                ("millis", None),
                ("weights.empty", Some("20")),
                ("weights.rank-power.weight", Some("-2.5")),
                ("weights.rank-power.power", Some("1e-9")),
                ("order", Some("up-down")),
                ("steps", Some("1-a=1,b=true")),
            ]
        );
    }
}
