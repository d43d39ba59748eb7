//! Search: iterative deepening alpha-beta with null windows around the principal variation.

use std::time::{Duration, Instant};

use gauntlet_core::player::Stop;
use gauntlet_players::budget::Budget;

use super::moves::{self, Candidate, MOST_PLIES, Orders};
use super::table::{Bound, Entry, Table};
use super::weights::{UNIT, Weights};
use crate::rules::vcf::VcfResult;
use crate::rules::{Board, Pattern, Rule, Stone, ThreatBoard, Vcf};

/// Value of a five on the board now. A later win counts one less for each stone until then.
pub(super) const WIN: i32 = 1 << 30;

/// Values above this are wins.
pub(super) const WIN_IS_SEEN: i32 = WIN - 10_000;

/// Extra plies for answers to open threes.
const BEYOND: i32 = 4;

/// Maximum number of moves at the root, below it, and beyond the depth limit. Within the depth
/// limit, all answers to a threat are searched.
const WIDTH: [usize; 3] = [16, 8, 4];

/// Positions in the move order from which on a quiet move is reduced by one ply, and by two.
const REDUCED: [usize; 2] = [2, 4];

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
    pub(super) at: usize,
    pub(super) value: i32,
    pub(super) depth: Option<u32>,
    /// True if the move is the first of winning fours: [`Vcf::winning_line`].
    pub(super) is_by_fours: bool,
}

impl SearchResult {
    fn without_search(at: usize, value: i32) -> SearchResult {
        SearchResult { at, value, depth: None, is_by_fours: false }
    }
}

/// Search, with all that it remembers of a game.
pub(super) struct Search {
    pub(super) threats: ThreatBoard,
    pub(super) vcf: Vcf,
    /// Positions of the last search, including those of the search for fours.
    pub(super) nodes: u64,
    /// Positions for which the transposition table sufficed.
    pub(super) known: u64,
    table: Table,
    orders: Orders,
    lists: Vec<Vec<Candidate>>,
    to_move: i32,
    limits: Limits,
    deadline: Option<Instant>,
    stop: Stop,
    is_over: bool,
    looks: u32,
    /// Number of empty cells at the root.
    room: usize,
}

impl Search {
    pub(super) fn new(size: u8, rule: Rule, weights: &Weights, limits: Limits, stop: Stop) -> Search {
        Search {
            threats: ThreatBoard::new(size, rule, weights.to_search_units()),
            vcf: Vcf::new(1 << 15),
            nodes: 0,
            known: 0,
            table: Table::new(),
            orders: Orders::new(),
            lists: vec![Vec::new(); MOST_PLIES],
            to_move: weights.share_of_turn(),
            limits,
            deadline: None,
            stop,
            is_over: false,
            looks: 0,
            room: 0,
        }
    }

    /// Forgets all earlier games.
    pub(super) fn forget(&mut self) {
        self.vcf.forget();
        self.table.forget();
        self.orders.forget();
    }

    /// Finds the best move within the limits, on a board with an empty cell.
    pub(super) fn find_best_move(&mut self, board: &Board, turn: Stone) -> SearchResult {
        self.threats.update_to(board);
        (self.nodes, self.known, self.is_over, self.looks) = (0, 0, false, 0);
        self.deadline = self.limits.time.map(|time| Instant::now() + time);
        let size = usize::from(board.size());
        self.room = size * size - board.stones() as usize;
        self.orders.age();
        if board.stones() == 0 {
            return SearchResult::without_search(size / 2 * (size + 1), 0);
        }
        if let Some(five) = self.threats.fives(turn).first() {
            return SearchResult::without_search(five, WIN - 1);
        }
        let theirs = self.threats.fives(turn.other());
        if let Some(five) = theirs.first() {
            let value = if theirs.count_to_two() > 1 { 2 - WIN } else { self.evaluate(turn) };
            return SearchResult::without_search(five, value);
        }
        if self.wins_by_fours(turn, self.limits.vcf.min(self.limits.nodes / 4)) {
            let at = self.vcf.first_cell().expect("a win has a stone");
            let value = WIN - self.vcf.length() as i32;
            return SearchResult { is_by_fours: true, ..SearchResult::without_search(at, value) };
        }
        self.deepen(turn)
    }

    fn deepen(&mut self, turn: Stone) -> SearchResult {
        let mut list = Vec::new();
        moves::list_moves(&self.threats, turn, &mut list);
        self.orders.rate(&self.threats, turn, 0, None, &mut list);
        list.sort_by_key(|candidate| -candidate.order);
        list.truncate(WIDTH[0]);
        let mut found = SearchResult::without_search(list[0].cell(), self.evaluate(turn));
        if list.len() == 1 {
            return found;
        }
        for depth in 1..=self.limits.depth.min(self.room as u32) {
            let Some((place, value)) = self.search_root(turn, depth as i32, &list) else { break };
            found = SearchResult {
                depth: Some(depth),
                ..SearchResult::without_search(list[place].cell(), value)
            };
            // The best move is searched first at the next depth.
            list[..=place].rotate_right(1);
            if value.abs() > WIN_IS_SEEN || self.is_over {
                break;
            }
        }
        found
    }

