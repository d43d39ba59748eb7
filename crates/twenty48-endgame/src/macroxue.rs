//! The two small tables of macroxue/2048-ai (`fee3359`): rules, arithmetic and answers.
//!
//! A table has one value per content of its free cells, computed with fixed large tiles. A
//! probability has 14 bits. Sums of probabilities are 32-bit floats, added in the order of the
//! program. The stored numbers depend on both.

use crate::board_set::{BoardSet, ReachableLayer};
use crate::index::{BoardIndex, CELLS, units};
use crate::rule::{Outcome, Rule, Values};

/// Table of macroxue/2048-ai.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacroxueShape {
    /// Ten free cells below six large tiles: `10a`.
    Ten,
    /// Eleven free cells below five large tiles: `11a`.
    Eleven,
}

/// Cells of new tiles, in the order of the sums: two rows without their last cells, and then the
/// last column.
const SPAWN_CELLS: [usize; 10] = [8, 9, 10, 12, 13, 14, 3, 7, 11, 15];

/// Probability of 1 in a value.
const UNIT: f32 = 16000.0;

impl MacroxueShape {
    /// Ranks below these limits fit a cell; 0 marks a locked cell.
    const fn limits(self) -> [u8; CELLS] {
        match self {
            MacroxueShape::Ten => [0, 0, 0, 10, 0, 0, 0, 9, 10, 9, 8, 8, 8, 8, 8, 8],
            MacroxueShape::Eleven => [0, 0, 0, 7, 0, 0, 8, 7, 7, 7, 7, 7, 6, 6, 6, 6],
        }
    }

    /// Rank of the largest anchor.
    const fn max_anchor(self) -> u8 {
        match self {
            MacroxueShape::Ten => 10,
            MacroxueShape::Eleven => 7,
        }
    }

    /// Returns true if the table can be asked about a board.
    pub(crate) fn is_covered(self, rank: impl Fn(usize) -> u8) -> bool {
        let are_different = |a: usize, b: usize| rank(a) != rank(b);
        let has_valid_top = are_different(0, 1)
            && are_different(1, 2)
            && are_different(0, 4)
            && are_different(1, 5)
            && rank(2) > rank(6);
        match self {
            MacroxueShape::Ten => {
                let anchor = rank(4).min(rank(5)).min(rank(6));
                let are_at_least_below =
                    |cells: &[usize], distance: u8| cells.iter().all(|&cell| rank(cell) + distance <= anchor);
                has_valid_top
                    && are_different(4, 5)
                    && are_different(5, 6)
                    && anchor <= self.max_anchor()
                    && are_at_least_below(&[3, 8], 1)
                    && are_at_least_below(&[7, 9], 2)
                    && are_at_least_below(&[10, 11, 12, 13, 14, 15], 3)
            }
            MacroxueShape::Eleven => {
                let anchor = rank(5).min(rank(2)).min(self.max_anchor());
                let are_below =
                    |cells: &[usize], distance: u8| cells.iter().all(|&cell| rank(cell) + distance <= anchor);
                has_valid_top
                    && are_different(5, 2)
                    && rank(4) > rank(5)
                    && rank(5) > rank(6)
                    && rank(6) <= self.max_anchor()
                    && are_below(&[3, 7, 8, 9, 10, 11], 1)
                    && are_below(&[12, 13, 14, 15], 2)
            }
        }
    }

