//! One line by itself: how it slides, what that earns, and the four nibbles that name it. This is
//! the definition; `build.rs` makes tables of it, so it names nothing else of the house.

/// Four ranks of a row or a column, 0 for an empty cell.
pub type Line = [u8; 4];

/// One line sliding towards its first cell: tiles close up, and two equal ones that meet become one
/// of the next rank, each tile once a move, those nearest the wall first.
pub fn slide_line(line: Line) -> Line {
    let mut slid = [0; 4];
    let mut filled = 0;
    let mut may_merge = false;
    for rank in line {
        if rank == 0 {
            continue;
        }
        if may_merge && slid[filled - 1] == rank {
            slid[filled - 1] += 1;
            may_merge = false;
        } else {
            slid[filled] = rank;
            filled += 1;
            may_merge = true;
        }
    }
    slid
}

/// The same line from its other end.
pub fn reverse([a, b, c, d]: Line) -> Line {
    [d, c, b, a]
}

/// The nibbles of a line slid towards its first cell (low half), and of the same line slid towards
/// its last (high half).
pub fn packed_slides(line: Line) -> u32 {
    let (first, last) = (slide_line(line), reverse(slide_line(reverse(line))));
    u32::from(pack(first)) | u32::from(pack(last)) << 16
}

/// Number of merges when a line slides, the same both ways.
pub fn merges_when_slid(line: Line) -> u8 {
    let tiles = |line: Line| line.map(|rank| u8::from(rank != 0)).iter().sum::<u8>();
    tiles(line) - tiles(slide_line(line))
}

/// Potential of a tile: its points if all of it was merged from 2s, (r - 1) 2^r. A merge of two
/// tiles of rank r raises the sum over the board by 2^(r+1), exactly the points that it earns; so
/// points need no counting.
pub fn potential_of_rank(rank: u8) -> u64 {
    if rank == 0 { 0 } else { (u64::from(rank) - 1) << rank }
}

/// Sum of a line's potentials.
pub fn potential_of_line(line: Line) -> u64 {
    line.map(potential_of_rank).iter().sum()
}

/// The points that a line earns when it slides, the same both ways.
pub fn gain_of_line(line: Line) -> u64 {
    potential_of_line(slide_line(line)) - potential_of_line(line)
}

/// Effect of sliding a line, or several: the points, the same both ways, and a flag for each way in
/// which something moves. All of it is in one word, so that four lines are summed at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect(u32);

impl Effect {
    /// Bits for the points of four lines: at most eight merges to 65536.
    const GAIN_BITS: u32 = 20;

    /// The effect on a line of nibbles.
    pub fn of_line(line: Line) -> Effect {
        let moves_first = u32::from(slide_line(line) != line);
        let moves_last = u32::from(slide_line(reverse(line)) != reverse(line));
        let gain = gain_of_line(line) as u32;
        Effect(gain | moves_first << Effect::GAIN_BITS | moves_last << (Effect::GAIN_BITS + 4))
    }

    /// The effect of this word.
    #[inline(always)]
    pub const fn from_word(word: u32) -> Effect {
        Effect(word)
    }

    /// Its word.
    #[inline(always)]
    pub const fn word(self) -> u32 {
        self.0
    }

    /// The effect on these four lines.
    #[inline(always)]
    pub const fn of_all([a, b, c, d]: [Effect; 4]) -> Effect {
        Effect((a.0 + b.0) + (c.0 + d.0))
    }

    /// Points that it earns.
    #[inline(always)]
    pub const fn gain(self) -> u32 {
        self.0 & ((1 << Effect::GAIN_BITS) - 1)
    }

    /// True if anything moves towards the first cells.
    #[inline(always)]
    pub const fn moves_first(self) -> bool {
        self.0 >> Effect::GAIN_BITS & 15 != 0
    }

    /// True if anything moves towards the last cells.
    #[inline(always)]
    pub const fn moves_last(self) -> bool {
        self.0 >> (Effect::GAIN_BITS + 4) != 0
    }
}

/// The four ranks of a line of nibbles, the first lowest.
pub fn unpack(line: u16) -> Line {
    [0, 4, 8, 12].map(|shift| (line >> shift & 15) as u8)
}

/// The four nibbles of a line. Ranks over 15 do not fit and are cut: a line with two tiles of 32768
/// slides by the definition, not by a table.
pub fn pack(line: Line) -> u16 {
    line.iter().rev().fold(0, |nibbles, rank| nibbles << 4 | u16::from(rank & 15))
}
