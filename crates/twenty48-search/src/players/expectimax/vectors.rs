//! Last tiles of a path on AVX2: four leaves at a time, for a 2 and a 4 in one cell, slid in both
//! directions.
//!
//! It is used if the sums of an evaluation fit into 32 bits. The results equal those of `search`
//! without it, as a test checks. It makes 1.35 times as many moves to a depth of 4 in the same CPU
//! time, and 1.46 times as many with `star1 = false`. That was measured in one build with and
//! without it, in three alternating rounds of six games.
//!
//! The following brought no gain:
//!
//! - making the four boards in one register and splitting them through memory, which needs fewer
//!   instructions, but more loads than a processor keeps in flight
//! - `bextr`
//! - gathers: one for 16 numbers takes 24 cycles on Zen 4, as much as all the rest
//! - tables in huge pages

use gauntlet_twenty48::rules::PackedLines;

#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::{Vectors, prefetch};

#[cfg(not(target_arch = "x86_64"))]
pub(super) use elsewhere::{Vectors, prefetch};

/// Sums over the empty cells of the best value after the player's move, for a 2 and for a 4.
pub(super) type Sums = [i64; 2];

/// Values of all lines, whether rows or columns.
type Table = [i32; 1 << 16];

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86_64 {
    use std::arch::x86_64::*;

    use gauntlet_twenty48::rules::slide::{slide_row, slide_row_both_ways};

    use super::*;

    /// Tables for a processor that has the instructions.
    pub(in super::super) struct Vectors {
        /// Values of all lines, and three more.
        line_values: Vec<i32>,
        slides: Box<[Slide; 1 << 16]>,
        runs: Vec<Run>,
    }

    /// Slides of a line in 16 bytes. The first number contains its images. The next two are the
    /// values of both images, with the sign flipped if the slide changes nothing. The last contains
    /// flags: 1 if the first slide changes the line, plus 2^16 if the other does.
    type Slide = [i32; 4];

    /// Slides of a line with a tile somewhere in a run of empty cells, in one cache line. Each has
    /// four leaves: a 2 slid to the first cell and to the last, and likewise a 4.
    #[derive(Clone, Copy)]
    #[repr(C, align(64))]
    struct Run {
        /// Cells of the images, one in each word.
        cells: [u64; 4],
        /// Values of the images, with the sign flipped if the slide changes nothing: for a tile on
        /// the first cell of the run, and for one on the last.
        first: [i32; 4],
        last: [i32; 4],
    }

    /// Offset added to values from -2^30 to 2^30, so that the sign is free to mark that no line
    /// moved.
    const BIAS: i32 = 1 << 30;
    const SIGN: i32 = i32::MIN;

    /// Slides of some lines, as far as they do not depend on a new tile.
    struct Side {
        /// Board after each slide, by the crossing lines.
        crossing: [u64; 2],
        /// For each line the sum of the three others, in the order of a slide's.
        other_sums: [Slide; 4],
        /// For each line and each slide the valid bits of a value: all but the sign if another line
        /// moves.
        masks: [[i32; 2]; 4],
    }

    /// For each line, a mask that clears its cells in the crossing lines, and the bit offset of
    /// those cells.
    static LINE_MASKS: [(u64, u64); 4] = [
        (0xFFF0_FFF0_FFF0_FFF0, 0),
        (0xFF0F_FF0F_FF0F_FF0F, 4),
        (0xF0FF_F0FF_F0FF_F0FF, 8),
        (0x0FFF_0FFF_0FFF_0FFF, 12),
    ];

    /// Cell order of the transposed board: columns of rows.
    const TRANSPOSED: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

    /// Prefetches a cache line.
    #[inline(always)]
    pub(in super::super) fn prefetch<T>(line: &T) {
        // SAFETY: prefetching from a reference is harmless.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) };
    }

    impl Vectors {
        /// Creates tables of these values, if the processor has the instructions and the sums leave
        /// a bit.
        pub(in super::super) fn new(line_values: &Table) -> Option<Vectors> {
            let is_supported = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            if !is_supported || line_values.iter().any(|value| !(-BIAS / 8..BIAS / 8).contains(value)) {
                return None;
            }
            // Value of an image, with the sign flipped if it equals the line.
            let image_value = |image: u16, line: u16| {
                line_values[usize::from(image)] ^ if image == line { SIGN } else { 0 }
            };
            let slide = |line: u16| {
                let (first, last) = slide_row_both_ways(line);
                let moves = i32::from(first != line) | i32::from(last != line) << 16;
                [slide_row(line) as i32, image_value(first, line), image_value(last, line), moves]
            };
            let slides: Box<[Slide]> = (0..=u16::MAX).map(slide).collect();
            let slides = slides.try_into().expect("an entry for each line");
            let mut runs = vec![Run { cells: [0; 4], first: [0; 4], last: [0; 4] }; RUNS];
            for line in 0..=u16::MAX {
                let is_empty = |shift: u32| line >> shift & 15 == 0;
                for start in [0, 4, 8, 12] {
                    if !is_empty(start) || start > 0 && is_empty(start - 4) {
                        continue;
                    }
                    let run = (start..16).step_by(4).take_while(|&shift| is_empty(shift));
                    let end = run.last().expect("a cell");
                    let run = &mut runs[run_index(line, start)];
                    for (leaf, rank) in [1, 1, 2, 2].into_iter().enumerate() {
                        let [first, last] = [start, end].map(|shift| line | rank << shift);
                        let image = (slide_row(first) >> (16 * (leaf % 2))) as u16;
                        run.cells[leaf] = PackedLines::new(0).with_nibbles(0, image).word();
                        run.first[leaf] = image_value(image, first);
                        run.last[leaf] = image_value(image, last);
                    }
                }
            }
            let line_values = line_values.iter().copied().chain([0; 3]).collect();
            Some(Vectors { line_values, slides, runs })
        }

        /// Returns the sums for a board just after a move, and the number of boards evaluated for
        /// each. A position without a move is worth `loss_value`, and every other one at least
        /// `min_value`.
        #[inline(always)]
        pub(in super::super) fn last_tile_sums(
            &self,
            rows: PackedLines,
            columns: PackedLines,
            loss_value: i32,
            min_value: i32,
        ) -> (Sums, u32) {
            // SAFETY: tables only exist if the processor has the instructions.
            unsafe { self.sums(rows, columns, loss_value, min_value) }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn sums(
            &self,
            rows: PackedLines,
            columns: PackedLines,
            loss_value: i32,
            min_value: i32,
        ) -> (Sums, u32) {
            // Step 1: for each cell the best of both slides of columns, after a 2 in the low half,
            // after a 4 in the high one.
            let mut column_best = [0_u64; 16];
            let mut leaves = self.for_each_cell(columns, |cell, best| {
                column_best[usize::from(TRANSPOSED[cell & 15])] = _mm_cvtsi128_si64(best) as u64;
            });
            // Step 2: the best of these and of both slides of rows.
            let [bias, loss_value, min_value] =
                [BIAS, loss_value, min_value].map(|value| _mm_set1_epi32(value));
            let mut sums = _mm_setzero_si128();
            leaves += self.for_each_cell(rows, |cell, best| {
                let best = _mm_max_epi32(best, _mm_cvtsi64_si128(column_best[cell & 15] as i64));
                let value = _mm_castsi128_ps(_mm_sub_epi32(best, bias));
                let value = _mm_blendv_ps(value, _mm_castsi128_ps(loss_value), _mm_castsi128_ps(best));
                let value = _mm_max_epi32(_mm_castps_si128(value), min_value);
                sums = _mm_add_epi64(sums, _mm_cvtepi32_epi64(value));
            });
            ([_mm_extract_epi64::<0>(sums), _mm_extract_epi64::<1>(sums)], leaves)
        }

        /// Calls `visit` with each empty cell, counted line by line, and the best of both slides
        /// along the lines after a 2 and after a 4 there. The sign is set if nothing moves. Returns
        /// the number of leaves of a tile.
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        #[inline]
        fn for_each_cell(&self, lines: PackedLines, mut visit: impl FnMut(usize, __m128i)) -> u32 {
            let Side { crossing, other_sums, masks } = self.side(lines);
            let (mut runs, continuations) = (lines.run_starts(), lines.run_continuations());
            let leaves = 2 * runs.count_ones();
            while runs != 0 {
                let mut shift = runs.trailing_zeros();
                runs &= runs - 1;
                // Step 1: the boards of four leaves, by the crossing lines.
                let index = (shift as usize / 16) & 3;
                let run = self.run(lines, shift);
                let (keep_mask, offset) = LINE_MASKS[index];
                let other_lines = crossing.map(|crossing| crossing & keep_mask);
                // Step 2: their values.
                let value = |leaf: usize| {
                    let board = other_lines[leaf % 2] | run.cells[leaf] << offset;
                    // Four values are loaded, of which the first counts. So a vector unit does the
                    // sums, while the scarce integer units split the lines. SAFETY: three more
                    // numbers follow the last value.
                    let line_value = |line: usize| unsafe {
                        _mm_loadu_si128(
                            self.line_values.as_ptr().add(usize::from((board >> (16 * line)) as u16)).cast(),
                        )
                    };
                    _mm_add_epi32(
                        _mm_add_epi32(line_value(0), line_value(1)),
                        _mm_add_epi32(line_value(2), line_value(3)),
                    )
                };
                let pair = |leaf| _mm_unpacklo_epi32(value(leaf), value(leaf + 1));
                let values = _mm_unpacklo_epi64(pair(0), pair(2));
                let repeat = |[a, b]: [i32; 2]| _mm_set_epi32(b, a, b, a);
                let values = _mm_add_epi32(values, repeat([other_sums[index][1], other_sums[index][2]]));
                let mask = repeat(masks[index]);
                // SAFETY: there are 16 bytes.
                let run_values = |numbers: &[i32; 4]| unsafe { _mm_load_si128(numbers.as_ptr().cast()) };
                // Step 3: the best for each cell of the run. On any but the first cell the first
                // slide moves the tile, on any but the last the other slide does.
                let first = _mm_and_si128(_mm_add_epi32(values, run_values(&run.first)), mask);
                visit(shift as usize / 4, max_leaves(first));
                if continuations >> shift & 1 == 0 {
                    continue;
                }
                let inner = max_leaves(_mm_and_si128(first, _mm_set1_epi32(!SIGN)));
                shift += 4;
                while continuations >> shift & 1 != 0 {
                    visit(shift as usize / 4, inner);
                    shift += 4;
                }
                let last = _mm_and_si128(_mm_add_epi32(values, run_values(&run.last)), mask);
                visit(shift as usize / 4, max_leaves(last));
            }
            leaves
        }

        /// Returns the slides of the line of this cell with a tile there, the first of a run.
        #[inline(always)]
        fn run(&self, lines: PackedLines, shift: u32) -> &Run {
            let line = (lines.word() >> (shift & 0x30)) as u16;
            // SAFETY: `run_index` returns no larger index.
            unsafe { self.runs.get_unchecked(run_index(line, shift)) }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        #[inline]
        fn side(&self, lines: PackedLines) -> Side {
            let [a, b, c, d] = lines.lines().map(|line| {
                // SAFETY: there are sixteen bytes.
                unsafe { _mm_loadu_si128(self.slides[usize::from(line)].as_ptr().cast()) }
            });
            // If none of the three others moves, they flip the sign.
            let bias = _mm_set_epi32(0, BIAS ^ SIGN, BIAS ^ SIGN, 0);
            let sum = _mm_add_epi32(_mm_add_epi32(_mm_add_epi32(a, b), _mm_add_epi32(c, d)), bias);
            let other_sums = [a, b, c, d].map(|line_slide| _mm_sub_epi32(sum, line_slide));
            let high = |one, other| _mm_unpackhi_epi32(one, other);
            let moves =
                _mm_unpackhi_epi64(high(other_sums[0], other_sums[1]), high(other_sums[2], other_sums[3]));
            let zero = _mm_setzero_si128();
            let mask = |moves| _mm_or_si128(_mm_cmpeq_epi32(moves, zero), _mm_set1_epi32(!SIGN));
            let (one, other) = (mask(_mm_slli_epi32::<16>(moves)), mask(_mm_srli_epi32::<16>(moves)));
            let mut masks = [[0; 2]; 4];
            // SAFETY: there is room for eight numbers.
            unsafe {
                _mm_storeu_si128(masks.as_mut_ptr().cast(), _mm_unpacklo_epi32(one, other));
                _mm_storeu_si128(masks[2..].as_mut_ptr().cast(), _mm_unpackhi_epi32(one, other));
            }
            let images = _mm_unpacklo_epi64(_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
            let words =
                _mm_shuffle_epi8(images, _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
            let boards = transpose(words);
            let crossing = [_mm_cvtsi128_si64(boards) as u64, _mm_extract_epi64::<1>(boards) as u64];
            let other_sums = other_sums.map(|other| {
                let mut numbers = [0; 4];
                // SAFETY: there is room for four numbers.
                unsafe { _mm_storeu_si128(numbers.as_mut_ptr().cast(), other) };
                numbers
            });
            Side { crossing, other_sums, masks }
        }
    }

    /// Number of runs: the first cell of a run, and the content of the three others.
    const RUNS: usize = 4 << 12;

    /// Returns the index of a run.
    #[inline(always)]
    fn run_index(line: u16, start: u32) -> usize {
        let (line, start) = (u32::from(line), start & 12);
        let later_cells = !0 << start;
        let other_cells = line >> 4 & later_cells | line & !later_cells;
        (start << 10 | other_cells) as usize
    }

    /// Returns the best of four leaves after a 2, and after a 4.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn max_leaves(leaves: __m128i) -> __m128i {
        _mm_max_epi32(_mm_shuffle_epi32::<0b1000_1000>(leaves), _mm_shuffle_epi32::<0b1101_1101>(leaves))
    }

    /// Transposes both boards.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn transpose(boards: __m128i) -> __m128i {
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

    /// Does nothing.
    #[inline(always)]
    pub(in super::super) fn prefetch<T>(_line: &T) {}

    /// Empty type, because other processors lack the instructions.
    pub(in super::super) enum Vectors {}

    impl Vectors {
        pub(in super::super) fn new(_parts: &Table) -> Option<Vectors> {
            None
        }

        pub(in super::super) fn last_tile_sums(
            &self,
            _rows: PackedLines,
            _columns: PackedLines,
            _lost: i32,
            _least: i32,
        ) -> (Sums, u32) {
            match *self {}
        }
    }
}
