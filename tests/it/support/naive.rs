//! 2048 a second time, as plainly as it can be said: sixteen values, no ranks, no tables. Written
//! from the rules of the game alone, so that the engine and this are unlikely to be wrong in the
//! same way.

use gauntlet::twenty48::rules::Direction;

/// Sixteen values, row-major, 0 where a cell is empty.
pub(crate) type Values = [u64; 16];

/// The cells of line `line`, from the wall that tiles slide to.
fn line_of(direction: Direction, line: usize) -> [usize; 4] {
    match direction {
        Direction::Left => [0, 1, 2, 3].map(|i| 4 * line + i),
        Direction::Right => [3, 2, 1, 0].map(|i| 4 * line + i),
        Direction::Up => [0, 1, 2, 3].map(|i| 4 * i + line),
        Direction::Down => [3, 2, 1, 0].map(|i| 4 * i + line),
    }
}

/// The board after a slide and the points it earns; none if nothing moves.
pub(crate) fn slide(board: &Values, direction: Direction) -> Option<(Values, u64)> {
    let mut after = [0; 16];
    let mut gain = 0;
    for line in 0..4 {
        let cells = line_of(direction, line);
        let mut tiles = cells.map(|cell| board[cell]).into_iter().filter(|&tile| tile != 0).peekable();
        let mut places = cells.into_iter();
        while let Some(tile) = tiles.next() {
            let place = places.next().expect("there are no more tiles than cells");
            after[place] = tile;
            if tiles.next_if_eq(&tile).is_some() {
                after[place] = 2 * tile;
                gain += 2 * tile;
            }
        }
    }
    (after != *board).then_some((after, gain))
}

/// True if the game is over: no cell is empty and no neighbours are equal.
pub(crate) fn is_over(board: &Values) -> bool {
    let stuck = |cell: usize| {
        let right = cell % 4 < 3 && board[cell] == board[cell + 1];
        let below = cell < 12 && board[cell] == board[cell + 4];
        board[cell] != 0 && !right && !below
    };
    (0..16).all(stuck)
}

/// Potential of a tile that was merged from 2s alone: its own value for the last merge, and twice
/// the potential of each half.
pub(crate) fn potential_of(tile: u64) -> u64 {
    if tile <= 2 { 0 } else { tile + 2 * potential_of(tile / 2) }
}

/// Every board that can follow a slide: a 2 or a 4 on each of its empty cells.
pub(crate) fn spawns(after: Values) -> impl Iterator<Item = Values> {
    let empty = (0..16).filter(move |&cell| after[cell] == 0);
    empty.flat_map(move |cell| {
        [2, 4].map(|tile| {
            let mut board = after;
            board[cell] = tile;
            board
        })
    })
}
