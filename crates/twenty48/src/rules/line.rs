//! Definition of a single line: how it slides, its points, and its encoding in four nibbles.
//! `build.rs` generates tables from this file, so it uses nothing else of this package.

/// Four ranks of a row or a column, 0 for an empty cell.
pub type Line = [u8; 4];

/// Slides a line towards its first cell. Tiles close up, and two equal adjacent ones merge into the
/// next rank, starting at the wall. Each tile merges at most once per move.
pub fn slide_line(line: Line) -> Line {
    let mut after = [0; 4];
    let mut length = 0;
    let mut may_merge = false;
    for rank in line {
        if rank == 0 {
            continue;
        }
        if may_merge && after[length - 1] == rank {
            after[length - 1] += 1;
            may_merge = false;
        } else {
            after[length] = rank;
            length += 1;
            may_merge = true;
        }
    }
    after
}

/// Reverses a line.
pub fn reverse([a, b, c, d]: Line) -> Line {
    [d, c, b, a]
}

/// Returns the nibbles of a line slid towards its first cell (low half), and slid towards its last
/// (high half).
pub fn packed_slides(line: Line) -> u32 {
    let (towards_first, towards_last) = (slide_line(line), reverse(slide_line(reverse(line))));
    u32::from(pack(towards_first)) | u32::from(pack(towards_last)) << 16
}

/// Returns the number of merges when a line slides, which is equal in both directions.
pub fn merges_when_slid(line: Line) -> u8 {
    let count_tiles = |line: Line| line.map(|rank| u8::from(rank != 0)).iter().sum::<u8>();
    count_tiles(line) - count_tiles(slide_line(line))
}

/// Returns the potential of a tile: its points if merged from 2s alone, (r - 1) 2^r. A merge of two
/// tiles of rank r raises the sum over the board by 2^(r+1), exactly its points, so points need no
/// counting.
pub fn potential_of_rank(rank: u8) -> u64 {
    if rank == 0 { 0 } else { (u64::from(rank) - 1) << rank }
}

/// Returns the sum of a line's potentials.
pub fn potential_of_line(line: Line) -> u64 {
    line.map(potential_of_rank).iter().sum()
}

/// Returns the points of sliding a line, which are equal in both directions.
pub fn gain_of_line(line: Line) -> u64 {
    potential_of_line(slide_line(line)) - potential_of_line(line)
}

/// Effect of sliding one line, or several: the points, equal in both directions, and a flag for
/// each direction in which something moves. It is packed into one word, so that four lines are
/// summed at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlideEffect(u32);

impl SlideEffect {
    /// Bits for the points of four lines: at most eight merges to 65536.
    const GAIN_BITS: u32 = 20;

    /// Returns the effect on a line of nibbles.
    pub fn from_line(line: Line) -> SlideEffect {
        let moves_first = u32::from(slide_line(line) != line);
        let moves_last = u32::from(slide_line(reverse(line)) != reverse(line));
        let gain = gain_of_line(line) as u32;
        SlideEffect(gain | moves_first << SlideEffect::GAIN_BITS | moves_last << (SlideEffect::GAIN_BITS + 4))
    }

    /// Creates an effect from its word.
    #[inline(always)]
    pub const fn from_word(word: u32) -> SlideEffect {
        SlideEffect(word)
    }

    /// Returns the word.
    #[inline(always)]
    pub const fn word(self) -> u32 {
        self.0
    }

    /// Returns the combined effect on four lines.
    #[inline(always)]
    pub const fn combine([a, b, c, d]: [SlideEffect; 4]) -> SlideEffect {
        SlideEffect((a.0 + b.0) + (c.0 + d.0))
    }

    /// Returns the points.
    #[inline(always)]
    pub const fn gain(self) -> u32 {
        self.0 & ((1 << SlideEffect::GAIN_BITS) - 1)
    }

    /// Returns true if anything moves towards the first cells.
    #[inline(always)]
    pub const fn moves_first(self) -> bool {
        self.0 >> SlideEffect::GAIN_BITS & 15 != 0
    }

    /// Returns true if anything moves towards the last cells.
    #[inline(always)]
    pub const fn moves_last(self) -> bool {
        self.0 >> (SlideEffect::GAIN_BITS + 4) != 0
    }
}

/// Returns the four ranks of a line of nibbles, the first lowest.
pub fn unpack(line: u16) -> Line {
    [0, 4, 8, 12].map(|shift| (line >> shift & 15) as u8)
}

/// Packs a line into four nibbles. Ranks over 15 do not fit and are cut off: a line with two tiles
/// of 32768 slides by the definition, not by a table.
pub fn pack(line: Line) -> u16 {
    line.iter().rev().fold(0, |nibbles, rank| nibbles << 4 | u16::from(rank & 15))
}
