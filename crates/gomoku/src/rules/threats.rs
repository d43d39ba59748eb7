//! Board that tracks what a stone on each empty cell would make, for both colours. Each stone that
//! is added or removed updates its surroundings only.

use super::board::{AXES, Board, Rule};
use super::cell::{Cell, MAX_CELLS};
use super::cellset::CellSet;
use super::pattern::{MAX_RADIUS, PATTERNS, Pattern};
use super::pattern_counts::PatternCounts;
use super::stone::Stone;

/// Weight of each pattern in the sums of [`ThreatBoard`].
pub type PatternWeights = [i32; PATTERNS];

/// Board with the patterns of its empty cells, which are indexed row by row.
///
/// Internally each cell has a place on a larger board, so that the surroundings of a stone may
/// extend beyond the edge without any check.
#[derive(Clone)]
pub struct ThreatBoard {
    size: u8,
    rule: Rule,
    table: &'static [Pattern; 1 << 16],
    /// Counts of a pair of patterns. The index is black's pattern plus 16 times white's; pattern
    /// numbers begin with 1.
    pair_counts: Box<[Counts; 256]>,
    stones: [Option<Stone>; MAX_CELLS],
    /// Index of each cell in `places`.
    place_indices: [u16; MAX_CELLS],
    places: Vec<Place>,
    /// Offsets from a stone to the places whose keys include it, by axis and digit.
    offsets: NeighbourOffsets,
    sums: Counts,
    sets: [Sets; 2],
    hash: u64,
    /// Stones since the root, to be undone.
    played_stones: Vec<PlayedStone>,
    /// Places whose sets these stones have changed.
    changed_places: Vec<u16>,
}

/// Cell, or place beyond the edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(16))]
struct Place {
    /// Surroundings on each axis: black's key in the lower half, white's in the upper one.
    keys: [u32; 4],
    /// Pairs of patterns for these keys.
    pairs: [u8; 4],
    /// Sum of their counts; zero for a stone or a place off the board.
    counts: Counts,
    /// All bits for an empty cell; otherwise none.
    mask: u32,
    /// Index of the cell; beyond the edge an index that no cell has.
    cell: u16,
}

impl Place {
    /// Returns true if a stone here would make a four or a five.
    #[inline]
    fn is_decisive(&self) -> bool {
        self.pairs.iter().any(|pair| pair & FOUR_OR_FIVE != 0)
    }

    /// Adds the cell to the sets that it belongs to, and removes it from the others.
    #[cold]
    fn update_sets(&self, sets: &mut [Sets; 2]) {
        for (colour, sets) in sets.iter_mut().enumerate() {
            let patterns = self.counts.patterns(colour);
            sets.fives.set(self.cell.into(), patterns.is_five());
            sets.fours.set(self.cell.into(), patterns.is_four());
            sets.doubles.set(self.cell.into(), patterns.is_double_four());
        }
    }
}

/// Sum over patterns: what black and white would make, as the bits of [`PatternCounts`], and its
/// value to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts([u32; 4]);

impl Counts {
    #[inline(always)]
    fn add(&mut self, other: Counts) {
        for (count, other) in self.0.iter_mut().zip(other.0) {
            *count = count.wrapping_add(other);
        }
    }

    /// Returns the difference to the other if all bits of the mask are set; otherwise zero.
    #[inline(always)]
    fn subtract_masked(mut self, other: Counts, mask: u32) -> Counts {
        for (count, other) in self.0.iter_mut().zip(other.0) {
            *count = count.wrapping_sub(other) & mask;
        }
        self
    }

    #[inline]
    fn patterns(self, colour: usize) -> PatternCounts {
        PatternCounts(self.0[colour])
    }

    #[inline]
    fn value(self, colour: usize) -> i32 {
        self.0[2 + colour] as i32
    }
}

/// Pairs of patterns around a cell: on each axis, by the digit of the cell in the keys.
type Pairs = [[u8; 2 * MAX_RADIUS]; 4];

