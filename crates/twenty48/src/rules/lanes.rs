//! Rules of 2048 for many games in parallel, in plain loops that the compiler vectorizes.
//!
//! Such a loop may only contain the following:
//!
//! - arrays of one width, as local values or fields
//! - selections between values that exist already
//! - inner loops that the compiler unrolls first, which are loops over ranges and over arrays, but
//!   not over chunks or over arrays taken by value
//!
//! Any other loop runs at a tenth of the speed, as `cargo bench` shows.
//!
//! Every function that such a loop calls is `#[inline(always)]`, and none is a closure. A closure
//! is compiled in the codegen unit of its module, where it may not be inlined into its caller. With
//! 16 units instead of one, random play with closures fell from 330 to 14 M moves/s.

mod scan;

use gauntlet_core::rng::{Rng, Seed};

use super::board::Board;
use super::cells::Cells;
use super::playout::{Playout, Start, play_to_end};

/// Number of attempts between two checks for finished games. A finished game does not change,
/// because nothing can move: the checks cost 2 % of the time and the useless attempts 1 %.
pub(super) const ATTEMPTS: usize = 4;

/// Index of no cell, even after subtracting 16.
const NO_CELL: u8 = u8::MAX;

/// `L` parallel games, `L` a multiple of 8. An idle lane has an empty board: nothing can move on
/// it, and it is not full, so it never counts as over.
#[repr(align(64))]
pub(super) struct Lanes<const L: usize> {
    /// Rank of each cell, by cell and lane.
    cells: [[u8; L]; 16],
    /// Number of its game in the list.
    pub(super) game: [usize; L],
    /// Number of spawned 4s. It fits, because a game ends below the sum 2^18.
    fours: [u16; L],
    /// State of the player's stream, after the attempts in `directions`.
    player_rng: [[u64; L]; 2],
    /// State of the world's stream, before the draw that the next tile uses or, if `moved_mask`,
    /// has used.
    game_rng: [[u64; L]; 2],

    /// Directions of the next attempts, the first in the lowest two bits.
    directions: [u8; L],
    /// Legal directions as bits, if [`Lanes::scan`] computed them.
    legal: [u8; L],
    /// Ranks that merge in columns and in rows, as computed by [`Lanes::scan`]: up to two per line,
    /// plus 4; 0 if nothing merges.
    merging: [[[u8; L]; 8]; 2],
    /// First bits of the world's next draw.
    draw: [u16; L],
    /// Result of the last attempt: 255 if something moved, else 0.
    moved_mask: [u8; L],
    /// Number of empty cells after it.
    empty_count: [u8; L],
    /// Index of the tile among the empty cells, counted from 0, and its rank.
    empty_index: [u8; L],
    tile: [u8; L],
    /// 255 if the first bits of the draw are not sufficient.
    needs_all_bits: [u8; L],
    /// 1 if the game is over.
    pub(super) is_over: [u8; L],
}

impl<const L: usize> Lanes<L> {
    pub(super) fn new() -> Lanes<L> {
        const { assert!(L.is_multiple_of(8)) };
        Lanes {
            cells: [[0; L]; 16],
            game: [0; L],
            fours: [0; L],
            player_rng: [[0; L]; 2],
            game_rng: [[0; L]; 2],
            directions: [0; L],
            legal: [0; L],
            merging: [[[0; L]; 8]; 2],
            draw: [0; L],
            moved_mask: [0; L],
            empty_count: [0; L],
            empty_index: [0; L],
            tile: [0; L],
            needs_all_bits: [0; L],
            is_over: [0; L],
        }
    }

    /// Draws the directions of the next attempts.
    #[inline(always)]
    pub(super) fn draw_directions(&mut self) {
        let [a, b] = &mut self.player_rng;
        for lane in 0..L {
            let mut state = [a[lane], b[lane]];
            let mut directions = 0;
            for attempt in 0..ATTEMPTS {
                directions |= (output(state) >> 62) << (2 * attempt);
                state = advance(state);
            }
            self.directions[lane] = directions as u8;
            [a[lane], b[lane]] = state;
        }
    }

