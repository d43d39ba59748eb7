//! A board that knows at every moment what a stone on each empty cell would make, for both colours: each stone that is put
//! or taken changes what lies around it, and nothing else is looked at again.

use super::board::{AXES, Board, Rule};
use super::cell::{Cell, MAX_SIZE};
use super::pattern::{MOST_REACH, PATTERNS, Pattern};
use super::stone::Stone;

const CELLS: usize = MAX_SIZE as usize * MAX_SIZE as usize;

/// What each pattern of an empty cell counts in the sums of [`Threats`].
pub type Worth = [i32; PATTERNS];

/// A board with the patterns of its empty cells. Its cells are called by their numbers, row by row.
#[derive(Clone)]
pub struct Threats {
    size: u8,
    rule: Rule,
    table: &'static [Pattern; 1 << 16],
    worth: Worth,
    stones: [Option<Stone>; CELLS],
    /// The surroundings of each cell on each axis: black's key in the lower half, white's in the upper one.
    keys: [[u32; CELLS]; 4],
    /// What each colour would make on each cell: how many axes have each pattern. Empty where there is a stone.
    makes: [[Makes; CELLS]; 2],
    /// What that is worth.
    values: [[i32; CELLS]; 2],
    sums: [i32; 2],
    sets: [Sets; 2],
    hash: u64,
    /// What the stones since the root have changed, to be undone.
    log: Vec<Changed>,
    /// These stones: the cell of each, the length of the log and the sums before it.
    played: Vec<(usize, usize, [i32; 2])>,
}

/// What an empty cell was before a stone changed it.
#[derive(Clone, Copy)]
struct Changed {
    at: u16,
    colour: u8,
    makes: Makes,
    value: i32,
}

/// The cells of one colour that matter, by what a stone of it makes there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sets {
    fives: CellSet,
    fours: CellSet,
    doubles: CellSet,
    near: CellSet,
}

/// How many axes have each pattern: three bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Makes(u32);

impl Makes {
    const fn one(pattern: Pattern) -> u32 {
        1 << (3 * pattern as u32)
    }

    /// How many axes have this pattern.
    #[inline]
    pub const fn count(self, pattern: Pattern) -> u32 {
        (self.0 >> (3 * pattern as u32)) & 7
    }

    /// Whether it completes a five.
    #[inline]
    pub const fn is_five(self) -> bool {
        self.0 >> (3 * Pattern::Five as u32) != 0
    }

    /// Whether one cell or more would then complete a five.
    #[inline]
    pub const fn is_four(self) -> bool {
        self.0 & (7 * (Makes::one(Pattern::Four) + Makes::one(Pattern::OpenFour))) != 0
    }

    /// Whether two cells or more would then complete a five, which one stone cannot stop.
    #[inline]
    pub const fn is_double_four(self) -> bool {
        self.count(Pattern::OpenFour) > 0 || self.count(Pattern::Four) > 1
    }

    /// Whether there is a stone of the colour around that a five could be made with.
    #[inline]
    pub const fn is_near(self) -> bool {
        self.0 >> (3 * Pattern::Two as u32) != 0
    }

    /// The sets that the cell belongs to.
    #[inline]
    const fn sets(self) -> [bool; 4] {
        [self.is_five(), self.is_four(), self.is_double_four(), self.is_near()]
    }
}

/// A set of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellSet([u64; CELLS.div_ceil(64)]);

impl CellSet {
    /// The set of this cell alone.
    pub fn of(cell: usize) -> CellSet {
        let mut set = CellSet::default();
        set.set(cell, true);
        set
    }

    /// Puts a cell into the set, or takes it out.
    #[inline]
    pub fn set(&mut self, cell: usize, is_in: bool) {
        let bit = 1 << (cell % 64);
        let word = &mut self.0[cell / 64];
        *word = if is_in { *word | bit } else { *word & !bit };
    }

    /// Whether the cell is in the set.
    #[inline]
    pub fn has(&self, cell: usize) -> bool {
        (self.0[cell / 64] >> (cell % 64)) & 1 != 0
    }

