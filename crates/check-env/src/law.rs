//! Laws of chance: counts of start tiles and new tiles, and the tests of these counts.

use gauntlet_stats::{chi_square_p, normal_p, rate_p};
use gauntlet_twenty48::rules::Cells;

use crate::fault::Fault;
use crate::rule::Rule;

/// Probability of a 4.
const FOUR: f64 = 0.1;

/// Expected count from which on a count enters a chi-square statistic.
const LEAST_EXPECTED: f64 = 10.0;

/// Variance from which on a sum is treated as normal.
const LEAST_VARIANCE: f64 = 25.0;

/// Expected count of an event that never happens, from which on its absence is the diagnosis.
const SURELY: f64 = 25.0;

/// Result of one test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LawTest {
    pub(crate) rule: Rule,
    pub(crate) what: Chance,
    pub(crate) p: f64,
}

/// What is random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chance {
    Cell,
    Value,
}

/// Number of an event, with its expected value and variance.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    observed: u64,
    expected: f64,
    variance: f64,
}

impl Count {
    fn add(&mut self, happened: bool, probability: f64) {
        self.observed += u64::from(happened);
        self.expected += probability;
        self.variance += probability * (1.0 - probability);
    }

    fn p(&self) -> Option<f64> {
        let off = self.observed as f64 - self.expected;
        (self.variance >= LEAST_VARIANCE).then(|| normal_p(off / self.variance.sqrt()))
    }

    fn never_happens(&self) -> bool {
        self.observed == 0 && self.expected >= SURELY
    }
}

/// Counts of the index of the chosen cell among the empty cells, in one order of the cells.
#[derive(Clone, Debug, Default)]
struct IndexCounts {
    /// By number of empty cells and index.
    counts: [[u64; 16]; 17],
    /// Indices not below the number of cells that were empty before the move.
    beyond_stale: Count,
    /// The last index, with at least two empty cells.
    last: Count,
}

impl IndexCounts {
    fn add(&mut self, index: usize, empty: usize, empty_before: usize) {
        self.counts[empty][index] += 1;
        // A full board says nothing, because a count of no cells leaves no choice.
        if (1..empty).contains(&empty_before) {
            let beyond = empty - empty_before;
            self.beyond_stale.add(index >= empty_before, beyond as f64 / empty as f64);
        }
        if empty > 1 {
            self.last.add(index + 1 == empty, 1.0 / empty as f64);
        }
    }

    /// Tests that each index is equally likely, given the number of empty cells.
    fn p(&self) -> Option<f64> {
        let (mut statistic, mut degrees) = (0.0, 0);
        for (empty, counts) in self.counts.iter().enumerate().skip(2) {
            let all: u64 = counts[..empty.min(16)].iter().sum();
            let expected = all as f64 / empty as f64;
            if expected >= LEAST_EXPECTED {
                let square = |&count: &u64| (count as f64 - expected).powi(2) / expected;
                statistic += counts[..empty.min(16)].iter().map(square).sum::<f64>();
                degrees += empty as u32 - 1;
            }
        }
        (degrees > 0).then(|| chi_square_p(statistic, degrees))
    }
}

/// New tiles after moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewTiles {
    by_row: IndexCounts,
    by_column: IndexCounts,
    cells: [Count; 16],
    pub(crate) count: u64,
    pub(crate) fours: u64,
}

impl NewTiles {
    /// Adds a tile on this cell of a board after the slide.
    pub(crate) fn add(&mut self, before: Cells, after: Cells, cell: usize, rank: u8) {
        self.count += 1;
        self.fours += u64::from(rank == 2);
        let (empty, empty_before) = (after.empty() as usize, before.empty() as usize);
        let is_empty = |cell: &usize| after.rank(*cell) == 0;
        self.by_row.add((0..cell).filter(is_empty).count(), empty, empty_before);
        let index = Self::columns_first().take_while(|&other| other != cell).filter(is_empty).count();
        self.by_column.add(index, empty, empty_before);
        for other in (0..16).filter(is_empty) {
            self.cells[other].add(other == cell, 1.0 / empty as f64);
        }
    }