    /// Makes the world's next draw, which repeats the previous one if no tile was spawned.
    #[inline(always)]
    pub(super) fn draw(&mut self) {
        let [a, b] = &mut self.game_rng;
        for lane in 0..L {
            let last = [a[lane], b[lane]];
            let next = advance(last);
            let difference = self.moved_mask[lane] as i8 as u64;
            let state = [select64(difference, next[0], last[0]), select64(difference, next[1], last[1])];
            [a[lane], b[lane]] = state;
            self.draw[lane] = (output(state) >> 48) as u16;
        }
    }

    /// Slides every board in its direction.
    #[inline(always)]
    pub(super) fn slide(&mut self) {
        for lane in 0..L {
            let mut cells = self.ranks(lane);
            // Up 0, right 1, down 2, left 3.
            let direction = self.directions[lane];
            self.directions[lane] = direction >> 2;
            let vertical = direction & 1 == 0;
            let to_end = direction.wrapping_add(1) & 2 != 0;
            transpose_if(vertical, &mut cells);
            mirror_if(to_end, &mut cells);
            let mut has_moved = 0;
            for i in [0, 4, 8, 12] {
                let line = [cells[i], cells[i + 1], cells[i + 2], cells[i + 3]];
                let after = slide_to_first(line);
                // A tile that moves leaves a cell other than the last one changed, so that one need
                // not be compared.
                has_moved |= (after[0] ^ line[0]) | (after[1] ^ line[1]) | (after[2] ^ line[2]);
                cells[i..i + 4].copy_from_slice(&after);
            }
            mirror_if(to_end, &mut cells);
            transpose_if(vertical, &mut cells);
            let mut tile_count = 0;
            for (lanes, cell) in self.cells.iter_mut().zip(&cells) {
                tile_count += cell.min(&1);
                lanes[lane] = *cell;
            }
            self.moved_mask[lane] = if has_moved == 0 { 0 } else { u8::MAX };
            self.empty_count[lane] = 16 - tile_count;
        }
    }

    /// Chooses the tile and its cell by the rule in [`Afterstate::spawn`].
    ///
    /// With n = 10 times the empty cells, the rule uses the high word of n times the draw. The
    /// first 16 bits of the draw give it, in 16-bit multiplications, unless the product of n and
    /// the other bits, less than n, carries into it. The same condition covers a draw that may have
    /// to be repeated: if the low word is below n.
    #[inline(always)]
    pub(super) fn choose(&mut self) {
        let mut any_mark = 0;
        for lane in 0..L {
            let n = 10 * u16::from(self.empty_count[lane]);
            let product = u32::from(self.draw[lane]) * u32::from(n);
            let low = product as u16;
            // True if the sum carries, and if `low` is 0.
            let is_undecided = low.wrapping_add(n) <= n;
            let has_moved = self.moved_mask[lane] != 0;
            let number = (product >> 16) as u16;
            let empty_index = number.wrapping_mul(205) >> 11; // A tenth of it, exact up to 1028.
            let is_four = number.wrapping_sub(10 * empty_index) == 9;
            let is_decided = has_moved & !is_undecided;
            self.empty_index[lane] = if is_decided { empty_index as u8 } else { NO_CELL };
            self.tile[lane] = 1 + u8::from(is_four);
            self.fours[lane] = self.fours[lane].wrapping_add(u16::from(is_four & is_decided));
            let mark = u8::from(has_moved & is_undecided);
            self.needs_all_bits[lane] = mark;
            any_mark |= mark;
        }
        if any_mark != 0 {
            self.choose_by_all_bits();
        }
    }

    /// Chooses for the lanes in which 16 bits were not sufficient: one in a thousand.
    #[cold]
    fn choose_by_all_bits(&mut self) {
        for lane in MarkedLanes::new(self.needs_all_bits) {
            let (empty_index, is_four) = self.draw_cell(lane, self.empty_count[lane].into());
            self.empty_index[lane] = empty_index;
            self.tile[lane] = 1 + u8::from(is_four);
            self.fours[lane] += u16::from(is_four);
        }
    }

