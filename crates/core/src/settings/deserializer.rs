//! Serde deserializer over a spanned TOML tree. Unlike the tree's own deserializer, it keeps the
//! path to a mistake, so that the tree can be repaired there. It also words mistakes in plain
//! English.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, Expected, IntoDeserializer, Visitor};
use toml::Spanned;

use super::mistake::{Error, MistakeKind, Step};
use super::tree::{PlacedValue, TomlTable, TomlValue};
use super::unknown_keys::{UnknownKey, find_unknown_keys};
use super::wording;
use crate::diagnostic;

impl Error {
    fn new(kind: MistakeKind) -> Error {
        Error { kind, span: None, path: Vec::new() }
    }

    /// Adds a position, unless an inner value has set it.
    fn with_span(mut self, span: Range<usize>, value: &TomlValue) -> Error {
        if self.span.is_none() {
            self.span = Some(span);
            self.kind = wording::word_mistake(self.kind, value);
        }
        self
    }

    fn with_step(mut self, step: Step) -> Error {
        self.path.push(step);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?}", self.kind)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Error {
        Error::new(MistakeKind::Message { message: message.to_string(), help: None })
    }

    fn invalid_type(_: de::Unexpected, expected: &dyn Expected) -> Error {
        Error::new(MistakeKind::Wrong { expected: expected.to_string(), is_wrong_type: true })
    }

    fn invalid_value(_: de::Unexpected, expected: &dyn Expected) -> Error {
        Error::new(MistakeKind::Wrong { expected: expected.to_string(), is_wrong_type: false })
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Error {
        Error::new(MistakeKind::Length { expected: expected.to_string(), length })
    }

    fn unknown_variant(word: &str, known_words: &'static [&'static str]) -> Error {
        Error::new(MistakeKind::Word { word: word.to_owned(), known_words })
    }

    fn unknown_field(word: &str, known_keys: &'static [&'static str]) -> Error {
        let (message, help) =
            wording::unknown_key_message(diagnostic::nearest(word, known_keys.iter().copied()), known_keys);
        Error::new(MistakeKind::Message { message, help })
    }

    fn missing_field(name: &'static str) -> Error {
        Error::new(MistakeKind::Missing(name))
    }
}

/// Value in the tree, and a list for unknown keys with the positions of their tables.
#[derive(Clone, Copy)]
pub(super) struct Node<'n> {
    pub(super) value: &'n PlacedValue,
    pub(super) unknown_keys: &'n RefCell<Vec<(Range<usize>, UnknownKey)>>,
}

impl<'n> Node<'n> {
    fn with_value(self, value: &'n PlacedValue) -> Node<'n> {
        Node { value, ..self }
    }

    /// Adds this position to a mistake, unless an inner value has set it.
    pub(super) fn locate(self, error: Error) -> Error {
        error.with_span(self.value.span(), self.value.get_ref())
    }

    fn visit_table<'de, V: Visitor<'de>>(
        self,
        table: &'n TomlTable,
        known_keys: Option<&'static [&'static str]>,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(Entries { node: self, rest: table.iter(), known_keys, value: None })
    }

    fn visit_list<'de, V: Visitor<'de>>(
        self,
        list: &'n [PlacedValue],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut item_count = 0;
        let value = visitor.visit_seq(Items { node: self, list, item_count: &mut item_count })?;
        if item_count < list.len() {
            // Serde itself would ignore items after the last expected one.
            let expected = format!("an array of length {item_count}");
            return Err(Error::new(MistakeKind::Length { expected, length: list.len() }));
        }
        Ok(value)
    }
}

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let expected = (&visitor as &dyn Expected).to_string();
        let result = match self.value.get_ref() {
            TomlValue::Text(text) => visitor.visit_str(text),
            TomlValue::Whole(number) => match *number {
                number if i64::try_from(number).is_ok() => visitor.visit_i64(number as i64),
                number if u64::try_from(number).is_ok() => visitor.visit_u64(number as u64),
                number => visitor.visit_i128(number),
            },
            TomlValue::Real(number) => match number.parse::<f64>() {
                Ok(value) if value.is_finite() || number.contains(['i', 'a']) => visitor.visit_f64(value),
                // A number in digits that is too large for a float. The parser has already rejected
                // NaN.
                _ => Err(de::Error::custom("is too large a number")),
            },
            TomlValue::Truth(truth) => visitor.visit_bool(*truth),
            TomlValue::Date(_) => Err(de::Error::invalid_type(de::Unexpected::Other("date"), &visitor)),
            TomlValue::List(list) => self.visit_list(list, visitor),
            TomlValue::Table(table) => self.visit_table(table, None, visitor),
        };
        result.map_err(|mut error| {
            // For a setting of several types, its description is better than a list of words.
            if let (None, MistakeKind::Word { word, known_words }) = (&error.span, &error.kind) {
                error.kind = wording::unknown_word_mistake(word, known_words, Some(&expected));
            }
            self.locate(error)
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self).map_err(|error| self.locate(error))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self).map_err(|error| self.locate(error))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let result = match self.value.get_ref() {
            TomlValue::Table(table) => {
                let unknown_keys = find_unknown_keys(table, fields).into_iter();
                self.unknown_keys
                    .borrow_mut()
                    .extend(unknown_keys.map(|unknown_key| (self.value.span(), unknown_key)));
                self.visit_table(table, Some(fields), visitor)
            }
            _ => Err(Error::new(MistakeKind::Wrong { expected: "a table".to_owned(), is_wrong_type: true })),
        };
        result.map_err(|error| self.locate(error))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let result = match self.value.get_ref() {
            TomlValue::Text(word) => visitor.visit_enum(Variant { name: word, content: None }),
            TomlValue::Table(table) => match table.iter().collect::<Vec<_>>()[..] {
                [(key, value)] => {
                    visitor.visit_enum(Variant { name: key.get_ref(), content: Some(self.with_value(value)) })
                }
                _ => {
                    let message = format!("must have exactly one key: {}", wording::join_or(variants, '`'));
                    Err(de::Error::custom(message))
                }
            },
            _ => {
                let expected = wording::join_or(variants, '"');
                Err(Error::new(MistakeKind::Wrong { expected, is_wrong_type: true }))
            }
        };
        result.map_err(|error| self.locate(error))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier
    }
}

