//! What a kind of table must define: its boards, when one is won, and how values are rounded.

use crate::board_set::{BoardSet, ReachableLayer};
use crate::index::{BoardIndex, Codes};

/// Rules of a kind of table.
///
/// A table computes the probability to win by the best moves. Its large tiles are *locked*: a move
/// that changes one of their cells is not made.
pub(crate) trait Rule: Send + Sync {
    /// Sum of values of one kind of new tile.
    type Sum: Copy + Default;
    /// Probability after a move, before a new tile.
    type Mean: Copy + Default + PartialOrd + Send + Sync;

    /// Returns the numbering of the table's boards.
    fn index(&self) -> &BoardIndex;

    /// Returns the locked tiles.
    fn locked_tiles(&self) -> u64;

    /// Returns the cells that new tiles appear on, in the order of the sums.
    fn spawn_cells(&self) -> &[usize];

    /// Returns what a board after a move is worth. Its locked tiles are in place.
    fn outcome(&self, word: u64) -> Outcome;

    /// Adds the value of a board.
    fn add(sum: &mut Self::Sum, value: u16);

    /// Returns the mean value: 90 % a tile of 2, 10 % a tile of 4, on each of `empty` cells.
    fn mean(twos: Self::Sum, fours: Self::Sum, empty: u32) -> Self::Mean;

    /// Returns the mean of a board that is won.
    fn win_mean() -> Self::Mean;

    /// Returns the value of a board from its best move: the move's number, and its mean.
    fn value(best: Self::Mean, mv: u16) -> u16;

    /// Returns the numbers of a layer that the file contains.
    fn encode(means: Vec<Self::Mean>, values: &Values) -> Vec<u16>;

    /// Returns the reachable boards that the file has numbers for.
    fn numbered_boards(reachable: &ReachableLayer) -> &BoardSet;

    /// Returns the values of a layer from the numbers of its file. If only reachable boards have
    /// numbers, the values of others are not needed.
    fn decode(&self, layer: usize, numbers: Vec<u16>, reachable: Option<&ReachableLayer>) -> Values;
}

/// What a board after a move is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The board is won.
    Won,
    /// The board is lost, because the table does not have it.
    Lost,
    /// The value is the mean over the board's new tiles.
    At(Codes),
}

/// Values of a layer's boards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values(pub(crate) Vec<u16>);