    /// Returns the index among the empty cells that the world draws, and true if the tile is a 4.
    /// The stream advances past repeated draws, but not past the last one.
    #[inline(always)]
    fn draw_cell(&mut self, lane: usize, empty_count: u64) -> (u8, bool) {
        let n = 10 * empty_count;
        loop {
            let product = u128::from(output(self.game_rng_state(lane))) * u128::from(n);
            let low = product as u64;
            if low >= n || low >= n.wrapping_neg() % n {
                let number = (product >> 64) as u8;
                return (number / 10, number % 10 == 9);
            }
            self.advance_game_rng(lane);
        }
    }

    /// Puts the tiles on the boards.
    #[inline(always)]
    pub(super) fn put_tiles(&mut self) {
        for lane in 0..L {
            let tile = self.tile[lane];
            // Counts down over empty cells and is 0 at the right one.
            let mut empty_index = self.empty_index[lane];
            for cells in &mut self.cells {
                let cell = cells[lane];
                let empty = cell == 0;
                cells[lane] = if empty & (empty_index == 0) { tile } else { cell };
                empty_index = empty_index.wrapping_sub(u8::from(empty));
            }
        }
    }

    /// Marks the games that are over: no empty cell and no equal neighbours.
    #[inline(always)]
    pub(super) fn mark_finished(&mut self) {
        for lane in 0..L {
            let cells = self.ranks(lane);
            let mut is_over = true;
            for cell in cells {
                is_over &= cell != 0;
            }
            for i in [0, 4, 8, 12] {
                is_over &= (cells[i] != cells[i + 1])
                    & (cells[i + 1] != cells[i + 2])
                    & (cells[i + 2] != cells[i + 3]);
            }
            for i in 0..12 {
                is_over &= cells[i] != cells[i + 4];
            }
            self.is_over[lane] = u8::from(is_over);
        }
    }

    /// Starts a game.
    #[inline(always)]
    pub(super) fn begin(&mut self, lane: usize, game: usize, seeds: (Seed, Seed)) {
        self.clear(lane);
        self.assign(lane, game, seeds);
        let (first_cell, first_is_four) = self.draw_cell(lane, 16);
        self.advance_game_rng(lane);
        let (second_cell, second_is_four) = self.draw_cell(lane, 15);
        let second_cell = second_cell + u8::from(second_cell >= first_cell);
        self.cells[usize::from(first_cell)][lane] = 1 + u8::from(first_is_four);
        self.cells[usize::from(second_cell)][lane] = 1 + u8::from(second_is_four);
        self.fours[lane] = u16::from(first_is_four) + u16::from(second_is_four);
    }

    /// Continues a game from this start.
    #[inline(always)]
    pub(super) fn begin_at(&mut self, lane: usize, game: usize, start: &Start, seeds: (Seed, Seed)) {
        self.assign(lane, game, seeds);
        let (empty_index, is_four) = self.draw_cell(lane, start.empty_count.into());
        for (cells, rank) in self.cells.iter_mut().zip(start.ranks) {
            cells[lane] = rank;
        }
        let cell = start.empty_cells[usize::from(empty_index & 15)];
        self.cells[usize::from(cell & 15)][lane] = 1 + u8::from(is_four);
        self.fours[lane] = u16::from(is_four);
    }

    /// Assigns a lane to a game, with its two streams.
    #[inline(always)]
    fn assign(&mut self, lane: usize, game: usize, (game_seed, player_seed): (Seed, Seed)) {
        self.game[lane] = game;
        [self.player_rng[0][lane], self.player_rng[1][lane]] = player_seed.state();
        [self.game_rng[0][lane], self.game_rng[1][lane]] = game_seed.state();
        // So that the first attempt advances the world past the last tile before it.
        self.moved_mask[lane] = u8::MAX;
    }

    /// Removes the game from a lane.
    #[inline(always)]
    pub(super) fn clear(&mut self, lane: usize) {
        for cells in &mut self.cells {
            cells[lane] = 0;
        }
    }

    /// Returns the finished game of a lane.
    #[inline(always)]
    pub(super) fn result(&self, lane: usize) -> Playout {
        let ranks = self.ranks(lane);
        Playout::new(Board::new(Cells::from_ranks(ranks)), ranks, self.fours[lane].into())
    }

