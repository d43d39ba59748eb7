//! Slides as faulty environments compute them, to explain a wrong board.

use gauntlet_twenty48::rules::line::{reverse, slide_line};
use gauntlet_twenty48::rules::{Cells, Direction, Line};

/// A slide of one line towards its first cell.
pub(crate) type LineRule = fn(Line) -> Line;

/// Slides a board by a rule for lines.
pub(crate) fn slide_by(cells: Cells, direction: Direction, rule: impl Fn(Line) -> Line) -> Cells {
    let is_vertical = matches!(direction, Direction::Up | Direction::Down);
    let is_to_end = matches!(direction, Direction::Right | Direction::Down);
    let oriented = if is_vertical { cells.transpose() } else { cells };
    let rows = oriented.rows().map(|row| if is_to_end { reverse(rule(reverse(row))) } else { rule(row) });
    let after = Cells::from_ranks(std::array::from_fn(|cell| rows[cell / 4][cell % 4]));
    if is_vertical { after.transpose() } else { after }
}

/// Moves all tiles of a line to its beginning.
fn close_up(line: Line) -> Line {
    let mut tiles = line.into_iter().filter(|&rank| rank != 0);
    std::array::from_fn(|_| tiles.next().unwrap_or(0))
}

/// A merged tile merges again: 2 2 4 becomes 8.
pub(crate) fn merge_twice(line: Line) -> Line {
    let mut stack: Vec<u8> = Vec::new();
    for rank in line.into_iter().filter(|&rank| rank != 0) {
        stack.push(rank);
        while let [.., one, other] = stack[..]
            && one == other
        {
            stack.pop();
            *stack.last_mut().expect("two tiles") += 1;
        }
    }
    std::array::from_fn(|cell| stack.get(cell).copied().unwrap_or(0))
}

/// Slides until nothing moves: 2 2 2 2 becomes 8.
pub(crate) fn slide_repeatedly(line: Line) -> Line {
    let after = slide_line(line);
    if after == line { line } else { slide_repeatedly(after) }
}

/// Merges begin at the end that tiles move away from: 2 2 2 becomes 2 4.
pub(crate) fn merge_at_wrong_end(line: Line) -> Line {
    close_up(reverse(slide_line(reverse(line))))
}

/// Only the first pair of a line merges: 2 2 2 2 becomes 4 2 2.
pub(crate) fn merge_once(line: Line) -> Line {
    let mut line = close_up(line);
    if let Some(cell) = (0..3).find(|&cell| line[cell] != 0 && line[cell] == line[cell + 1]) {
        line[cell] += 1;
        line[cell + 1] = 0;
    }
    close_up(line)
}

/// Only the last pair of a line merges.
pub(crate) fn merge_last_once(line: Line) -> Line {
    let mut line = close_up(line);
    if let Some(cell) = (0..3).rev().find(|&cell| line[cell] != 0 && line[cell] == line[cell + 1]) {
        line[cell] += 1;
        line[cell + 1] = 0;
    }
    close_up(line)
}

/// Tiles do not merge.
pub(crate) fn merge_nothing(line: Line) -> Line {
    close_up(line)
}

/// Tiles merge before they close up, so a gap prevents a merge: 2 0 2 becomes 2 2.
pub(crate) fn merge_before_moving(mut line: Line) -> Line {
    for cell in 0..3 {
        if line[cell] != 0 && line[cell] == line[cell + 1] {
            line[cell] += 1;
            line[cell + 1] = 0;
        }
    }
    close_up(line)
}

/// A merged tile merges with the next one: 2 2 4 becomes 8, but 4 2 2 becomes 4 4.
pub(crate) fn merge_with_next(line: Line) -> Line {
    let mut tiles: Vec<u8> = Vec::new();
    for rank in line.into_iter().filter(|&rank| rank != 0) {
        match tiles.last_mut() {
            Some(last) if *last == rank => *last += 1,
            _ => tiles.push(rank),
        }
    }
    std::array::from_fn(|cell| tiles.get(cell).copied().unwrap_or(0))
}

/// What two tiles of the largest rank become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cap {
    /// One of them.
    One,
    /// They do not merge.
    Both,
    /// A cell that looks empty.
    Nothing,
}

