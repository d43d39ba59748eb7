//! Groups of equal tiles.

use crate::games::twenty48::Cells;

/// How many groups of equal tiles there are, connected by their sides.
///
/// Source: ovolve/2048-AI, `islands`.
pub fn islands(cells: Cells) -> f64 {
    let ranks = cells.ranks();
    let mut seen = [false; 16];
    let mut groups = 0;
    for start in 0..16 {
        if ranks[start] == 0 || seen[start] {
            continue;
        }
        groups += 1;
        seen[start] = true;
        let (mut stack, mut height) = ([0; 16], 1);
        stack[0] = start;
        while height > 0 {
            height -= 1;
            let index = stack[height];
            let (row, column) = (index / 4, index % 4);
            let sides = [
                (row > 0, index.wrapping_sub(4)),
                (column < 3, index + 1),
                (row < 3, index + 4),
                (column > 0, index.wrapping_sub(1)),
            ];
            for (_, side) in sides.into_iter().filter(|(on_board, _)| *on_board) {
                if ranks[side] == ranks[start] && !seen[side] {
                    seen[side] = true;
                    stack[height] = side;
                    height += 1;
                }
            }
        }
    }
    groups.into()
}