    /// Plays the game of a lane to its end, by itself; `None` if the lane is idle.
    pub(super) fn finish(&self, lane: usize) -> Option<Playout> {
        let ranks = self.ranks(lane);
        if ranks == [0; 16] {
            return None;
        }
        let game_rng = self.game_rng_state(lane);
        let game_rng = if self.moved_mask[lane] == 0 { game_rng } else { advance(game_rng) };
        let player_rng = [self.player_rng[0][lane], self.player_rng[1][lane]];
        let board = Board::new(Cells::from_ranks(ranks));
        Some(play_to_end(
            board,
            self.fours[lane].into(),
            Rng::from_state(game_rng),
            Rng::from_state(player_rng),
        ))
    }

    #[inline(always)]
    fn ranks(&self, lane: usize) -> [u8; 16] {
        // No closure: see the head of this file.
        let mut ranks = [0; 16];
        for (rank, cells) in ranks.iter_mut().zip(&self.cells) {
            *rank = cells[lane];
        }
        ranks
    }

    #[inline(always)]
    fn game_rng_state(&self, lane: usize) -> [u64; 2] {
        [self.game_rng[0][lane], self.game_rng[1][lane]]
    }

    #[inline(always)]
    fn advance_game_rng(&mut self, lane: usize) {
        [self.game_rng[0][lane], self.game_rng[1][lane]] = advance(self.game_rng_state(lane));
    }
}

/// Returns the output of the generator in this state: xoroshiro128++, as in
/// [`gauntlet_core::rng::Rng`].
#[inline(always)]
fn output([a, b]: [u64; 2]) -> u64 {
    a.wrapping_add(b).rotate_left(17).wrapping_add(a)
}

/// Returns the next state.
#[inline(always)]
fn advance([a, b]: [u64; 2]) -> [u64; 2] {
    let b = a ^ b;
    [a.rotate_left(49) ^ b ^ (b << 21), b.rotate_left(28)]
}

#[inline(always)]
fn select(condition: bool, yes: u8, no: u8) -> u8 {
    if condition { yes } else { no }
}

/// Selects by a mask, which is 20 % faster under AVX2 than a condition as above, because for words
/// that becomes branches.
#[inline(always)]
fn select64(mask: u64, yes: u64, no: u64) -> u64 {
    no ^ ((yes ^ no) & mask)
}

#[inline(always)]
fn swap_if(condition: bool, cells: &mut [u8; 16], i: usize, j: usize) {
    (cells[i], cells[j]) = (select(condition, cells[j], cells[i]), select(condition, cells[i], cells[j]));
}

#[inline(always)]
fn transpose_if(condition: bool, cells: &mut [u8; 16]) {
    for (i, j) in [(1, 4), (2, 8), (3, 12), (6, 9), (7, 13), (11, 14)] {
        swap_if(condition, cells, i, j);
    }
}

#[inline(always)]
fn mirror_if(condition: bool, cells: &mut [u8; 16]) {
    for i in [0, 4, 8, 12] {
        swap_if(condition, cells, i, i + 3);
        swap_if(condition, cells, i + 1, i + 2);
    }
}

/// Slides a line towards its first cell.
#[inline(always)]
fn slide_to_first([mut a, mut b, mut c, mut d]: [u8; 4]) -> [u8; 4] {
    // Close gaps from the end of the line: cells behind an empty cell move one step.
    let is_gap = c == 0;
    c = select(is_gap, d, c);
    d = select(is_gap, 0, d);
    let is_gap = b == 0;
    b = select(is_gap, c, b);
    c = select(is_gap, d, c);
    d = select(is_gap, 0, d);
    let is_gap = a == 0;
    a = select(is_gap, b, a);
    b = select(is_gap, c, b);
    c = select(is_gap, d, c);
    d = select(is_gap, 0, d);
    // Merge equal tiles starting at the wall, and move the cells behind one step, so that no tile
    // merges twice.
    let equal = (a == b) & (b != 0);
    a += u8::from(equal);
    b = select(equal, c, b);
    c = select(equal, d, c);
    d = select(equal, 0, d);
    let equal = (b == c) & (c != 0);
    b += u8::from(equal);
    c = select(equal, d, c);
    d = select(equal, 0, d);
    let equal = (c == d) & (d != 0);
    c += u8::from(equal);
    d = select(equal, 0, d);
    [a, b, c, d]
}