/// Offset of places for each axis and digit.
type NeighbourOffsets = [[usize; 2 * MAX_RADIUS]; 4];

/// Stone that can be undone, and the previous state.
#[derive(Clone, Copy)]
struct PlayedStone {
    index: u16,
    /// Length of `changed_length` before it.
    changed_length: u32,
    previous_pairs: Pairs,
    /// Counts of the cell before it.
    counts: Counts,
    sums: Counts,
}

/// Important cells of one colour, by what a stone makes there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sets {
    fives: CellSet,
    fours: CellSet,
    doubles: CellSet,
}

/// Change of a neighbour's key by a stone, by the colour of the stone and its position in the
/// surroundings.
const KEY_CHANGES: [[u32; 2 * MAX_RADIUS]; 2] = {
    let mut changes = [[0; 2 * MAX_RADIUS]; 2];
    let (mut position, mut power) = (0, 1);
    while position < 2 * MAX_RADIUS {
        changes[0][position] = power + ((2 * power) << 16);
        changes[1][position] = 2 * power + (power << 16);
        position += 1;
        power *= 3;
    }
    changes
};

/// Random number for each stone on each cell (Zobrist hashing); a position is the XOR of its
/// stones.
static STONE_HASHES: [[u64; MAX_CELLS]; 2] = {
    let mut numbers = [[0; MAX_CELLS]; 2];
    let mut state = 0_u64;
    let mut index = 0;
    while index < 2 * MAX_CELLS {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        numbers[index / MAX_CELLS][index % MAX_CELLS] = word ^ (word >> 31);
        index += 1;
    }
    numbers
};

impl ThreatBoard {
    /// Creates an empty board of this size.
    pub fn new(size: u8, rule: Rule, weights: PatternWeights) -> ThreatBoard {
        let (side, radius) = (usize::from(size), rule.radius());
        let pair_counts = std::array::from_fn(|pair| {
            let count_and_weight = |number: usize| {
                let pattern = number.wrapping_sub(1);
                Pattern::ALL
                    .get(pattern)
                    .map_or((0, 0), |&one| (PatternCounts::axis_bits(one), weights[pattern] as u32))
            };
            let ((black, black_weight), (white, white_weight)) =
                (count_and_weight(pair % 16), count_and_weight(pair / 16));
            Counts([black, white, black_weight, white_weight])
        });
        // Rows share their border: a place beyond the right edge is also beyond the left edge of
        // the next row.
        let width = side + radius;
        let mut threats = ThreatBoard {
            size,
            rule,
            table: rule.patterns(),
            pair_counts: Box::new(pair_counts),
            stones: [None; MAX_CELLS],
            place_indices: [0; MAX_CELLS],
            places: vec![
                Place { cell: MAX_CELLS as u16, ..Place::default() };
                width * (side + 2 * radius) + radius
            ],
            offsets: neighbour_offsets(width, radius),
            sums: Counts::default(),
            sets: [Sets::default(); 2],
            hash: 0,
            played_stones: Vec::new(),
            changed_places: Vec::new(),
        };
        let board = Board::new(size);
        for cell in board.cells() {
            let index = cell.index(size);
            let place_index = (usize::from(cell.y) + radius) * width + usize::from(cell.x) + radius;
            threats.place_indices[index] = place_index as u16;
            let place = &mut threats.places[place_index];
            place.cell = index as u16;
            for (number, axis) in AXES.into_iter().enumerate() {
                let radius = radius as i8;
                for (digit, steps) in (-radius..=radius).filter(|&steps| steps != 0).enumerate() {
                    if board.step(cell, axis, steps).is_none() {
                        let blocked_digit = 2 * 3_u32.pow(digit as u32);
                        place.keys[number] += blocked_digit | (blocked_digit << 16);
                    }
                }
                place.pairs[number] = pattern_pair(threats.table, place.keys[number]);
            }
            threats.recount(index);
        }
        threats
    }

