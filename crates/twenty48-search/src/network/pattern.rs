//! Patterns: sets of cells for whose every content a network has a weight; and named sets of
//! patterns.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Cells of one pattern, one bit each; cell 0 is at the top left, cell 15 is the last of the last
/// row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern(u16);

/// Maximum number of cells of a pattern.
const MAX_CELLS: usize = 8;

/// Maximum number of patterns of a network.
pub const MAX_PATTERNS: usize = 17;

/// Named sets from the literature.
const NAMED_SETS: &[(&str, &str)] = &[
    ("5x4", "0123 4567 0145 1256 569a"),
    ("4x5", "01234 45678 01245 45689"),
    ("17x4", "0123 4567 89ab cdef 048c 159d 26ae 37bf 0145 1256 2367 4589 569a 67ab 89cd 9ade abef"),
    ("2x4+2x6", "0123 4567 012456 45689a"),
    ("4x6", "012345 456789 012456 45689a"),
    ("4x6-matsuzaki", "012456 456789 012345 234569"),
    ("5x6", "012345 456789 89abcd 012456 45689a"),
    ("6x6", "012456 456789 012345 234569 01259a 345678"),
    ("7x6", "012456 456789 012345 234569 01259a 345678 134567"),
    ("8x6", "012456 456789 012345 234569 01259a 345678 134567 01489a"),
    ("2x7", "0123456 456789a"),
    ("3x7", "0123456 456789a 89abcde"),
    ("2x8", "01234567 456789ab"),
    ("3x8", "01234567 456789ab 01245689"),
    ("3x8-hook", "01234567 456789ab 0123458c"),
    ("4x8", "01234567 456789ab 01245689 0123458c"),
];

impl Pattern {
    /// Returns the cells in ascending order.
    pub fn cells(self) -> impl Iterator<Item = u32> {
        (0..16).filter(move |cell| self.0 >> cell & 1 == 1)
    }

    #[cfg(test)]
    pub(super) const fn from_mask(mask: u16) -> Pattern {
        Pattern(mask)
    }

    /// Returns one bit per cell.
    pub(super) const fn mask(self) -> u16 {
        self.0
    }

    /// Returns the number of cells.
    #[inline]
    pub(super) const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the number of contents: sixteen per cell.
    pub fn contents(self) -> u64 {
        1 << (4 * self.count())
    }

    fn parse(text: &str) -> Result<Pattern, String> {
        let mut mask = 0_u16;
        for digit in text.chars() {
            let cell = digit.to_digit(16).filter(|_| !digit.is_ascii_uppercase());
            let cell = cell.ok_or_else(|| {
                format!("`{}` in `{text}` is not a cell: 0 to 9, a to f", digit.escape_debug())
            })?;
            if mask >> cell & 1 == 1 {
                return Err(format!("`{text}` names the cell {digit} twice"));
            }
            mask |= 1 << cell;
        }
        if text.len() > MAX_CELLS {
            return Err(format!("`{text}` has more than {MAX_CELLS} cells"));
        }
        Ok(Pattern(mask))
    }

    /// Returns the pattern on the eight symmetric images of the board.
    fn images(self) -> [Pattern; 8] {
        let image = |target: fn(u32, u32) -> u32| {
            Pattern(self.cells().fold(0, |mask, cell| mask | 1 << target(cell / 4, cell % 4)))
        };
        [
            |row, column| 4 * row + column,
            |row, column| 4 * row + 3 - column,
            |row, column| 4 * (3 - row) + column,
            |row, column| 4 * (3 - row) + 3 - column,
            |row, column| 4 * column + row,
            |row, column| 4 * column + 3 - row,
            |row, column| 4 * (3 - column) + row,
            |row, column| 4 * (3 - column) + 3 - row,
        ]
        .map(image)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.cells().try_for_each(|cell| write!(f, "{cell:x}"))
    }
}

