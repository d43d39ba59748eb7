//! Openings: stones on the board before the first choice. Black and white alternate, black first.

use std::fmt;
use std::sync::{Arc, OnceLock};

use gauntlet_core::game;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::board::{Board, Rule};
use super::cell::{Cell, parse_cells};
use super::stone::Stone;

/// Source of openings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OpeningSource {
    /// Generated near the centre: the most balanced of a few.
    #[default]
    Generated,
    /// The twelve openings of Gomocup 2026 for free-style on a board of 15.
    Gomocup,
    /// No opening: black begins on an empty board.
    Empty,
    /// Openings listed in the file.
    Listed(Vec<ListedOpening>),
}

/// Listed opening: its stones in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedOpening(String);

/// Gomocup's openings of 2026 for free-style on a board of 15, as column and row from the centre.
const GOMOCUP: [&str; 12] = [
    "4,6, 1,5, 0,3",
    "-1,6, -1,3, -3,1, -6,1, -4,5",
    "0,0, 1,-1, 3,2, -1,-1, 3,-1",
    "0,0, 0,-1, 1,-3, 2,-1, 2,1",
    "0,0, 0,-1, 0,-3, 1,-3, 2,-1",
    "0,0, 0,-1, 3,-3, 2,-2, 0,-2",
    "6,6, 4,4, 6,2, 2,4, 3,2, 5,4, 3,4",
    "0,0, 0,-1, 3,-1, 1,1, -2,-1",
    "5,5, 6,4, 7,3, 7,2, 6,1, 5,0, 4,1, 3,3, 3,4, 3,1, 1,2",
    "0,0, 1,-1, 3,-2, 3,-1, 4,2",
    "0,0, 1,-1, 3,1, 1,1, -2,0",
    "0,0, 1,-1, 3,0, 2,1, -1,2",
];

/// Listed openings, parsed for a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningList {
    /// Stones of each opening.
    pub openings: Vec<Vec<Cell>>,
    /// Smallest and largest number of stones.
    pub stones: (u32, u32),
}

impl OpeningSource {
    /// Parses the listed openings; `None` if there is no list.
    pub fn opening_list(&self, size: u8) -> Option<Result<OpeningList, String>> {
        let texts: Vec<&str> = match self {
            OpeningSource::Generated => return None,
            OpeningSource::Empty => vec![""],
            OpeningSource::Gomocup => GOMOCUP.to_vec(),
            OpeningSource::Listed(lines) => lines.iter().map(|line| &*line.0).collect(),
        };
        let openings = texts.into_iter().map(|text| parse_stones(text, size)).collect::<Result<Vec<_>, _>>();
        Some(openings.map(|openings| {
            let counts = openings.iter().map(|stones| stones.len() as u32);
            let stones = (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0));
            OpeningList { openings, stones }
        }))
    }
}

/// Deck that is parsed on first use, once for the rules and all their copies. It derives from the
/// rules, so any two compare as equal.
#[derive(Clone, Debug, Default)]
pub struct CachedOpenings(OnceLock<Option<Arc<Result<OpeningList, String>>>>);

impl CachedOpenings {
    /// Returns the deck of these openings; `None` if there is no list.
    pub fn opening_list(&self, openings: &OpeningSource, size: u8) -> Option<&Result<OpeningList, String>> {
        self.0.get_or_init(|| openings.opening_list(size).map(Arc::new)).as_deref()
    }
}

impl PartialEq for CachedOpenings {
    fn eq(&self, _: &CachedOpenings) -> bool {
        true
    }
}

impl Eq for CachedOpenings {}

/// Parses the stones of an opening: cells as `h8 i9`, or Gomocup's columns and rows from the centre
/// as `0,0, 1,-2`.
fn parse_stones(text: &str, size: u8) -> Result<Vec<Cell>, String> {
    let is_offsets = text.contains(',');
    let stones = if is_offsets { parse_from_centre(text, size)? } else { parse_cells(text)? };
    let board = Board::new(size);
    if let Some(outside_cell) = stones.iter().find(|&&cell| !board.has(cell)) {
        return Err(format!(
            "cell {outside_cell} of the opening \"{text}\" is outside a board of size {size}"
        ));
    }
    if let Some(duplicate_index) = (1..stones.len()).find(|&i| stones[..i].contains(&stones[i])) {
        return Err(format!("the opening \"{text}\" contains {} twice", stones[duplicate_index]));
    }
    Ok(stones)
}

fn parse_from_centre(text: &str, size: u8) -> Result<Vec<Cell>, String> {
    let refusal = || {
        format!(
            "\"{text}\" is not an opening: expected cells such as h8 i9, or offsets from the centre such as 0,0, 1,-2"
        )
    };
    let numbers: Option<Vec<i32>> =
        text.split(',').map(|number| number.trim().parse::<i8>().ok().map(i32::from)).collect();
    let numbers = numbers.filter(|numbers| numbers.len().is_multiple_of(2)).ok_or_else(refusal)?;
    let coordinate =
        |offset: i32| u8::try_from(offset + i32::from(size / 2)).ok().filter(|&value| value < size);
    let cell = |pair: &[i32]| {
        coordinate(pair[0]).zip(coordinate(pair[1])).map(|(x, y)| Cell::new(x, y)).ok_or_else(|| {
            format!(
                "cell {},{} of the opening \"{text}\" is outside a board of size {size}",
                pair[0], pair[1]
            )
        })
    };
    numbers.chunks(2).map(cell).collect()
}