    /// Whether there is no cell in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The first cell, row by row.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    /// How many cells there are, up to two.
    #[inline]
    pub fn count_to_two(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum::<u32>().min(2)
    }

    /// The cells of both sets.
    #[inline]
    #[must_use]
    pub fn or(mut self, other: &CellSet) -> CellSet {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
        self
    }

    /// The cells that are in both sets.
    #[inline]
    #[must_use]
    pub fn and(mut self, other: &CellSet) -> CellSet {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        self
    }

    /// The cells, row by row.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        words.into_iter().enumerate().flat_map(|(place, mut word)| {
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let cell = 64 * place + word.trailing_zeros() as usize;
                    word &= word - 1;
                    cell
                })
            })
        })
    }
}

/// What the key of a neighbour gains by a stone, by the colour of the stone and the place of the stone in the surroundings.
const GAINS: [[u32; 2 * MOST_REACH]; 2] = {
    let mut gains = [[0; 2 * MOST_REACH]; 2];
    let (mut place, mut power) = (0, 1);
    while place < 2 * MOST_REACH {
        gains[0][place] = power + ((2 * power) << 16);
        gains[1][place] = 2 * power + (power << 16);
        place += 1;
        power *= 3;
    }
    gains
};

/// A number for each stone on each cell; a position is the exclusive or of its stones.
static NUMBERS: [[u64; CELLS]; 2] = {
    let mut numbers = [[0; CELLS]; 2];
    let mut state = 0_u64;
    let mut at = 0;
    while at < 2 * CELLS {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        numbers[at / CELLS][at % CELLS] = word ^ (word >> 31);
        at += 1;
    }
    numbers
};

impl Threats {
    /// An empty board of this size.
    pub fn new(size: u8, rule: Rule, worth: Worth) -> Threats {
        let mut threats = Threats {
            size,
            rule,
            table: rule.patterns(),
            worth,
            stones: [None; CELLS],
            keys: [[0; CELLS]; 4],
            makes: [[Makes::default(); CELLS]; 2],
            values: [[0; CELLS]; 2],
            sums: [0; 2],
            sets: [Sets::default(); 2],
            hash: 0,
            log: Vec::new(),
            played: Vec::new(),
        };
        let board = Board::new(size);
        for cell in board.cells() {
            let at = cell.index(size);
            for (axis, (dx, dy)) in AXES.into_iter().enumerate() {
                let reach = rule.reach() as i8;
                for (place, step) in (-reach..=reach).filter(|&step| step != 0).enumerate() {
                    let (x, y) = (cell.x as i8 + step * dx, cell.y as i8 + step * dy);
                    if x < 0 || y < 0 || x >= size as i8 || y >= size as i8 {
                        let blocked = 2 * 3_u32.pow(place as u32);
                        threats.keys[axis][at] += blocked | (blocked << 16);
                    }
                }
            }
            threats.open(at);
        }
        threats
    }

    /// The threats of a board.
    pub fn of(board: &Board, rule: Rule, worth: Worth) -> Threats {
        let mut threats = Threats::new(board.size(), rule, worth);
        threats.follow(board);
        threats
    }

    /// Comes to have the stones of a board of the same size.
    pub fn follow(&mut self, board: &Board) {
        for cell in board.cells() {
            let at = cell.index(self.size);
            let stone = board.at(cell);
            if self.stones[at] != stone {
                if self.stones[at].is_some() {
                    self.take(at);
                }
                if let Some(stone) = stone {
                    self.put(at, stone);
                }
            }
        }
    }

    /// Cells on a side.
    #[inline]
    pub fn size(&self) -> u8 {
        self.size
    }

    /// What wins.
    #[inline]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The cell of a number.
    #[inline]
    pub fn cell(&self, at: usize) -> Cell {
        Cell::of_index(at, self.size)
    }

    /// The stone on a cell.
    #[inline]
    pub fn at(&self, at: usize) -> Option<Stone> {
        self.stones[at]
    }

    /// A number that equal positions share, and others hardly ever.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The cells on which this colour completes a five.
    #[inline]
    pub fn fives(&self, stone: Stone) -> &CellSet {
        &self.sets[stone.number()].fives
    }

