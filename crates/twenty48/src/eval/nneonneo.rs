//! Features of nneonneo/2048-ai, the best known evaluation that was not learned from play.
//!
//! That program sums over the four rows and the four columns: a constant of 200000, 270 times
//! `empty`, 700 times `merges`, -47 times `monotonicity-power` and -11 times `rank-power`. Here a
//! feature of cells counts each cell once, not once in its row and once in its column. So its
//! evaluation, except for the constant, is written `{ empty = 540, merges = 700, monotonicity-power
//! = -47, rank-power = -22 }`.
//!
//! Powers are those of the `libm` crate: equal bits on every platform, and exact if they are whole
//! numbers (checked by a test). Those of the standard library need not be.

use crate::rules::Line;

/// Returns the number of tiles in runs of equal tiles along a line; empty cells in between do not
/// break a run.
pub fn merges_of_line(line: Line) -> i32 {
    let mut merges = 0;
    let (mut last, mut run) = (0, 0);
    for rank in line.into_iter().filter(|&rank| rank != 0) {
        run = if rank == last { run + 1 } else { 1 };
        // The second tile of a run also counts the first one.
        merges += match run {
            1 => 0,
            2 => 2,
            _ => 1,
        };
        last = rank;
    }
    merges
}

/// Powers of all ranks, for one exponent.
#[derive(Clone, Debug)]
pub struct RankPowers([f64; 31]);

impl RankPowers {
    /// Computes the powers for this exponent, which must be above 0.
    pub fn new(power: f64) -> RankPowers {
        RankPowers(std::array::from_fn(|rank| libm::pow(rank as f64, power)))
    }

    /// Returns the power of a rank.
    #[inline]
    pub fn power(&self, rank: u8) -> f64 {
        self.0[usize::from(rank)]
    }
}

/// Returns the sum of the powers of all ranks of a line. The power is 3.5 in nneonneo's program.
pub fn rank_power_of_line(line: Line, powers: &RankPowers) -> f64 {
    line.into_iter().map(|rank| powers.power(rank)).sum()
}

/// Returns the smaller of two sums along a line: steps down, and steps up. A step is a difference
/// of powers of ranks; an empty cell has rank 0. The power is 4 in nneonneo's program.
pub fn monotonicity_power_of_line(line: Line, powers: &RankPowers) -> f64 {
    let [mut falling, mut rising] = [0.0; 2];
    for pair in line.windows(2) {
        let step = powers.power(pair[1]) - powers.power(pair[0]);
        falling += (-step).max(0.0);
        rising += step.max(0.0);
    }
    falling.min(rising)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_that_are_whole_numbers_are_exact() {
        for power in 1..=10_u8 {
            let powers = RankPowers::new(power.into());
            for rank in 0..=30_u8 {
                let exact = u64::from(rank).pow(power.into()) as f64;
                assert_eq!(powers.power(rank), exact, "{rank} to {power}");
            }
        }
        let powers = RankPowers::new(3.5);
        assert_eq!(
            [0, 1, 4, 9, 16, 25].map(|rank| powers.power(rank)),
            [0.0, 1.0, 128.0, 2187.0, 16384.0, 78125.0]
        );
    }
}
