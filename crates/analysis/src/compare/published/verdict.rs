//! The verdict on a published number.

use gauntlet_run::tally::LEVEL;
use gauntlet_stats::{Estimate, bisect_integer, growth_level, growth_p};

use super::super::verdict::Verdict as InTable;
use super::measurement::Measurement;
use crate::config::published::ClosedRange;

/// Risk of contradicting any correct number of a family.
const RISK: f64 = 0.05;

/// Least number of games from which on a number may be on the edge of its margin. The interval of a
/// rate not close to 0 or 1 is then about half as wide as its margin.
const MIN_EDGE_GAMES: u64 = 1500;

/// A number is on the edge if a decision needs more than this many times the games played. With
/// fewer games, this estimate is noise.
const EDGE_FACTOR: u64 = 10;

/// Larger numbers of games are never suggested.
pub(crate) const MAX_GAMES: u64 = 1_000_000;

/// Verdict on a published number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PublishedVerdict {
    /// Within the margin, and the published games are enough to show it, or unknown.
    Reproduced,
    /// Within the margin, although the difference is significant.
    Close,
    /// Outside the margin, and the true values differ.
    Contradicted,
    /// Outside the margin, with an unknown number of games. From `min_games` games on it would
    /// contradict the measurement.
    OfUnknownGames { min_games: Option<u64> },
    /// The published games are too few to decide.
    Compatible { is_within: bool },
    /// The games here are too few; `more_games` further games would decide, if the games played are
    /// enough to estimate that.
    TooFew { more_games: Option<u64>, is_outside: bool },
    /// The end of the margin is within the interval after many games, and a decision would need too
    /// many more.
    OnTheEdge { more_games: Option<u64> },
    /// The event happened.
    Seen,
    /// The event did not happen.
    NotSeen,
    /// Nothing can be judged.
    NotJudged,
}

impl PublishedVerdict {
    /// Returns the verdict of the table.
    pub(super) const fn table_verdict(self) -> InTable {
        match self {
            PublishedVerdict::Reproduced => InTable::Reproduced,
            PublishedVerdict::Close => InTable::Close,
            PublishedVerdict::Contradicted => InTable::Differs,
            PublishedVerdict::OfUnknownGames { min_games: Some(_) } => InTable::WouldDiffer,
            PublishedVerdict::Compatible { .. } => InTable::Compatible,
            PublishedVerdict::OfUnknownGames { min_games: None }
            | PublishedVerdict::TooFew { .. }
            | PublishedVerdict::OnTheEdge { .. } => InTable::Unclear,
            PublishedVerdict::Seen => InTable::Seen,
            PublishedVerdict::NotSeen => InTable::NotSeen,
            PublishedVerdict::NotJudged => InTable::NotJudged,
        }
    }

    /// Returns the number of games of the source from which on the number would be contradicted.
    pub(super) const fn games_to_contradict(self) -> Option<u64> {
        if let PublishedVerdict::OfUnknownGames { min_games } = self { min_games } else { None }
    }
}

/// The measured number that a published one is compared with.
pub(crate) struct Counterpart<'a> {
    pub(crate) estimate: Option<Estimate>,
    /// Number of games in which the event happened, for questions about events.
    pub(crate) successes: u64,
    /// Comparison with the published number, if both are comparable.
    pub(crate) comparison: Option<PublishedComparison<'a>>,
}

/// A measured number and a published one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PublishedComparison<'a> {
    measurement: Measurement<'a>,
    /// Published number or range.
    range: ClosedRange,
    /// Values that are equal for all practical purposes: the range, or the margin of a single
    /// number.
    equivalent_range: (f64, f64),
    /// Number of games of the published number.
    source_games: Option<u64>,
    /// Number of earlier answers, from other numbers of games played here.
    earlier_answers: usize,
}

