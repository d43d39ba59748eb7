//! Mistakes that keep a struct from being read, with their places.

use std::ops::Range;

/// A step from a table or list to what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// Mistake that keeps a struct from being read.
#[derive(Debug)]
pub(super) struct Error {
    pub(super) what: What,
    /// The place of what is wrong; of the table, if a key is missing.
    pub(super) span: Option<Range<usize>>,
    /// The way there, last step first.
    pub(super) path: Vec<Step>,
}

/// The mistake itself: first as serde says it, then in words.
#[derive(Debug)]
pub(super) enum What {
    /// A value of a wrong type, or a bad value of the right one; what was expected.
    Wrong {
        expected: String,
        by_type: bool,
    },
    /// A list of a wrong length.
    Length {
        expected: String,
        length: usize,
    },
    /// A word that is not among the known ones.
    Word {
        word: String,
        known: &'static [&'static str],
    },
    Missing(&'static str),
    Said {
        message: String,
        help: Option<String>,
    },
}
