//! Draw of a tile and its cell.

use gauntlet_core::rng::Rng;

/// Draws the index of the new tile among this number of empty cells, counted from 0, and 1 for a 4,
/// else 0.
#[inline(always)]
pub(super) fn draw(game_rng: &mut Rng, empty: u32) -> (u32, u32) {
    /// Nine tenths of 2^64, rounded up.
    const FOUR_THRESHOLD: u64 = 0xE666_6666_6666_6667;
    // One number below 10 n determines both: its tens select the cell, its ones a 4 (if 9). That
    // number is 10 n times the bits, over 2^64. So n times the bits has the cell before the point,
    // and nine tenths or more after it if the ones are 9.
    let empty = u64::from(empty);
    let (bits, _) = game_rng.bits_below(10 * empty);
    let product = u128::from(bits) * u128::from(empty);
    ((product >> 64) as u32, u32::from(product as u64 >= FOUR_THRESHOLD))
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;

    #[test]
    fn a_tile_is_drawn_by_one_number_below_ten_times_the_empty_cells() {
        for empty in 1..=16 {
            let mut counts = [0; 160];
            for seed in 0..3000 {
                let seed = Seed::root(seed);
                let number = seed.rng().below(10 * u64::from(empty));
                let result = draw(&mut seed.rng(), empty);
                assert_eq!(result, ((number / 10) as u32, u32::from(number % 10 == 9)));
                counts[number as usize] += 1;
            }
            assert!(counts[..10 * empty as usize].iter().all(|&times| times > 0));
        }
    }
}