    fn columns_first() -> impl Iterator<Item = usize> {
        (0..16).map(|place| 4 * (place % 4) + place / 4)
    }

    /// Tests the uniform cell and the rate of 4s.
    pub(crate) fn tests(&self) -> Vec<LawTest> {
        let orders = [&self.by_row, &self.by_column];
        let cells = self.cells.iter().filter_map(Count::p).map(|p| (16.0 * p).min(1.0));
        let mut tests: Vec<Option<f64>> =
            orders.iter().flat_map(|order| [order.p(), order.beyond_stale.p()]).collect();
        tests.push(cells.reduce(f64::min));
        let value = (self.count > 0).then(|| rate_p(self.fours, self.count, FOUR));
        let cell =
            tests.into_iter().flatten().map(|p| LawTest { rule: Rule::NewCell, what: Chance::Cell, p });
        cell.chain(value.map(|p| LawTest { rule: Rule::NewValue, what: Chance::Value, p })).collect()
    }

    /// Returns the known fault of the cell, if the counts show one.
    pub(crate) fn fault_of_cell(&self) -> Option<Fault> {
        let orders = [&self.by_row, &self.by_column];
        if orders.iter().any(|order| order.last.never_happens()) {
            return Some(Fault::LastCellNeverFilled);
        }
        if orders.iter().any(|order| order.beyond_stale.never_happens()) {
            return Some(Fault::StaleCount);
        }
        let cell = self.cells.iter().position(Count::never_happens);
        cell.map(|cell| Fault::CellNeverFilled(cell as u8))
    }

    /// Returns the known fault of the value.
    pub(crate) fn fault_of_value(&self) -> Option<Fault> {
        match self.fours {
            0 => Some(Fault::NeverFour),
            fours if fours == self.count => Some(Fault::AlwaysFour),
            _ => None,
        }
    }

    /// Describes the counts that show where new tiles appear.
    pub(crate) fn cells_in_words(&self) -> String {
        let Count { observed, expected, .. } = self.by_row.beyond_stale;
        let off = |count: &Count| count.observed as f64 - count.expected;
        let distance = |count: &Count| off(count).abs() / count.variance.max(1.0).sqrt();
        let farthest = (0..16)
            .max_by(|&one, &other| distance(&self.cells[one]).total_cmp(&distance(&self.cells[other])))
            .unwrap_or(0);
        let cell = &self.cells[farthest];
        format!(
            "row {}, column {}: {} tiles, {:.1} expected; cells that a count before the move excludes: {observed} tiles, {expected:.1} expected; \
             last empty cell: {} tiles, {:.1} expected",
            farthest / 4,
            farthest % 4,
            cell.observed,
            cell.expected,
            self.by_row.last.observed,
            self.by_row.last.expected
        )
    }
}

/// Starts of games with two tiles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts {
    cells: [u64; 16],
    pub(crate) count: u64,
    pub(crate) fours: u64,
}

impl Starts {
    /// Adds a board with two tiles.
    pub(crate) fn add(&mut self, board: Cells) {
        self.count += 1;
        for (count, rank) in self.cells.iter_mut().zip(board.ranks()) {
            *count += u64::from(rank != 0);
            self.fours += u64::from(rank == 2);
        }
    }

    /// Returns the known fault of the values.
    pub(crate) fn fault(&self) -> Option<Fault> {
        (self.fours == 0).then_some(Fault::NeverFour)
    }

    /// Tests that all pairs of cells are equally likely, by the number of tiles in each cell, and
    /// the rate of 4s.
    pub(crate) fn tests(&self) -> Vec<LawTest> {
        let expected = self.count as f64 / 8.0;
        if expected < LEAST_EXPECTED {
            return Vec::new();
        }
        let squares = self.cells.iter().map(|&count| (count as f64 - expected).powi(2) / expected);
        // Two different cells vary less than two independent ones.
        let statistic = squares.sum::<f64>() * 15.0 / 14.0;
        let test = |what, p| LawTest { rule: Rule::Start, what, p };
        vec![
            test(Chance::Cell, chi_square_p(statistic, 15)),
            test(Chance::Value, rate_p(self.fours, 2 * self.count, FOUR)),
        ]
    }
}