/// Iterator over the lanes that are marked by a 1, in order. It is not built from closures, which
/// would not be compiled for the caller's instruction set.
pub(super) struct MarkedLanes<const L: usize> {
    marks: [u8; L],
    /// First lane of the current eight.
    first: usize,
    /// Remaining marks of these eight lanes.
    word: u64,
}

impl<const L: usize> MarkedLanes<L> {
    #[inline(always)]
    pub(super) fn new(marks: [u8; L]) -> MarkedLanes<L> {
        MarkedLanes { marks, first: 0, word: read_eight(&marks, 0) }
    }
}

impl<const L: usize> Iterator for MarkedLanes<L> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            if self.first + 8 >= L {
                return None;
            }
            self.first += 8;
            self.word = read_eight(&self.marks, self.first);
        }
        let lane = self.first + self.word.trailing_zeros() as usize / 8;
        self.word &= self.word - 1;
        Some(lane)
    }
}

/// Returns eight marks from this lane on, as a word.
#[inline(always)]
fn read_eight<const L: usize>(marks: &[u8; L], first: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&marks[first..first + 8]);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_draw_what_the_generator_draws() {
        for number in 0..100 {
            let seed = Seed::root(number);
            let (mut rng, mut state) = (seed.rng(), seed.state());
            for _ in 0..100 {
                assert_eq!(rng.bits(), output(state));
                state = advance(state);
            }
        }
    }

    /// Returns a state that outputs these bits next.
    fn state_of(bits: u64) -> [u64; 2] {
        let a = 0x0123_4567_89AB_CDEF_u64;
        [a, bits.wrapping_sub(a).rotate_right(17).wrapping_sub(a)]
    }

    /// Returns lanes that have just slid, and the world's draws for them.
    fn lanes_before_a_tile(empty: u8, bits: [u64; 8]) -> Lanes<8> {
        let mut lanes = Lanes::new();
        for (lane, bits) in bits.into_iter().enumerate() {
            [lanes.game_rng[0][lane], lanes.game_rng[1][lane]] = state_of(bits);
        }
        lanes.draw();
        lanes.moved_mask = [u8::MAX; 8];
        lanes.empty_count = [empty; 8];
        lanes
    }

    #[test]
    fn tiles_follow_from_all_bits_of_a_draw() {
        for empty in 1..=15 {
            for first in (0..1 << 16).step_by(4) {
                // The largest draw with these first bits, a smaller one, and those of the next
                // three.
                let bits = std::array::from_fn(|lane| {
                    let first = first + lane as u64 / 2;
                    let low_bits = [1 << 40, (1 << 48) - 1][lane % 2];
                    first << 48 | low_bits
                });
                let mut lanes = lanes_before_a_tile(empty, bits);
                lanes.choose();
                for (lane, bits) in bits.into_iter().enumerate() {
                    let number = ((u128::from(bits) * (10 * u128::from(empty))) >> 64) as u8;
                    let (empty_index, tile) = (number / 10, 1 + u8::from(number % 10 == 9));
                    assert_eq!(
                        (lanes.empty_index[lane], lanes.tile[lane]),
                        (empty_index, tile),
                        "{empty} {bits:x}"
                    );
                    assert_eq!(lanes.fours[lane], u16::from(tile) - 1);
                }
            }
        }
    }

    #[test]
    fn an_unfair_draw_is_repeated() {
        // 2^64 draws are 16 too many for 30 equal classes, and 0 is one of the 16.
        let mut lanes = lanes_before_a_tile(3, [0; 8]);
        lanes.choose();
        let next = advance(state_of(0));
        let number = ((u128::from(output(next)) * 30) >> 64) as u8;
        assert_eq!(lanes.empty_index, [number / 10; 8]);
        assert_eq!(lanes.tile, [1 + u8::from(number % 10 == 9); 8]);
        assert_eq!(lanes.game_rng_state(5), next, "so that the next attempt goes on from there");
    }
}
