//! The last tiles of a path on AVX2: four leaves at a time, of a 2 and of a 4 in one place, slid both ways.
//!
//! Where the sums of an evaluation fit into 32 bits. What is found is what `search` finds without, and a test
//! says so.

use crate::rules::Nibbles;

#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::{Vectors, prefetch};

#[cfg(not(target_arch = "x86_64"))]
pub(super) use elsewhere::{Vectors, prefetch};

/// For a 2 and for a 4 the sum over the empty cells of the best that the player can make of it there.
pub(super) type Sums = [i64; 2];

/// Tiles of which sums are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tiles {
    /// Both.
    Both,
    /// A 4 alone: the sum of the 2 means nothing.
    Four,
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86_64 {
    use std::arch::x86_64::*;
    use std::sync::LazyLock;

    use super::*;
    use crate::rules::slide::slid;

    /// Proof that the processor has the instructions.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Vectors(());

    /// Parts of all lines, whether rows or columns.
    type Table = [i32; 1 << 16];

    /// For each cell, line by line, the best of both slides along the lines: after a 2 in the low half, after
    /// a 4 in the high one. What it says of cells that are not empty means nothing. Four cells are written at
    /// once, so there are three more.
    type Best = [u64; 19];

    /// Less than any value.
    const NONE: i32 = i32::MIN;

    /// The cell behind the first one in its line, and so on: columns of rows.
    const TURNED: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

    impl Vectors {
        /// The proof, if there is one.
        pub(in super::super) fn here() -> Option<Vectors> {
            static FOUND: LazyLock<bool> = LazyLock::new(|| {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
            });
            FOUND.then_some(Vectors(()))
        }

        /// The sums for a board just after a move, and how many boards were evaluated for them. A position
        /// without a move is worth `lost`, and every other one `least` at least.
        #[inline(always)]
        pub(in super::super) fn last(
            self,
            table: &Table,
            (rows, columns): (Nibbles, Nibbles),
            tiles: Tiles,
            lost: i32,
            least: i32,
        ) -> (Sums, u32) {
            // SAFETY: the processor has the instructions, as `self` proves.
            unsafe {
                match tiles {
                    Tiles::Both => last::<true>(table, rows, columns, (lost, least)),
                    Tiles::Four => last::<false>(table, rows, columns, (lost, least)),
                }
            }
        }
    }

    /// Brings a cache line near that will soon be read.
    #[inline(always)]
    pub(in super::super) fn prefetch<T>(line: &T) {
        // SAFETY: to fetch what a reference points to is harmless.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) };
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn last<const BOTH: bool>(
        table: &Table,
        rows: Nibbles,
        columns: Nibbles,
        (lost, least): (i32, i32),
    ) -> (Sums, u32) {
        let (mut by_rows, mut by_columns): (Best, Best) = ([0; 19], [0; 19]);
        let leaves = last_lines::<BOTH>(table, rows, &mut by_rows)
            + last_lines::<BOTH>(table, columns, &mut by_columns);
        let [none, lost, least] = [NONE, lost, least].map(|value| _mm_set1_epi32(value));
        let mut sums = _mm_setzero_si128();
        let mut rest = rows.empty();
        while rest != 0 {
            let cell = rest.trailing_zeros() as usize / 4;
            rest &= rest - 1;
            let by_row = _mm_cvtsi64_si128(by_rows[cell] as i64);
            let by_column = _mm_cvtsi64_si128(by_columns[usize::from(TURNED[cell] & 15)] as i64);
            let best = _mm_max_epi32(by_row, by_column);
            let best = _mm_max_epi32(_mm_blendv_epi8(best, lost, _mm_cmpeq_epi32(best, none)), least);
            sums = _mm_add_epi64(sums, _mm_cvtepi32_epi64(best));
        }
        ([_mm_extract_epi64::<0>(sums), _mm_extract_epi64::<1>(sums)], leaves)
    }

    /// What `last` needs of the slides along some lines. Returns the number of leaves.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    #[inline]
    fn last_lines<const BOTH: bool>(table: &Table, lines: Nibbles, best: &mut Best) -> u32 {
        // Step 1. What becomes of lines to which no tile comes.
        let part = |line: u16| table[usize::from(line)];
        let slides = lines.lines().map(slid);
        let word = |shift: u32| {
            let [a, b, c, d] = slides.map(|both| u64::from((both >> shift) as u16));
            a | b << 16 | c << 32 | d << 48
        };
        let slid_lines = [word(0), word(16)];
        let parts = slides.map(|both| [part(both as u16), part((both >> 16) as u16)]);
        let sum = |way: usize| parts[0][way] + parts[1][way] + (parts[2][way] + parts[3][way]);
        let sums = [sum(0), sum(1)];
        let [first, last] = slid_lines.map(|lines| Nibbles::new(lines).transposed().word() as i64);
        let across = _mm256_set_epi64x(last, first, last, first);
        let changes = slid_lines.map(|slid| slid ^ lines.word());
        let mut runs = lines.runs();
        let leaves = if BOTH { 4 } else { 2 } * runs.count_ones();
        while runs != 0 {
            let place = runs.trailing_zeros();
            runs &= runs - 1;
            let index = place as usize / 16;
            let line = (lines.word() >> (place & 0x30)) as u16;
            // Step 2. The images of the line with a 2 and with a 4, slid both ways; a cell of each in every
            // line across.
            let four = slid(line | 2 << (place & 15));
            let two = if BOTH { slid(line | 1 << (place & 15)) } else { four };
            let images = [two, four];
            let word = u64::from(images[0]) | u64::from(images[1]) << 32;
            let each = _mm256_shuffle_epi8(
                _mm256_set1_epi64x(word as i64),
                _mm256_set_epi8(
                    7, 6, 7, 6, 7, 6, 7, 6, 5, 4, 5, 4, 5, 4, 5, 4, //
                    3, 2, 3, 2, 3, 2, 3, 2, 1, 0, 1, 0, 1, 0, 1, 0,
                ),
            );
            let cell = _mm256_and_si256(each, _mm256_set1_epi64x(0xF000_0F00_00F0_000F_u64 as i64));
            // To the top of each line across, and down to the place of this line.
            let top = _mm256_mullo_epi16(cell, _mm256_set1_epi64x(0x0001_0010_0100_1000));
            let shift = _mm_cvtsi32_si128(4 * index as i32);
            let new = _mm256_sll_epi16(_mm256_srli_epi16::<12>(top), shift);
            let hole = _mm256_sll_epi16(_mm256_set1_epi16(15), shift);
            let across = _mm256_or_si256(_mm256_andnot_si256(hole, across), new);
            let mut across_lines = [0_u16; 16];
            // SAFETY: there is room for sixteen numbers.
            unsafe { _mm256_storeu_si256(across_lines.as_mut_ptr().cast(), across) };
            // Step 3. The values of these four boards.
            let others = [sums[0] - parts[index & 3][0], sums[1] - parts[index & 3][1]];
            let value = |leaf: usize| {
                // SAFETY: as above. Volatile, or the compiler takes each number out of the vector by itself,
                // which is slower.
                let across =
                    |line: usize| part(unsafe { across_lines.as_ptr().add(4 * leaf + line).read_volatile() });
                let own = others[leaf % 2] + part((word >> (16 * leaf)) as u16);
                (own + across(0)) + across(1) + (across(2) + across(3))
            };
            let of_four = [value(2), value(3)];
            let of_two = if BOTH { [value(0), value(1)] } else { of_four };
            let values = [of_two[0], of_two[1], of_four[0], of_four[1]];
            // Step 4. The best of both ways for all cells of the run; what it writes behind the run is
            // written again.
            let beside = !(0xFFFF << (place & 0x30));
            let moves = changes.map(|changes| changes & beside != 0);
            let best = &mut best[place as usize / 4..][..4];
            if moves == [true; 2] {
                let [two, four] = [values[0].max(values[1]), values[2].max(values[3])];
                best.fill(u64::from(two as u32) | u64::from(four as u32) << 32);
            } else {
                for (cell, best) in best.iter_mut().enumerate() {
                    // A slide that gives back the line with its tile has moved nothing.
                    let of = |tile: usize| {
                        let with = u32::from(line) | (tile as u32 + 1) << ((place & 15) + 4 * cell as u32);
                        let of_way = |way: usize| {
                            let image = images[tile] >> (16 * way) & 0xFFFF;
                            if moves[way] || image != with { values[2 * tile + way] } else { NONE }
                        };
                        of_way(0).max(of_way(1))
                    };
                    *best = u64::from(of(0) as u32) | u64::from(of(1) as u32) << 32;
                }
            }
        }
        leaves
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod elsewhere {
    use super::*;

    /// Nothing.
    #[inline(always)]
    pub(in super::super) fn prefetch<T>(_line: &T) {}

    /// No value: other processors lack the instructions.
    #[derive(Clone, Copy)]
    pub(in super::super) enum Vectors {}

    impl Vectors {
        pub(in super::super) fn here() -> Option<Vectors> {
            None
        }

        pub(in super::super) fn last(
            self,
            _table: &[i32; 1 << 16],
            _rows: Nibbles,
            _columns: Nibbles,
        ) -> Sums {
            match self {}
        }
    }
}
