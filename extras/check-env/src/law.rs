//! Laws of chance: counts of start tiles and new tiles, and the tests of these counts.

use gauntlet_stats::{chi_square_p, normal_p, rate_p};
use gauntlet_twenty48::rules::Cells;

use crate::fault::Fault;
use crate::rule::Rule;

/// Probability of a 4.
const FOUR: f64 = 0.1;

/// Smallest expected count that enters a chi-square statistic.
const MIN_EXPECTED: f64 = 10.0;

/// Smallest expected count of a class for a test of all classes together. For this count, the
/// chi-square statistic exceeds its limit for p = 7e-5 at most 1.4 times as often as it should.
const MIN_EXPECTED_PER_CLASS: f64 = 25.0;

/// Smallest variance for which a sum is treated as normal.
const MIN_VARIANCE: f64 = 25.0;

/// Thirds of the empty cells, in one order of the cells.
const THIRDS: usize = 3;

/// Successive new tiles in a block.
const BLOCK: u64 = 10;

/// Probabilities of no 4, one, two and more in a block.
const FOURS_IN_BLOCK: [f64; 4] = [0.348_678_440_1, 0.387_420_489, 0.193_710_244_5, 0.070_190_826_4];

/// If an event never happens, its absence is the diagnosis from this expected count on.
const CERTAIN_ABSENCE: f64 = 25.0;

/// Result of one test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LawTest {
    pub(crate) rule: Rule,
    pub(crate) chance: Chance,
    pub(crate) p: f64,
}

/// What is random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chance {
    Cell,
    Value,
    /// Distance of the cells of a start.
    CellPair,
    /// Values of a start.
    ValuePair,
    /// Value, given the cell.
    ValueAtCell,
    /// Value, given the values before.
    ValueAfterValues,
}

impl Chance {
    /// Returns the fault that a test of independence shows.
    const fn fault(self) -> Option<Fault> {
        match self {
            Chance::Cell | Chance::Value => None,
            Chance::CellPair => Some(Fault::StartCellsDependent),
            Chance::ValuePair => Some(Fault::StartValuesDependent),
            Chance::ValueAtCell => Some(Fault::ValueDependsOnCell),
            Chance::ValueAfterValues => Some(Fault::ValuesDependent),
        }
    }
}

/// Tests that counts have these probabilities, if no expected count is too small.
fn goodness_of_fit<const CLASSES: usize>(
    counts: [u64; CLASSES],
    probabilities: [f64; CLASSES],
) -> Option<f64> {
    let total = counts.iter().sum::<u64>() as f64;
    let mut statistic = 0.0;
    for (&count, probability) in counts.iter().zip(probabilities) {
        let expected = total * probability;
        if expected < MIN_EXPECTED_PER_CLASS {
            return None;
        }
        statistic += (count as f64 - expected).powi(2) / expected;
    }
    Some(chi_square_p(statistic, CLASSES as u32 - 1))
}

/// Number of an event, with its expected value and variance.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    observed: u64,
    expected: f64,
    variance: f64,
}

impl Count {
    fn add(&mut self, has_happened: bool, probability: f64) {
        self.observed += u64::from(has_happened);
        self.expected += probability;
        self.variance += probability * (1.0 - probability);
    }

    fn p(&self) -> Option<f64> {
        let deviation = self.observed as f64 - self.expected;
        (self.variance >= MIN_VARIANCE).then(|| normal_p(deviation / self.variance.sqrt()))
    }

    fn never_happens(&self) -> bool {
        self.observed == 0 && self.expected >= CERTAIN_ABSENCE
    }
}

/// Counts of the index of the chosen cell among the empty cells, in one order of the cells.
#[derive(Clone, Debug, Default)]
struct IndexCounts {
    /// By number of empty cells and index.
    counts: [[u64; 16]; 17],
    /// Indices not below the number of cells that were empty before the move.
    beyond_old_count: Count,
    /// The last index, with at least two empty cells.
    last_index: Count,
    /// 4s and tiles in each third of the empty cells, with at least three empty cells.
    thirds: [(u64, u64); THIRDS],
}

