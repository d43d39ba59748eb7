//! Limits of the search for one move. The type of a setting declares that it is one: its number has
//! a name that passes through serde.

use serde::Deserialize;

/// What a setting limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Number of positions or random games: the time of a move is about proportional to it.
    Count,
    /// Depth: each further ply multiplies the time of a move.
    Depth,
    /// Time.
    Time,
}

impl LimitKind {
    /// Returns the kind of limit whose number has this name.
    pub(crate) fn from_serde_name(name: &str) -> Option<LimitKind> {
        match name {
            "search limit: count" => Some(LimitKind::Count),
            "search limit: depth" => Some(LimitKind::Depth),
            "search limit: time" => Some(LimitKind::Time),
            _ => None,
        }
    }
}

/// Number as written in a [`LimitKind::Count`].
#[derive(Deserialize)]
#[serde(rename = "search limit: count")]
pub(crate) struct WrittenCount(pub(crate) i64);

/// Number as written in a [`LimitKind::Depth`].
#[derive(Deserialize)]
#[serde(rename = "search limit: depth")]
pub(crate) struct WrittenDepth(pub(crate) i64);

/// Number as written in a [`LimitKind::Time`].
#[derive(Deserialize)]
#[serde(rename = "search limit: time")]
pub(crate) struct WrittenTime(pub(crate) f64);