    /// Creates the threats of a board.
    pub fn from_board(board: &Board, rule: Rule, weights: PatternWeights) -> ThreatBoard {
        let mut threats = ThreatBoard::new(board.size(), rule, weights);
        threats.update_to(board);
        threats
    }

    /// Updates to the stones of a board of the same size.
    pub fn update_to(&mut self, board: &Board) {
        for cell in board.cells() {
            let index = cell.index(self.size);
            let stone = board.stone_at(cell);
            if self.stones[index] != stone {
                if self.stones[index].is_some() {
                    self.take(index);
                }
                if let Some(stone) = stone {
                    self.put(index, stone);
                }
            }
        }
    }

    /// Returns the number of cells on a side.
    #[inline]
    pub fn size(&self) -> u8 {
        self.size
    }

    /// Returns the rule for winning rows.
    #[inline]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the cell with an index.
    #[inline]
    pub fn cell(&self, index: usize) -> Cell {
        Cell::from_index(index, self.size)
    }

    /// Returns the stone on a cell.
    #[inline]
    pub fn stone_at(&self, index: usize) -> Option<Stone> {
        self.stones[index]
    }

    /// Returns a hash of the position.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the cells on which this colour completes a five.
    #[inline]
    pub fn fives(&self, stone: Stone) -> &CellSet {
        &self.sets[stone.number()].fives
    }

    /// Returns the cells on which this colour makes a four, which one more stone completes to a
    /// five.
    #[inline]
    pub fn fours(&self, stone: Stone) -> &CellSet {
        &self.sets[stone.number()].fours
    }

    /// Returns the cells on which this colour makes a four that one stone cannot stop.
    #[inline]
    pub fn doubles(&self, stone: Stone) -> &CellSet {
        &self.sets[stone.number()].doubles
    }