impl IndexCounts {
    fn add(&mut self, index: usize, empty: usize, empty_before: usize, is_four: bool) {
        self.counts[empty][index] += 1;
        if empty >= THIRDS {
            let (fours, tiles) = &mut self.thirds[THIRDS * index / empty];
            *fours += u64::from(is_four);
            *tiles += 1;
        }
        // If the board was full before the move, a wrong count is 0 and leaves no choice, so it
        // shows nothing.
        if (1..empty).contains(&empty_before) {
            let excluded = empty - empty_before;
            self.beyond_old_count.add(index >= empty_before, excluded as f64 / empty as f64);
        }
        if empty > 1 {
            self.last_index.add(index + 1 == empty, 1.0 / empty as f64);
        }
    }

    /// Tests that each index is equally likely, given the number of empty cells.
    fn p(&self) -> Option<f64> {
        let (mut statistic, mut degrees) = (0.0, 0);
        for (empty, counts) in self.counts.iter().enumerate().skip(2) {
            let total: u64 = counts[..empty.min(16)].iter().sum();
            let expected = total as f64 / empty as f64;
            if expected >= MIN_EXPECTED {
                let square = |&count: &u64| (count as f64 - expected).powi(2) / expected;
                statistic += counts[..empty.min(16)].iter().map(square).sum::<f64>();
                degrees += empty as u32 - 1;
            }
        }
        (degrees > 0).then(|| chi_square_p(statistic, degrees))
    }

    /// Tests that 4s are as frequent in each third, by exact tests.
    fn p_of_thirds(&self) -> Option<f64> {
        let tests = self.thirds.iter().filter(|&&(_, tiles)| tiles > 0);
        let smallest_p = tests.map(|&(fours, tiles)| rate_p(fours, tiles, FOUR)).reduce(f64::min);
        smallest_p.map(|p| (THIRDS as f64 * p).min(1.0))
    }
}

/// Values of successive new tiles, across games.
#[derive(Clone, Copy, Debug, Default)]
struct Succession {
    previous_is_four: bool,
    /// Tiles after a 4, and 4s after a 4.
    tiles_after_four: u64,
    fours_after_four: u64,
    /// Tiles and 4s of the block that is not complete.
    tiles: u64,
    fours: usize,
    /// Blocks with no 4, one, two and more.
    blocks: [u64; 4],
}

impl Succession {
    fn add(&mut self, is_four: bool) {
        if self.previous_is_four {
            self.tiles_after_four += 1;
            self.fours_after_four += u64::from(is_four);
        }
        self.previous_is_four = is_four;
        self.tiles += 1;
        self.fours += usize::from(is_four);
        if self.tiles == BLOCK {
            self.blocks[self.fours.min(3)] += 1;
            (self.tiles, self.fours) = (0, 0);
        }
    }

    /// Tests that a 4 after a 4 is as likely as any 4, and how 4s are spread over blocks.
    fn tests(&self) -> [Option<f64>; 2] {
        let after_four_p =
            (self.tiles_after_four > 0).then(|| rate_p(self.fours_after_four, self.tiles_after_four, FOUR));
        [after_four_p, goodness_of_fit(self.blocks, FOURS_IN_BLOCK)]
    }
}

/// New tiles after moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewTiles {
    by_row: IndexCounts,
    by_column: IndexCounts,
    cells: [Count; 16],
    succession: Succession,
    pub(crate) count: u64,
    pub(crate) fours: u64,
}

impl NewTiles {
    /// Adds a tile on this cell of a board after the slide.
    pub(crate) fn add(&mut self, before: Cells, after: Cells, cell: usize, rank: u8) {
        self.count += 1;
        let is_four = rank == 2;
        self.fours += u64::from(is_four);
        self.succession.add(is_four);
        let (empty, empty_before) = (after.count_empty() as usize, before.count_empty() as usize);
        let is_empty = |cell: &usize| after.rank(*cell) == 0;
        self.by_row.add((0..cell).filter(is_empty).count(), empty, empty_before, is_four);
        let index = Self::columns_first().take_while(|&other| other != cell).filter(is_empty).count();
        self.by_column.add(index, empty, empty_before, is_four);
        for candidate in (0..16).filter(is_empty) {
            self.cells[candidate].add(candidate == cell, 1.0 / empty as f64);
        }
    }

    fn columns_first() -> impl Iterator<Item = usize> {
        (0..16).map(|index| 4 * (index % 4) + index / 4)
    }