impl<'a> PublishedComparison<'a> {
    /// Makes the case of a number; `source_games` is `None` if the number of its games is unknown.
    pub(super) fn new(
        measurement: Measurement<'a>,
        range: ClosedRange,
        source_games: Option<u64>,
    ) -> PublishedComparison<'a> {
        let equivalent_range = if range.is_single() {
            measurement.margin_around(range.low())
        } else {
            (range.low(), range.high())
        };
        PublishedComparison { measurement, range, equivalent_range, source_games, earlier_answers: 0 }
    }

    /// Sets the number of earlier answers.
    pub(super) fn with_earlier_answers(self, earlier_answers: usize) -> PublishedComparison<'a> {
        PublishedComparison { earlier_answers, ..self }
    }

    /// Returns the ends of the values that are equal for all practical purposes.
    pub(crate) fn equivalent_range(&self) -> (f64, f64) {
        self.equivalent_range
    }

    /// Returns the p of the hypothesis that the true value is the nearest number of the published
    /// range.
    pub(super) fn p(&self) -> f64 {
        self.p_of(&self.measurement, self.source_games)
    }

    fn p_of(&self, measurement: &Measurement, source_games: Option<u64>) -> f64 {
        let nearest = self.range.nearest(measurement.value());
        if nearest == measurement.value() {
            1.0
        } else {
            growth_p(measurement.p(nearest, source_games), self.earlier_answers)
        }
    }

    /// Decides the verdict. `adjust_p` corrects a p for the other numbers of the family,
    /// `adjust_as_counted` as if the number had a number of games.
    pub(super) fn verdict(
        &self,
        adjust_p: impl Fn(f64) -> f64,
        adjust_as_counted: impl Fn(f64) -> f64,
    ) -> PublishedVerdict {
        let is_known = self.source_games.is_none_or(|source_games| {
            let nearest = self.range.nearest(self.measurement.value());
            self.measurement.is_precise_enough(nearest, source_games)
        });
        match self.decide(&self.measurement, &adjust_p) {
            Some(true) if adjust_p(self.p()) <= RISK => PublishedVerdict::Close,
            Some(true) if is_known => PublishedVerdict::Reproduced,
            Some(true) => PublishedVerdict::Compatible { is_within: true },
            Some(false) if self.source_games.is_some() => PublishedVerdict::Contradicted,
            Some(false) => PublishedVerdict::OfUnknownGames {
                min_games: self.find_games_to_contradict(adjust_as_counted),
            },
            None => self.judge_open(is_known, &adjust_p),
        }
    }

    /// Returns true if the number is within the margin, false if it differs, `None` if this is
    /// open.
    fn decide(&self, measurement: &Measurement, adjust_p: impl Fn(f64) -> f64) -> Option<bool> {
        let (low, high) = self.interval(measurement)?;
        if self.equivalent_range.0 <= low && high <= self.equivalent_range.1 {
            return Some(true);
        }
        (self.is_outside((low, high)) && adjust_p(self.p_of(measurement, self.source_games)) <= RISK)
            .then_some(false)
    }

    fn interval(&self, measurement: &Measurement) -> Option<(f64, f64)> {
        measurement.interval(growth_level(LEVEL, self.earlier_answers))
    }

    /// Returns true if an interval and the margin are disjoint.
    fn is_outside(&self, (low, high): (f64, f64)) -> bool {
        high < self.equivalent_range.0 || self.equivalent_range.1 < low
    }

    /// Returns true if the number is contradicted, or would be with more published games.
    #[cfg(test)]
    pub(super) fn is_refuted(&self, adjust_p: impl Fn(f64) -> f64) -> bool {
        self.decide(&self.measurement, adjust_p) == Some(false)
    }

    /// Decides an open case: which games are too few, published or played here?
    fn judge_open(&self, is_known: bool, adjust_p: impl Fn(f64) -> f64) -> PublishedVerdict {
        let games_played = self.measurement.games();
        let is_decided = |games: u64| match self.decide(&self.measurement.with_games(games), &adjust_p) {
            Some(true) => is_known,
            Some(false) => true,
            None => false,
        };
        let more_games = find_min_games(games_played, is_decided).map(|games| games - games_played);
        let Some((low, high)) = self.interval(&self.measurement) else {
            return PublishedVerdict::TooFew { more_games: None, is_outside: false };
        };
        let is_contradicted = adjust_p(self.p()) <= RISK;
        let is_across =
            [self.equivalent_range.0, self.equivalent_range.1].iter().any(|&end| low < end && end < high);
        if more_games.is_none() && self.source_games.is_some() && !is_contradicted && !(is_known && is_across)
        {
            return PublishedVerdict::Compatible { is_within: false };
        }
        let is_far = more_games.is_none_or(|games| games > EDGE_FACTOR * games_played);
        if is_across && games_played >= MIN_EDGE_GAMES && is_far {
            PublishedVerdict::OnTheEdge { more_games }
        } else {
            let more_games = more_games.filter(|_| games_played >= MIN_EDGE_GAMES || !is_far);
            PublishedVerdict::TooFew { more_games, is_outside: self.is_outside((low, high)) }
        }
    }

    /// Returns the least number of published games that would contradict the measurement.
    fn find_games_to_contradict(&self, adjust_as_counted: impl Fn(f64) -> f64) -> Option<u64> {
        let contradicts =
            |source_games: u64| adjust_as_counted(self.p_of(&self.measurement, Some(source_games))) <= RISK;
        let mut min_games = find_min_games(0, contradicts)?;
        // A printed share stands for whole games, so its distance changes with each number of
        // games: try two rounding cycles.
        let cycle = self.measurement.games_per_rounding_cycle(self.range.nearest(self.measurement.value()));
        while let Some(insufficient) =
            (min_games + 1..=min_games + 2 * cycle).rev().find(|&games| !contradicts(games))
        {
            min_games = insufficient + 1;
        }
        Some(min_games)
    }
}

/// Finds the least number of games above `start` for which a monotonic condition holds, or `None`
/// if it does not hold for the largest number.
fn find_min_games(start: u64, condition: impl Fn(u64) -> bool) -> Option<u64> {
    if start >= MAX_GAMES || !condition(MAX_GAMES) {
        return None;
    }
    let (mut too_few, mut enough) = (start, MAX_GAMES);
    // Most searched numbers are small.
    while enough > 4 * too_few.max(8) {
        let next = 2 * too_few.max(8);
        if condition(next) { enough = next } else { too_few = next }
    }
    Some(bisect_integer(too_few, enough, condition).1)
}
