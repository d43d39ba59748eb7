//! TOML documents as data: tables, lists and values, with their positions in the text. They can be
//! changed, compared and written again.

use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml::map::Map;

/// Value and its position. Comparison ignores the position.
pub type PlacedValue = Spanned<TomlValue>;

/// Keys and values, in the order of the text.
pub type TomlTable = Map<Spanned<String>, PlacedValue>;

/// TOML value.
#[derive(Clone, Debug, PartialEq)]
pub enum TomlValue {
    /// String.
    Text(String),
    /// Whole number. A number out of range becomes the nearest one in range, which is larger than
    /// any setting can be.
    Whole(i128),
    /// Number with a decimal point, as it is written.
    Real(String),
    /// Boolean.
    Truth(bool),
    /// Date or time.
    Date(String),
    /// Values in their order.
    List(Vec<PlacedValue>),
    /// Keys with their values.
    Table(TomlTable),
}

/// Parses a text that is known to be valid TOML.
///
/// # Panics
/// If it is not.
pub fn parse_table(text: &str) -> TomlTable {
    convert_table(DeTable::parse(text).expect("the text is TOML").into_inner())
}

/// Returns the string with this key at the top level of a file; `None` if there is none.
pub fn find_string(text: &str, key: &str) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    Some(table.get_ref().get(key)?.get_ref().as_str()?.to_owned())
}

/// Converts a table of the parser.
pub fn convert_table(table: DeTable) -> TomlTable {
    let entry = |(key, value): (Spanned<_>, Spanned<DeValue>)| {
        let key: Spanned<std::borrow::Cow<str>> = key;
        (Spanned::new(key.span(), key.into_inner().into_owned()), convert_value(value))
    };
    table.into_iter().map(entry).collect()
}

fn convert_value(value: Spanned<DeValue>) -> PlacedValue {
    Spanned::new(value.span(), TomlValue::from(value.into_inner()))
}

impl From<DeValue<'_>> for TomlValue {
    fn from(value: DeValue) -> TomlValue {
        match value {
            DeValue::String(text) => TomlValue::Text(text.into_owned()),
            DeValue::Integer(number) => {
                let nearest = if number.as_str().starts_with('-') { i128::MIN } else { i128::MAX };
                TomlValue::Whole(i128::from_str_radix(number.as_str(), number.radix()).unwrap_or(nearest))
            }
            DeValue::Float(number) => TomlValue::Real(number.as_str().to_owned()),
            DeValue::Boolean(truth) => TomlValue::Truth(truth),
            DeValue::Datetime(date) => TomlValue::Date(date.to_string()),
            DeValue::Array(list) => TomlValue::List(list.into_iter().map(convert_value).collect()),
            DeValue::Table(table) => TomlValue::Table(convert_table(table)),
        }
    }
}

impl TomlValue {
    /// Parses a TOML value, or returns what is wrong with it.
    pub fn parse(text: &str) -> Result<TomlValue, String> {
        let value = DeValue::parse(text).map_err(|error| error.message().to_owned())?;
        Ok(value.into_inner().into())
    }

    /// Converts plain data to a value; `None` for null. Fields that are null are left out.
    pub fn from_json(data: &serde_json::Value) -> Option<TomlValue> {
        use serde_json::Value as Json;
        let node = |data| TomlValue::from_json(data).map(wrap_unplaced);
        Some(match data {
            Json::Null => return None,
            Json::Bool(truth) => TomlValue::Truth(*truth),
            Json::Number(number) => match number.as_i64().map(i128::from).or(number.as_u64().map(i128::from))
            {
                Some(whole) => TomlValue::Whole(whole),
                None => TomlValue::Real(number.to_string()),
            },
            Json::String(text) => TomlValue::Text(text.clone()),
            Json::Array(list) => TomlValue::List(list.iter().filter_map(node).collect()),
            Json::Object(fields) => {
                let field = |(key, value): (&String, _)| Some((wrap_unplaced(key.clone()), node(value)?));
                TomlValue::Table(fields.iter().filter_map(field).collect())
            }
        })
    }

    /// Returns the string, if the value is one.
    pub fn as_text(&self) -> Option<&str> {
        if let TomlValue::Text(text) = self { Some(text) } else { None }
    }
}

/// Converts the settings of a player to a table.
pub fn table_from_settings(settings: &serde_json::Value) -> TomlTable {
    match TomlValue::from_json(settings) {
        Some(TomlValue::Table(table)) => table,
        _ => TomlTable::new(),
    }
}

/// Wraps a value that was not read from a text.
pub fn wrap_unplaced<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

/// Puts a value under a path of keys, and creates tables on the way. Fails with the key on the path
/// that has another value.
pub fn put<'p>(
    table: &mut TomlTable,
    path: &'p [String],
    span: &Range<usize>,
    value: PlacedValue,
) -> Result<(), &'p str> {
    let (key, rest) = path.split_first().expect("a path has a key");
    let spanned_key = || Spanned::new(span.clone(), key.clone());
    if rest.is_empty() {
        table.insert(spanned_key(), value);
        return Ok(());
    }
    if !table.contains_key(key.as_str()) {
        table.insert(spanned_key(), Spanned::new(span.clone(), TomlValue::Table(TomlTable::new())));
    }
    match table.get_mut(key.as_str()).map(Spanned::get_mut) {
        Some(TomlValue::Table(inner)) => put(inner, rest, span, value),
        _ => Err(key),
    }
}

/// Maximum number of keys on the path to a setting. Settings are less than half as deep, and much
/// deeper ones would overflow the stack.
pub const MAX_DEPTH: usize = 16;

/// Value with its path of keys.
pub struct Leaf<'t> {
    /// Keys of the path.
    pub path: Vec<String>,
    /// Position of the last key in the text.
    pub span: Range<usize>,
    /// Value with its place in the file.
    pub value: &'t PlacedValue,
}

