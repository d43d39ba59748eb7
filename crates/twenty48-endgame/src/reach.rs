//! Boards of a table that a game can reach from boards with small sums.
//!
//! A slide keeps the sum of the tiles and a new tile adds 2 or 4. So one pass over the layers, from
//! the smallest sum up, finds all of them. It makes every move that a table can make, and puts new
//! tiles on every empty cell. So a value of a reachable board depends on reachable boards only.

use rayon::prelude::*;

use crate::board_set::{BoardSet, ReachableLayer};
use crate::index::BoardIndex;
use crate::rule::{Outcome, Rule};
use crate::values::{Row, legal_slides, split_rows};

/// Returns the reachable boards of each layer, from all boards whose free tiles sum to at most
/// `seed_sum`. `show` receives each layer that is done.
pub(crate) fn find_reachable<R: Rule>(
    rule: &R,
    seed_sum: u64,
    show: &mut dyn FnMut(usize),
) -> Vec<ReachableLayer> {
    let index = rule.index();
    let layers: Vec<ReachableLayer> = (0..index.layers())
        .map(|layer| ReachableLayer {
            to_move: BoardSet::new(index.boards(layer), 2 * layer as u64 <= seed_sum),
            moved: BoardSet::new(index.boards(layer), false),
        })
        .collect();
    for (layer, ReachableLayer { to_move, moved }) in layers.iter().enumerate() {
        for_each_board(index, layer, to_move, |word| {
            for (_, after) in legal_slides(index, word | rule.locked_tiles()) {
                if let Outcome::At(codes) = rule.outcome(after) {
                    moved.insert(index.position(layer, codes));
                }
            }
        });
        for_each_board(index, layer, moved, |word| {
            for (rank, next) in (1..).zip(layers.iter().skip(layer + 1).take(2)) {
                for cell in index.empty_cells(word) {
                    if let Some(codes) = index.codes(word | rank << (4 * cell)) {
                        next.to_move.insert(index.position(layer + rank as usize, codes));
                    }
                }
            }
        });
        show(layer);
    }
    layers
}

