//! Mistakes in reading a struct, with their positions.

use std::ops::Range;

/// Step from a table or list to an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// Mistake in reading a struct.
#[derive(Debug)]
pub(super) struct Error {
    pub(super) kind: MistakeKind,
    /// Position of the mistake; if a key is missing, of the table.
    pub(super) span: Option<Range<usize>>,
    /// Path to the position, last step first.
    pub(super) path: Vec<Step>,
}

/// Kind of mistake: first in serde's terms, then as a message.
#[derive(Debug)]
pub(super) enum MistakeKind {
    /// Value of a wrong type, or an invalid value of the right type; and what was expected.
    Wrong {
        expected: String,
        is_wrong_type: bool,
    },
    /// List of a wrong length.
    Length {
        expected: String,
        length: usize,
    },
    /// Unknown word.
    Word {
        word: String,
        known_words: &'static [&'static str],
    },
    Missing(&'static str),
    Message {
        message: String,
        help: Option<String>,
    },
}