    /// The cells on which this colour makes a four, of which a five can be made by one more stone.
    #[inline]
    pub fn fours(&self, stone: Stone) -> &CellSet {
        &self.sets[stone.number()].fours
    }

    /// The cells on which this colour makes a four that one stone cannot stop.
    #[inline]
    pub fn doubles(&self, stone: Stone) -> &CellSet {
        &self.sets[stone.number()].doubles
    }

    /// The cells that could be part of a five together with a stone of this colour.
    #[inline]
    pub fn near(&self, stone: Stone) -> &CellSet {
        &self.sets[stone.number()].near
    }

    /// What this colour would make on an empty cell.
    #[inline]
    pub fn makes(&self, stone: Stone, at: usize) -> Makes {
        self.makes[stone.number()][at]
    }

    /// The worth of what this colour would make on an empty cell.
    #[inline]
    pub fn value(&self, stone: Stone, at: usize) -> i32 {
        self.values[stone.number()][at]
    }

    /// The worth of what this colour would make, summed over all empty cells.
    #[inline]
    pub fn sum(&self, stone: Stone) -> i32 {
        self.sums[stone.number()]
    }

    /// Puts a stone on an empty cell.
    pub fn put(&mut self, at: usize, stone: Stone) {
        self.play(at, stone);
        self.log.clear();
        self.played.clear();
    }

    /// Takes the stone of a cell away.
    pub fn take(&mut self, at: usize) {
        let stone = self.stones[at].take().expect("there is a stone");
        self.hash ^= NUMBERS[stone.number()][at];
        self.around(at, stone, Threats::change::<false>);
        self.open(at);
        self.log.clear();
        self.played.clear();
    }

    /// Puts a stone on an empty cell, to be undone.
    #[inline]
    pub fn play(&mut self, at: usize, stone: Stone) {
        debug_assert!(self.stones[at].is_none(), "{} is not empty", self.cell(at));
        self.played.push((at, self.log.len(), self.sums));
        self.stones[at] = Some(stone);
        self.close(at);
        self.hash ^= NUMBERS[stone.number()][at];
        self.around(at, stone, Threats::change::<true>);
    }

    /// Takes the last stone away that was played.
    #[inline]
    pub fn undo(&mut self) {
        let (at, length, sums) = self.played.pop().expect("a stone was played");
        let stone = self.stones[at].take().expect("there is a stone");
        self.hash ^= NUMBERS[stone.number()][at];
        self.around(at, stone, |threats, axis, at, gain| threats.keys[axis][at] -= gain);
        while self.log.len() > length {
            let Changed { at, colour, makes, value } = self.log.pop().expect("it is longer");
            let (at, colour) = (usize::from(at), usize::from(colour));
            self.values[colour][at] = value;
            self.become_of(colour, at, makes);
        }
        self.sums = sums;
    }

    /// Does something to the keys of the cells around a stone: the axis, the cell, and what the stone adds to its key.
    #[inline(always)]
    fn around(&mut self, at: usize, stone: Stone, change: impl Fn(&mut Threats, usize, usize, u32)) {
        let (size, reach) = (usize::from(self.size), self.rule.reach());
        let (x, y) = (at % size, at / size);
        let (right, below) = (size - 1 - x, size - 1 - y);
        // The step to the next cell of each axis, and how many cells there are before and behind.
        let axes = [
            (1, x, right),
            (size, y, below),
            (size + 1, x.min(y), right.min(below)),
            (size - 1, right.min(y), x.min(below)),
        ];
        let gains = &GAINS[stone.number()];
        for (axis, (step, before, behind)) in axes.into_iter().enumerate() {
            // The axis from top right to bottom left is turned: its surroundings are read from the bottom.
            let is_turned = axis == 3;
            for distance in 1..=before.min(reach) {
                let place = if is_turned { reach - distance } else { reach + distance - 1 };
                change(self, axis, at - distance * step, gains[place]);
            }
            for distance in 1..=behind.min(reach) {
                let place = if is_turned { reach + distance - 1 } else { reach - distance };
                change(self, axis, at + distance * step, gains[place]);
            }
        }
    }