    /// Iterates over the empty cells that could be in a five together with a stone.
    pub fn near_cells(&self) -> impl Iterator<Item = usize> + '_ {
        let cells = usize::from(self.size) * usize::from(self.size);
        (0..cells).filter(|&index| {
            let counts = self.place(index).counts;
            counts.patterns(0).is_near() | counts.patterns(1).is_near()
        })
    }

    /// Returns the patterns that this colour would make on an empty cell.
    #[inline]
    pub fn patterns(&self, stone: Stone, index: usize) -> PatternCounts {
        self.place(index).counts.patterns(stone.number())
    }

    /// Returns the value of what this colour would make on an empty cell.
    #[inline]
    pub fn value(&self, stone: Stone, index: usize) -> i32 {
        self.place(index).counts.value(stone.number())
    }

    /// Returns this value summed over all empty cells.
    #[inline]
    pub fn sum(&self, stone: Stone) -> i32 {
        self.sums.value(stone.number())
    }

    /// Puts a stone on an empty cell.
    pub fn put(&mut self, index: usize, stone: Stone) {
        self.play(index, stone);
        self.played_stones.clear();
        self.changed_places.clear();
    }

    /// Removes the stone of a cell.
    pub fn take(&mut self, index: usize) {
        let stone = self.stones[index].take().expect("there is a stone");
        self.hash ^= STONE_HASHES[stone.number()][index];
        match self.rule {
            Rule::Free => self.change::<{ Rule::Free.radius() }, false>(index, stone),
            Rule::Standard => self.change::<{ Rule::Standard.radius() }, false>(index, stone),
        };
        self.recount(index);
        self.played_stones.clear();
        self.changed_places.clear();
    }

    /// Puts a stone on an empty cell, so that it can be undone.
    #[inline]
    pub fn play(&mut self, index: usize, stone: Stone) {
        debug_assert!(self.stones[index].is_none(), "{} is not empty", self.cell(index));
        let place = &mut self.places[usize::from(self.place_indices[index])];
        let counts = std::mem::take(&mut place.counts);
        place.mask = 0;
        if place.is_decisive() {
            place.update_sets(&mut self.sets);
        }
        let (sums, changed_length) = (self.sums, self.changed_places.len() as u32);
        self.sums = sums.subtract_masked(counts, u32::MAX);
        self.stones[index] = Some(stone);
        self.hash ^= STONE_HASHES[stone.number()][index];
        let previous_pairs = match self.rule {
            Rule::Free => self.change::<{ Rule::Free.radius() }, true>(index, stone),
            Rule::Standard => self.change::<{ Rule::Standard.radius() }, true>(index, stone),
        };
        self.played_stones.push(PlayedStone {
            index: index as u16,
            changed_length,
            previous_pairs,
            counts,
            sums,
        });
    }

    /// Removes the last stone that was played.
    #[inline]
    pub fn undo(&mut self) {
        let PlayedStone { index, changed_length, previous_pairs, counts, sums } =
            self.played_stones.pop().expect("a stone was played");
        let index = usize::from(index);
        let stone = self.stones[index].take().expect("there is a stone");
        self.hash ^= STONE_HASHES[stone.number()][index];
        match self.rule {
            Rule::Free => self.restore::<{ Rule::Free.radius() }>(index, stone, &previous_pairs),
            Rule::Standard => self.restore::<{ Rule::Standard.radius() }>(index, stone, &previous_pairs),
        }
        let place = &mut self.places[usize::from(self.place_indices[index])];
        (place.counts, place.mask) = (counts, u32::MAX);
        self.sums = sums;
        if place.is_decisive() {
            place.update_sets(&mut self.sets);
        }
        while self.changed_places.len() > changed_length as usize {
            let place = self.changed_places.pop().expect("it is longer");
            self.places[usize::from(place)].update_sets(&mut self.sets);
        }
    }

    #[inline]
    fn place(&self, index: usize) -> &Place {
        &self.places[usize::from(self.place_indices[index])]
    }

    /// Updates the surroundings of an added or removed stone, and returns their previous state.
    #[inline]
    fn change<const RADIUS: usize, const IS_ADDED: bool>(&mut self, index: usize, stone: Stone) -> Pairs {
        let ThreatBoard { pair_counts, places, sets, changed_places, offsets, .. } = self;
        let (table, pair_counts, places): (_, &[Counts; 256], _) = (self.table, pair_counts, &mut places[..]);
        let key_changes = &KEY_CHANGES[stone.number()];
        let centre = usize::from(self.place_indices[index]);
        let mut sums = self.sums;
        let mut previous_pairs: Pairs = [[0; 2 * MAX_RADIUS]; 4];
        for (axis, steps) in offsets.iter().enumerate() {
            for digit in 0..2 * RADIUS {
                let neighbour = centre.wrapping_add(steps[digit]);
                let place = &mut places[neighbour];
                let key = if IS_ADDED {
                    place.keys[axis] + key_changes[digit]
                } else {
                    place.keys[axis] - key_changes[digit]
                };
                let (old, new) = (place.pairs[axis], pattern_pair(table, key));
                previous_pairs[axis][digit] = old;
                place.keys[axis] = key;
                place.pairs[axis] = new;
                let gain =
                    pair_counts[usize::from(new)].subtract_masked(pair_counts[usize::from(old)], place.mask);
                place.counts.add(gain);
                sums.add(gain);
                if (old | new) & FOUR_OR_FIVE != 0 && old != new {
                    changed_places.push(neighbour as u16);
                    place.update_sets(sets);
                }
            }
        }
        self.sums = sums;
        previous_pairs
    }

    /// Restores the surroundings of the last stone.
    #[inline]
    fn restore<const RADIUS: usize>(&mut self, index: usize, stone: Stone, previous_pairs: &Pairs) {
        let ThreatBoard { pair_counts, places, offsets, .. } = self;
        let (pair_counts, places): (&[Counts; 256], _) = (pair_counts, &mut places[..]);
        let key_changes = &KEY_CHANGES[stone.number()];
        let centre = usize::from(self.place_indices[index]);
        for (axis, steps) in offsets.iter().enumerate() {
            for digit in 0..2 * RADIUS {
                let neighbour = centre.wrapping_add(steps[digit]);
                let place = &mut places[neighbour];
                let (old, new) = (place.pairs[axis], previous_pairs[axis][digit]);
                place.keys[axis] -= key_changes[digit];
                place.pairs[axis] = new;
                place.counts.add(
                    pair_counts[usize::from(new)].subtract_masked(pair_counts[usize::from(old)], place.mask),
                );
            }
        }
    }

    /// Counts the patterns of a cell that became empty.
    fn recount(&mut self, index: usize) {
        let place = &mut self.places[usize::from(self.place_indices[index])];
        place.mask = u32::MAX;
        for pair in place.pairs {
            place.counts.add(self.pair_counts[usize::from(pair)]);
        }
        self.sums.add(place.counts);
        place.update_sets(&mut self.sets);
    }
}

