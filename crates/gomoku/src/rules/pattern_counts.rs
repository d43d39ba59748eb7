//! Patterns that a stone makes on all axes of a cell together.

use super::pattern::Pattern;

/// Number of axes with each pattern, in three bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatternCounts(pub(super) u32);

impl PatternCounts {
    /// Returns the bits of one axis with this pattern.
    pub(super) const fn axis_bits(pattern: Pattern) -> u32 {
        1 << (3 * pattern as u32)
    }

    /// Returns the number of axes with this pattern.
    #[inline]
    pub const fn count(self, pattern: Pattern) -> u32 {
        (self.0 >> (3 * pattern as u32)) & 7
    }

    /// Returns true if the stone completes a five.
    #[inline]
    pub const fn is_five(self) -> bool {
        self.0 >> (3 * Pattern::Five as u32) != 0
    }

    /// Returns true if the stone makes a four: at least one cell then completes a five.
    #[inline]
    pub const fn is_four(self) -> bool {
        self.0 & (7 * (PatternCounts::axis_bits(Pattern::Four) + PatternCounts::axis_bits(Pattern::OpenFour)))
            != 0
    }

    /// Returns true if at least two cells then complete a five, which one stone cannot stop.
    #[inline]
    pub const fn is_double_four(self) -> bool {
        self.count(Pattern::OpenFour) > 0 || self.count(Pattern::Four) > 1
    }

    /// Returns true if a stone of the colour is near enough to be in the same five.
    #[inline]
    pub const fn is_near(self) -> bool {
        self.0 >> (3 * Pattern::Two as u32) != 0
    }
}
