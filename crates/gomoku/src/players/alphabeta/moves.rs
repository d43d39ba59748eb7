//! Generates and orders the moves to search.

use super::weights::UNIT;
use crate::rules::cell::MAX_CELLS;
use crate::rules::pattern_counts::PatternCounts;
use crate::rules::{Pattern, Stone, ThreatBoard};

/// Maximum length of a line.
pub(super) const MAX_PLIES: usize = 100;

/// Move to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    cell: u16,
    /// Sort key; larger comes first.
    pub(super) order: i32,
}

impl Candidate {
    fn new(cell: usize) -> Candidate {
        Candidate { cell: cell as u16, order: 0 }
    }

    #[inline]
    pub(super) fn cell(self) -> usize {
        self.cell.into()
    }
}

/// Lists the moves worth searching, if neither side can complete a five. Returns true if they are
/// all answers to a threat.
pub(super) fn list_moves(threats: &ThreatBoard, turn: Stone, list: &mut Vec<Candidate>) -> bool {
    let other = turn.other();
    if !threats.doubles(other).is_empty() {
        // An open four is stopped on one of its cells, on each of which the opponent makes a four;
        // or by an own four.
        list.extend(threats.fours(other).union(threats.fours(turn)).iter().map(Candidate::new));
        return true;
    }
    list.extend(threats.near_cells().map(Candidate::new));
    if list.is_empty() {
        let size = usize::from(threats.size());
        let empty = (0..size * size).filter(|&cell| threats.stone_at(cell).is_none());
        list.extend(empty.map(Candidate::new));
    }
    false
}

/// Lists the moves that stop an open four on one of its cells.
pub(super) fn list_defences(threats: &ThreatBoard, turn: Stone, list: &mut Vec<Candidate>) {
    list.extend(threats.fours(turn.other()).iter().map(Candidate::new));
}

/// Moves the best move to the front.
#[inline]
pub(super) fn move_best_to_front(list: &mut [Candidate]) {
    let mut best = 0;
    for index in 1..list.len() {
        if list[index].order > list[best].order {
            best = index;
        }
    }
    // The others keep their order, so that ties are broken row by row.
    list[..=best].rotate_right(1);
}

/// Killer moves and history: moves that caused cutoffs before.
pub(super) struct MoveOrdering {
    killers: [[usize; 2]; MAX_PLIES],
    history: [Box<[i32; MAX_CELLS]>; 2],
}

/// Index that means no cell.
const NO_CELL: usize = usize::MAX;

impl MoveOrdering {
    pub(super) fn new() -> MoveOrdering {
        MoveOrdering { killers: [[NO_CELL; 2]; _], history: [(); 2].map(|()| Box::new([0; _])) }
    }

    /// Clears all entries.
    pub(super) fn clear(&mut self) {
        *self = MoveOrdering::new();
    }

    /// Ages the entries for the next move of the game.
    pub(super) fn age(&mut self) {
        self.killers.fill([NO_CELL; 2]);
        for history in &mut self.history {
            for count in history.iter_mut() {
                *count /= 4;
            }
        }
    }

    /// Records a quiet move that caused a cutoff.
    pub(super) fn record_cutoff(&mut self, turn: Stone, cell: usize, ply: usize, depth: i32) {
        let killers = &mut self.killers[ply];
        if killers[0] != cell {
            *killers = [cell, killers[0]];
        }
        let count = &mut self.history[turn.number()][cell];
        *count = (*count + depth * depth).min(1 << 12);
    }

    /// Computes the sort key of each move.
    pub(super) fn compute_order(
        &self,
        threats: &ThreatBoard,
        turn: Stone,
        ply: usize,
        first_cell: Option<usize>,
        list: &mut [Candidate],
    ) {
        let other = turn.other();
        let killers = self.killers[ply];
        let history = &self.history[turn.number()];
        for candidate in list {
            let cell = candidate.cell();
            if first_cell == Some(cell) {
                candidate.order = i32::MAX;
                continue;
            }
            let pattern_value = 3 * threats.value(turn, cell) + 2 * threats.value(other, cell);
            let shape_value = 3 * shape_bonus(threats.patterns(turn, cell))
                + 2 * shape_bonus(threats.patterns(other, cell));
            let history_value = history[cell] / 4 + if killers.contains(&cell) { 12 * UNIT } else { 0 };
            candidate.order = pattern_value + shape_value * UNIT + history_value;
        }
    }
}

/// Returns the bonus for patterns on several axes together, beyond the weight of each.
#[inline]
fn shape_bonus(patterns: PatternCounts) -> i32 {
    if patterns.is_double_four() {
        return 200;
    }
    let (four, open_threes) = (patterns.count(Pattern::Four), patterns.count(Pattern::OpenThree));
    match four + open_threes {
        0 => 0,
        1 => 5,
        _ if four > 0 => 100,
        _ => 40,
    }
}