    /// Tests the uniform cell, the rate of 4s, and what 4s depend on.
    pub(crate) fn tests(&self) -> Vec<LawTest> {
        let orders = [&self.by_row, &self.by_column];
        let cells = self.cells.iter().filter_map(Count::p).map(|p| (16.0 * p).min(1.0));
        let mut tests: Vec<Option<f64>> =
            orders.iter().flat_map(|order| [order.p(), order.beyond_old_count.p()]).collect();
        tests.push(cells.reduce(f64::min));
        let value_p = (self.count > 0).then(|| rate_p(self.fours, self.count, FOUR));
        let cell_tests = tests.into_iter().map(|p| (Rule::NewCell, Chance::Cell, p));
        let to_value_test = |chance| move |p| (Rule::NewValue, chance, p);
        let all_tests = cell_tests
            .chain([value_p].map(to_value_test(Chance::Value)))
            .chain(orders.map(IndexCounts::p_of_thirds).map(to_value_test(Chance::ValueAtCell)))
            .chain(self.succession.tests().map(to_value_test(Chance::ValueAfterValues)));
        all_tests.filter_map(|(rule, chance, p)| Some(LawTest { rule, chance, p: p? })).collect()
    }

    /// Returns the known fault of the cell, if the counts show one.
    pub(crate) fn fault_of_cell(&self) -> Option<Fault> {
        let orders = [&self.by_row, &self.by_column];
        if orders.iter().any(|order| order.last_index.never_happens()) {
            return Some(Fault::LastCellNeverFilled);
        }
        if orders.iter().any(|order| order.beyond_old_count.never_happens()) {
            return Some(Fault::StaleCount);
        }
        let cell = self.cells.iter().position(Count::never_happens);
        cell.map(|cell| Fault::CellNeverFilled(cell as u8))
    }

    /// Returns the known fault of the value that a test shows.
    pub(crate) fn fault_of_value(&self, chance: Chance) -> Option<Fault> {
        match self.fours {
            0 => Some(Fault::NeverFour),
            fours if fours == self.count => Some(Fault::AlwaysFour),
            _ => chance.fault(),
        }
    }

    /// Describes the counts of values that a test contradicts.
    pub(crate) fn describe_values(&self, chance: Chance) -> String {
        match chance {
            Chance::ValueAtCell => {
                let orders = [("row", &self.by_row), ("column", &self.by_column)];
                let shares = orders.map(|(name, order)| {
                    let share = |(fours, tiles)| format!("{:.1} %", percent(fours, tiles));
                    format!("by {name} {}", order.thirds.map(share).join(", "))
                });
                format!("4s in the thirds of the empty cells: {}.", shares.join("; "))
            }
            Chance::ValueAfterValues => {
                let Succession { tiles_after_four, fours_after_four, blocks, .. } = self.succession;
                format!(
                    "4s after a 4: {fours_after_four}, {:.1} expected; blocks of {BLOCK} tiles with one 4: {}, {:.1} expected.",
                    FOUR * tiles_after_four as f64,
                    blocks[1],
                    FOURS_IN_BLOCK[1] * blocks.iter().sum::<u64>() as f64
                )
            }
            _ => share_of_fours(self.fours, self.count),
        }
    }

    /// Describes the counts that show where new tiles appear.
    pub(crate) fn describe_cells(&self) -> String {
        let Count { observed, expected, .. } = self.by_row.beyond_old_count;
        let deviation = |count: &Count| count.observed as f64 - count.expected;
        let distance = |count: &Count| deviation(count).abs() / count.variance.max(1.0).sqrt();
        let cell_index = (0..16)
            .max_by(|&one, &other| distance(&self.cells[one]).total_cmp(&distance(&self.cells[other])))
            .unwrap_or(0);
        let cell = &self.cells[cell_index];
        format!(
            "row {}, column {}: {} tiles, {:.1} expected; cells that a count before the move excludes: {observed} tiles, {expected:.1} expected; \
             last empty cell: {} tiles, {:.1} expected",
            cell_index / 4,
            cell_index % 4,
            cell.observed,
            cell.expected,
            self.by_row.last_index.observed,
            self.by_row.last_index.expected
        )
    }
}

fn percent(fours: u64, tiles: u64) -> f64 {
    100.0 * fours as f64 / tiles.max(1) as f64
}

