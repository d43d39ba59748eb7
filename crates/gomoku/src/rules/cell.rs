//! Cells of a board, and their notation.

use std::fmt;
use std::str::FromStr;

/// Maximum board size, in cells on a side.
pub const MAX_SIZE: u8 = 25;

/// Number of cells of the largest board.
pub(crate) const MAX_CELLS: usize = MAX_SIZE as usize * MAX_SIZE as usize;

/// Cell of a board. `h8` is the eighth column from the left and the eighth row from the top, so
/// `a1` is the first cell of the first row, as in Gomocup engines. A cell of a small board is also
/// a cell of every larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Row, from 0 at the top. It comes first, so that cells are ordered row by row.
    pub y: u8,
    /// Column, from 0 at the left.
    pub x: u8,
}

impl Cell {
    /// Creates a cell from its column and row.
    pub const fn new(x: u8, y: u8) -> Cell {
        Cell { y, x }
    }

    /// Returns the cell with this index, counted row by row from 0, on a board of this size.
    pub const fn from_index(index: usize, size: u8) -> Cell {
        Cell { y: (index / size as usize) as u8, x: (index % size as usize) as u8 }
    }

    /// Returns the index, counted row by row from 0, on a board of this size.
    pub const fn index(self, size: u8) -> usize {
        self.y as usize * size as usize + self.x as usize
    }
}

/// Writes the cell as `h8`.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.x), self.y + 1)
    }
}

/// Parses `h8`, and Gomocup's `7,7`: column and row from 0.
impl FromStr for Cell {
    type Err = String;

    fn from_str(text: &str) -> Result<Cell, String> {
        let refusal = || format!("\"{text}\" is not a cell: expected h8, or 7,7 for column and row from 0");
        let numbers = match text.split_once(',') {
            Some((x, y)) => x.trim().parse().ok().zip(y.trim().parse().ok()),
            None => {
                let (letter, row) = text.split_at_checked(1).ok_or_else(refusal)?;
                let letter = letter.as_bytes()[0].to_ascii_lowercase();
                let row: Option<u8> = row.parse().ok().filter(|_| !row.starts_with('+'));
                letter.is_ascii_lowercase().then(|| letter - b'a').zip(row.and_then(|row| row.checked_sub(1)))
            }
        };
        let (x, y): (u8, u8) = numbers.ok_or_else(refusal)?;
        if x < MAX_SIZE && y < MAX_SIZE { Ok(Cell { y, x }) } else { Err(refusal()) }
    }
}

/// Parses cells with or without blanks between them, such as `h8i9`.
pub fn parse_cells(text: &str) -> Result<Vec<Cell>, String> {
    let mut cells = Vec::new();
    for word in text.split_whitespace() {
        if word.contains(',') {
            cells.push(word.parse()?);
            continue;
        }
        let mut rest = word;
        while !rest.is_empty() {
            let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
            let (cell, next) =
                rest.split_at_checked(1 + digits).ok_or_else(|| format!("\"{rest}\" is not a cell"))?;
            cells.push(cell.parse()?);
            rest = next;
        }
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_read_as_it_is_written() {
        for size in [5, 15, 25] {
            for index in 0..usize::from(size) * usize::from(size) {
                let cell = Cell::from_index(index, size);
                assert_eq!(cell.index(size), index);
                assert_eq!(cell.to_string().parse(), Ok(cell));
                assert_eq!(format!("{},{}", cell.x, cell.y).parse(), Ok(cell));
            }
        }
        assert_eq!(Cell::new(7, 7).to_string(), "h8");
        assert_eq!("H8".parse(), Ok(Cell::new(7, 7)));
        for text in ["", "h", "h0", "8h", "h26", "z1", "h+8", "25,0", "0,25", "1,2,3", "-1,0", "é1", "h 8"] {
            assert!(text.parse::<Cell>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn cells_follow_each_other() {
        let expected = [Cell::new(11, 13), Cell::new(8, 12), Cell::new(7, 10)];
        for text in ["l14i13h11", "l14 i13 h11", "11,13 8,12 h11", " l14i13  h11 "] {
            assert_eq!(parse_cells(text).as_deref(), Ok(&expected[..]), "{text}");
        }
        assert_eq!(parse_cells(""), Ok(Vec::new()));
        for text in ["l14x", "14l", "l14 é", "l14i"] {
            assert!(parse_cells(text).is_err(), "{text:?}");
        }
    }
}
