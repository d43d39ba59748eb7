//! Values of settings by dotted key.

use gauntlet_core::num::bounded;
use serde_json::{Map, Number, Value};

bounded! {
    /// A number that a setting may have. Up to 1e15 every whole number and every difference of two
    /// is exact.
    Bound: |number| number.abs() <= 1e15, "must be a number from -1e15 to 1e15"
}

/// Puts a number into settings under a dotted key.
///
/// # Panics
/// If the number is not finite.
pub(super) fn put(settings: &mut Value, key: &str, number: f64, is_whole: bool) {
    let number = if is_whole {
        Number::from(number.round() as i64)
    } else {
        Number::from_f64(number).expect("values of settings are finite")
    };
    put_value(settings, key, Value::Number(number));
}

/// Puts a value into settings under a dotted key. Values on the path that are not tables are
/// replaced by tables.
pub(super) fn put_value(settings: &mut Value, key: &str, value: Value) {
    let mut target = settings;
    for part in key.split('.') {
        if !target.is_object() {
            *target = Value::Object(Map::new());
        }
        let fields = target.as_object_mut().expect("the value was replaced by an object");
        target = fields.entry(part).or_insert(Value::Null);
    }
    *target = value;
}

/// Returns the value under a dotted key, if there is one.
pub(super) fn get<'v>(settings: &'v Value, key: &str) -> Option<&'v Value> {
    key.split('.').try_fold(settings, |value, part| value.get(part)).filter(|value| !value.is_null())
}
