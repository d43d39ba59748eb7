//! A second engine of 2048, as plain as possible: sixteen values, no ranks, no tables. It is
//! written from the rules of the game only, so both engines are unlikely to have the same error.

use gauntlet::twenty48::rules::Direction;

/// Sixteen values, row by row; 0 is an empty cell.
pub(crate) type Values = [u64; 16];

/// Returns the cells of a line, starting at the wall towards which tiles slide.
fn line_cells(direction: Direction, line: usize) -> [usize; 4] {
    match direction {
        Direction::Left => [0, 1, 2, 3].map(|i| 4 * line + i),
        Direction::Right => [3, 2, 1, 0].map(|i| 4 * line + i),
        Direction::Up => [0, 1, 2, 3].map(|i| 4 * i + line),
        Direction::Down => [3, 2, 1, 0].map(|i| 4 * i + line),
    }
}

/// Returns the board after a slide and its points; `None` if nothing moves.
pub(crate) fn slide(board: &Values, direction: Direction) -> Option<(Values, u64)> {
    let mut after = [0; 16];
    let mut gain = 0;
    for line in 0..4 {
        let cells = line_cells(direction, line);
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

/// Returns true if the game is over: no cell is empty and no neighbours are equal.
pub(crate) fn is_over(board: &Values) -> bool {
    let is_stuck = |cell: usize| {
        let right = cell % 4 < 3 && board[cell] == board[cell + 1];
        let below = cell < 12 && board[cell] == board[cell + 4];
        board[cell] != 0 && !right && !below
    };
    (0..16).all(is_stuck)
}

/// Returns the points for making a tile from 2s only: its value for the last merge, plus the points
/// of both halves.
pub(crate) fn potential(tile: u64) -> u64 {
    if tile <= 2 { 0 } else { tile + 2 * potential(tile / 2) }
}

/// Returns every board that can follow a slide: a 2 or a 4 on each of its empty cells.
pub(crate) fn boards_after_spawn(after: Values) -> impl Iterator<Item = Values> {
    let empty = (0..16).filter(move |&cell| after[cell] == 0);
    empty.flat_map(move |cell| {
        [2, 4].map(|tile| {
            let mut board = after;
            board[cell] = tile;
            board
        })
    })
}
