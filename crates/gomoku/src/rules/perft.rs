//! Perft: counts the sequences of moves from a position, and how they end. Engines with equal
//! counts play by the same rules.
//!
//! The last move of a sequence is counted, not played: its winning cells are found for the whole
//! board at once, by shifts of its stones. A plain twin is in the tests.

use std::ops::AddAssign;

use super::board::Rule;
use super::gomoku::Gomoku;
use super::stone::Stone;

/// Counts of the sequences of some length. A sequence that ends the game counts at its own length
/// only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perft {
    /// Number of sequences of this length.
    pub nodes: u64,
    /// Sequences that end with a win of black.
    pub black_wins: u64,
    /// Sequences that end with a win of white.
    pub white_wins: u64,
    /// Sequences that fill the board without a win.
    pub draws: u64,
}

impl AddAssign for Perft {
    fn add_assign(&mut self, other: Perft) {
        self.nodes += other.nodes;
        self.black_wins += other.black_wins;
        self.white_wins += other.white_wins;
        self.draws += other.draws;
    }
}

/// Counts the sequences of this length from a position. At length 0 there is one, which ends
/// nothing.
pub fn perft(position: &Gomoku, depth: u32) -> Perft {
    if depth == 0 {
        return Perft { nodes: 1, ..Perft::default() };
    }
    let Some(turn) = position.turn() else { return Perft::default() };
    // Use as few words as the board needs, because each shift processes all of them.
    match position.board().size() {
        ..=7 => Stones::<1>::of(position).perft(turn, depth),
        8..=15 => Stones::<4>::of(position).perft(turn, depth),
        _ => Stones::<11>::of(position).perft(turn, depth),
    }
}

/// One bit per cell, row by row. After each row there is an unused bit, so that no row runs into
/// the next.
#[derive(Clone, Copy)]
struct Bits<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Bits<WORDS> {
    const NONE: Bits<WORDS> = Bits([0; WORDS]);

    #[inline]
    fn both(self, other: Bits<WORDS>) -> Bits<WORDS> {
        Bits(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline]
    fn either(self, other: Bits<WORDS>) -> Bits<WORDS> {
        Bits(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline]
    fn without(self, other: Bits<WORDS>) -> Bits<WORDS> {
        Bits(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Moves each cell this number of bits forward; from 1 to 63.
    #[inline]
    fn later(self, bits: u32) -> Bits<WORDS> {
        Bits(std::array::from_fn(|i| {
            self.0[i] << bits | if i == 0 { 0 } else { self.0[i - 1] >> (64 - bits) }
        }))
    }

    /// Moves each cell this number of bits backward; from 1 to 63.
    #[inline]
    fn earlier(self, bits: u32) -> Bits<WORDS> {
        Bits(std::array::from_fn(|i| {
            self.0[i] >> bits | if i + 1 == WORDS { 0 } else { self.0[i + 1] << (64 - bits) }
        }))
    }

    #[inline]
    fn count(self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    #[inline]
    fn flip(&mut self, bit: u32) {
        self.0[bit as usize / 64] ^= 1 << (bit % 64);
    }

    /// Visits the set bits in ascending order.
    #[inline]
    fn each(self, mut visit: impl FnMut(u32)) {
        for (number, mut word) in (0..).zip(self.0) {
            while word != 0 {
                visit(64 * number + word.trailing_zeros());
                word &= word - 1;
            }
        }
    }
}

/// Stones of an unfinished game.
struct Stones<const WORDS: usize> {
    of: [Bits<WORDS>; 2],
    empty: Bits<WORDS>,
    /// Steps of the four axes, in bits.
    steps: [u32; 4],
    rule: Rule,
}

impl<const WORDS: usize> Stones<WORDS> {
    fn of(position: &Gomoku) -> Stones<WORDS> {
        let board = position.board();
        let width = u32::from(board.size()) + 1;
        let mut stones = Stones {
            of: [Bits::NONE; 2],
            empty: Bits::NONE,
            steps: [1, width, width + 1, width - 1],
            rule: position.rule(),
        };
        for cell in board.cells() {
            let bits = match board.at(cell) {
                Some(stone) => &mut stones.of[stone.number()],
                None => &mut stones.empty,
            };
            bits.flip(u32::from(cell.y) * width + u32::from(cell.x));
        }
        stones
    }

    fn perft(&mut self, turn: Stone, depth: u32) -> Perft {
        let wins = self.wins(turn);
        if depth == 1 {
            return self.last(turn, wins.count());
        }
        let mut sum = Perft::default();
        self.empty.without(wins).each(|cell| {
            self.of[turn.number()].flip(cell);
            self.empty.flip(cell);
            sum += self.perft(turn.other(), depth - 1);
            self.empty.flip(cell);
            self.of[turn.number()].flip(cell);
        });
        sum
    }

    /// Counts the last moves, given the number of winning ones.
    #[inline]
    fn last(&self, turn: Stone, wins: u64) -> Perft {
        let nodes = self.empty.count();
        let (black_wins, white_wins) = if turn == Stone::Black { (wins, 0) } else { (0, wins) };
        let draws = if nodes == 1 { 1 - wins } else { 0 };
        Perft { nodes, black_wins, white_wins, draws }
    }

    /// Returns the empty cells on which a stone of this colour wins.
    #[inline]
    fn wins(&self, stone: Stone) -> Bits<WORDS> {
        let own = self.of[stone.number()];
        let mut wins = Bits::NONE;
        for step in self.steps {
            // Cells with at least this number of own consecutive stones before them, and after
            // them.
            let (mut before, mut behind) = ([self.empty; 6], [self.empty; 6]);
            let (mut earlier, mut later) = (own, own);
            for stones in 1..6 {
                earlier = earlier.later(step);
                later = later.earlier(step);
                before[stones] = before[stones - 1].both(earlier);
                behind[stones] = behind[stones - 1].both(later);
            }
            for stones in 0..5 {
                let five = before[stones].both(behind[4 - stones]);
                wins = wins.either(match self.rule {
                    Rule::Free => five,
                    Rule::Standard => five.without(before[stones + 1]).without(behind[5 - stones]),
                });
            }
        }
        wins
    }
}
