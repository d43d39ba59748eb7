//! Search: iterative deepening alpha-beta with null windows around the principal variation.

use std::time::{Duration, Instant};

use gauntlet_core::player::Stop;
use gauntlet_players::budget::Budget;

use super::moves::{self, Candidate, MAX_PLIES, MoveOrdering};
use super::table::{Bound, Entry, Table};
use super::weights::{UNIT, Weights};
use crate::rules::vcf::VcfResult;
use crate::rules::{Board, Pattern, Rule, Stone, ThreatBoard, Vcf};

/// Value of a five on the board now. A later win counts one less for each stone until then.
pub(super) const WIN: i32 = 1 << 30;

/// Values above this are wins.
pub(super) const PROVEN_WIN: i32 = WIN - 10_000;

/// Extra plies for answers to open threes.
const EXTRA_PLIES: i32 = 4;

/// Maximum number of moves at the root, below it, and beyond the depth limit. Within the depth
/// limit, all answers to a threat are searched.
const WIDTH: [usize; 3] = [16, 8, 4];

/// Positions in the move order from which on a quiet move is reduced by one ply, and by two.
const REDUCTION_STARTS: [usize; 2] = [2, 4];

/// Limits of the search for one move.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Depth in plies.
    pub(super) depth: u32,
    /// Number of positions.
    pub(super) nodes: u64,
    /// Time for the move; `None` without a limit.
    pub(super) time: Option<Duration>,
    /// Positions per search for fours at the root and after the first move.
    pub(super) vcf: u64,
}

impl Limits {
    pub(super) fn new(budget: Budget, vcf: u64) -> Limits {
        let limits = Limits { depth: u32::MAX, nodes: u64::MAX, time: None, vcf };
        match budget {
            Budget::Depth(depth) => Limits { depth, ..limits },
            Budget::Nodes(nodes) => Limits { nodes, ..limits },
            Budget::Time(time) => Limits { time: Some(time), ..limits },
        }
    }
}

/// Result of a search.
#[derive(Clone, Copy)]
pub(super) struct SearchResult {
    pub(super) cell: usize,
    pub(super) value: i32,
    pub(super) depth: Option<u32>,
    /// True if the move is the first of winning fours: [`Vcf::winning_line`].
    pub(super) is_by_fours: bool,
}

impl SearchResult {
    fn without_search(cell: usize, value: i32) -> SearchResult {
        SearchResult { cell, value, depth: None, is_by_fours: false }
    }
}

/// Search, with all that it remembers of a game.
pub(super) struct Search {
    pub(super) threats: ThreatBoard,
    pub(super) vcf: Vcf,
    /// Positions of the last search, including those of the search for fours.
    pub(super) nodes: u64,
    /// Positions for which the transposition table sufficed.
    pub(super) table_hits: u64,
    table: Table,
    move_ordering: MoveOrdering,
    lists: Vec<Vec<Candidate>>,
    turn_bonus: i32,
    limits: Limits,
    deadline: Option<Instant>,
    stop: Stop,
    is_over: bool,
    checks: u32,
    /// Number of empty cells at the root.
    empty_count: usize,
}

impl Search {
    pub(super) fn new(size: u8, rule: Rule, weights: &Weights, limits: Limits, stop: Stop) -> Search {
        Search {
            threats: ThreatBoard::new(size, rule, weights.to_search_units()),
            vcf: Vcf::new(1 << 15),
            nodes: 0,
            table_hits: 0,
            table: Table::new(),
            move_ordering: MoveOrdering::new(),
            lists: vec![Vec::new(); MAX_PLIES],
            turn_bonus: weights.share_of_turn(),
            limits,
            deadline: None,
            stop,
            is_over: false,
            checks: 0,
            empty_count: 0,
        }
    }

    /// Forgets all earlier games.
    pub(super) fn clear(&mut self) {
        self.vcf.clear();
        self.table.clear();
        self.move_ordering.clear();
    }

    /// Finds the best move within the limits, on a board with an empty cell.
    pub(super) fn find_best_move(&mut self, board: &Board, turn: Stone) -> SearchResult {
        self.threats.update_to(board);
        (self.nodes, self.table_hits, self.is_over, self.checks) = (0, 0, false, 0);
        self.deadline = self.limits.time.map(|time| Instant::now() + time);
        let size = usize::from(board.size());
        self.empty_count = size * size - board.stones() as usize;
        self.move_ordering.age();
        if board.stones() == 0 {
            return SearchResult::without_search(size / 2 * (size + 1), 0);
        }
        if let Some(five) = self.threats.fives(turn).first() {
            return SearchResult::without_search(five, WIN - 1);
        }
        let opponent_fives = self.threats.fives(turn.other());
        if let Some(five) = opponent_fives.first() {
            let value = if opponent_fives.count_to_two() > 1 { 2 - WIN } else { self.evaluate(turn) };
            return SearchResult::without_search(five, value);
        }
        if self.wins_by_fours(turn, self.limits.vcf.min(self.limits.nodes / 4)) {
            let cell = self.vcf.first_cell().expect("a win has a stone");
            let value = WIN - self.vcf.length() as i32;
            return SearchResult { is_by_fours: true, ..SearchResult::without_search(cell, value) };
        }
        self.deepen(turn)
    }