fn share_of_fours(fours: u64, tiles: u64) -> String {
    format!("4s are {:.1} % of these tiles, not 10 %.", percent(fours, tiles))
}

/// Starts of games with two tiles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts {
    cells: [u64; 16],
    /// By cyclic distance of the two cells in order of rows, from 1 to 8.
    distances: [u64; 8],
    count: u64,
    fours: u64,
    /// Starts with a 2 and a 4.
    mixed_starts: u64,
}

impl Starts {
    /// Probability of a start with a 2 and a 4.
    const MIXED_PROBABILITY: f64 = 2.0 * FOUR * (1.0 - FOUR);

    /// Probabilities of the distances: 16 pairs of cells each, and 8 pairs for the last.
    const DISTANCE_PROBABILITIES: [f64; 8] = {
        let mut probabilities = [2.0 / 15.0; 8];
        probabilities[7] = 1.0 / 15.0;
        probabilities
    };

    /// Adds a board with two tiles.
    pub(crate) fn add(&mut self, board: Cells) {
        self.count += 1;
        for (count, rank) in self.cells.iter_mut().zip(board.ranks()) {
            *count += u64::from(rank != 0);
            self.fours += u64::from(rank == 2);
        }
        let tiles: Vec<(usize, u8)> =
            board.ranks().into_iter().enumerate().filter(|&(_, rank)| rank != 0).collect();
        let &[(first, first_rank), (second, second_rank)] = tiles.as_slice() else { return };
        let distance = second - first;
        self.distances[distance.min(16 - distance) - 1] += 1;
        self.mixed_starts += u64::from(first_rank != second_rank);
    }

    /// Returns the known fault that a test shows.
    pub(crate) fn fault(&self, chance: Chance) -> Option<Fault> {
        let has_no_four = self.fours == 0 && matches!(chance, Chance::Value | Chance::ValuePair);
        if has_no_four { Some(Fault::NeverFour) } else { chance.fault() }
    }

    /// Describes the counts that a test contradicts.
    pub(crate) fn describe(&self, chance: Chance) -> Option<String> {
        let count = self.count as f64;
        match chance {
            Chance::CellPair => {
                let deviation = |&index: &usize| {
                    let expected = count * Self::DISTANCE_PROBABILITIES[index];
                    (self.distances[index] as f64 - expected).abs() / expected.sqrt()
                };
                let index = (0..8).max_by(|one, other| deviation(one).total_cmp(&deviation(other)))?;
                Some(format!(
                    "Starts with cells {} apart in order of rows, cyclically: {}, {:.1} expected.",
                    index + 1,
                    self.distances[index],
                    count * Self::DISTANCE_PROBABILITIES[index]
                ))
            }
            Chance::ValuePair => Some(format!(
                "Starts with a 2 and a 4: {}, {:.1} expected.",
                self.mixed_starts,
                count * Self::MIXED_PROBABILITY
            )),
            Chance::Value => Some(share_of_fours(self.fours, 2 * self.count)),
            _ => None,
        }
    }

    /// Tests four laws of starts: the number of tiles in each cell, the rate of 4s, the distance of
    /// the two cells, and how many starts have a 2 and a 4. The last one and the rate determine how
    /// often two 4s appear.
    pub(crate) fn tests(&self) -> Vec<LawTest> {
        let expected = self.count as f64 / 8.0;
        if expected < MIN_EXPECTED {
            return Vec::new();
        }
        let squares = self.cells.iter().map(|&count| (count as f64 - expected).powi(2) / expected);
        // The statistic is scaled, because two different cells vary less than two independent ones.
        let statistic = squares.sum::<f64>() * 15.0 / 14.0;
        let tests = [
            (Chance::Cell, Some(chi_square_p(statistic, 15))),
            (Chance::Value, Some(rate_p(self.fours, 2 * self.count, FOUR))),
            (Chance::CellPair, goodness_of_fit(self.distances, Self::DISTANCE_PROBABILITIES)),
            (Chance::ValuePair, Some(rate_p(self.mixed_starts, self.count, Self::MIXED_PROBABILITY))),
        ];
        let test = |(chance, p): (_, Option<f64>)| Some(LawTest { rule: Rule::Start, chance, p: p? });
        tests.into_iter().filter_map(test).collect()
    }
}
