//! Settings as a flat list of words: `weights.empty` is `20`.

use serde_json::Value;

/// Every setting with its dotted key, in order, and its value as names and tables show it; none where it is not set.
pub fn flat(settings: &Value) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    descend(String::new(), settings, &mut found);
    found
}

fn descend(key: String, value: &Value, found: &mut Vec<(String, Option<String>)>) {
    match value {
        Value::Object(inner) => {
            for (name, value) in inner {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                descend(key, value, found);
            }
        }
        Value::Null => found.push((key, None)),
        value => found.push((key, Some(label(value)))),
    }
}

/// A value in its shortest form: 20 for 20.0, and a list with `-` between its values.
fn label(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => shortest(number),
            None => number.to_string(),
        },
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(label).collect::<Vec<_>>().join("-"),
        Value::Object(table) => {
            let entry = |(key, value): (&String, &Value)| format!("{key}={}", label(value));
            table.iter().map(entry).collect::<Vec<_>>().join(",")
        }
    }
}

/// A number in its shortest form, the same in names and in tables: 1e-9 for 0.000000001, but 1000 and not 1e3.
pub fn shortest(number: f64) -> String {
    /// Digits that are read at a glance.
    const PLAIN: usize = 7;
    let (plain, power) = (number.to_string(), format!("{number:e}"));
    if plain.len() > PLAIN && power.len() < plain.len() { power } else { plain }
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
        let flat = flat(&settings);
        let shown = flat.iter().map(|(key, value)| (key.as_str(), value.as_deref())).collect::<Vec<_>>();
        assert_eq!(
            shown,
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