    fn deepen(&mut self, turn: Stone) -> SearchResult {
        let mut list = Vec::new();
        moves::list_moves(&self.threats, turn, &mut list);
        self.move_ordering.compute_order(&self.threats, turn, 0, None, &mut list);
        list.sort_by_key(|candidate| -candidate.order);
        list.truncate(WIDTH[0]);
        let mut result = SearchResult::without_search(list[0].cell(), self.evaluate(turn));
        if list.len() == 1 {
            return result;
        }
        for depth in 1..=self.limits.depth.min(self.empty_count as u32) {
            let Some((index, value)) = self.search_root(turn, depth as i32, &list) else { break };
            result = SearchResult {
                depth: Some(depth),
                ..SearchResult::without_search(list[index].cell(), value)
            };
            // The best move is searched first at the next depth.
            list[..=index].rotate_right(1);
            if value.abs() > PROVEN_WIN || self.is_over {
                break;
            }
        }
        result
    }

    /// Returns the best move at this depth, as far as the limits allow; `None` if not even the
    /// first was searched.
    fn search_root(&mut self, turn: Stone, depth: i32, list: &[Candidate]) -> Option<(usize, i32)> {
        let mut best: Option<(usize, i32)> = None;
        for (index, candidate) in list.iter().enumerate() {
            let alpha = best.map_or(-WIN, |(_, value)| value);
            self.threats.play(candidate.cell(), turn);
            let value = match best {
                None => -self.value(turn.other(), depth - 1, -WIN, WIN, 1),
                Some(_) => {
                    let value = -self.value(turn.other(), depth - 1, -alpha - 1, -alpha, 1);
                    if value > alpha && !self.is_over {
                        -self.value(turn.other(), depth - 1, -WIN, -alpha, 1)
                    } else {
                        value
                    }
                }
            };
            self.threats.undo();
            if self.is_over {
                break;
            }
            if best.is_none() || value > alpha {
                best = Some((index, value));
            }
            if value > PROVEN_WIN {
                break;
            }
        }
        best
    }

    /// Returns the value of a position to the side to move, within the alpha-beta window.
    fn value(&mut self, turn: Stone, depth: i32, alpha: i32, beta: i32, ply: usize) -> i32 {
        self.nodes += 1;
        if self.must_end() {
            return 0;
        }
        if ply >= self.empty_count {
            return 0;
        }
        let other = turn.other();
        if !self.threats.fives(turn).is_empty() {
            return WIN - ply as i32 - 1;
        }
        let forced_cell = self.threats.fives(other).first();
        if forced_cell.is_some() && self.threats.fives(other).count_to_two() > 1 {
            return ply as i32 + 2 - WIN;
        }
        let doubles = self.threats.doubles(turn);
        if forced_cell.map_or(!doubles.is_empty(), |cell| doubles.has(cell)) {
            return WIN - ply as i32 - 3;
        }
        if ply >= MAX_PLIES {
            return self.evaluate(turn);
        }
        if let Some(cell) = forced_cell {
            // A forced answer costs no depth.
            self.threats.play(cell, turn);
            let value = -self.value(other, depth, -beta, -alpha, ply + 1);
            self.threats.undo();
            return value;
        }
        let is_threatened = !self.threats.doubles(other).is_empty();
        if depth <= 0 && (!is_threatened || depth <= -EXTRA_PLIES) {
            return if self.may_win_by_fours(turn) && self.wins_by_fours(turn, self.limits.vcf / 16) {
                WIN - (ply + self.vcf.length()) as i32
            } else {
                self.evaluate(turn)
            };
        }
        self.search(turn, depth, alpha, beta, ply)
    }