    /// Returns true if a regular board has reached the goal of the table.
    #[inline(always)]
    pub(crate) fn is_goal(self, rank: impl Fn(usize) -> u8) -> bool {
        match self {
            MacroxueShape::Ten => {
                let anchor = rank(4).min(rank(5)).min(rank(6));
                let has_distance = |cell: usize, distance: u8| rank(cell) + distance == anchor;
                has_distance(8, 1)
                    && has_distance(9, 2)
                    && (has_distance(10, 3) && (has_distance(14, 3) || has_distance(11, 3))
                        || has_distance(13, 3) && (has_distance(12, 3) || has_distance(14, 3)))
                    || has_distance(3, 1)
                        && has_distance(7, 2)
                        && has_distance(11, 3)
                        && (has_distance(10, 3) || has_distance(15, 3))
            }
            MacroxueShape::Eleven => {
                let goal = self.max_anchor().min(rank(5).min(rank(2)).saturating_sub(1));
                let has_distance = |cell: usize, distance: u8| rank(cell) + distance == goal;
                has_distance(6, 0)
                    && (has_distance(7, 1) && (has_distance(3, 1) || has_distance(11, 1))
                        || has_distance(3, 1) && has_distance(7, 2) && has_distance(11, 2)
                        || has_distance(10, 1)
                            && (has_distance(9, 1) || has_distance(14, 1) || has_distance(11, 1)))
            }
        }
    }
}

/// Rule of a table of macroxue/2048-ai.
#[derive(Debug)]
pub(crate) struct MacroxueRule {
    pub(crate) shape: MacroxueShape,
    index: BoardIndex,
    locked_tiles: u64,
}

impl MacroxueRule {
    /// Creates the rule of a table.
    pub(crate) fn new(shape: MacroxueShape) -> MacroxueRule {
        MacroxueRule::with_ranks(shape, shape.limits(), 15)
    }

    /// Creates the rule with other limits, and with locked tiles of this rank and the next lower
    /// ones.
    pub(crate) fn with_ranks(
        shape: MacroxueShape,
        limits: [u8; CELLS],
        max_locked_rank: u64,
    ) -> MacroxueRule {
        let max_sum = limits.iter().map(|limit| units(usize::from(limit.saturating_sub(1)))).sum();
        let locked_cells = (0..CELLS).filter(|&cell| limits[cell] == 0);
        let locked_tiles = locked_cells
            .zip((0..=max_locked_rank).rev())
            .map(|(cell, rank): (usize, u64)| rank << (4 * cell))
            .sum();
        MacroxueRule { shape, index: BoardIndex::new(limits, max_sum), locked_tiles }
    }
}

impl Rule for MacroxueRule {
    type Sum = f32;
    type Mean = f32;

    fn index(&self) -> &BoardIndex {
        &self.index
    }

    fn locked_tiles(&self) -> u64 {
        self.locked_tiles
    }

    fn spawn_cells(&self) -> &[usize] {
        &SPAWN_CELLS
    }

    #[inline(always)]
    fn outcome(&self, board: u64) -> Outcome {
        // With the fixed large tiles, a board is regular if its tiles fit their cells.
        match self.index.codes(board) {
            None => Outcome::Lost,
            Some(_) if self.shape.is_goal(|cell| (board >> (4 * cell)) as u8 & 15) => Outcome::Won,
            Some(codes) => Outcome::At(codes),
        }
    }

    #[inline(always)]
    fn add(sum: &mut f32, value: u16) {
        *sum += f32::from(value >> 2) * (1.0 / UNIT);
    }

    #[inline(always)]
    fn mean(twos: f32, fours: f32, empty: u32) -> f32 {
        ((f64::from(twos) * 0.9 + f64::from(fours) * 0.1) / f64::from(empty)) as f32
    }

    #[inline(always)]
    fn win_mean() -> f32 {
        1.0
    }

    #[inline(always)]
    fn value(best: f32, mv: u16) -> u16 {
        match (best * UNIT) as u16 {
            0 => 0,
            probability => probability << 2 | mv,
        }
    }

    fn encode(_means: Vec<f32>, values: &Values) -> Vec<u16> {
        values.0.clone()
    }

    fn numbered_boards(reachable: &ReachableLayer) -> &BoardSet {
        &reachable.to_move
    }

    fn decode(&self, _: usize, numbers: Vec<u16>, _: Option<&ReachableLayer>) -> Values {
        Values(numbers)
    }
}