/// Entries of a table, without keys that a struct does not have.
struct Entries<'n, I> {
    node: Node<'n>,
    rest: I,
    known_keys: Option<&'static [&'static str]>,
    value: Option<(&'n str, &'n PlacedValue)>,
}

impl<'de, 'n, I> de::MapAccess<'de> for Entries<'n, I>
where
    I: Iterator<Item = (&'n Spanned<String>, &'n PlacedValue)>,
{
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        for (key, value) in self.rest.by_ref() {
            let name: &'n str = key.get_ref();
            if self.known_keys.is_some_and(|known_keys| !known_keys.contains(&name)) {
                continue;
            }
            self.value = Some((name, value));
            let result = seed.deserialize(deserialize_word(name));
            return result.map(Some).map_err(|error| {
                error.with_span(key.span(), value.get_ref()).with_step(Step::Key(name.to_owned()))
            });
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (name, value) = self.value.take().expect("serde asks for a value after its key");
        let node = self.node.with_value(value);
        let result = seed.deserialize(node).map_err(|error| node.locate(error));
        result.map_err(|error| error.with_step(Step::Key(name.to_owned())))
    }
}

/// Items of a list.
struct Items<'n, 't> {
    node: Node<'n>,
    list: &'n [PlacedValue],
    item_count: &'t mut usize,
}

impl<'de> de::SeqAccess<'de> for Items<'_, '_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(value) = self.list.get(*self.item_count) else { return Ok(None) };
        let index = *self.item_count;
        *self.item_count += 1;
        let node = self.node.with_value(value);
        let result = seed.deserialize(node).map_err(|error| node.locate(error));
        result.map(Some).map_err(|error| error.with_step(Step::Index(index)))
    }
}

/// Variant of an enum: a single word, or a table with one key.
struct Variant<'n> {
    name: &'n str,
    content: Option<Node<'n>>,
}

impl<'de> de::EnumAccess<'de> for Variant<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        Ok((seed.deserialize(deserialize_word(self.name))?, self))
    }
}

impl Variant<'_> {
    fn content<T>(self, read_content: impl FnOnce(Self, Node) -> Result<T, Error>) -> Result<T, Error> {
        let Some(node) = self.content else {
            return Err(de::Error::custom(format!("needs a value: {{ {} = … }}", self.name)));
        };
        let step = Step::Key(self.name.to_owned());
        read_content(self, node).map_err(|error| node.locate(error).with_step(step))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.content {
            None => Ok(()),
            Some(_) => Err(de::Error::custom(format!("takes no value: write \"{}\" alone", self.name))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        self.content(|_, node| seed.deserialize(node))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        self.content(|_, node| node.deserialize_tuple(len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.content(|_, node| node.deserialize_struct("", fields, visitor))
    }
}

/// Deserializes a key or the name of a variant.
fn deserialize_word(word: &str) -> StrDeserializer<'_, Error> {
    word.into_deserializer()
}

/// Deserializer that reads nothing and captures the fields that a struct asks for.
pub(super) struct Capture;

/// Captured fields.
#[derive(Debug)]
pub(super) struct CapturedFields(pub(super) &'static [&'static str]);

impl fmt::Display for CapturedFields {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for CapturedFields {}

impl de::Error for CapturedFields {
    fn custom<T: fmt::Display>(_: T) -> CapturedFields {
        CapturedFields(&[])
    }
}

impl<'de> Deserializer<'de> for Capture {
    type Error = CapturedFields;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, CapturedFields> {
        Err(CapturedFields(&[]))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, CapturedFields> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, CapturedFields> {
        Err(CapturedFields(fields))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        option seq tuple tuple_struct map identifier enum ignored_any
    }
}