    /// A stone came or went on this axis of a cell.
    #[inline]
    fn change<const CAME: bool>(&mut self, axis: usize, at: usize, gain: u32) {
        let old = self.keys[axis][at];
        let new = if CAME { old + gain } else { old - gain };
        self.keys[axis][at] = new;
        if self.stones[at].is_some() {
            return;
        }
        for colour in 0..2 {
            let half = |key: u32| self.table[usize::from((key >> (16 * colour)) as u16)];
            let (old, new) = (half(old), half(new));
            if old != new {
                let (makes, value) = (self.makes[colour][at], self.values[colour][at]);
                self.log.push(Changed { at: at as u16, colour: colour as u8, makes, value });
                let gain = self.worth[new as usize] - self.worth[old as usize];
                self.values[colour][at] = value + gain;
                self.sums[colour] += gain;
                self.become_of(colour, at, Makes(makes.0 + Makes::one(new) - Makes::one(old)));
            }
        }
    }

    /// The cell has no stone any more: what it makes counts.
    fn open(&mut self, at: usize) {
        for colour in 0..2 {
            let pattern =
                |axis: usize| self.table[usize::from((self.keys[axis][at] >> (16 * colour)) as u16)];
            let patterns = [0, 1, 2, 3].map(pattern);
            let value = patterns.iter().map(|&pattern| self.worth[pattern as usize]).sum();
            self.values[colour][at] = value;
            self.sums[colour] += value;
            self.become_of(colour, at, Makes(patterns.iter().map(|&pattern| Makes::one(pattern)).sum()));
        }
    }

    /// The cell has a stone now: it makes nothing.
    #[inline]
    fn close(&mut self, at: usize) {
        for colour in 0..2 {
            let (makes, value) = (self.makes[colour][at], self.values[colour][at]);
            self.log.push(Changed { at: at as u16, colour: colour as u8, makes, value });
            self.sums[colour] -= value;
            self.values[colour][at] = 0;
            self.become_of(colour, at, Makes::default());
        }
    }

