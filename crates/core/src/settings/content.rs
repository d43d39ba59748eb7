//! Values under a key of a file, with their positions. They are read with all mistakes.

use std::ops::Range;

use serde::de::DeserializeOwned;

use super::tree::{PlacedValue, TomlValue};
use super::{mistyped_message, read_value};
use crate::diagnostic::{Cause, Diagnostic};
use crate::num::ValueKind;

/// Content of a key: nothing, a mistake, or a value.
#[derive(Clone, Debug)]
pub struct KeyContent<T> {
    /// Position, if anything is written. For a misspelled key, the position of that key.
    span: Option<Range<usize>>,
    /// Position of the section's header, where a missing key is reported.
    header: Range<usize>,
    value: Option<T>,
}

impl<T> KeyContent<T> {
    /// Reads the content at a position of a file.
    pub fn read(value: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> KeyContent<T>
    where
        T: ValueType,
    {
        KeyContent { span: Some(value.span()), header: 0..0, value: T::read(value, mistakes) }
    }

    /// Sets the value of a key that is not written.
    pub fn set_default(&mut self, value: T) {
        if self.span.is_none() {
            self.value = Some(value);
        }
    }

    /// Creates the content of a key that is not written in a section with this header, given the
    /// position of a misspelled key that was probably meant, if there is one.
    pub(super) fn absent(header: Range<usize>, span: Option<Range<usize>>) -> KeyContent<T> {
        KeyContent { span, header, value: None }
    }

    /// Returns the value, if it is there and valid.
    pub fn value(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// Returns true if the key is written, perhaps misspelled.
    pub fn is_written(&self) -> bool {
        self.span.is_some()
    }

    /// Returns true if the content is a mistake.
    pub fn is_mistaken(&self) -> bool {
        self.is_written() && self.value.is_none()
    }

    /// Returns the position in the file.
    pub fn span(&self) -> Option<Range<usize>> {
        self.span.clone().filter(|span| !span.is_empty())
    }

    /// Creates a mistake at this position, or at the header of its section if nothing is written.
    pub fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        let header = Some(self.header.clone()).filter(|header| !header.is_empty());
        Diagnostic { span: self.span().or(header), message: message.into(), ..Diagnostic::default() }
    }

    /// Creates the mistake that this required key is missing, with a message.
    pub fn missing(&self, key: &str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { cause: Cause::MissingKey(key.to_owned()), ..self.mistake(message) }
    }
}

impl<T> Default for KeyContent<T> {
    fn default() -> KeyContent<T> {
        KeyContent { span: None, header: 0..0, value: None }
    }
}

impl<T: ValueKind> ValueKind for KeyContent<T> {
    fn kind() -> String {
        T::kind()
    }
}

/// Type of a key's value in a section.
pub trait ValueType: Sized {
    /// Reads the value. Returns `None` and adds to `mistakes` if it is wrong.
    fn read(value: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<Self>;
}

/// Reads plain data.
impl<T: DeserializeOwned> ValueType for T {
    fn read(value: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<T> {
        read_value(value).map_err(|mistake| mistakes.push(mistake)).ok()
    }
}

/// Keeps a value as it is, for sections that others interpret.
impl ValueType for TomlValue {
    fn read(value: &PlacedValue, _: &mut Vec<Diagnostic>) -> Option<TomlValue> {
        Some(value.get_ref().clone())
    }
}

/// List that keeps its invalid items: each item is a value or a mistake.
#[derive(Clone, Debug)]
pub struct ValueList<T>(pub Vec<KeyContent<T>>);

impl<T: ValueType> ValueType for ValueList<T> {
    fn read(value: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<ValueList<T>> {
        match value.get_ref() {
            TomlValue::List(list) => {
                Some(ValueList(list.iter().map(|item| KeyContent::read(item, mistakes)).collect()))
            }
            other => {
                mistakes.push(Diagnostic::new(value.span(), mistyped_message("a sequence", other)));
                None
            }
        }
    }
}