/// Slides a line if tiles end at a rank.
pub(crate) fn slide_capped(line: Line, largest: u8, cap: Cap) -> Line {
    let mut tiles: Vec<u8> = Vec::new();
    let mut may_merge = false;
    for rank in line.into_iter().filter(|&rank| rank != 0) {
        match tiles.last_mut() {
            Some(last) if may_merge && *last == rank && (rank != largest || cap != Cap::Both) => {
                *last = match cap {
                    _ if rank != largest => rank + 1,
                    Cap::Nothing => 0,
                    Cap::One | Cap::Both => rank,
                };
                may_merge = false;
            }
            _ => {
                tiles.push(rank);
                may_merge = true;
            }
        }
    }
    std::array::from_fn(|cell| tiles.get(cell).copied().unwrap_or(0))
}

/// Returns true if a board has all tiles of another one in their cells.
pub(crate) fn has_tiles(board: Cells, tiles: Cells) -> bool {
    (0..16).all(|cell| [0, board.rank(cell)].contains(&tiles.rank(cell)))
}

/// Returns true if a board is another one with one more tile, a 2 or a 4.
pub(crate) fn has_one_new_tile(before: Cells, after: Cells) -> bool {
    new_tile(before, after).is_some_and(|(_, rank)| rank <= 2)
}

/// Returns cell and rank of the only difference between two boards, a tile on an empty cell.
pub(crate) fn new_tile(before: Cells, after: Cells) -> Option<(usize, u8)> {
    let mut added_tile = None;
    for cell in 0..16 {
        let (old, new) = (before.rank(cell), after.rank(cell));
        if old != new {
            if old != 0 || added_tile.is_some() {
                return None;
            }
            added_tile = Some((cell, new));
        }
    }
    added_tile
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;
    use gauntlet_twenty48::rules::Board;

    use super::*;

    #[test]
    fn the_rule_of_the_game_slides_boards_as_the_game_does() {
        let mut rng = Seed::root(1).rng();
        for _ in 0..2_000 {
            let cells = Cells::from_ranks(std::array::from_fn(|_| rng.below(4) as u8));
            for direction in Direction::ALL {
                let expected = Board::new(cells).slide(direction).map_or(cells, |after| after.cells());
                assert_eq!(slide_by(cells, direction, slide_line), expected);
            }
        }
    }

    #[test]
    fn faulty_rules_differ_as_their_names_say() {
        let rules: [(LineRule, Line, Line); 8] = [
            (merge_twice, [1, 1, 2, 0], [3, 0, 0, 0]),
            (merge_with_next, [2, 1, 1, 2], [2, 3, 0, 0]),
            (slide_repeatedly, [1, 1, 1, 1], [3, 0, 0, 0]),
            (merge_at_wrong_end, [1, 0, 1, 1], [1, 2, 0, 0]),
            (merge_once, [1, 1, 2, 2], [2, 2, 2, 0]),
            (merge_last_once, [1, 1, 2, 2], [1, 1, 3, 0]),
            (merge_nothing, [1, 0, 1, 1], [1, 1, 1, 0]),
            (merge_before_moving, [1, 0, 1, 1], [1, 2, 0, 0]),
        ];
        for (rule, line, expected) in rules {
            assert_eq!(rule(line), expected, "{line:?}");
        }
        let caps = [(Cap::One, [15, 2, 0, 0]), (Cap::Both, [15, 15, 2, 0]), (Cap::Nothing, [0, 2, 0, 0])];
        for (cap, expected) in caps {
            assert_eq!(slide_capped([15, 15, 1, 1], 15, cap), expected);
            assert_eq!(slide_capped([14, 14, 15, 1], 15, cap), [15, 15, 1, 0]);
        }
    }

    #[test]
    fn only_one_new_tile_is_a_new_tile() {
        let board = |text: &str| text.parse::<Cells>().expect("a board");
        let before = board("2 4 0 0  0 0 0 0  0 0 0 0  0 0 0 0");
        let find_new = |text| new_tile(before, board(text));
        assert_eq!(find_new("2 4 0 0  0 0 8 0  0 0 0 0  0 0 0 0"), Some((6, 3)));
        assert_eq!(find_new("2 4 0 0  0 0 2 2  0 0 0 0  0 0 0 0"), None);
        assert_eq!(find_new("2 2 0 0  0 0 0 0  0 0 0 0  0 0 0 0"), None);
        assert_eq!(find_new("2 4 0 0  0 0 0 0  0 0 0 0  0 0 0 0"), None);
    }
}
