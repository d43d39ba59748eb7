//! Exact tables: five or six large tiles are locked, and the goal is a free tile of the target
//! rank.

use crate::board_set::{BoardSet, ReachableLayer};
use crate::index::{BoardIndex, CELLS};
use crate::rule::{Outcome, Rule, Values};
use crate::values::compute_values;

/// Largest value of an exact table: a probability of 1.
pub const CERTAINTY: u16 = u16::MAX;

/// Shape of the locked tiles of an exact table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Two rows of three, in a corner.
    Block,
    /// The cells of [`Shape::Block`] without the one farthest from the corner.
    BlockOfFive,
    /// The cells of [`Shape::Block`] without the border cell farthest from the corner.
    Hook,
    /// A row and the first two cells of the next row.
    Row,
}

impl Shape {
    /// Returns the locked cells.
    pub(crate) const fn cells(self) -> &'static [usize] {
        match self {
            Shape::Block => &[9, 10, 11, 13, 14, 15],
            Shape::BlockOfFive => &[10, 11, 13, 14, 15],
            Shape::Hook => &[9, 10, 11, 14, 15],
            Shape::Row => &[8, 9, 12, 13, 14, 15],
        }
    }

    /// Returns the cells on which the target wins. Elsewhere it loses.
    pub(crate) const fn goals(self) -> &'static [usize] {
        match self {
            Shape::Block => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 12],
            Shape::BlockOfFive => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12],
            Shape::Hook => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13],
            Shape::Row => &[5, 10],
        }
    }

    /// Returns the cell where the smallest locked tile must be, if the goals are next to it.
    pub(crate) const fn smallest_locked_cell(self) -> Option<usize> {
        match self {
            Shape::Block | Shape::BlockOfFive | Shape::Hook => None,
            Shape::Row => Some(9),
        }
    }
}

/// Exact table: locked tiles, and a target that no free tile has reached.
#[derive(Debug)]
pub(crate) struct ExactRule {
    pub(crate) shape: Shape,
    /// Rank of the goal.
    pub(crate) target: u8,
    index: BoardIndex,
    locked_tiles: u64,
    spawn_cells: Vec<usize>,
}

impl ExactRule {
    /// Largest sum of the free tiles beyond the target. A board of a larger sum counts as lost.
    const SPARE_SUM: usize = 96;

    /// Creates the rule of a table for this target rank.
    pub(crate) fn new(shape: Shape, target: u8) -> ExactRule {
        ExactRule::with_sum(shape, target, ((1 << target) + ExactRule::SPARE_SUM) / 2)
    }

    /// Creates the rule with another largest sum, in units of the tile 2.
    pub(crate) fn with_sum(shape: Shape, target: u8, max_sum: usize) -> ExactRule {
        let cells = shape.cells();
        let limits = std::array::from_fn(|cell| if cells.contains(&cell) { 0 } else { target });
        let index = BoardIndex::new(limits, max_sum);
        // Any ranks that differ from each other and from the free tiles play alike. In a hook, a
        // target can also take the cell of a locked tile that falls.
        let first_rank = 16 - cells.len() as u64;
        let locked_tiles = (first_rank..).zip(cells).map(|(rank, &cell)| rank << (4 * cell)).sum();
        let spawn_cells = (0..CELLS).filter(|&cell| limits[cell] > 0).collect();
        ExactRule { shape, target, index, locked_tiles, spawn_cells }
    }
}

impl Rule for ExactRule {
    type Sum = u32;
    type Mean = u16;

    fn index(&self) -> &BoardIndex {
        &self.index
    }

    fn locked_tiles(&self) -> u64 {
        self.locked_tiles
    }

    fn spawn_cells(&self) -> &[usize] {
        &self.spawn_cells
    }

    #[inline(always)]
    fn outcome(&self, board: u64) -> Outcome {
        // Only the target is too large for a free cell.
        match self.index.codes(board) {
            Some(codes) => Outcome::At(codes),
            None if self
                .shape
                .goals()
                .iter()
                .any(|&cell| (board >> (4 * cell)) as u8 & 15 == self.target) =>
            {
                Outcome::Won
            }
            None => Outcome::Lost,
        }
    }

    #[inline(always)]
    fn add(sum: &mut u32, value: u16) {
        *sum += u32::from(value);
    }

    #[inline(always)]
    fn mean(two_sum: u32, four_sum: u32, empty: u32) -> u16 {
        let tenths = 10 * empty;
        ((9 * two_sum + four_sum + tenths / 2) / tenths) as u16
    }

    #[inline(always)]
    fn win_mean() -> u16 {
        CERTAINTY
    }

    #[inline(always)]
    fn value(best: u16, _mv: u16) -> u16 {
        best
    }

    fn encode(means: Vec<u16>, _values: &Values) -> Vec<u16> {
        means
    }

    fn numbered_boards(reachable: &ReachableLayer) -> &BoardSet {
        &reachable.moved
    }

    fn decode(&self, layer: usize, numbers: Vec<u16>, reachable: Option<&ReachableLayer>) -> Values {
        compute_values(self, layer, &numbers, reachable.map(|reachable| &reachable.to_move))
    }
}