    #[inline]
    fn become_of(&mut self, colour: usize, at: usize, makes: Makes) {
        let before = std::mem::replace(&mut self.makes[colour][at], makes);
        let is_in = makes.sets();
        if is_in != before.sets() {
            let Sets { fives, fours, doubles, near } = &mut self.sets[colour];
            for (set, is_in) in [fives, fours, doubles, near].into_iter().zip(is_in) {
                set.set(at, is_in);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::gomoku::opening::{SYMMETRIES, image};
    use crate::rng::Seed;

    const WORTH: Worth = [0, 1, 3, 7, 20, 50, 150, 400, 1000, 3000];

    /// The pattern of an empty cell, read from the board.
    fn plain(board: &Board, rule: Rule, cell: Cell, (dx, dy): (i8, i8), stone: Stone) -> Pattern {
        let reach = rule.reach() as i8;
        let digit = |step: i8| {
            let next =
                Cell::new(cell.x.wrapping_add_signed(step * dx), cell.y.wrapping_add_signed(step * dy));
            if !board.has(next) {
                return 2;
            }
            match board.at(next) {
                None => 0,
                Some(there) if there == stone => 1,
                Some(_) => 2,
            }
        };
        let steps = (-reach..=reach).filter(|&step| step != 0);
        let key: usize = (0..).zip(steps).map(|(power, step)| digit(step) * 3_usize.pow(power)).sum();
        rule.patterns()[key]
    }

    /// The threats of a board, from nothing but the board.
    fn check(threats: &Threats, board: &Board, rule: Rule) {
        let size = board.size();
        for stone in Stone::BOTH {
            let mut sum = 0;
            let mut fives = Vec::new();
            let mut fours = Vec::new();
            let has_five = board.empty().any(|cell| board.makes_five(cell, stone, rule));
            for cell in board.empty() {
                let at = cell.index(size);
                let patterns = AXES.map(|axis| plain(board, rule, cell, axis, stone));
                for pattern in Pattern::ALL {
                    let count = patterns.iter().filter(|&&other| other == pattern).count();
                    assert_eq!(threats.makes(stone, at).count(pattern) as usize, count, "{cell} {pattern:?}");
                }
                let value: i32 = patterns.iter().map(|&pattern| WORTH[pattern as usize]).sum();
                assert_eq!(threats.value(stone, at), value, "{cell}");
                sum += value;
                assert_eq!(board.makes_five(cell, stone, rule), patterns.contains(&Pattern::Five), "{cell}");
                if board.makes_five(cell, stone, rule) {
                    fives.push(at);
                }
                let mut with = board.clone();
                with.put(cell, stone);
                let completions = with.empty().filter(|&next| with.makes_five(next, stone, rule)).count();
                let makes = threats.makes(stone, at);
                // A five that was there before is none of this stone's.
                if !has_five {
                    assert_eq!(makes.is_four(), completions > 0, "{cell}\n{board}");
                    assert_eq!(makes.is_double_four(), completions > 1, "{cell}\n{board}");
                }
                if makes.is_four() {
                    fours.push(at);
                }
            }
            assert_eq!(threats.sum(stone), sum);
            assert_eq!(threats.fives(stone).iter().collect::<Vec<_>>(), fives);
            assert_eq!(threats.fours(stone).iter().collect::<Vec<_>>(), fours);
            fours.retain(|&at| threats.makes(stone, at).is_double_four());
            assert_eq!(threats.doubles(stone).iter().collect::<Vec<_>>(), fours);
        }
    }

    #[test]
    fn what_is_kept_is_what_the_board_shows() {
        let mut rng = Seed::root(7).child("threats", 0).rng();
        for (size, rule, games) in
            [(5, Rule::Free, 4), (9, Rule::Standard, 6), (15, Rule::Free, 4), (25, Rule::Standard, 1)]
        {
            for _ in 0..games {
                let mut board = Board::new(size);
                let mut threats = Threats::new(size, rule, WORTH);
                let cells = u64::from(size) * u64::from(size);
                for step in 0..2 * cells {
                    let cell = Cell::of_index(rng.below(cells) as usize, size);
                    if board.at(cell).is_some() {
                        board.take(cell);
                        threats.take(cell.index(size));
                    } else {
                        let stone = Stone::BOTH[rng.below(2) as usize];
                        board.put(cell, stone);
                        threats.put(cell.index(size), stone);
                    }
                    if step % 41 == 0 {
                        check(&threats, &board, rule);
                        let known = (threats.hash, threats.sums, threats.sets, threats.values, threats.keys);
                        let places: Vec<usize> = board.empty().map(|cell| cell.index(size)).take(9).collect();
                        for (turn, &at) in (0..).zip(&places) {
                            threats.play(at, Stone::after(turn));
                        }
                        for _ in places {
                            threats.undo();
                        }
                        let undone = (threats.hash, threats.sums, threats.sets, threats.values, threats.keys);
                        assert!(undone == known, "{board}");
                        check(&threats, &board, rule);
                    }
                }
                let anew = Threats::of(&board, rule, WORTH);
                assert_eq!((anew.hash, anew.sums, anew.sets), (threats.hash, threats.sums, threats.sets));
                threats.follow(&Board::new(size));
                assert_eq!(threats.hash, 0);
                check(&threats, &Board::new(size), rule);
            }
        }
    }

    #[test]
    fn images_have_the_same_sums() {
        let mut rng = Seed::root(8).child("threats", 0).rng();
        let size = 11;
        for rule in [Rule::Free, Rule::Standard] {
            let mut boards = vec![Board::new(size); SYMMETRIES.into()];
            for place in 0..40 {
                let cell = Cell::of_index(rng.below(121) as usize, size);
                if boards[0].at(cell).is_none() {
                    for symmetry in 0..SYMMETRIES {
                        boards[usize::from(symmetry)].put(image(cell, symmetry, size), Stone::after(place));
                    }
                }
                let sums = |board: &Board| Threats::of(board, rule, WORTH).sums;
                assert!(boards.iter().all(|board| sums(board) == sums(&boards[0])), "{}", boards[0]);
            }
        }
    }
}
