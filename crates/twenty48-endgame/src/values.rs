//! Computation of a table's values, one layer after another.

use gauntlet_twenty48::rules::PackedLines;
use rayon::prelude::*;

use crate::board_set::BoardSet;
use crate::index::{BoardIndex, CELLS, Content};
use crate::rule::{Outcome, Rule, Values};

/// Work for one thread: some rows of a layer.
const BOARDS_PER_TASK: usize = 1 << 14;

/// Returns the means of a layer's boards as boards after a move, from the values of the next two
/// layers. If only some boards are needed, those of the others are 0.
pub(crate) fn compute_means<R: Rule>(
    rule: &R,
    layer: usize,
    [twos, fours]: [&Values; 2],
    needed_boards: Option<&BoardSet>,
) -> Vec<R::Mean> {
    let index = rule.index();
    let mut means = vec![R::Mean::default(); index.boards(layer)];
    let spawns = Spawns::new(rule);
    split_rows(index, layer, &mut means).into_par_iter().for_each(|rows| {
        for (row, means) in rows {
            spawns.compute_row(&row, layer, [twos, fours], needed_boards, means);
        }
    });
    means
}

/// Row of a layer.
pub(crate) struct Row<'a> {
    pub(crate) first: &'a Content,
    sum: usize,
    pub(crate) second_contents: &'a [Content],
    /// Position of its first board in the layer.
    pub(crate) start: usize,
}

/// Rows of a layer with their part of a list.
pub(crate) type Rows<'a, 'b, T> = Vec<(Row<'a>, &'b mut [T])>;

/// Cuts a list of a layer into its rows, in groups of about equal size.
pub(crate) fn split_rows<'a, 'b, T>(
    index: &'a BoardIndex,
    layer: usize,
    mut list: &'b mut [T],
) -> Vec<Rows<'a, 'b, T>> {
    let (mut groups, mut group, mut size) = (Vec::new(), Vec::new(), 0);
    let mut start = 0;
    for (first, sum, second_contents) in index.rows(layer) {
        let (row, rest) = list.split_at_mut(second_contents.len());
        list = rest;
        group.push((Row { first, sum, second_contents, start }, row));
        start += second_contents.len();
        size += second_contents.len();
        if size >= BOARDS_PER_TASK {
            groups.push(std::mem::take(&mut group));
            size = 0;
        }
    }
    groups.push(group);
    groups
}

/// New tiles of a table's boards.
struct Spawns<'a, R> {
    rule: &'a R,
    /// True for each of the rule's cells in the first half.
    is_first: Vec<bool>,
}

impl<'a, R: Rule> Spawns<'a, R> {
    fn new(rule: &'a R) -> Spawns<'a, R> {
        let is_first = rule.spawn_cells().iter().map(|&cell| rule.index().is_first(cell)).collect();
        Spawns { rule, is_first }
    }

    /// Computes the means of a row.
    fn compute_row(
        &self,
        &Row { first, sum, second_contents, start }: &Row,
        layer: usize,
        next_values: [&Values; 2],
        needed_boards: Option<&BoardSet>,
        means: &mut [R::Mean],
    ) {
        let (index, cells) = (self.rule.index(), self.rule.spawn_cells());
        // Rows that a new tile in the first half leads to, and those without one.
        let mut rows = [[0; 2]; CELLS];
        for (spawn_index, &cell) in cells.iter().enumerate() {
            for rank in [1, 2] {
                rows[spawn_index][rank - 1] = if !self.is_first[spawn_index] {
                    index.row_or_end(layer + rank, sum, first.code)
                } else if first.word >> (4 * cell) & 15 == 0 {
                    let code = first.code + rank as u32 * index.weight(cell);
                    index.row_or_end(layer + rank, sum + rank, code)
                } else {
                    0
                };
            }
        }
        for ((position, other), mean) in (start..).zip(second_contents).zip(means) {
            if needed_boards.is_some_and(|boards| !boards.contains(position)) {
                continue;
            }
            let word = first.word | other.word;
            let (mut twos, mut fours) = <(R::Sum, R::Sum)>::default();
            let mut empty = 0;
            for (spawn_index, &cell) in cells.iter().enumerate() {
                if word >> (4 * cell) & 15 != 0 {
                    continue;
                }
                empty += 1;
                let weight = if self.is_first[spawn_index] { 0 } else { index.weight(cell) };
                let value = |rank: u32| {
                    let position =
                        rows[spawn_index][rank as usize - 1] + index.column(other.code + rank * weight);
                    next_values[rank as usize - 1].0.get(position).copied().unwrap_or(0)
                };
                R::add(&mut twos, value(1));
                R::add(&mut fours, value(2));
            }
            if empty > 0 {
                *mean = R::mean(twos, fours, empty);
            }
        }
    }
}

/// Returns the values of a layer's boards from the means of the same layer. If only some boards are
/// needed, those of the others are 0.
pub(crate) fn compute_values<R: Rule>(
    rule: &R,
    layer: usize,
    means: &[R::Mean],
    needed_boards: Option<&BoardSet>,
) -> Values {
    let index = rule.index();
    let mut values = vec![0; index.boards(layer)];
    split_rows(index, layer, &mut values).into_par_iter().for_each(|rows| {
        for (Row { first, second_contents, start, .. }, values) in rows {
            for ((position, other), value) in (start..).zip(second_contents).zip(values) {
                if needed_boards.is_some_and(|boards| !boards.contains(position)) {
                    continue;
                }
                *value = board_value(rule, layer, first.word | other.word | rule.locked_tiles(), means);
            }
        }
    });
    Values(values)
}

/// Returns the value of a board: that of its best move.
#[inline(always)]
fn board_value<R: Rule>(rule: &R, layer: usize, word: u64, means: &[R::Mean]) -> u16 {
    let index = rule.index();
    let (mut best, mut best_move) = (R::Mean::default(), 0);
    for (mv, after) in legal_slides(index, word) {
        let mean = match rule.outcome(after) {
            Outcome::Won => R::win_mean(),
            Outcome::At(codes) => means[index.position(layer, codes)],
            Outcome::Lost => continue,
        };
        if mean > best {
            (best, best_move) = (mean, mv);
        }
    }
    R::value(best, best_move)
}

/// Returns the boards after the moves that change the board but no locked cell, with the numbers of
/// the moves: up, left, right, down.
#[inline(always)]
pub(crate) fn legal_slides(index: &BoardIndex, word: u64) -> impl Iterator<Item = (u16, u64)> {
    let locked_cells = !index.free_cells();
    let is_legal = move |&(_, after): &(u16, u64)| after != word && (after ^ word) & locked_cells == 0;
    (0..).zip(slides(word)).filter(is_legal)
}

/// Returns a board slid up, left, right and down.
#[inline(always)]
fn slides(word: u64) -> [u64; 4] {
    let lines = PackedLines::new(word);
    let (left, right) = lines.slide_both_ways();
    let (up, down) = lines.transpose().slide_both_ways();
    [up.transpose(), left, right, down.transpose()].map(PackedLines::word)
}
