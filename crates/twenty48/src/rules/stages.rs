//! Stages on the way to a goal tile, found from the end of a game alone. On the way to 2048
//! they are 1024, then 1024 and 512 together, and so on: a stage is reached when all its tiles are
//! on the board at once.
//!
//! A merge of two tiles 2^r earns 2^(r+1) points, and each move spawns a 2 or a 4. So the score
//! minus 4 for each spawned tile equals the sum of (r - 3) 2^r over the tiles 2^r on the board,
//! whether they came as 2s or as 4s. Merges never decrease this sum, and no tile contributes less
//! than -4. So a game that reached a stage ends with at least the sum of the tiles of the stage,
//! minus 4 for each other cell. Few other games do: they need several equal tiles below a missing
//! one.

use super::cells::value_of;

/// Smallest tile of a stage after the first. The sum of smaller tiles is too small to detect them.
const MIN_RANK: u8 = 5;

/// Largest number of stages before the goal.
const MAX_STAGES: u8 = 6;

/// Returns the ranks of the tiles of the last stage before the goal.
fn ranks(goal: u8) -> impl Iterator<Item = u8> {
    (1..=MAX_STAGES)
        .map(move |offset| goal - offset)
        .take_while(move |&rank| rank + 1 == goal || rank >= MIN_RANK)
}

/// Returns the names of the stages: their largest and their smallest tile, or the goal.
pub(super) fn names(goal: u8) -> Vec<String> {
    let first = value_of(goal - 1);
    let range_names = ranks(goal).skip(1).map(|rank| format!("{first}-{}", value_of(rank)));
    std::iter::once(first.to_string()).chain(range_names).chain([value_of(goal).to_string()]).collect()
}

/// Returns the number of stages that a game reached.
pub(super) fn count_reached(goal: u8, max_tile: i64, score: u64, moves: u32) -> usize {
    if max_tile >= value_of(goal).into() {
        return ranks(goal).count() + 1;
    }
    if max_tile < value_of(goal - 1).into() {
        return 0;
    }
    let sum = score as i64 - 4 * (i64::from(moves) + 2);
    let mut min_sum = -4 * 16;
    let is_reached = |&rank: &u8| {
        min_sum += ((i64::from(rank) - 3) << rank) + 4;
        // The largest tile shows the first stage.
        rank + 1 == goal || sum >= min_sum
    };
    ranks(goal).take_while(is_reached).count()
}
