//! Kinds of tables, by the names that commands and files use.

use std::fmt;
use std::str::FromStr;

use gauntlet_core::diagnostic::nearest_name;
use serde::{Deserialize, Serialize};

use crate::exact_rule::Shape;
use crate::macroxue::MacroxueShape;

/// Kind of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Exact table for a target rank.
    Exact(Shape, u8),
    /// Table of macroxue/2048-ai.
    Macroxue(MacroxueShape),
}

/// Boards that a table has numbers for. Its other boards are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All boards.
    All,
    /// Boards that can be reached from all boards whose free tiles sum to at most this.
    ReachableFrom(u64),
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Coverage::All => write!(f, "all boards"),
            Coverage::ReachableFrom(sum) => write!(f, "boards reachable from sums up to {sum}"),
        }
    }
}

impl Coverage {
    /// Boards that games reach: in 100 games of `expectimax`, 15 of 1,104,003 answers of the set
    /// `small` were unknown. From sums up to 16, 818 of the first 847,920 were.
    pub const REACHABLE: Coverage = Coverage::ReachableFrom(112);

    /// Returns true if a table of this coverage has all boards of a table of the other.
    pub fn includes(self, other: Coverage) -> bool {
        match (self, other) {
            (Coverage::All, _) => true,
            (Coverage::ReachableFrom(sum), Coverage::ReachableFrom(other_sum)) => sum >= other_sum,
            (Coverage::ReachableFrom(_), Coverage::All) => false,
        }
    }
}

/// Smallest and largest target rank of an exact table.
const TARGETS: std::ops::RangeInclusive<u8> = 3..=10;

impl Kind {
    /// Returns the family's name, which has no target.
    pub const fn family(self) -> &'static str {
        match self {
            Kind::Exact(Shape::Block, _) => "block-10",
            Kind::Exact(Shape::BlockOfFive, _) => "block-11",
            Kind::Exact(Shape::Hook, _) => "hook-11",
            Kind::Exact(Shape::Row, _) => "row-10",
            Kind::Macroxue(MacroxueShape::Ten) => "macroxue-10",
            Kind::Macroxue(MacroxueShape::Eleven) => "macroxue-11",
        }
    }

    /// Names of all families.
    pub const FAMILIES: [&'static str; 6] =
        ["block-10", "block-11", "hook-11", "row-10", "macroxue-10", "macroxue-11"];

    /// Returns the kind of a family with this target tile; an error says what is wrong.
    pub fn from_family(family: &str, target: Option<u32>) -> Result<Kind, String> {
        let shape = match family {
            "block-10" => Shape::Block,
            "block-11" => Shape::BlockOfFive,
            "hook-11" => Shape::Hook,
            "row-10" => Shape::Row,
            "macroxue-10" | "macroxue-11" if target.is_some() => {
                return Err(format!("{family} has no target"));
            }
            "macroxue-10" => return Ok(Kind::Macroxue(MacroxueShape::Ten)),
            "macroxue-11" => return Ok(Kind::Macroxue(MacroxueShape::Eleven)),
            _ => {
                let help = match nearest_name(family, Kind::FAMILIES) {
                    Some(suggestion) => format!("did you mean {suggestion}?"),
                    None => format!("expected {}", Kind::FAMILIES.join(", ")),
                };
                return Err(format!("no table is named {family}; {help}"));
            }
        };
        let target = target.ok_or_else(|| format!("{family} needs a target, such as 512"))?;
        let rank = TARGETS.into_iter().find(|&rank| 1 << rank == target);
        rank.map(|rank| Kind::Exact(shape, rank)).ok_or_else(|| {
            let (min_target, max_target) = (1 << TARGETS.start(), 1 << TARGETS.end());
            format!("the target of {family} is a tile from {min_target} to {max_target}, not {target}")
        })
    }

    /// Returns the target tile of an exact table.
    pub const fn target(self) -> Option<u32> {
        match self {
            Kind::Exact(_, rank) => Some(1 << rank),
            Kind::Macroxue(_) => None,
        }
    }

    /// Describes which boards are won.
    pub fn goal(self) -> String {
        match self {
            Kind::Exact(Shape::Block | Shape::BlockOfFive | Shape::Hook, rank) => {
                format!("{}, on any free cell", 1 << rank)
            }
            Kind::Exact(Shape::Row, rank) => format!("{}, next to the smallest locked tile", 1 << rank),
            Kind::Macroxue(MacroxueShape::Ten) => {
                "chain that merges into the smallest locked tile".to_owned()
            }
            Kind::Macroxue(MacroxueShape::Eleven) => "sixth tile of the block".to_owned(),
        }
    }

    /// Returns the arguments of `gauntlet endgame build` for a table with these boards.
    pub fn arguments(self, coverage: Coverage) -> String {
        let target = self.target().map(|target| format!(" --target {target}")).unwrap_or_default();
        let boards = if coverage == Coverage::All { "" } else { " --boards reachable" };
        format!("{}{target}{boards}", self.family())
    }

    /// Describes the boards of the table by their large tiles.
    pub const fn locked_tiles(self) -> &'static str {
        match self {
            Kind::Exact(Shape::Block, _) => {
                "block of 2x3 in a corner: six different tiles, the target and larger ones"
            }
            Kind::Exact(Shape::BlockOfFive, _) => {
                "block of 2x3 in a corner without its farthest cell: five different tiles, the target \
                 and larger ones"
            }
            Kind::Exact(Shape::Hook, _) => {
                "block of 2x3 in a corner without its farthest border cell: five different tiles, the target \
                 and larger ones"
            }
            Kind::Exact(Shape::Row, _) => {
                "edge and two tiles next to it: six different tiles, the target and larger ones"
            }
            Kind::Macroxue(MacroxueShape::Ten) => "block of 2x3 in a corner",
            Kind::Macroxue(MacroxueShape::Eleven) => "five tiles of a block of 2x3 in a corner",
        }
    }

    /// Returns the name of the table's file.
    pub fn file_name(self) -> String {
        format!("{self}.{}", Kind::EXTENSION)
    }

    /// Extension of the files of tables.
    pub const EXTENSION: &'static str = "endgame";
}

/// The family, and the target if there is one.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.target() {
            Some(target) => write!(f, "{}-{target}", self.family()),
            None => f.write_str(self.family()),
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Kind, String> {
        if Kind::FAMILIES.contains(&name) {
            return Kind::from_family(name, None);
        }
        match name.rsplit_once('-').map(|(family, target)| (family, target.parse())) {
            Some((family, Ok(target))) if Kind::FAMILIES.contains(&family) => {
                Kind::from_family(family, Some(target))
            }
            _ => Kind::from_family(name, None),
        }
    }
}

/// What the head of a file says about its table.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    pub(crate) table: String,
    /// Probability that a new tile is a 4.
    pub(crate) four: f64,
    pub(crate) layers: usize,
    pub(crate) boards: u64,
    /// Sum of the boards that all boards of the table are reached from. Without it, the table has
    /// all boards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reachable_from_sum: Option<u64>,
}

impl Description {
    /// Returns the boards that the table has numbers for.
    pub(crate) fn coverage(&self) -> Coverage {
        self.reachable_from_sum.map_or(Coverage::All, Coverage::ReachableFrom)
    }
}