/// Returns the image of a cell under one of the board's eight symmetries; the first is the
/// identity.
pub fn image(Cell { x, y }: Cell, symmetry: u8, size: u8) -> Cell {
    let last = size - 1;
    let (x, y) = if symmetry & 1 == 0 { (x, y) } else { (last - x, y) };
    let (x, y) = if symmetry & 2 == 0 { (x, y) } else { (x, last - y) };
    let (x, y) = if symmetry & 4 == 0 { (x, y) } else { (y, x) };
    Cell::new(x, y)
}

/// Number of symmetries of the square.
pub const SYMMETRIES: u8 = 8;

/// Returns the image of an opening under a symmetry.
fn image_of_opening(opening: &[Cell], symmetry: u8, size: u8) -> Vec<Cell> {
    opening.iter().map(|&cell| image(cell, symmetry, size)).collect()
}

/// Returns the distinct images of an opening, starting with the opening itself.
pub fn images(opening: &[Cell], size: u8) -> Vec<Vec<Cell>> {
    let mut images: Vec<Vec<Cell>> = Vec::new();
    for symmetry in 0..SYMMETRIES {
        let candidate = image_of_opening(opening, symmetry, size);
        if !images.iter().any(|other| sorted_stones(other) == sorted_stones(&candidate)) {
            images.push(candidate);
        }
    }
    images
}

/// Returns the sorted stones of each colour, equal for openings that lead to the same position.
fn sorted_stones(opening: &[Cell]) -> [Vec<Cell>; 2] {
    [0, 1].map(|first| {
        let mut stones: Vec<Cell> = opening.iter().skip(first).step_by(2).copied().collect();
        stones.sort_unstable();
        stones
    })
}

/// Returns the smallest image of an opening, equal for openings that are images of each other.
pub fn canonical_image(opening: &[Cell], size: u8) -> [Vec<Cell>; 2] {
    let images = (0..SYMMETRIES).map(|symmetry| sorted_stones(&image_of_opening(opening, symmetry, size)));
    images.min().expect("there are symmetries")
}

/// Returns the text of an opening for tables, and the number of its cluster.
pub fn to_game_opening(opening: &[Cell], size: u8) -> game::Opening {
    let text: Vec<String> = opening.iter().map(Cell::to_string).collect();
    // FNV-1a of the canonical form. An experiment has few openings; two with equal numbers would
    // share a cluster.
    let mut cluster = 0xCBF2_9CE4_8422_2325_u64;
    for stones in canonical_image(opening, size) {
        for cell in stones {
            cluster = (cluster ^ (cell.index(size) as u64 + 1)).wrapping_mul(0x0100_0000_01B3);
        }
        cluster = cluster.wrapping_mul(0x0100_0000_01B3);
    }
    game::Opening { text: text.join(" "), cluster }
}

/// Returns the board with the stones of an opening; `None` if they make a five.
pub fn set_up_board(opening: &[Cell], size: u8, rule: Rule) -> Option<Board> {
    let mut board = Board::new(size);
    for (index, &cell) in (0..).zip(opening) {
        let stone = Stone::next_after(index);
        if board.makes_five(cell, stone, rule) {
            return None;
        }
        board.put(cell, stone);
    }
    Some(board)
}

impl Serialize for OpeningSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            OpeningSource::Generated => serializer.serialize_str("generated"),
            OpeningSource::Gomocup => serializer.serialize_str("gomocup"),
            OpeningSource::Empty => serializer.serialize_str("empty"),
            OpeningSource::Listed(lines) => serializer.collect_seq(lines.iter().map(|line| &line.0)),
        }
    }
}

impl<'de> Deserialize<'de> for OpeningSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OpeningSource, D::Error> {
        struct SourceVisitor;

        impl<'de> Visitor<'de> for SourceVisitor {
            type Value = OpeningSource;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("\"generated\", \"gomocup\", \"empty\" or a list of openings")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<OpeningSource, E> {
                match text {
                    "generated" => Ok(OpeningSource::Generated),
                    "gomocup" => Ok(OpeningSource::Gomocup),
                    "empty" => Ok(OpeningSource::Empty),
                    _ => Err(E::unknown_variant(text, &["generated", "gomocup", "empty"])),
                }
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<OpeningSource, A::Error> {
                let mut lines = Vec::new();
                while let Some(text) = list.next_element::<String>()? {
                    lines.push(ListedOpening(text));
                }
                if lines.is_empty() {
                    return Err(de::Error::custom("a list of openings must not be empty"));
                }
                Ok(OpeningSource::Listed(lines))
            }
        }
        deserializer.deserialize_any(SourceVisitor)
    }
}
