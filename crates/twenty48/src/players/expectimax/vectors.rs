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

/// Parts of all lines, whether rows or columns.
type Table = [i32; 1 << 16];

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86_64 {
    use std::arch::x86_64::*;

    use super::*;
    use crate::rules::slide::slid;

    /// Tables for a processor that has the instructions.
    pub(in super::super) struct Vectors {
        parts: Box<Table>,
        slides: Box<[Slide; 1 << 16]>,
    }

    /// What becomes of a line when it slides, in 16 bytes: its images; the part of the first, and of the last,
    /// with the sign turned if the slide changes nothing; 1 if the one slide changes the line, and 2^16 if
    /// the other does.
    type Slide = [i32; 4];

    /// Values from -2^30 to 2^30 have this added, so that the sign is left to say that no line moved.
    const BIAS: i32 = 1 << 30;
    const SIGN: i32 = i32::MIN;

    /// Slides of some lines, as far as they do not depend on a tile to come.
    struct Side {
        /// The board after each slide by the lines across, twice.
        across: __m256i,
        /// For each line the sum of the three others, in the order of a slide's.
        others: [Slide; 4],
        /// For each slide and each line the bits of a value that count: not the sign, where another line moves.
        masks: [[i32; 4]; 2],
    }

    /// For each line its nibble in the lines across, and how far that is below the top one.
    static PLACES: [(i64, i16); 4] = [(12, 0xF), (8, 0xF0), (4, 0xF00), (0, 0xF000_u16 as i16)];

    /// The cell behind the first one in its line, and so on: columns of rows.
    const TURNED: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

    /// Brings a cache line near that will soon be read.
    #[inline(always)]
    pub(in super::super) fn prefetch<T>(line: &T) {
        // SAFETY: to fetch what a reference points to is harmless.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) };
    }

    impl Vectors {
        /// Tables of these parts, if the processor has the instructions and the sums leave a bit.
        pub(in super::super) fn of(parts: &Table) -> Option<Vectors> {
            let has_all = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            if !has_all || parts.iter().any(|part| !(-BIAS / 8..BIAS / 8).contains(part)) {
                return None;
            }
            let slide = |line: u16| {
                let images = slid(line);
                let [(first, moves_first), (last, moves_last)] = [images, images >> 16].map(|image| {
                    let (image, is_same) = (image as u16, image as u16 == line);
                    (parts[usize::from(image)] ^ if is_same { SIGN } else { 0 }, i32::from(!is_same))
                });
                [images as i32, first, last, moves_first | moves_last << 16]
            };
            let slides: Box<[Slide]> = (0..=u16::MAX).map(slide).collect();
            let slides = slides.try_into().expect("an entry for each line");
            Some(Vectors { parts: Box::new(*parts), slides })
        }

        /// The sums for a board just after a move, and how many boards are evaluated for each of them. A
        /// position without a move is worth `lost`, and every other one `least` at least.
        #[inline(always)]
        pub(in super::super) fn last(
            &self,
            rows: Nibbles,
            columns: Nibbles,
            lost: i32,
            least: i32,
        ) -> (Sums, u32) {
            // SAFETY: the processor has the instructions, or there would be no tables.
            unsafe { self.sums(rows, columns, lost, least) }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn sums(&self, rows: Nibbles, columns: Nibbles, lost: i32, least: i32) -> (Sums, u32) {
            // Step 1. For each cell the best of both slides of columns: after a 2 in the low half, after a 4 in
            // the high one.
            let mut by_columns = [0_u64; 16];
            let mut leaves = self.each_cell(columns, |cell, best| {
                by_columns[usize::from(TURNED[cell & 15])] = _mm_cvtsi128_si64(best) as u64;
            });
            // Step 2. The best of these and of both slides of rows.
            let [bias, lost, least] = [BIAS, lost, least].map(|value| _mm_set1_epi32(value));
            let mut sums = _mm_setzero_si128();
            leaves += self.each_cell(rows, |cell, best| {
                let best = _mm_max_epi32(best, _mm_cvtsi64_si128(by_columns[cell & 15] as i64));
                let value = _mm_castsi128_ps(_mm_sub_epi32(best, bias));
                let value = _mm_blendv_ps(value, _mm_castsi128_ps(lost), _mm_castsi128_ps(best));
                let value = _mm_max_epi32(_mm_castps_si128(value), least);
                sums = _mm_add_epi64(sums, _mm_cvtepi32_epi64(value));
            });
            ([_mm_extract_epi64::<0>(sums), _mm_extract_epi64::<1>(sums)], leaves)
        }

        /// Calls with each empty cell, counted line by line, and the best of both slides along the lines after
        /// a 2 and after a 4 there. The sign is set if nothing moves. Returns the number of leaves of a tile.
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        #[inline]
        fn each_cell(&self, lines: Nibbles, mut call: impl FnMut(usize, __m128i)) -> u32 {
            let Side { across, others, masks } = self.side(lines);
            let (mut runs, more) = (lines.runs(), lines.runs_go_on());
            let leaves = 2 * runs.count_ones();
            while runs != 0 {
                let mut place = runs.trailing_zeros();
                runs &= runs - 1;
                // Step 1. The images of the line with a 2 and with a 4 on the first cell of the run, slid both
                // ways; a cell of each in every line across.
                let index = (place as usize / 16) & 3;
                let [two, four] = [1, 2].map(|rank| self.slide(lines, place, rank));
                let images =
                    _mm256_blend_epi32::<0xF0>(_mm256_set1_epi32(two[0]), _mm256_set1_epi32(four[0]));
                let each = _mm256_shuffle_epi8(
                    images,
                    _mm256_set_epi64x(
                        0x0302_0302_0302_0302,
                        0x0100_0100_0100_0100,
                        0x0302_0302_0302_0302,
                        0x0100_0100_0100_0100,
                    ),
                );
                // To the top of each line across, and down to the place of this line.
                let top = _mm256_mullo_epi16(each, _mm256_set1_epi64x(0x0001_0010_0100_1000));
                let (down, hole) = PLACES[index];
                let (down, hole) = (_mm_cvtsi64_si128(down), _mm256_set1_epi16(hole));
                let new = _mm256_and_si256(hole, _mm256_srl_epi16(top, down));
                let across = _mm256_or_si256(_mm256_andnot_si256(hole, across), new);
                let mut across_lines = [0_u16; 16];
                // SAFETY: there is room for sixteen numbers.
                unsafe { _mm256_storeu_si256(across_lines.as_mut_ptr().cast(), across) };
                // Step 2. The values of these four boards.
                let value = |leaf: usize, own: i32| {
                    // SAFETY: as above. Volatile, or the compiler takes each number out of the vector by
                    // itself, which is slower.
                    let across =
                        |line: usize| unsafe { across_lines.as_ptr().add(4 * leaf + line).read_volatile() };
                    let part = |line: usize| self.parts[usize::from(across(line))];
                    let own = others[index][1 + leaf % 2].wrapping_add(own);
                    [0, 1, 2, 3].into_iter().fold(own, |sum, line| sum.wrapping_add(part(line)))
                };
                let one = pair(value(0, two[1]), value(2, four[1]));
                let other = pair(value(1, two[2]), value(3, four[2]));
                let one = _mm_and_si128(one, _mm_set1_epi32(masks[0][index]));
                let other = _mm_and_si128(other, _mm_set1_epi32(masks[1][index]));
                // Step 3. The best for each cell of the run. On any but the first one the one slide moves the
                // tile, on any but the last one the other.
                call(place as usize / 4, _mm_max_epi32(one, other));
                if more >> place & 1 == 0 {
                    continue;
                }
                let one = _mm_and_si128(one, _mm_set1_epi32(!SIGN));
                place += 4;
                while more >> place & 1 != 0 {
                    call(place as usize / 4, _mm_max_epi32(one, other));
                    place += 4;
                }
                let [two, four] = [1, 2].map(|rank| self.slide(lines, place, rank)[3]);
                let is_still = _mm_cmplt_epi32(pair(two, four), _mm_set1_epi32(1 << 16));
                let sign = _mm_and_si128(is_still, _mm_set1_epi32(masks[1][index] & SIGN));
                call(place as usize / 4, _mm_max_epi32(one, _mm_or_si128(other, sign)));
            }
            leaves
        }

        /// Slide of the line of a place, with a tile there.
        #[inline(always)]
        fn slide(&self, lines: Nibbles, place: u32, rank: u16) -> &Slide {
            let line = (lines.word() >> (place & 0x30)) as u16;
            let with = usize::from(line) + (usize::from(rank) << (place & 15));
            // SAFETY: the tile comes to an empty cell of the line.
            unsafe { self.slides.get_unchecked(with) }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        #[inline]
        fn side(&self, lines: Nibbles) -> Side {
            let [a, b, c, d] = lines.lines().map(|line| {
                // SAFETY: there are sixteen bytes.
                unsafe { _mm_loadu_si128(self.slides[usize::from(line)].as_ptr().cast()) }
            });
            // The three others turn the sign, if none of them moves.
            let bias = _mm_set_epi32(0, BIAS ^ SIGN, BIAS ^ SIGN, 0);
            let sum = _mm_add_epi32(_mm_add_epi32(_mm_add_epi32(a, b), _mm_add_epi32(c, d)), bias);
            let others = [a, b, c, d].map(|own| _mm_sub_epi32(sum, own));
            let high = |one, other| _mm_unpackhi_epi32(one, other);
            let moves = _mm_unpackhi_epi64(high(others[0], others[1]), high(others[2], others[3]));
            let zero = _mm_setzero_si128();
            let mask = |moves| {
                let mask = _mm_or_si128(_mm_cmpeq_epi32(moves, zero), _mm_set1_epi32(!SIGN));
                let mut numbers = [0; 4];
                // SAFETY: there is room for four numbers.
                unsafe { _mm_storeu_si128(numbers.as_mut_ptr().cast(), mask) };
                numbers
            };
            let masks = [mask(_mm_slli_epi32::<16>(moves)), mask(_mm_srli_epi32::<16>(moves))];
            let images = _mm_unpacklo_epi64(_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
            let words =
                _mm_shuffle_epi8(images, _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
            let across = _mm256_broadcastsi128_si256(transposed(words));
            let others = others.map(|other| {
                let mut numbers = [0; 4];
                // SAFETY: there is room for four numbers.
                unsafe { _mm_storeu_si128(numbers.as_mut_ptr().cast(), other) };
                numbers
            });
            Side { across, others, masks }
        }
    }

    /// Two numbers side by side.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn pair(one: i32, other: i32) -> __m128i {
        _mm_unpacklo_epi32(_mm_cvtsi32_si128(one), _mm_cvtsi32_si128(other))
    }

    /// Both boards turned about their diagonals.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn transposed(boards: __m128i) -> __m128i {
        let pairs = _mm_xor_si128(boards, _mm_srli_epi64::<12>(boards));
        let pairs = _mm_and_si128(pairs, _mm_set1_epi64x(0x0000_F0F0_0000_F0F0));
        let boards = _mm_xor_si128(boards, _mm_xor_si128(pairs, _mm_slli_epi64::<12>(pairs)));
        let squares = _mm_xor_si128(boards, _mm_srli_epi64::<24>(boards));
        let squares = _mm_and_si128(squares, _mm_set1_epi64x(0x0000_0000_FF00_FF00));
        _mm_xor_si128(boards, _mm_xor_si128(squares, _mm_slli_epi64::<24>(squares)))
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod elsewhere {
    use super::*;

    /// Nothing.
    #[inline(always)]
    pub(in super::super) fn prefetch<T>(_line: &T) {}

    /// No value: other processors lack the instructions.
    pub(in super::super) enum Vectors {}

    impl Vectors {
        pub(in super::super) fn of(_parts: &Table) -> Option<Vectors> {
            None
        }

        pub(in super::super) fn last(
            &self,
            _rows: Nibbles,
            _columns: Nibbles,
            _lost: i32,
            _least: i32,
        ) -> (Sums, u32) {
            match *self {}
        }
    }
}
