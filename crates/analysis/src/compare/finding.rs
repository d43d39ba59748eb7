//! By how much two players differ by one measure: the form that all measures share.

use std::cmp::Ordering;

use gauntlet_core::record::Timed;
use gauntlet_stats::{Estimate, Pairs};

use super::sample::Pairing;

/// Half of the points.
pub(super) const HALF: f64 = 0.5;

/// By how much two players differ by one measure.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// The number of each player: its rate, its mean score, its share of the points, its
    /// milliseconds. None without games.
    pub values: [Option<f64>; 2],
    /// The difference as the first player sees it; none where too little is known.
    pub effect: Option<Effect>,
    /// The numbers that only this kind of measure has.
    pub detail: Detail,
}

/// A difference of two players, on the scale of its measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// The difference of two shares, of games or of points.
    Difference(Estimate),
    /// The ratio of scores.
    Ratio(Estimate),
    /// The ratio of times, of which less is better.
    Times(Estimate),
}

/// The numbers that only one kind of measure has.
#[derive(Clone, Copy, Debug)]
pub enum Detail {
    /// A rate.
    Rate {
        /// Of paired games, how often which of the two succeeded.
        pairs: Option<Pairs>,
    },
    /// The score.
    Score {
        /// The standard deviation of the logarithm of the ratio in one game; none of too few games.
        spread: Option<f64>,
        /// True if one point was added to every score, for some are 0.
        is_shifted: bool,
        /// Of paired games, on how many seeds the scores differ.
        differing: Option<u64>,
        /// Of paired games, the test and the estimate by ranks.
        ranks: Option<Ranks>,
    },
    /// The points of games against each other.
    Points {
        /// The first player's share of them; none without games.
        share: Option<Estimate>,
        /// The number of openings that differ by more than a symmetry.
        openings: u64,
        /// The correlation of both games of a pair; none where all ended alike.
        correlation: Option<f64>,
    },
    /// The time of a move.
    Time {
        /// True if the times are in yardsticks, which were not taken side by side.
        is_across_runs: bool,
        /// The time of both that counts as thinking.
        timed: Timed,
    },
}

/// Differences of scores, by their ranks: a few large scores have little influence on them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranks {
    /// Wilcoxon's p.
    pub p: f64,
    /// The median of the means of two differences, after Hodges and Lehmann.
    pub difference: Estimate,
}

impl Finding {
    /// The same with bounds that are said to be of this level, and p of ranks corrected.
    pub(super) fn at_level(mut self, level: f64, corrected: impl Fn(f64) -> f64) -> Finding {
        let at_level = |estimate: Estimate| Estimate { level, ..estimate };
        self.effect = self.effect.map(|effect| match effect {
            Effect::Difference(difference) => Effect::Difference(at_level(difference)),
            Effect::Ratio(ratio) => Effect::Ratio(at_level(ratio)),
            Effect::Times(ratio) => Effect::Times(at_level(ratio)),
        });
        match &mut self.detail {
            Detail::Score { ranks: Some(ranks), .. } => {
                (ranks.p, ranks.difference) = (corrected(ranks.p), at_level(ranks.difference));
            }
            Detail::Points { share, .. } => *share = share.map(at_level),
            Detail::Rate { .. } | Detail::Score { .. } | Detail::Time { .. } => {}
        }
        self
    }

    /// Number of blocks that it is of; none of games on seeds of their own.
    pub(super) fn blocks(&self, pairing: Pairing) -> Option<u64> {
        match (&self.detail, pairing) {
            (Detail::Points { openings, .. }, _) => Some(*openings),
            (_, Pairing::Paired(games)) => Some(games),
            (_, Pairing::Independent(..)) => None,
        }
    }

    /// The same with the difference by the test that ended the run; of scores it has none.
    pub(super) fn decided(mut self, difference: Option<Estimate>) -> Finding {
        match (&mut self.detail, difference) {
            (Detail::Rate { .. }, Some(_)) => self.effect = difference.map(Effect::Difference),
            (Detail::Points { share, .. }, Some(ahead)) => {
                self.effect = Some(Effect::Difference(ahead));
                *share = Some(ahead.map(|ahead| ahead + HALF));
            }
            // These hold for a number of games that was fixed beforehand.
            (Detail::Score { ranks, .. }, _) => (self.effect, *ranks) = (None, None),
            _ => {}
        }
        self
    }

    /// The difference as the first player sees it; turned, as the other one does.
    pub(super) fn seen(&self, is_turned: bool) -> Option<Effect> {
        self.effect.map(|effect| if is_turned { effect.turned() } else { effect })
    }

    /// True if both did the same wherever both played.
    pub(super) fn is_same(&self, pairing: Pairing) -> bool {
        match self.detail {
            Detail::Rate { pairs } => pairs.is_some_and(|pairs| pairs.discordant() == 0),
            Detail::Score { spread, .. } => {
                let is_one = self.effect.is_some_and(|effect| effect.estimate().value == 1.0);
                matches!(pairing, Pairing::Paired(_)) && spread == Some(0.0) && is_one
            }
            Detail::Points { .. } | Detail::Time { .. } => false,
        }
    }
}

impl Effect {
    /// The number with its bounds.
    pub fn estimate(self) -> Estimate {
        match self {
            Effect::Difference(estimate) | Effect::Ratio(estimate) | Effect::Times(estimate) => estimate,
        }
    }

    /// The difference as the other player sees it.
    pub(super) fn turned(self) -> Effect {
        match self {
            Effect::Difference(difference) => Effect::Difference(difference.turned(|it| -it)),
            Effect::Ratio(ratio) => Effect::Ratio(ratio.turned(f64::recip)),
            Effect::Times(ratio) => Effect::Times(ratio.turned(f64::recip)),
        }
    }

    /// The lead of the first player, by which comparisons by one measure are put into order: 0
    /// where both are alike.
    pub(super) fn lead(self) -> f64 {
        match self {
            Effect::Difference(difference) => difference.value,
            Effect::Ratio(ratio) => ratio.value.ln(),
            Effect::Times(ratio) => -ratio.value.ln(),
        }
    }

    /// On which side of the margin the first player lies.
    pub(super) fn side(self, margin: f64) -> Option<Ordering> {
        match self {
            Effect::Difference(difference) => difference.value.partial_cmp(&-margin),
            Effect::Ratio(ratio) => ratio.value.partial_cmp(&(1.0 - margin)),
            Effect::Times(ratio) => (1.0 + margin).partial_cmp(&ratio.value),
        }
    }
}
