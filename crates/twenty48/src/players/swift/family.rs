//! The two sources, which differ in more than numbers.

use serde::{Deserialize, Serialize};

use crate::rules::Direction;

/// Source that is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// The listings of the articles.
    Article,
    /// The program as published.
    #[default]
    Repository,
}

impl Family {
    /// The order in which directions are looked at.
    pub(super) const fn order(self) -> [Direction; 4] {
        use Direction::{Down, Left, Right, Up};
        match self {
            Family::Article => [Up, Down, Left, Right],
            Family::Repository => [Down, Up, Right, Left],
        }
    }

    /// As in settings.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Family::Article => "article",
            Family::Repository => "repository",
        }
    }
}