    /// Returns the best move at this depth, as far as the limits allow; `None` if not even the
    /// first was searched.
    fn search_root(&mut self, turn: Stone, depth: i32, list: &[Candidate]) -> Option<(usize, i32)> {
        let mut best: Option<(usize, i32)> = None;
        for (place, candidate) in list.iter().enumerate() {
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
                best = Some((place, value));
            }
            if value > WIN_IS_SEEN {
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
        if ply >= self.room {
            return 0;
        }
        let other = turn.other();
        if !self.threats.fives(turn).is_empty() {
            return WIN - ply as i32 - 1;
        }
        let forced = self.threats.fives(other).first();
        if forced.is_some() && self.threats.fives(other).count_to_two() > 1 {
            return ply as i32 + 2 - WIN;
        }
        let doubles = self.threats.doubles(turn);
        if forced.map_or(!doubles.is_empty(), |at| doubles.has(at)) {
            return WIN - ply as i32 - 3;
        }
        if ply >= MOST_PLIES {
            return self.evaluate(turn);
        }
        if let Some(at) = forced {
            // A forced answer costs no depth.
            self.threats.play(at, turn);
            let value = -self.value(other, depth, -beta, -alpha, ply + 1);
            self.threats.undo();
            return value;
        }
        let is_threatened = !self.threats.doubles(other).is_empty();
        if depth <= 0 && (!is_threatened || depth <= -BEYOND) {
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
        let known = self.table.get(key);
        if let Some(value) = known.and_then(|known| usable_value(known, depth, alpha, beta, ply)) {
            self.known += 1;
            return value;
        }
        let positions = if ply == 1 { self.limits.vcf } else { self.limits.vcf / 16 };
        if (depth > 0 || self.may_win_by_fours(turn)) && self.wins_by_fours(turn, positions) {
            let value = WIN - (ply + self.vcf.length()) as i32;
            let first = self.vcf.first_cell().expect("a win has a stone");
            self.table.set(key, to_table(value, ply), Bound::Least, i32::from(i8::MAX), first);
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
        let first = known.map(|known| usize::from(known.best));
        self.orders.rate(&self.threats, turn, ply, first, &mut list);
        let most = if depth <= 0 {
            WIDTH[2]
        } else if is_forced {
            usize::MAX
        } else {
            WIDTH[1]
        };
        let (mut best, mut best_at, mut low) = (-WIN, list[0].cell(), alpha);
        for place in 0..most.min(list.len()) {
            moves::bring_best(&mut list[place..]);
            let at = list[place].cell();
            let is_quiet = !is_forced && !self.threats.patterns(turn, at).is_four();
            self.threats.play(at, turn);
            let value = if place == 0 {
                -self.value(turn.other(), depth - 1, -beta, -low, ply + 1)
            } else {
                let less = if is_quiet && depth >= 2 { reduction(place) } else { 0 };
                let mut value = -self.value(turn.other(), depth - 1 - less, -low - 1, -low, ply + 1);
                if value > low && (less > 0 || value < beta) && !self.is_over {
                    value = -self.value(turn.other(), depth - 1, -beta, -low, ply + 1);
                }
                value
            };
            self.threats.undo();
            if self.is_over {
                break;
            }
            if value > best {
                (best, best_at) = (value, at);
            }
            low = low.max(value);
            if low >= beta {
                if is_quiet {
                    self.orders.record_cutoff(turn, at, ply, depth);
                }
                break;
            }
        }
        self.lists[ply] = list;
        if self.is_over {
            return 0;
        }
        let bound = match best {
            _ if best >= beta => Bound::Least,
            _ if best > alpha => Bound::Exact,
            _ => Bound::Most,
        };
        self.table.set(key, to_table(best, ply), bound, depth, best_at);
        best
    }

    /// Returns true if a four of the side to move also makes a three: most wins by fours begin with
    /// one.
    fn may_win_by_fours(&self, turn: Stone) -> bool {
        self.threats.fours(turn).iter().any(|at| {
            let makes = self.threats.patterns(turn, at);
            makes.count(Pattern::OpenThree) + makes.count(Pattern::Three) > 0
        })
    }

    /// Returns true if the side to move is found to win by fours within this number of positions.
    fn wins_by_fours(&mut self, turn: Stone, positions: u64) -> bool {
        if positions == 0 || self.threats.fours(turn).is_empty() {
            return false;
        }
        let left = self.limits.nodes.saturating_sub(self.nodes);
        let solution = self.vcf.solve(&mut self.threats, turn, positions.min(left));
        self.nodes += self.vcf.nodes();
        solution == VcfResult::Win
    }

    /// Returns the static evaluation for the side to move.
    fn evaluate(&self, turn: Stone) -> i32 {
        let (own, theirs) = (self.threats.sum(turn), self.threats.sum(turn.other()));
        own + own / UNIT * self.to_move - theirs
    }

    fn must_end(&mut self) -> bool {
        self.looks += 1;
        if self.nodes >= self.limits.nodes {
            self.is_over = true;
        } else if self.looks.is_multiple_of(64) {
            let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            self.is_over |= is_late || self.stop.is_asked();
        }
        self.is_over
    }
}

/// Converts a win to the distance from this position, rather than from the root, for the table.
fn to_table(value: i32, ply: usize) -> i32 {
    match value {
        WIN_IS_SEEN.. => value + ply as i32,
        _ if value <= -WIN_IS_SEEN => value - ply as i32,
        _ => value,
    }
}

fn from_table(value: i32, ply: usize) -> i32 {
    match value {
        WIN_IS_SEEN.. => value - ply as i32,
        _ if value <= -WIN_IS_SEEN => value + ply as i32,
        _ => value,
    }
}

/// Returns the value in the table, if it suffices for this depth and window.
#[inline]
fn usable_value(known: Entry, depth: i32, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
    let value = from_table(known.value, ply);
    let suffices = i32::from(known.depth) >= depth
        && match known.bound {
            Bound::Exact => true,
            Bound::Least => value >= beta,
            Bound::Most => value <= alpha,
        };
    suffices.then_some(value)
}

/// Returns the plies by which a quiet move at this position in the order is reduced.
#[inline]
fn reduction(place: usize) -> i32 {
    match place {
        _ if place < REDUCED[0] => 0,
        _ if place < REDUCED[1] => 1,
        _ => 2,
    }
}