/// Calls `act` with each board of the set, from rayon's threads.
fn for_each_board(index: &BoardIndex, layer: usize, set: &BoardSet, act: impl Fn(u64) + Sync) {
    let mut boards = vec![(); index.boards(layer)];
    split_rows(index, layer, &mut boards).into_par_iter().flatten_iter().for_each(|(row, _)| {
        let Row { first, second_contents, start, .. } = row;
        let end = start + second_contents.len();
        let mut position = start;
        while position < end {
            let rest = set.bits_from(position);
            if rest == 0 {
                position = (position / 64 + 1) * 64;
                continue;
            }
            position += rest.trailing_zeros() as usize;
            if let Some(other) = second_contents.get(position - start) {
                act(first.word | other.word);
            }
            position += 1;
        }
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gauntlet_twenty48::rules::{Board, Cells, Direction};

    use super::*;
    use crate::exact_rule::{ExactRule, Shape};
    use crate::macroxue::{MacroxueRule, MacroxueShape};
    use crate::rule::Values;
    use crate::values::{compute_means, compute_values};

    /// Boards before and after a move, found on whole boards.
    #[derive(Default)]
    struct PlainSearch {
        to_move: BTreeSet<Cells>,
        moved: BTreeSet<Cells>,
    }

    impl PlainSearch {
        fn visit<R: Rule>(&mut self, rule: &R, cells: Cells) {
            if sum_of(rule, cells) >= 2 * rule.index().layers() || !self.to_move.insert(cells) {
                return;
            }
            for after in Direction::ALL.into_iter().filter_map(|direction| Board::new(cells).slide(direction))
            {
                let is_locked = |cell: &usize| rule.locked_tiles() >> (4 * cell) & 15 != 0;
                let is_kept = |cell: usize| after.cells().rank(cell) == cells.rank(cell);
                let word: u64 = (0..16).map(|cell| u64::from(after.cells().rank(cell)) << (4 * cell)).sum();
                let is_in_table = matches!(rule.outcome(word), Outcome::At(_));
                let are_locked_kept = (0..16).filter(is_locked).all(is_kept);
                if !are_locked_kept || !is_in_table || !self.moved.insert(after.cells()) {
                    continue;
                }
                for cell in (0..16).filter(|&cell| after.cells().rank(cell) == 0) {
                    self.visit(rule, after.place(cell, 1).cells());
                    self.visit(rule, after.place(cell, 2).cells());
                }
            }
        }
    }

    fn sum_of<R: Rule>(rule: &R, cells: Cells) -> usize {
        let free_cells = (0..16).filter(|cell| rule.index().free_cells() >> (4 * cell) & 15 != 0);
        free_cells.map(|cell| cells.values()[cell] as usize).sum()
    }

    /// Returns the boards of a layer by their positions.
    fn boards<R: Rule>(rule: &R, layer: usize) -> Vec<Cells> {
        let rows = rule.index().rows(layer);
        let words = rows.flat_map(|(first, _, others)| others.iter().map(|other| first.word | other.word));
        words
            .map(|word| word | rule.locked_tiles())
            .map(|word| Cells::from_ranks(std::array::from_fn(|cell| (word >> (4 * cell)) as u8 & 15)))
            .collect()
    }

    /// Compares all boards of a rule with a plain search and with a table of all boards.
    fn check_rule<R: Rule>(rule: &R, seed_sum: u64) {
        let reachable = find_reachable(rule, seed_sum, &mut |_| ());
        let mut search = PlainSearch::default();
        for layer in 0..=seed_sum as usize / 2 {
            boards(rule, layer).into_iter().for_each(|cells| search.visit(rule, cells));
        }
        let [mut last, mut reachable_last] = [(); 2].map(|()| [Values::default(), Values::default()]);
        let (mut board_count, mut known_count, mut positive_count) = (0, 0, 0);
        for layer in (0..rule.index().layers()).rev() {
            let ReachableLayer { to_move, moved } = &reachable[layer];
            let means = compute_means(rule, layer, [&last[0], &last[1]], None);
            let values = compute_values(rule, layer, &means, None);
            let [twos, fours] = &reachable_last;
            let reachable_means = compute_means(rule, layer, [twos, fours], Some(moved));
            let reachable_values = compute_values(rule, layer, &reachable_means, Some(to_move));
            for (position, cells) in boards(rule, layer).into_iter().enumerate() {
                board_count += 1;
                assert_eq!(to_move.contains(position), search.to_move.contains(&cells), "{cells:?}");
                assert_eq!(moved.contains(position), search.moved.contains(&cells), "{cells:?}");
                if moved.contains(position) {
                    assert!(means[position] == reachable_means[position], "{cells:?}");
                }
                if to_move.contains(position) {
                    assert_eq!(values.0[position], reachable_values.0[position], "{cells:?}");
                    known_count += 1;
                    positive_count += u32::from(values.0[position] > 0);
                }
            }
            last = [values, std::mem::take(&mut last[0])];
            reachable_last = [reachable_values, std::mem::take(&mut reachable_last[0])];
        }
        assert!(
            positive_count > 100 && known_count < board_count,
            "{positive_count} {known_count} {board_count}"
        );
    }

    #[test]
    fn reachable_boards_have_the_values_of_a_whole_table() {
        for shape in [Shape::Block, Shape::BlockOfFive, Shape::Hook, Shape::Row] {
            check_rule(&ExactRule::new(shape, 3), 4);
            check_rule(&ExactRule::with_sum(shape, 4, 14), 6);
        }
        // Smaller tables of macroxue's shapes. Each cell can hold a new tile of 4.
        let ten = [0, 0, 0, 5, 0, 0, 0, 4, 5, 4, 3, 3, 3, 3, 3, 3];
        check_rule(&MacroxueRule::with_ranks(MacroxueShape::Ten, ten, 10), 8);
        let eleven = [0, 0, 0, 4, 0, 0, 5, 4, 3, 3, 3, 4, 3, 3, 3, 3];
        check_rule(&MacroxueRule::with_ranks(MacroxueShape::Eleven, eleven, 9), 8);
    }
}
