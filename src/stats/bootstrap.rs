//! The bootstrap of Efron (1979) over whole blocks: for statistics that no formula bounds, and for values that depend
//! on each other within a block, as the moves of one game do.
//!
//! The caller gives the chance: `below` draws a whole number below its argument, all equally likely. The same numbers
//! give the same bounds.

use super::estimate::Estimate;

/// The most groups that are drawn from, see [`ratio_of_sums`].
const MOST_GROUPS: usize = 1024;

/// The sum of the first numbers of blocks over the sum of the second, as time over moves, with percentile bounds: the
/// ratios of `resamples` samples, each drawn from the blocks. For tens of blocks such bounds are somewhat too narrow.
///
/// A block without a second number says nothing of the ratio and is left out. None under two blocks: one says nothing
/// of how others differ.
///
/// Where there are more than 1024 blocks, neighbours are summed to that many groups, which vary as the blocks do. So a
/// million games take as long as a thousand.
///
/// # Panics
/// If a second number is below 0, there are no resamples, or the level is not between 0 and 1.
pub fn ratio_of_sums(
    blocks: &[(f64, f64)],
    level: f64,
    resamples: usize,
    below: &mut dyn FnMut(u64) -> u64,
) -> Option<Estimate> {
    assert!(blocks.iter().all(|&(_, second)| second >= 0.0), "a ratio to less than nothing");
    let telling: Vec<(f64, f64)> = blocks.iter().copied().filter(|&(_, second)| second > 0.0).collect();
    if telling.len() < 2 {
        return None;
    }
    let sums = |blocks: &mut dyn Iterator<Item = (f64, f64)>| {
        blocks.fold((0.0, 0.0), |sums, block| (sums.0 + block.0, sums.1 + block.1))
    };
    let groups = telling.len().min(MOST_GROUPS);
    let start = |group: usize| (group as u128 * telling.len() as u128 / groups as u128) as usize;
    let groups: Vec<(f64, f64)> =
        (0..groups).map(|group| sums(&mut telling[start(group)..start(group + 1)].iter().copied())).collect();
    let ratio = |(first, second): (f64, f64)| first / second;
    let value = ratio(sums(&mut groups.iter().copied()));
    let values = (0..resamples)
        .map(|_| ratio(sums(&mut (0..groups.len()).map(|_| groups[below(groups.len() as u64) as usize]))));
    Some(percentiles(value, values.collect(), level))
}

/// Percentile bounds: they leave out as many of these values below as above.
fn percentiles(value: f64, mut values: Vec<f64>, level: f64) -> Estimate {
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    assert!(!values.is_empty(), "bounds of no resamples");
    values.sort_by(f64::total_cmp);
    // Of R values, (R + 1) times the tail is the rank of the bound.
    let rank = ((values.len() + 1) as f64 * (1.0 - level) / 2.0 + 1e-9) as usize;
    let rank = rank.clamp(1, values.len().div_ceil(2));
    let (low, high) = (values[rank - 1], values[values.len() - rank]);
    Estimate { low: low.min(value), value, high: high.max(value), level }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A linear congruential generator.
    fn draws() -> impl FnMut(u64) -> u64 {
        let mut state = 1_u64;
        move |n| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        }
    }

    #[test]
    fn the_mean_as_student_has_it() {
        let values: Vec<f64> = (0..400).map(|i| f64::from(i * i % 101)).collect();
        // A ratio to ones is a mean.
        let blocks: Vec<(f64, f64)> = values.iter().map(|&value| (value, 1.0)).collect();
        let got = ratio_of_sums(&blocks, 0.95, 4000, &mut draws()).expect("many blocks");
        let mean = values.iter().sum::<f64>() / 400.0;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 399.0;
        let reach = 1.966 * (variance / 400.0).sqrt();
        assert_eq!(got.value, mean);
        for off in [got.high - mean - reach, mean - got.low - reach] {
            assert!(off.abs() < 0.1 * reach, "off by {off} of {reach}");
        }
    }

    #[test]
    fn groups_vary_as_blocks_do() {
        let mut values = draws();
        let blocks: Vec<(f64, f64)> = (0..20_000).map(|_| (values(1000) as f64, 2.0)).collect();
        let got = ratio_of_sums(&blocks, 0.95, 2000, &mut draws()).unwrap();
        // Whole numbers below 1000, halved: a standard deviation of 500 / √12, and 1.96 standard errors to each side.
        let width = 2.0 * 1.96 * 500.0 / 12_f64.sqrt() / 20_000_f64.sqrt();
        assert!(((got.high - got.low) / width - 1.0).abs() < 0.15, "{got:?}, not {width}");
    }

    #[test]
    fn none_one_and_equal_ones() {
        let mut draws = draws();
        assert_eq!(ratio_of_sums(&[], 0.95, 100, &mut draws), None);
        assert_eq!(ratio_of_sums(&[(3.0, 2.0)], 0.95, 100, &mut draws), None);
        assert_eq!(ratio_of_sums(&[(3.0, 2.0), (0.0, 0.0)], 0.95, 100, &mut draws), None);
        let equal = ratio_of_sums(&[(3.0, 2.0), (6.0, 4.0), (0.0, 0.0)], 0.95, 100, &mut draws);
        assert_eq!(equal, Some(Estimate { value: 1.5, low: 1.5, high: 1.5, level: 0.95 }));
    }
}
