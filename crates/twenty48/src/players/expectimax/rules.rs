//! Rules of a search: how far it looks, and what a position is worth beside its evaluation.

/// Probabilities are multiplied from the root on, in the order of the path.
pub(super) const TWO: f32 = 0.9;
pub(super) const FOUR: f32 = 0.1;

/// The deepest search, and the last step of one that goes ever further.
pub(super) const MOST_DEPTH: u32 = 60;

/// Rules that hold for a whole search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The least probability of a board that is searched further; 0 for any.
    pub(super) least: f32,
    /// True if points count.
    pub(super) gains: bool,
    /// Value of a lost position.
    pub(super) lost: i64,
    /// True if no position is worth less.
    pub(super) lost_is_least: bool,
}

impl Rules {
    /// Value of a position by the best of its moves, if there is any.
    #[inline(always)]
    pub(super) fn position(&self, best: Option<i64>) -> i64 {
        match best {
            None => self.lost,
            Some(best) if self.lost_is_least => best.max(self.lost),
            Some(best) => best,
        }
    }

    /// The mean over the tiles on `cells` empty cells, of the sum after a 2 and the sum after a 4,
    /// to the nearest whole number. Where no more 4s are looked at there is no second sum.
    #[inline(always)]
    pub(super) fn mean(two: i64, four: Option<i64>, cells: u32) -> i64 {
        let (sum, parts) = match four {
            Some(four) => (9 * two + four, 10 * i64::from(cells)),
            None => (two, i64::from(cells)),
        };
        Rules::rounded(sum, parts)
    }

    /// The quotient to the nearest whole number, and up from a half.
    #[inline(always)]
    pub(super) fn rounded(sum: i64, parts: i64) -> i64 {
        (2 * sum + parts).div_euclid(2 * parts)
    }
}
