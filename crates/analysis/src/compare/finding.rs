//! The difference of two players by one measure, in the form that all measures share.

use std::cmp::Ordering;

use gauntlet_core::record::TimeSource;
use gauntlet_stats::{ContingencyTable, Estimate};

use super::pairing::Pairing;

pub(super) const HALF: f64 = 0.5;

/// A bound beyond this value is not printed as a bound.
pub(crate) const UNBOUNDED: f64 = 1e6;

/// Difference of two players by one measure.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredDifference {
    /// Value of each player: rate, mean score, share of the points, or milliseconds. `None` without
    /// games.
    pub values: [Option<f64>; 2],
    /// Difference from the first player's view, or `None` if too little is known.
    pub effect: Option<Effect>,
    /// Numbers that only this kind of measure has.
    pub detail: DifferenceDetail,
}

/// A difference of two players, on the scale of its measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// Difference of two shares, of games or of points.
    Difference(Estimate),
    Ratio(Estimate),
    /// Ratio of times; less is better.
    Times(Estimate),
}

/// Numbers that only one kind of measure has.
#[derive(Clone, Copy, Debug)]
pub enum DifferenceDetail {
    Rate {
        /// Paired games, counted by which player succeeded.
        pairs: Option<ContingencyTable>,
    },
    Score {
        /// Standard deviation of the logarithm of the ratio in one game, or `None` with too few
        /// games.
        spread: Option<f64>,
        /// True if one point was added to every score because some scores are 0.
        is_shifted: bool,
        /// Number of paired seeds on which the scores differ.
        differing_seeds: Option<u64>,
        /// Test and estimate by ranks, for paired games.
        ranks: Option<RankDifference>,
    },
    /// Points of games against each other.
    Points {
        /// First player's share of the points, or `None` without games.
        share: Option<Estimate>,
        /// Number of openings that differ by more than a symmetry.
        openings: u64,
        /// Correlation of the two games of a pair, or `None` if all games ended alike.
        correlation: Option<f64>,
    },
    /// Time per move.
    Time {
        /// What the times are measured against, or why they are not compared.
        basis: Result<TimeBasis, TimeRefusal>,
        /// Which time of both players counts as thinking.
        time_source: TimeSource,
    },
}

/// What the times of two players are measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeBasis {
    /// Both players took turns in one run.
    SideBySide,
    /// Both players are of one run, but of different sessions: in units of the calibration loop.
    AcrossSessions,
    /// The players are of two runs: in units of the calibration loop.
    AcrossRuns,
}

/// Why the times of two players are not compared. The number is that of the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeRefusal {
    /// The time limit cut games, and with them the longest moves.
    CutGames(usize),
    /// There are no times.
    NoTimes(usize),
    /// The time is below the resolution of its clock.
    BelowResolution(usize),
    /// The clocks measure different things.
    UnlikeClocks,
    /// The player has too few games.
    FewGames(usize),
    /// The players took turns in too few parts of the run.
    FewCommonParts,
    /// The player's times are from too few parts of its run.
    FewParts(usize),
    /// The players did not take turns, and their run had several machines.
    SeveralMachines(usize),
    /// The players did not take turns, and the calibration loop is missing.
    NoCalibration(usize),
}

/// Difference of scores by ranks, on which a few large scores have little influence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankDifference {
    pub p: f64,
    /// Hodges-Lehmann estimate: the median of the means of two differences.
    pub difference: Estimate,
    /// Probability that the first player scores more on a seed.
    pub improvement: Estimate,
}

impl MeasuredDifference {
    /// Relabels all bounds with this level and corrects the p of ranks.
    pub(super) fn with_level(mut self, level: f64, correct_p: impl Fn(f64) -> f64) -> MeasuredDifference {
        let at_level = |estimate: Estimate| Estimate { level, ..estimate };
        self.effect = self.effect.map(|effect| match effect {
            Effect::Difference(difference) => Effect::Difference(at_level(difference)),
            Effect::Ratio(ratio) => Effect::Ratio(at_level(ratio)),
            Effect::Times(ratio) => Effect::Times(at_level(ratio)),
        });
        match &mut self.detail {
            DifferenceDetail::Score { ranks: Some(ranks), .. } => {
                ranks.p = correct_p(ranks.p);
                ranks.difference = at_level(ranks.difference);
                ranks.improvement = at_level(ranks.improvement);
            }
            DifferenceDetail::Points { share, .. } => *share = share.map(at_level),
            DifferenceDetail::Rate { .. }
            | DifferenceDetail::Score { .. }
            | DifferenceDetail::Time { .. } => {}
        }
        self
    }

