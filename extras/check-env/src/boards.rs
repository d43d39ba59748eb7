//! Boards for environments whose board can be set: lines of all kinds, large tiles, and boards
//! without a legal move.

use gauntlet_core::rng::Rng;
use gauntlet_twenty48::rules::cells::MAX_RANK;
use gauntlet_twenty48::rules::{Cells, Line};

/// Rank up to which the boards contain all possible lines.
const MAX_SMALL_RANK: u8 = 4;

/// Returns boards that contain all lines of small tiles as rows and as columns, and for each larger
/// tile its merges.
pub(crate) fn boards_with_all_lines() -> Vec<Cells> {
    let size = u32::from(MAX_SMALL_RANK) + 1;
    let small_lines = (0..size.pow(4)).map(|number| {
        let digit = |index: u32| (number / size.pow(index) % size) as u8;
        [digit(0), digit(1), digit(2), digit(3)]
    });
    let large_lines = (MAX_SMALL_RANK + 1..MAX_RANK).flat_map(|rank| {
        let patterns: [Line; 6] =
            [[1, 1, 0, 0], [1, 0, 1, 2], [2, 1, 1, 1], [1, 1, 1, 1], [0, 2, 0, 1], [2, 2, 1, 1]];
        patterns.map(|line| line.map(|tile| [0, rank, 2][usize::from(tile)]))
    });
    let lines: Vec<Line> = small_lines.chain(large_lines).collect();
    let mut boards = Vec::new();
    for rows in lines.chunks(4) {
        let cell = |index: usize| rows.get(index / 4).map_or(0, |line| line[index % 4]);
        let board = Cells::from_ranks(std::array::from_fn(cell));
        boards.extend([board, board.transpose()]);
    }
    boards.retain(|board| board.count_empty() < 16);
    boards
}

/// Returns nearly full boards with tiles of these ranks: a move either leads to a board without a
/// legal move, or does not.
pub(crate) fn random_nearly_full(rng: &mut Rng, largest: u8) -> Cells {
    let empty_cell = rng.below(16) as usize;
    Cells::from_ranks(std::array::from_fn(|cell| {
        let is_even = (cell / 4 + cell % 4) % 2 == 0;
        match (cell == empty_cell, is_even) {
            (true, _) => 0,
            (false, true) => 3 + rng.below(u64::from(largest) - 3) as u8 / 2 * 2,
            (false, false) => 4 + rng.below(u64::from(largest) - 3) as u8 / 2 * 2,
        }
    }))
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;
    use gauntlet_twenty48::rules::Board;

    use super::*;

    #[test]
    fn boards_contain_all_small_lines_and_large_merges() {
        let boards = boards_with_all_lines();
        let count_boards = |line: Line| {
            let has_line = |board: &&Cells| board.rows().contains(&line);
            boards.iter().filter(has_line).count()
        };
        assert!(
            count_boards([4, 0, 3, 4]) > 0
                && count_boards([1, 1, 2, 0]) > 0
                && count_boards([16, 16, 0, 0]) > 0
        );
        assert!(boards.iter().all(|board| board.max_rank() < MAX_RANK));
        let mut rng = Seed::root(1).rng();
        let nearly_full: Vec<Cells> = (0..200).map(|_| random_nearly_full(&mut rng, 16)).collect();
        assert!(nearly_full.iter().all(|board| board.count_empty() == 1 && board.max_rank() <= 17));
        assert!(nearly_full.iter().all(|&board| !Board::new(board).is_over()));
    }
}
