//! Moves of a board, with the boards right after them and their points.

use gauntlet_twenty48::rules::{Afterstate, Board, Direction};

/// Legal move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegalMove {
    /// Direction of the move.
    pub direction: Direction,
    /// Board after the move, before a tile appears.
    pub after: Afterstate,
    /// Points of the move.
    pub gain: u64,
}

/// Order of moves: among equals the first is made.
const DIRECTIONS: [Direction; 4] = [Direction::Up, Direction::Down, Direction::Left, Direction::Right];

/// Iterates over the legal moves of a board.
#[inline]
pub fn legal_moves(board: Board) -> impl Iterator<Item = LegalMove> {
    let rows_and_effects = board.cells().nibbles().zip(board.slide_effects());
    let slides_and_gains = rows_and_effects.map(|(rows, effects)| {
        let ((left, right), (up, down)) = (rows.slide_both_ways(), rows.transpose().slide_both_ways());
        let (vertical, horizontal) = (effects.vertical_gain(), effects.horizontal_gain());
        [(up.transpose(), vertical), (down.transpose(), vertical), (left, horizontal), (right, horizontal)]
    });
    DIRECTIONS.into_iter().enumerate().filter_map(move |(index, direction)| match slides_and_gains {
        Some(slides_and_gains) => {
            let (rows, gain) = slides_and_gains[index];
            let after = rows.cells();
            (after != board.cells()).then_some(LegalMove {
                direction,
                after: Afterstate::new(after),
                gain: gain.into(),
            })
        }
        None => {
            let after = board.slide(direction)?;
            Some(LegalMove { direction, after, gain: board.gain(direction) })
        }
    })
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;
    use gauntlet_twenty48::rules::Cells;

    use super::*;

    #[test]
    fn turns_are_slides() {
        let mut rng = Seed::root(1).rng();
        for number in 0..4000 {
            let rank_limit = [3, 5, 12, 16, 18][number % 5];
            let board = Board::new(Cells::from_ranks(std::array::from_fn(|_| rng.below(rank_limit) as u8)));
            let expected = DIRECTIONS.into_iter().filter_map(|direction| {
                Some(LegalMove { direction, after: board.slide(direction)?, gain: board.gain(direction) })
            });
            assert!(legal_moves(board).eq(expected), "{}", board.cells().format_line());
        }
    }
}