    /// Returns the number of blocks compared, or `None` for independent games.
    pub(super) fn blocks(&self, pairing: Pairing) -> Option<u64> {
        match (&self.detail, pairing) {
            (DifferenceDetail::Points { openings, .. }, _) => Some(*openings),
            (_, Pairing::Paired(games)) => Some(games),
            (_, Pairing::Independent(..)) => None,
        }
    }

    /// Replaces the difference by the estimate of the test that ended the run; scores have no such
    /// estimate.
    pub(super) fn with_difference(mut self, difference: Option<Estimate>) -> MeasuredDifference {
        match (&mut self.detail, difference) {
            (DifferenceDetail::Rate { .. }, Some(_)) => self.effect = difference.map(Effect::Difference),
            (DifferenceDetail::Points { share, .. }, Some(estimate)) => {
                self.effect = Some(Effect::Difference(estimate));
                *share = Some(estimate.map(|value| value + HALF));
            }
            // Ranks assume a number of games that was fixed beforehand.
            (DifferenceDetail::Score { ranks, .. }, _) => (self.effect, *ranks) = (None, None),
            _ => {}
        }
        self
    }

    /// Returns the difference from the first player's view, or from the second's if `is_turned`.
    pub(crate) fn effect_from(&self, is_turned: bool) -> Option<Effect> {
        self.effect.map(|effect| if is_turned { effect.swap_players() } else { effect })
    }

    /// Returns true if both players had equal results in every game that both played.
    pub(super) fn is_same(&self, pairing: Pairing) -> bool {
        match self.detail {
            DifferenceDetail::Rate { pairs } => pairs.is_some_and(|pairs| pairs.discordant() == 0),
            DifferenceDetail::Score { spread, .. } => {
                let is_one = self.effect.is_some_and(|effect| effect.estimate().value == 1.0);
                matches!(pairing, Pairing::Paired(_)) && spread == Some(0.0) && is_one
            }
            DifferenceDetail::Points { .. } | DifferenceDetail::Time { .. } => false,
        }
    }
}

impl Effect {
    /// Returns the estimate without its scale.
    pub fn estimate(self) -> Estimate {
        match self {
            Effect::Difference(estimate) | Effect::Ratio(estimate) | Effect::Times(estimate) => estimate,
        }
    }

    /// Returns the difference from the other player's view.
    pub(super) fn swap_players(self) -> Effect {
        match self {
            Effect::Difference(difference) => Effect::Difference(difference.map_decreasing(|value| -value)),
            Effect::Ratio(ratio) => Effect::Ratio(ratio.map_decreasing(f64::recip)),
            Effect::Times(ratio) => Effect::Times(ratio.map_decreasing(f64::recip)),
        }
    }

    /// Returns the lead of the first player, by which comparisons of one measure are sorted: 0 if
    /// both are equal.
    pub(crate) fn lead(self) -> f64 {
        match self {
            Effect::Difference(difference) => difference.value,
            Effect::Ratio(ratio) => ratio.value.ln(),
            Effect::Times(ratio) => -ratio.value.ln(),
        }
    }

    /// Returns on which side of the margin the first player's estimate is.
    pub(super) fn side(self, margin: f64) -> Option<Ordering> {
        match self {
            Effect::Difference(difference) => difference.value.partial_cmp(&-margin),
            Effect::Ratio(ratio) => ratio.value.partial_cmp(&(1.0 - margin)),
            Effect::Times(ratio) => (1.0 + margin).partial_cmp(&ratio.value),
        }
    }
}
