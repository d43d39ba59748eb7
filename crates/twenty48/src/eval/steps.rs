//! Steps from tile to tile along a line: the definition of three features. `build.rs` generates
//! tables from this file, so it uses nothing else of this package but lines.

use crate::rules::line::Line;

/// Sums of ranks by which a line falls and rises, both as numbers not above 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepSums {
    /// Minus the sum of all steps down.
    pub falling: i32,
    /// Minus the sum of all steps up.
    pub rising: i32,
}

impl StepSums {
    /// Returns the sums of both lines' totals.
    #[must_use]
    pub fn combine(self, other: StepSums) -> StepSums {
        StepSums { falling: self.falling + other.falling, rising: self.rising + other.rising }
    }

    /// Packs both as positive numbers into one, so that four lines can be summed at once. A line of
    /// ranks up to 15 falls by at most 29, and rises by no more.
    pub fn pack(self) -> u16 {
        -self.falling as u16 | (-self.rising as u16) << 8
    }

    fn step(self, from_rank: u8, to_rank: u8) -> StepSums {
        let step = i32::from(to_rank) - i32::from(from_rank);
        if step < 0 {
            StepSums { falling: self.falling + step, ..self }
        } else {
            StepSums { rising: self.rising - step, ..self }
        }
    }
}

/// Returns the totals of one line in [`monotonicity_lines`](super::monotonicity_lines).
pub fn monotonicity_lines_of_line(line: Line) -> StepSums {
    let mut totals = StepSums::default();
    let (mut current, mut next) = (0, 1);
    while next < 4 {
        while next < 4 && line[next] == 0 {
            next += 1;
        }
        if next == 4 {
            next = 3;
        }
        totals = totals.step(line[current], line[next]);
        current = next;
        next += 1;
    }
    totals
}

/// Returns the totals of one line in [`monotonicity_tiles`](super::monotonicity_tiles).
pub fn monotonicity_tiles_of_line(line: Line) -> StepSums {
    let mut totals = StepSums::default();
    let mut last = 0;
    for rank in line {
        if rank != 0 {
            if last != 0 {
                totals = totals.step(last, rank);
            }
            last = rank;
        }
    }
    totals
}

/// Returns the value of one line in [`smoothness_nearest`](super::smoothness_nearest).
pub fn smoothness_nearest_of_line(line: Line) -> i32 {
    let mut sum = 0;
    let mut last = 0;
    for rank in line {
        if rank != 0 {
            if last != 0 {
                sum -= i32::from(rank.abs_diff(last));
            }
            last = rank;
        }
    }
    sum
}
