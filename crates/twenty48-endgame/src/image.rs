//! Turned and transposed images of a board.

use gauntlet_twenty48::rules::Direction;

/// One of the eight images of a board: turned clockwise, then transposed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// Number of quarter turns.
    pub(crate) turns: u8,
    /// True if rows and columns are exchanged after the turns.
    pub(crate) is_transposed: bool,
}

impl Image {
    /// Returns all images, the board itself first.
    pub(crate) fn all() -> impl Iterator<Item = Image> {
        (0..4).flat_map(|turns| [false, true].map(|is_transposed| Image { turns, is_transposed }))
    }

    /// Returns the cell of the board that is shown on this cell of the image.
    #[inline]
    pub(crate) const fn cell(self, cell: usize) -> usize {
        let (mut x, mut y) = (cell % 4, cell / 4);
        if self.is_transposed {
            (x, y) = (y, x);
        }
        let mut turns = self.turns;
        while turns > 0 {
            (x, y) = (y, 3 - x);
            turns -= 1;
        }
        4 * y + x
    }

    /// Returns the direction on the board of a direction on the image.
    pub(crate) fn direction(self, direction: Direction) -> Direction {
        use Direction::{Down, Left, Right, Up};
        let transposed = match direction {
            Up => Left,
            Left => Up,
            Right => Down,
            Down => Right,
        };
        let start = if self.is_transposed { transposed } else { direction };
        (0..self.turns).fold(start, |direction, _| match direction {
            Up => Left,
            Left => Down,
            Down => Right,
            Right => Up,
        })
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_twenty48::rules::{Board, Cells};

    use super::*;

    fn image_of(cells: Cells, image: Image) -> Cells {
        Cells::from_ranks(std::array::from_fn(|cell| cells.rank(image.cell(cell))))
    }

    /// A slide of the image is the image of the slide.
    #[test]
    fn directions_turn_with_the_board() {
        let cells: Cells = "2 2 8 0  16 0 64 4  2 4 4 0  0 8 16 32".parse().expect("a board");
        let mut images: Vec<Cells> = Image::all().map(|image| image_of(cells, image)).collect();
        for image in Image::all() {
            for direction in Direction::ALL {
                let after = Board::new(cells).slide(image.direction(direction)).expect("it moves").cells();
                let image_after =
                    Board::new(image_of(cells, image)).slide(direction).expect("it moves").cells();
                assert_eq!(image_of(after, image), image_after, "{image:?} {direction}");
            }
        }
        images.sort();
        images.dedup();
        assert_eq!(images.len(), 8);
    }
}