/// Patterns as a setting: the name of a set, or the cells of each pattern in hexadecimal digits, as
/// in `"0123 4567"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Patterns(Vec<Pattern>);

impl Patterns {
    /// Returns the patterns, at least one, in the order of the setting.
    pub fn list(&self) -> &[Pattern] {
        &self.0
    }

    /// Returns the number of contents of all patterns together.
    pub fn contents(&self) -> u64 {
        self.0.iter().map(|pattern| pattern.contents()).sum()
    }

    /// Returns the names of all named sets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED_SETS.iter().map(|&(name, _)| name)
    }

    /// Returns two patterns that are symmetric images of each other, if there are such.
    pub fn images(&self) -> Option<[Pattern; 2]> {
        let pairs = self
            .0
            .iter()
            .enumerate()
            .flat_map(|(index, one)| self.0[..index].iter().map(move |other| [*other, *one]));
        pairs.into_iter().find(|[one, other]| one.images().contains(other))
    }
}

impl TryFrom<String> for Patterns {
    type Error = String;

    fn try_from(text: String) -> Result<Patterns, String> {
        let cells = NAMED_SETS.iter().find(|&&(name, _)| name == text).map_or(&*text, |&(_, cells)| cells);
        let list: Vec<Pattern> = match cells.split_whitespace().map(Pattern::parse).collect() {
            Ok(list) => list,
            Err(message) if text.contains('x') => {
                let names: Vec<&str> = Patterns::names().collect();
                return Err(format!("{message}; sets with a name: {}", names.join(", ")));
            }
            Err(message) => return Err(message),
        };
        if list.is_empty() || list.len() > MAX_PATTERNS {
            return Err(format!("must be 1 to {MAX_PATTERNS} patterns"));
        }
        if let Some(duplicate) = (1..list.len())
            .map(|index| list[index])
            .find(|one| list.iter().filter(|other| *other == one).count() > 1)
        {
            return Err(format!("duplicate pattern {duplicate}"));
        }
        Ok(Patterns(list))
    }
}

/// Converts to the name of the set, or to the cells.
impl From<Patterns> for String {
    fn from(patterns: Patterns) -> String {
        patterns.to_string()
    }
}

impl fmt::Display for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let cells: Vec<String> = self.0.iter().map(Pattern::to_string).collect();
        let named_set = NAMED_SETS
            .iter()
            .find(|&&(_, known_cells)| known_cells.split(' ').eq(cells.iter().map(|cells| &**cells)));
        f.write_str(&named_set.map_or_else(|| cells.join(" "), |&(name, _)| name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Patterns, String> {
        Patterns::try_from(text.to_owned())
    }

    #[test]
    fn sets_have_names() {
        for &(name, cells) in NAMED_SETS {
            let patterns = parse(name).expect("a set");
            assert_eq!((patterns.to_string(), parse(cells)), (name.to_owned(), Ok(patterns.clone())));
            // Only the set that is meant without symmetry has any.
            assert_eq!(patterns.images().is_some(), name == "17x4", "{name}");
            let (count, sizes) = name.split_once('x').expect("a name");
            if let (Ok(count), Ok(size)) = (count.parse::<usize>(), sizes[..1].parse::<usize>())
                && !name.contains('+')
            {
                assert_eq!(patterns.list().len(), count, "{name}");
                assert!(patterns.list().iter().all(|pattern| pattern.cells().count() == size), "{name}");
            }
        }
        assert_eq!(parse("5x4").expect("a set").list()[4].to_string(), "569a");
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for (text, expected) in [
            ("", "must be 1 to 17"),
            ("0123 012g", "`g` in `012g` is not a cell"),
            ("012A", "`A` in `012A` is not a cell"),
            ("9x9", "sets with a name: 5x4, 4x5"),
            ("0120", "names the cell 0 twice"),
            ("012345678", "more than 8 cells"),
            ("0123 3210", "duplicate pattern 0123"),
        ] {
            let message = parse(text).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
