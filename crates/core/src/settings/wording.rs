//! Words mistakes in plain English, where serde says "invalid type: string "x", expected u32".

use super::mistake::MistakeKind;
use super::tree::{self, TomlValue};
use crate::{diagnostic, text};

/// Words a mistake about this value. A missing key is worded elsewhere.
pub(super) fn word_mistake(kind: MistakeKind, value: &TomlValue) -> MistakeKind {
    let message = match kind {
        MistakeKind::Wrong { expected, is_wrong_type } => {
            let help = correct_form(&expected, value).map(|value| format!("did you mean `{value}`?"));
            return MistakeKind::Message { message: mismatch_message(&expected, is_wrong_type, value), help };
        }
        MistakeKind::Length { expected, length } => {
            format!("must be {}, not {length}", describe_type(&expected))
        }
        MistakeKind::Word { word, known_words } => return unknown_word_mistake(&word, known_words, None),
        MistakeKind::Missing(_) | MistakeKind::Message { .. } => return kind,
    };
    MistakeKind::Message { message, help: None }
}

/// Words an unknown word, given the known ones and what else is `expected` there.
pub(super) fn unknown_word_mistake(word: &str, known_words: &[&str], expected: Option<&str>) -> MistakeKind {
    let help = diagnostic::nearest(word, known_words.iter().copied())
        .map(|name| format!("did you mean \"{name}\"?"));
    let message = match expected {
        Some(expected) => format!("must be {}", describe_type(expected)),
        None if known_words.is_empty() => "no value is possible here".to_owned(),
        None => format!("must be {}", join_or(known_words, '"')),
    };
    MistakeKind::Message { message, help }
}

/// Returns the message for an unknown key, and help: the key that was probably `suggestion`, or all
/// keys if they are few.
pub(super) fn unknown_key_message(suggestion: Option<&str>, known_keys: &[&str]) -> (String, Option<String>) {
    let list = known_keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    let help = match suggestion {
        Some(suggestion) => Some(format!("did you mean `{suggestion}`?")),
        None if known_keys.is_empty() => Some("this table has no keys".to_owned()),
        None if list.len() <= 96 => Some(format!("known keys: {list}")),
        None => None,
    };
    ("unknown key".to_owned(), help)
}

/// Lists words as "a", "b" or "c".
pub(super) fn join_or(words: &[&str], quote: char) -> String {
    let quoted = words.iter().map(|word| format!("{quote}{word}{quote}")).collect::<Vec<_>>();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// Returns the message for a value of another type than `expected`, or out of its bounds.
pub(super) fn mismatch_message(expected: &str, is_wrong_type: bool, value: &TomlValue) -> String {
    if let TomlValue::Whole(number) = *value {
        match bounds(expected) {
            Some((min, _)) if number < min => return format!("must be at least {min}"),
            Some((_, max)) if number > max => return format!("must be at most {max}"),
            Some(_) => return "must not be 0".to_owned(),
            None if i64::try_from(number).is_err() && u64::try_from(number).is_err() => {
                return format!("must be {}; this number is too large", describe_type(expected));
            }
            None => {}
        }
    }
    let kind = match value {
        TomlValue::Text(_) => "a string",
        TomlValue::Whole(_) => "a whole number",
        TomlValue::Real(_) => "a number with a decimal point",
        TomlValue::Truth(_) => "a boolean",
        TomlValue::Date(_) => "a date or time",
        TomlValue::List(_) => "a list",
        TomlValue::Table(_) => "a table",
    };
    if is_wrong_type {
        format!("must be {}, not {kind}", describe_type(expected))
    } else {
        format!("must be {}", describe_type(expected))
    }
}

/// Returns a value in the expected form, if only its form is wrong: a word in quotes, or a list of
/// the words of a command.
fn correct_form(expected: &str, value: &TomlValue) -> Option<TomlValue> {
    match (expected, value) {
        (
            "a string" | "a borrowed string",
            TomlValue::Whole(_) | TomlValue::Real(_) | TomlValue::Truth(_) | TomlValue::Date(_),
        ) => Some(TomlValue::Text(value.to_string())),
        ("a sequence", TomlValue::Text(command)) => {
            let words = text::split_words(command)?.into_iter().map(|word| word.into_string().ok());
            let words: Vec<String> = words.collect::<Option<_>>()?;
            let numbers: Result<Vec<i128>, _> = words.iter().map(|word| word.parse()).collect();
            let items: Vec<TomlValue> = match numbers {
                Ok(numbers) => numbers.into_iter().map(TomlValue::Whole).collect(),
                Err(_) => words.into_iter().map(TomlValue::Text).collect(),
            };
            Some(TomlValue::List(items.into_iter().map(tree::wrap_unplaced).collect()))
        }
        _ => None,
    }
}

/// Returns plain words for a Rust type in serde's message.
fn describe_type(expected: &str) -> String {
    let last_number = |text: &str| text.rsplit(' ').find_map(|word| word.parse::<u64>().ok());
    match expected {
        "f32" | "f64" => "a number".to_owned(),
        "i128" => "a whole number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a borrowed string" => "a string".to_owned(),
        "a character" => "a single character".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        _ if bounds(expected).is_some() => "a whole number".to_owned(),
        _ if expected.starts_with("struct ") => "a table".to_owned(),
        _ if expected.starts_with("an array of")
            || expected.starts_with("a tuple")
            || expected.starts_with("tuple") =>
        {
            last_number(expected).map_or("a list".to_owned(), |length| format!("a list of {length} values"))
        }
        _ => expected.to_owned(),
    }
}

/// Returns the smallest and largest number of a Rust type in serde's message.
fn bounds(expected: &str) -> Option<(i128, i128)> {
    let (name, is_nonzero) = match expected.strip_prefix("a nonzero ") {
        Some(name) => (name, true),
        None => (expected, false),
    };
    let (min, max) = match name {
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" | "usize" => (0, u64::MAX.into()),
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => (i64::MIN.into(), i64::MAX.into()),
        _ => return None,
    };
    Some((if is_nonzero && min == 0 { 1 } else { min }, max))
}