/// Returns all values of a table and its nested tables. Tables that `is_value` accepts count as one
/// value. A dotted key is as deep as it has parts.
pub fn leaves(table: &TomlTable, is_value: fn(&TomlTable) -> bool) -> Vec<Leaf<'_>> {
    let mut leaves = Vec::new();
    descend(&[], table, is_value, &mut leaves);
    leaves
}

fn descend<'t>(
    parents: &[String],
    table: &'t TomlTable,
    is_value: fn(&TomlTable) -> bool,
    leaves: &mut Vec<Leaf<'t>>,
) {
    for (key, value) in table {
        let mut path = parents.to_vec();
        path.extend(key.get_ref().split('.').map(str::to_owned));
        match value.get_ref() {
            TomlValue::Table(inner) if path.len() <= MAX_DEPTH && !is_value(inner) => {
                descend(&path, inner, is_value, leaves);
            }
            _ => leaves.push(Leaf { path, span: key.span(), value }),
        }
    }
}

/// Writes the value as TOML on one line.
impl fmt::Display for TomlValue {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            TomlValue::Text(text) => f.write_str(&quote_text(text)),
            TomlValue::Whole(number) => number.fmt(f),
            TomlValue::Real(number) | TomlValue::Date(number) => f.write_str(number),
            TomlValue::Truth(truth) => truth.fmt(f),
            TomlValue::List(list) => {
                let items: Vec<String> = list.iter().map(|item| item.get_ref().to_string()).collect();
                write!(f, "[{}]", items.join(", "))
            }
            TomlValue::Table(table) => {
                let entry = |(name, value): (&Spanned<String>, &PlacedValue)| {
                    format!("{} = {}", quote_key(name.get_ref()), value.get_ref())
                };
                write!(f, "{{ {} }}", table.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Writes a table as a document: tables under headers, except for small nested ones.
pub fn write_document(table: &TomlTable) -> String {
    let (mut text, mut sections) = (String::new(), String::new());
    for (name, value) in table {
        let name = quote_key(name.get_ref());
        match value.get_ref() {
            TomlValue::Table(inner) => sections += &format!("\n[{name}]\n{}", write_lines(&name, inner)),
            TomlValue::List(list) if !list.is_empty() && list.iter().all(|item| as_table(item).is_some()) => {
                let tables = list.iter().filter_map(as_table);
                sections.extend(tables.map(|inner| format!("\n[[{name}]]\n{}", write_lines(&name, inner))));
            }
            value => text += &format!("{name} = {value}\n"),
        }
    }
    text + &sections
}

/// Writes the lines of a section in the order of its keys. Tables of tables at its end have their
/// own headers.
fn write_lines(section_name: &str, table: &TomlTable) -> String {
    let has_header = |value: &PlacedValue| {
        let inner = as_table(value).filter(|inner| !inner.is_empty());
        inner.is_some_and(|inner| inner.values().all(|value| as_table(value).is_some()))
    };
    let plain_count = table.values().rposition(|value| !has_header(value)).map_or(0, |last| last + 1);
    let mut text = String::new();
    for (index, (name, value)) in table.iter().enumerate() {
        let name = quote_key(name.get_ref());
        match as_table(value).filter(|_| index >= plain_count) {
            Some(inner) => {
                text += &format!(
                    "\n[{section_name}.{name}]\n{}",
                    write_lines(&format!("{section_name}.{name}"), inner)
                )
            }
            None => text += &format!("{name} = {}\n", value.get_ref()),
        }
    }
    text
}

fn as_table(value: &PlacedValue) -> Option<&TomlTable> {
    if let TomlValue::Table(table) = value.get_ref() { Some(table) } else { None }
}

/// Writes a key as TOML.
fn quote_key(name: &str) -> String {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { quote_text(name) }
}

fn quote_text(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted += "\\n",
            letter if letter.is_control() => quoted += &format!("\\u{:04X}", u32::from(letter)),
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let text = "a = 1.50\nb = 0x1f\n\"c d\" = { e = [1, 'x\"\\y', \"\\n\\u0001é\"], f.g = inf }\nh = 1979-05-27\ni = true";
        let table = parse_table(text);
        let output: String = table
            .iter()
            .map(|(name, value)| format!("{} = {}\n", quote_key(name.get_ref()), value.get_ref()))
            .collect();
        assert_eq!(parse_table(&output), table, "{output}");
        assert_eq!(parse_table(&write_document(&table)), table, "{}", write_document(&table));
        // The order of keys stays.
        let ordered = "[a]\nb = { c = { d = 1 } }\ne = 2\n\n[a.f]\ng = { h = 3 }\n";
        assert_eq!(write_document(&parse_table(ordered)).trim_start(), ordered);
        assert!(output.starts_with("a = 1.50\nb = 31\n\"c d\" = { e = [1, \"x\\\"\\\\y\", "), "{output}");
    }

    #[test]
    fn values_are_put_under_their_keys() {
        let mut table = parse_table("a = { b = 1 }\nc = 2");
        let mut set = |path: &str, value: &str| {
            let path: Vec<String> = path.split('.').map(str::to_owned).collect();
            let value = wrap_unplaced(TomlValue::parse(value).expect("is TOML"));
            put(&mut table, &path, &(0..0), value).map_err(str::to_owned)
        };
        assert_eq!(set("a.b", "3"), Ok(()));
        assert_eq!(set("d.e.f", "[4]"), Ok(()));
        assert_eq!(set("c.x", "5"), Err("c".to_owned()));
        assert_eq!(table, parse_table("a.b = 3\nc = 2\nd.e.f = [4]"));
    }
}
