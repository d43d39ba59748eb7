//! The settings of a player as TOML, with other values put in. A player that is entered with these lines is the same to the
//! last bit, whatever of it was a default, came from a sweep or stood in a table of its own.

use serde_json::{Map, Number, Value};
use toml_edit::Key;

use super::super::pattern::literal;

/// A player as a `[[player]]` with all its settings.
pub(in crate::config) fn player(name: &str, algorithm: &str, settings: &Value) -> String {
    let text = |text: &str| toml_edit::Value::from(text);
    let (name, algorithm) = (text(&literal(name)), text(algorithm));
    format!("[[player]]\nname = {name}\nalgorithm = {algorithm}\n{}", snippet(settings))
}

/// Settings as lines of TOML. What is not set is left out.
pub(in crate::config) fn snippet(settings: &Value) -> String {
    let fields = settings.as_object().into_iter().flatten();
    fields.filter_map(|(key, value)| Some(format!("{} = {}\n", Key::new(key), inline(value)?))).collect()
}

fn inline(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string(),
        Value::Array(values) => {
            format!("[{}]", values.iter().filter_map(inline).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .filter_map(|(key, value)| Some(format!("{} = {}", Key::new(key), inline(value)?)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
    })
}

/// Puts a number into settings, under a dotted key. What stands on the way and is no table makes place for one.
///
/// # Panics
/// If the number is not finite.
pub(super) fn put(settings: &mut Value, key: &str, number: f64, is_whole: bool) {
    let mut place = settings;
    for part in key.split('.') {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let fields = place.as_object_mut().expect("it is an object by now");
        place = fields.entry(part).or_insert(Value::Null);
    }
    *place = Value::Number(if is_whole {
        Number::from(number.round() as i64)
    } else {
        Number::from_f64(number).expect("a value of a setting is finite")
    });
}

/// What stands under a dotted key; none where nothing does.
pub(super) fn at<'v>(settings: &'v Value, key: &str) -> Option<&'v Value> {
    key.split('.').try_fold(settings, |value, part| value.get(part)).filter(|value| !value.is_null())
}
