//! Stages of a game, found from its end alone. For each tile, from small to large, they are the
//! tile, then the tile and its half together, and so on: 1024, 1024-512, 1024-256 and others, then
//! 2048. A stage is reached when all its tiles are on the board at once, or when a later stage is.
//!
//! A merge of two tiles 2^r earns 2^(r+1) points, and each move spawns a 2 or a 4. So the score
//! minus 4 for each spawned tile equals the sum of (r - 3) 2^r over the tiles 2^r on the board,
//! whether they came as 2s or as 4s. A start board counts as made of spawned 2s. Merges never
//! decrease this sum, and no tile contributes less than -4. So a game that reached a stage ends
//! with at least the sum of the tiles of the stage, minus 4 for each other cell. Some other games
//! do, too: they end with several equal tiles below a missing one.

use super::cells::{MAX_RANK, value_of};
use super::start_board::StartBoard;

/// The first tile: a game that ends without one is very rare.
const FIRST_RANK: u8 = 2;

/// Smallest tile of a stage of several tiles. The sum of smaller tiles is too small to detect them.
const MIN_RANK: u8 = 5;

/// Largest number of tiles of a stage.
const MAX_TILES: usize = 6;

/// Returns the smallest tile of each stage whose largest tile is this one. If games end at the tile
/// `last`, it has one stage. All tiles are ranks.
fn smallest_tiles(largest: u8, last: Option<u8>) -> impl Iterator<Item = u8> {
    let count = if last == Some(largest) { 1 } else { MAX_TILES };
    std::iter::once(largest).chain((MIN_RANK..largest).rev()).take(count)
}

/// Returns the names of the stages: their largest and their smallest tile.
pub(super) fn names(last: Option<u8>) -> Vec<String> {
    let name = |largest: u8, smallest: u8| match (value_of(largest), value_of(smallest)) {
        (tile, other) if tile == other => tile.to_string(),
        (tile, other) => format!("{tile}-{other}"),
    };
    (FIRST_RANK..=last.unwrap_or(MAX_RANK))
        .flat_map(|largest| smallest_tiles(largest, last).map(move |smallest| name(largest, smallest)))
        .collect()
}

/// Returns true if games from this board have stages: if their sum shows no later stage than the
/// tiles of the start board do.
pub(super) fn exist_from(last: Option<u8>, start: StartBoard) -> bool {
    let largest = start.max_rank();
    let own_stages = smallest_tiles(largest, last).take_while(|&rank| start.has_rank(rank)).count();
    let counted_stages = count_reached(last, start, largest, 0, 0);
    largest < FIRST_RANK || counted_stages == count_earlier(largest, last) + own_stages
}

/// Returns the number of stages whose largest tile is smaller than this one.
fn count_earlier(largest: u8, last: Option<u8>) -> usize {
    (FIRST_RANK..largest).map(|largest| smallest_tiles(largest, last).count()).sum()
}

/// Returns the number of stages that a game reached, of those that [`names`] returns. The largest
/// tile is a rank.
pub(super) fn count_reached(
    last: Option<u8>,
    start: StartBoard,
    max_tile: u8,
    score: u64,
    moves: u32,
) -> usize {
    let tile_count = start.count_twos() as i64 + 2 + i64::from(moves);
    let sum = score as i64 + start.potential() as i64 - 4 * tile_count;
    let mut min_sum = -4 * 16;
    let is_reached = |&rank: &u8| {
        min_sum += ((i64::from(rank) - 3) << rank) + 4;
        // The largest tile shows its first stage.
        rank == max_tile || sum >= min_sum
    };
    let own_stages = smallest_tiles(max_tile, last).take_while(is_reached).count();
    if max_tile < FIRST_RANK { 0 } else { count_earlier(max_tile, last) + own_stages }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::board::Board;
    use crate::rules::cells::Cells;

    /// Returns the last stage of a game from the start board that ends with this board, of whose
    /// spawned tiles `fours` were 4s. The others were 2s.
    fn last_stage(start: StartBoard, board: &str, fours: u64) -> String {
        let cells: Cells = board.parse().expect("a board");
        let value: u64 = board.split_whitespace().map(|tile| tile.parse::<u64>().expect("a tile")).sum();
        let score = Board::new(cells).potential() - start.potential() - 4 * fours;
        let moves = value / 2 - start.count_twos() - fours - 2;
        let count = count_reached(None, start, cells.max_rank(), score, moves.try_into().expect("a number"));
        names(None)[count - 1].clone()
    }

    /// Games from such boards would all count for a stage that the start board does not have.
    #[test]
    fn some_start_boards_have_no_stages() {
        for (board, expected) in [
            ("0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0", true),
            ("16384 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0", true),
            ("8192 4096 2 0  2048 1024 512 2  4 0 0 0  0 0 0 0", true),
            ("1024 128 256 128  0 0 0 0  0 0 0 0  256 0 0 0", false),
            ("1024 2 1024 2  0 0 0 0  0 0 0 0  0 0 0 0", false),
        ] {
            assert_eq!(exist_from(None, board.parse().expect("a board")), expected, "{board}");
        }
    }

    #[test]
    fn the_end_of_a_game_shows_its_stage() {
        for (board, expected) in [
            ("2 4 2 4  4 2 4 2  2 4 2 4  4 2 4 2", "4"),
            ("32 4 2 4  4 2 4 2  2 4 2 4  4 2 4 2", "32"),
            ("1024 512 256 128  64 32 16 8  2 4 2 4  4 2 4 2", "1024-32"),
            ("32768 2 4 2  4 2 4 2  2 4 2 4  4 2 4 2", "32768"),
            ("32768 8192 4 2  4 2 4 2  2 4 2 4  4 2 4 2", "32768"),
            ("32768 16384 4 2  4 2 4 2  2 4 2 4  4 2 4 2", "32768-16384"),
            ("32768 16384 4096 2048  1024 512 256 128  2 4 2 4  4 2 4 2", "32768-16384"),
            ("32768 16384 8192 2  512 2 256 2  2 4 2 4  4 2 4 2", "32768-8192"),
            ("32768 16384 8192 4096  512 256 128 64  2 4 2 4  4 2 4 2", "32768-4096"),
            ("32768 16384 8192 4096  2048 1024 512 256  2 4 2 4  4 2 4 2", "32768-1024"),
            ("65536 512 4 2  4 2 4 2  2 4 2 4  4 2 4 2", "65536"),
            ("65536 32768 16384 8192  4096 2048 1024 512  256 4 2 4  4 2 4 2", "65536-2048"),
            ("131072 65536 4 2  4 2 4 2  2 4 2 4  4 2 4 2", "131072-65536"),
            // Several equal tiles below a missing one count as the missing one.
            ("32768 16384 4096 2  4096 4 2 4  2 4 2 4  4 2 4 2", "32768-16384"),
            ("32768 16384 4096 2  4096 4 4096 2  2 4 2 4  4 2 4 2", "32768-8192"),
        ] {
            let largest = board.split(' ').next().expect("a tile");
            let start = format!("{largest} 2 2 0  0 0 0 0  0 0 0 0  0 0 0 0").parse().expect("a board");
            for (start, fours) in
                [(StartBoard::default(), 0), (StartBoard::default(), 3), (start, 0), (start, 3)]
            {
                assert_eq!(
                    last_stage(start, board, fours),
                    expected,
                    "{board} from {start:?} with {fours} fours"
                );
            }
        }
    }
}
