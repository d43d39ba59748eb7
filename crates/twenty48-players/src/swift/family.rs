//! The two sources, which differ in more than numbers.

use gauntlet_twenty48::rules::Direction;
use serde::{Deserialize, Serialize};

/// Source that a player follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwiftSource {
    /// Code listings in the articles about 2048 in SwiftUI.
    Article,
    /// Program as published.
    #[default]
    Repository,
}

impl SwiftSource {
    /// Returns the order of the directions.
    pub(super) const fn order(self) -> [Direction; 4] {
        use Direction::{Down, Left, Right, Up};
        match self {
            SwiftSource::Article => [Up, Down, Left, Right],
            SwiftSource::Repository => [Down, Up, Right, Left],
        }
    }

    /// Returns the name in settings.
    pub(super) const fn name(self) -> &'static str {
        match self {
            SwiftSource::Article => "article",
            SwiftSource::Repository => "repository",
        }
    }
}