    /// Returns this value, if moves have to be searched.
    fn search(&mut self, turn: Stone, depth: i32, alpha: i32, beta: i32, ply: usize) -> i32 {
        let key = self.threats.hash() ^ [0, 0x9FB2_1C65_1E98_DF25][turn.number()];
        let entry = self.table.get(key);
        if let Some(value) = entry.and_then(|entry| usable_value(entry, depth, alpha, beta, ply)) {
            self.table_hits += 1;
            return value;
        }
        let positions = if ply == 1 { self.limits.vcf } else { self.limits.vcf / 16 };
        if (depth > 0 || self.may_win_by_fours(turn)) && self.wins_by_fours(turn, positions) {
            let value = WIN - (ply + self.vcf.length()) as i32;
            let first_cell = self.vcf.first_cell().expect("a win has a stone");
            self.table.set(key, to_table(value, ply), Bound::Lower, i32::from(i8::MAX), first_cell);
            return value;
        }
        if self.is_over {
            return 0;
        }
        let mut list = std::mem::take(&mut self.lists[ply]);
        list.clear();
        let is_forced = if depth > 0 {
            moves::list_moves(&self.threats, turn, &mut list)
        } else {
            moves::list_defences(&self.threats, turn, &mut list);
            true
        };
        let first_cell = entry.map(|entry| usize::from(entry.best_cell));
        self.move_ordering.compute_order(&self.threats, turn, ply, first_cell, &mut list);
        let width = if depth <= 0 {
            WIDTH[2]
        } else if is_forced {
            usize::MAX
        } else {
            WIDTH[1]
        };
        let (mut best, mut best_cell, mut low) = (-WIN, list[0].cell(), alpha);
        for index in 0..width.min(list.len()) {
            moves::move_best_to_front(&mut list[index..]);
            let cell = list[index].cell();
            let is_quiet = !is_forced && !self.threats.patterns(turn, cell).is_four();
            self.threats.play(cell, turn);
            let value = if index == 0 {
                -self.value(turn.other(), depth - 1, -beta, -low, ply + 1)
            } else {
                let reduced_plies = if is_quiet && depth >= 2 { reduction(index) } else { 0 };
                let mut value = -self.value(turn.other(), depth - 1 - reduced_plies, -low - 1, -low, ply + 1);
                if value > low && (reduced_plies > 0 || value < beta) && !self.is_over {
                    value = -self.value(turn.other(), depth - 1, -beta, -low, ply + 1);
                }
                value
            };
            self.threats.undo();
            if self.is_over {
                break;
            }
            if value > best {
                (best, best_cell) = (value, cell);
            }
            low = low.max(value);
            if low >= beta {
                if is_quiet {
                    self.move_ordering.record_cutoff(turn, cell, ply, depth);
                }
                break;
            }
        }
        self.lists[ply] = list;
        if self.is_over {
            return 0;
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        self.table.set(key, to_table(best, ply), bound, depth, best_cell);
        best
    }

    /// Returns true if a four of the side to move also makes a three: most wins by fours begin with
    /// one.
    fn may_win_by_fours(&self, turn: Stone) -> bool {
        self.threats.fours(turn).iter().any(|cell| {
            let patterns = self.threats.patterns(turn, cell);
            patterns.count(Pattern::OpenThree) + patterns.count(Pattern::Three) > 0
        })
    }

    /// Returns true if the side to move is found to win by fours within this number of positions.
    fn wins_by_fours(&mut self, turn: Stone, positions: u64) -> bool {
        if positions == 0 || self.threats.fours(turn).is_empty() {
            return false;
        }
        let remaining_nodes = self.limits.nodes.saturating_sub(self.nodes);
        let solution = self.vcf.solve(&mut self.threats, turn, positions.min(remaining_nodes));
        self.nodes += self.vcf.nodes();
        solution == VcfResult::Win
    }

    /// Returns the static evaluation for the side to move.
    fn evaluate(&self, turn: Stone) -> i32 {
        let (own_sum, opponent_sum) = (self.threats.sum(turn), self.threats.sum(turn.other()));
        own_sum + own_sum / UNIT * self.turn_bonus - opponent_sum
    }

    fn must_end(&mut self) -> bool {
        self.checks += 1;
        if self.nodes >= self.limits.nodes {
            self.is_over = true;
        } else if self.checks.is_multiple_of(64) {
            let is_time_over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            self.is_over |= is_time_over || self.stop.is_requested();
        }
        self.is_over
    }
}

/// Converts a win to the distance from this position, rather than from the root, for the table.
fn to_table(value: i32, ply: usize) -> i32 {
    match value {
        PROVEN_WIN.. => value + ply as i32,
        _ if value <= -PROVEN_WIN => value - ply as i32,
        _ => value,
    }
}

fn from_table(value: i32, ply: usize) -> i32 {
    match value {
        PROVEN_WIN.. => value - ply as i32,
        _ if value <= -PROVEN_WIN => value + ply as i32,
        _ => value,
    }
}

/// Returns the value in the table, if it suffices for this depth and window.
#[inline]
fn usable_value(entry: Entry, depth: i32, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
    let value = from_table(entry.value, ply);
    let suffices = i32::from(entry.depth) >= depth
        && match entry.bound {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        };
    suffices.then_some(value)
}

/// Returns the plies by which a quiet move at this position in the order is reduced.
#[inline]
fn reduction(index: usize) -> i32 {
    match index {
        _ if index < REDUCTION_STARTS[0] => 0,
        _ if index < REDUCTION_STARTS[1] => 1,
        _ => 2,
    }
}
