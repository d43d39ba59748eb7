//! Known faults that explain a violation, the likeliest first.

use gauntlet_twenty48::rules::cells::value_of;
use gauntlet_twenty48::rules::{Board, Cells, Direction};

use crate::actions::ActionMap;
use crate::fault::Fault;
use crate::moves::LegalMove;
use crate::slides::{
    Cap, LineRule, has_one_new_tile, merge_at_wrong_end, merge_before_moving, merge_last_once, merge_nothing,
    merge_once, merge_twice, merge_with_next, slide_by, slide_capped, slide_repeatedly,
};

/// Rules for lines, each with its fault.
const LINE_RULES: [(LineRule, Fault); 8] = [
    (merge_twice, Fault::MergedTwice),
    (merge_with_next, Fault::MergedTwice),
    (slide_repeatedly, Fault::MergedTwice),
    (merge_at_wrong_end, Fault::MergedAtWrongEnd),
    (merge_once, Fault::OneMergePerLine),
    (merge_last_once, Fault::OneMergePerLine),
    (merge_nothing, Fault::NeverMerged),
    (merge_before_moving, Fault::GapPreventsMerge),
];

/// Ranks at which tiles may end.
const CAPS: std::ops::RangeInclusive<u8> = 10..=17;

/// Returns faults that explain a wrong slide.
pub(crate) fn slide_faults(mv: &LegalMove) -> Vec<Fault> {
    let (before, direction) = (mv.played_move.before, mv.played_move.direction);
    let explains =
        |board: Cells| board != mv.after && (board == mv.actual || has_one_new_tile(board, mv.actual));
    let mut faults = Vec::new();
    let caps = CAPS.filter(|cap| *cap <= mv.after.max_rank());
    let is_cap = |rank: u8| {
        let caps = [Cap::One, Cap::Both, Cap::Nothing];
        caps.into_iter()
            .any(|cap| explains(slide_by(before, direction, |line| slide_capped(line, rank, cap))))
    };
    faults.extend(caps.filter(|&cap| is_cap(cap)).map(Fault::TilesEndAt));
    faults.extend(
        LINE_RULES
            .iter()
            .filter(|(rule, _)| explains(slide_by(before, direction, rule)))
            .map(|(_, fault)| *fault),
    );
    if mv.actual == before {
        faults.push(Fault::MoveIgnored);
    }
    let is_slide_in = |other: &Direction| match Board::new(before).slide(*other) {
        Some(after) => has_one_new_tile(after.cells(), mv.actual),
        None => mv.actual == before,
    };
    if Direction::ALL.iter().any(is_slide_in) {
        faults.push(Fault::OtherDirection);
    }
    faults.dedup();
    faults
}

/// Returns faults that explain why no tile appears.
pub(crate) fn cell_faults(mv: &LegalMove) -> Vec<Fault> {
    let mut faults = Vec::new();
    if mv.played_move.before.count_empty() == 0 {
        faults.push(Fault::StaleCount);
    }
    if mv.after.count_empty() == 1 {
        faults.push(Fault::LastCellNeverFilled);
    }
    faults.push(Fault::NoNewTile);
    faults
}

/// Returns faults that explain a reward.
pub(crate) fn reward_faults(mv: &LegalMove, is_reward: impl Fn(f64) -> bool) -> Vec<Fault> {
    let sum = |board: Cells| board.values().iter().map(|&value| f64::from(value)).sum::<f64>();
    let merges = mv.after.count_empty() - mv.played_move.before.count_empty();
    let largest = f64::from(value_of(mv.actual.max_rank()));
    let candidates = [
        (Fault::RewardHalved, mv.gain as f64 / 2.0),
        (Fault::RewardIsTileSum, sum(mv.actual)),
        (Fault::RewardIsTileSum, sum(mv.after)),
        (Fault::RewardIsScore, (mv.played_move.score + mv.gain) as f64),
        (Fault::RewardIsNewTile, sum(mv.actual) - sum(mv.after)),
        (Fault::RewardIsMerges, merges.into()),
        (Fault::RewardIsZero, 0.0),
        (Fault::RewardIsOne, 1.0),
        (Fault::RewardIsLargestTile, largest),
        (Fault::RewardIsRanks, merged_ranks(mv.played_move.before, mv.played_move.direction)),
    ];
    let mut faults: Vec<Fault> =
        candidates.into_iter().filter(|&(_, points)| is_reward(points)).map(|(fault, _)| fault).collect();
    faults.dedup();
    faults
}

/// Returns the sum of the ranks of the tiles that a slide merges.
fn merged_ranks(before: Cells, direction: Direction) -> f64 {
    let is_vertical = matches!(direction, Direction::Up | Direction::Down);
    let lines = if is_vertical { before.columns() } else { before.rows() };
    let merged_rank_sum = |line: [u8; 4]| {
        let mut sum = 0;
        let mut pending_rank = 0;
        for rank in line.into_iter().filter(|&rank| rank != 0) {
            if rank == pending_rank {
                sum += u32::from(rank) + 1;
                pending_rank = 0;
            } else {
                pending_rank = rank;
            }
        }
        sum
    };
    f64::from(lines.into_iter().map(merged_rank_sum).sum::<u32>())
}

/// Returns faults that explain a mask.
pub(crate) fn mask_faults(
    before: Option<Cells>,
    board: Cells,
    mask: &[bool],
    actions: &ActionMap,
) -> Vec<Fault> {
    if mask.len() != actions.len() {
        return vec![Fault::MaskOfOtherLength];
    }
    let mut faults = Vec::new();
    if mask.iter().all(|&legal| legal) {
        faults.push(Fault::MaskAllowsAll);
    }
    let is_moved = |direction| slide_by(board, direction, merge_nothing) != board;
    let without_merges = (0..mask.len()).map(|action| actions.direction(action).is_some_and(is_moved));
    if without_merges.eq(mask.iter().copied()) {
        faults.push(Fault::MaskIgnoresMerges);
    }
    let is_legal = |board: Cells, action: usize| {
        actions.direction(action).is_some_and(|direction| Board::new(board).slide(direction).is_some())
    };
    let is_mask_of = |board: Cells| (0..mask.len()).all(|action| mask[action] == is_legal(board, action));
    if before.is_some_and(is_mask_of) {
        faults.push(Fault::MaskOfBoardBefore);
    }
    if (0..mask.len()).all(|action| mask[action] != is_legal(board, action)) {
        faults.push(Fault::MaskInverted);
    }
    let legal_count = Board::new(board).legal_directions().count();
    if mask.iter().filter(|&&legal| legal).count() == legal_count {
        faults.push(Fault::MaskInOtherOrder);
    }
    faults
}
