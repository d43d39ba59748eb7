//! Content of a file under a key, as written: a value at its place, which is read with every
//! mistake and written again.

use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::tree::{self, Placed, Value};
use super::{mistyped, value};
use crate::diagnostic::Diagnostic;

/// Content of a file under a key: nothing, a mistake, or a value. Two are equal if their values
/// are.
#[derive(Clone, Debug)]
pub struct Said<T> {
    /// Where it stands, if anything does. Of a key that is misspelt it is the place of that.
    place: Option<Range<usize>>,
    value: Option<T>,
}

impl<T> Said<T> {
    /// Reads the content of a place of a file.
    pub fn read(written: &Placed, mistakes: &mut Vec<Diagnostic>) -> Said<T>
    where
        T: Wire,
    {
        Said { place: Some(written.span()), value: T::read(written, mistakes) }
    }

    /// A value that does not come from a file.
    pub fn of(value: T) -> Said<T> {
        Said { place: Some(0..0), value: Some(value) }
    }

    /// Notes where it stands under a key that is misspelt, if there is such a one.
    pub(super) fn misspell(&mut self, place: Option<Range<usize>>) {
        self.place = place;
    }

    /// The value, if it is there and sound.
    pub fn value(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// The same, to be changed.
    pub fn value_mut(&mut self) -> Option<&mut T> {
        self.value.as_mut()
    }

    /// True if something stands there, or was probably meant to.
    pub fn is_written(&self) -> bool {
        self.place.is_some()
    }

    /// True if it is a mistake.
    pub fn is_mistaken(&self) -> bool {
        self.is_written() && self.value.is_none()
    }

    /// Where it stands, in a file.
    pub fn place(&self) -> Option<Range<usize>> {
        self.place.clone().filter(|place| !place.is_empty())
    }

    /// A mistake at this place.
    pub fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: self.place(), message: message.into(), help: None }
    }

    /// A mistake at this place; where nothing is written, at the header of its section.
    pub fn blame(&self, header: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        let header = Some(header.clone()).filter(|header| !header.is_empty());
        Diagnostic { span: self.place().or(header), message: message.into(), help: None }
    }
}

impl<T> Default for Said<T> {
    fn default() -> Said<T> {
        Said { place: None, value: None }
    }
}

impl<T: PartialEq> PartialEq for Said<T> {
    fn eq(&self, other: &Said<T>) -> bool {
        self.value == other.value
    }
}

/// The type of a key's value in a section.
pub trait Wire: Sized {
    /// Reads the value. Returns `None` and adds to `mistakes` if it is wrong.
    fn read(written: &Placed, mistakes: &mut Vec<Diagnostic>) -> Option<Self>;

    /// As it can be read again.
    fn write(&self) -> Value;
}

/// Plain data.
impl<T: Serialize + DeserializeOwned> Wire for T {
    fn read(written: &Placed, mistakes: &mut Vec<Diagnostic>) -> Option<T> {
        value(written).map_err(|mistake| mistakes.push(mistake)).ok()
    }

    fn write(&self) -> Value {
        let data = serde_json::to_value(self).expect("a setting is plain data");
        Value::of(&data).expect("a setting says something")
    }
}

/// A value whose meaning only others know.
impl Wire for Value {
    fn read(written: &Placed, _: &mut Vec<Diagnostic>) -> Option<Value> {
        Some(written.get_ref().clone())
    }

    fn write(&self) -> Value {
        self.clone()
    }
}

/// Reads a whole number of any size, with a check that has its own range and its own words.
pub fn whole<T>(
    written: &Placed,
    expected: &str,
    mistakes: &mut Vec<Diagnostic>,
    check: impl FnOnce(i128) -> Result<T, String>,
) -> Option<T> {
    let read = match written.get_ref() {
        Value::Whole(number) => check(*number),
        other => Err(mistyped(expected, other)),
    };
    read.map_err(|message| mistakes.push(Diagnostic::at(written.span(), message))).ok()
}

/// A list of which each item can be mistaken.
#[derive(Clone, Debug, PartialEq)]
pub struct Many<T>(pub Vec<Said<T>>);

impl<T: Wire> Wire for Many<T> {
    fn read(written: &Placed, mistakes: &mut Vec<Diagnostic>) -> Option<Many<T>> {
        match written.get_ref() {
            Value::List(list) => Some(Many(list.iter().map(|item| Said::read(item, mistakes)).collect())),
            other => {
                mistakes.push(Diagnostic::at(written.span(), mistyped("a sequence", other)));
                None
            }
        }
    }

    fn write(&self) -> Value {
        list(&self.0)
    }
}

/// A list of what is sound.
pub fn list<T: Wire>(items: &[Said<T>]) -> Value {
    Value::List(items.iter().filter_map(Said::value).map(|value| tree::unplaced(value.write())).collect())
}