/// Returns the offsets to the places around a stone, on a board of this width.
fn neighbour_offsets(width: usize, radius: usize) -> NeighbourOffsets {
    let steps = [1, width, width + 1, 1_usize.wrapping_sub(width)];
    steps.map(|step| {
        std::array::from_fn(|digit| {
            let count = if digit < radius { radius - digit } else { (radius - 1).wrapping_sub(digit) };
            step.wrapping_mul(count)
        })
    })
}

/// Returns the pair of patterns that both colours would make in these surroundings.
#[inline(always)]
fn pattern_pair(table: &[Pattern; 1 << 16], key: u32) -> u8 {
    let pattern = |key: u32| table[usize::from(key as u16)] as u8;
    (pattern(key) | (pattern(key >> 16) << 4)) + 0x11
}

/// Bits of a pair that show that one of its patterns is a four or more.
const FOUR_OR_FIVE: u8 = 0x88;

const _: () = assert!(Pattern::Four as u8 + 1 == 8 && Pattern::Five as u8 + 1 < 16);

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;
    use crate::rules::opening::{SYMMETRIES, image};

    const WEIGHTS: PatternWeights = [0, 1, 3, 7, 20, 50, 150, 400, 1000, 3000];

    /// Returns the pattern of an empty cell, computed from the board alone.
    fn expected_pattern(board: &Board, rule: Rule, cell: Cell, (dx, dy): (i8, i8), stone: Stone) -> Pattern {
        let radius = rule.radius() as i8;
        let digit = |step: i8| {
            let next =
                Cell::new(cell.x.wrapping_add_signed(step * dx), cell.y.wrapping_add_signed(step * dy));
            if !board.has(next) {
                return 2;
            }
            match board.stone_at(next) {
                None => 0,
                Some(other) if other == stone => 1,
                Some(_) => 2,
            }
        };
        let steps = (-radius..=radius).filter(|&step| step != 0);
        let key: usize = (0..).zip(steps).map(|(power, step)| digit(step) * 3_usize.pow(power)).sum();
        rule.patterns()[key]
    }

    /// Checks the threats against the board alone.
    fn check(threats: &ThreatBoard, board: &Board, rule: Rule) {
        let size = board.size();
        let is_near = |cell: &Cell| {
            let makes_two = |stone| {
                AXES.iter().any(|&axis| expected_pattern(board, rule, *cell, axis, stone) >= Pattern::Two)
            };
            Stone::BOTH.into_iter().any(makes_two)
        };
        let near_cells = board.empty_cells().filter(is_near).map(|cell| cell.index(size));
        assert!(threats.near_cells().eq(near_cells), "{board}");
        for stone in Stone::BOTH {
            let mut sum = 0;
            let mut fives = Vec::new();
            let mut fours = Vec::new();
            let has_five = board.empty_cells().any(|cell| board.makes_five(cell, stone, rule));
            for cell in board.empty_cells() {
                let index = cell.index(size);
                let patterns = AXES.map(|axis| expected_pattern(board, rule, cell, axis, stone));
                for pattern in Pattern::ALL {
                    let count = patterns.iter().filter(|&&other| other == pattern).count();
                    assert_eq!(
                        threats.patterns(stone, index).count(pattern) as usize,
                        count,
                        "{cell} {pattern:?}"
                    );
                }
                let value: i32 = patterns.iter().map(|&pattern| WEIGHTS[pattern as usize]).sum();
                assert_eq!(threats.value(stone, index), value, "{cell}");
                sum += value;
                assert_eq!(board.makes_five(cell, stone, rule), patterns.contains(&Pattern::Five), "{cell}");
                if board.makes_five(cell, stone, rule) {
                    fives.push(index);
                }
                let mut board_with_stone = board.clone();
                board_with_stone.put(cell, stone);
                let completions = board_with_stone
                    .empty_cells()
                    .filter(|&next| board_with_stone.makes_five(next, stone, rule))
                    .count();
                let pattern_counts = threats.patterns(stone, index);
                // A five that existed before was not made by this stone.
                if !has_five {
                    assert_eq!(pattern_counts.is_four(), completions > 0, "{cell}\n{board}");
                    assert_eq!(pattern_counts.is_double_four(), completions > 1, "{cell}\n{board}");
                }
                if pattern_counts.is_four() {
                    fours.push(index);
                }
            }
            assert_eq!(threats.sum(stone), sum);
            assert_eq!(threats.fives(stone).iter().collect::<Vec<_>>(), fives);
            assert_eq!(threats.fours(stone).iter().collect::<Vec<_>>(), fours);
            fours.retain(|&index| threats.patterns(stone, index).is_double_four());
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
                let mut threats = ThreatBoard::new(size, rule, WEIGHTS);
                let cells = u64::from(size) * u64::from(size);
                for step in 0..2 * cells {
                    let cell = Cell::from_index(rng.below(cells) as usize, size);
                    if board.stone_at(cell).is_some() {
                        board.take(cell);
                        threats.take(cell.index(size));
                    } else {
                        let stone = Stone::BOTH[rng.below(2) as usize];
                        board.put(cell, stone);
                        threats.put(cell.index(size), stone);
                    }
                    if step % 41 == 0 {
                        check(&threats, &board, rule);
                        let state = (threats.hash, threats.sums, threats.sets, threats.places.clone());
                        let places: Vec<usize> =
                            board.empty_cells().map(|cell| cell.index(size)).take(9).collect();
                        for (turn, &index) in (0..).zip(&places) {
                            threats.play(index, Stone::next_after(turn));
                        }
                        for _ in places {
                            threats.undo();
                        }
                        let restored_state =
                            (threats.hash, threats.sums, threats.sets, threats.places.clone());
                        assert!(restored_state == state, "{board}");
                        check(&threats, &board, rule);
                    }
                }
                let rebuilt = ThreatBoard::from_board(&board, rule, WEIGHTS);
                assert_eq!(
                    (rebuilt.hash, rebuilt.sums, rebuilt.sets),
                    (threats.hash, threats.sums, threats.sets)
                );
                threats.update_to(&Board::new(size));
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
            for index in 0..40 {
                let cell = Cell::from_index(rng.below(121) as usize, size);
                if boards[0].stone_at(cell).is_none() {
                    for symmetry in 0..SYMMETRIES {
                        boards[usize::from(symmetry)]
                            .put(image(cell, symmetry, size), Stone::next_after(index));
                    }
                }
                let sums = |board: &Board| ThreatBoard::from_board(board, rule, WEIGHTS).sums;
                assert!(boards.iter().all(|board| sums(board) == sums(&boards[0])), "{}", boards[0]);
            }
        }
    }
}
