//! The verdict on a published number.

use gauntlet_run::tally::LEVEL;
use gauntlet_stats::{Estimate, bisect_integer, growth_level, growth_p};

use super::super::verdict::Verdict as InTable;
use super::measured::Measurement;
use crate::config::published::ClosedRange;

/// Risk of contradicting any correct number of a family.
const RISK: f64 = 0.05;

/// Least number of games from which on a number may be on the edge of its margin. The interval of a
/// rate not close to 0 or 1 is then about half as wide as its margin.
const EDGE_GAMES: u64 = 1500;

/// A number is on the edge if a decision needs more than this many times the games played. With
/// fewer games, this estimate is noise.
const EDGE_TIMES: u64 = 10;

/// Larger numbers of games are never suggested.
pub(crate) const MOST_GAMES: u64 = 1_000_000;

/// Verdict on a published number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PublishedVerdict {
    /// Within the margin, and the published games are enough to show it, or unknown.
    Reproduced,
    /// Within the margin, although the difference is significant.
    Close,
    /// Outside the margin, and the true values differ.
    Contradicted,
    /// Outside the margin, with an unknown number of games. From `from` games on it would
    /// contradict the measurement.
    OfUnknownGames { from: Option<u64> },
    /// The published games are too few to decide.
    Compatible { is_within: bool },
    /// The games here are too few; `more` further games would decide, if the games played are
    /// enough to estimate that.
    TooFew { more: Option<u64>, is_outside: bool },
    /// The end of the margin is within the interval after many games, and a decision would need too
    /// many more.
    OnTheEdge { more: Option<u64> },
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
            PublishedVerdict::OfUnknownGames { from: Some(_) } => InTable::WouldDiffer,
            PublishedVerdict::Compatible { .. } => InTable::Compatible,
            PublishedVerdict::OfUnknownGames { from: None }
            | PublishedVerdict::TooFew { .. }
            | PublishedVerdict::OnTheEdge { .. } => InTable::Unclear,
            PublishedVerdict::Seen => InTable::Seen,
            PublishedVerdict::NotSeen => InTable::NotSeen,
            PublishedVerdict::NotJudged => InTable::NotJudged,
        }
    }

    /// Returns the number of games of the source from which on the number would be contradicted.
    pub(super) const fn games_to_contradict(self) -> Option<u64> {
        if let PublishedVerdict::OfUnknownGames { from } = self { from } else { None }
    }
}

/// The measured number that a published one is compared with.
pub(crate) struct Counterpart<'a> {
    pub(crate) estimate: Option<Estimate>,
    /// Number of games in which the event happened, for questions about events.
    pub(crate) successes: u64,
    /// Comparison with the published number, if both are comparable.
    pub(crate) case: Option<Case<'a>>,
}

/// A measured number and a published one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case<'a> {
    measured: Measurement<'a>,
    /// Published number or range.
    range: ClosedRange,
    /// Values that are equal for all practical purposes: the range, or the margin of a single
    /// number.
    meant: (f64, f64),
    /// Number of games of the published number.
    theirs: Option<u64>,
    /// Number of earlier answers, from other numbers of games played here.
    earlier: usize,
}

impl<'a> Case<'a> {
    /// Makes the case of a number; `theirs` is `None` if the number of its games is unknown.
    pub(super) fn new(measured: Measurement<'a>, range: ClosedRange, theirs: Option<u64>) -> Case<'a> {
        let meant =
            if range.is_single() { measured.margin_around(range.low()) } else { (range.low(), range.high()) };
        Case { measured, range, meant, theirs, earlier: 0 }
    }

    /// Sets the number of earlier answers.
    pub(super) fn with_earlier_answers(self, earlier: usize) -> Case<'a> {
        Case { earlier, ..self }
    }

    /// Returns the ends of the values that are equal for all practical purposes.
    pub(crate) fn equivalent_range(&self) -> (f64, f64) {
        self.meant
    }

    /// Returns the p of the hypothesis that the true value is the nearest number of the published
    /// range.
    pub(super) fn p(&self) -> f64 {
        self.p_of(&self.measured, self.theirs)
    }

    fn p_of(&self, measured: &Measurement, theirs: Option<u64>) -> f64 {
        let nearest = self.range.nearest(measured.value());
        if nearest == measured.value() { 1.0 } else { growth_p(measured.p(nearest, theirs), self.earlier) }
    }

    /// Decides the verdict. `adjusted` corrects a p for the other numbers of the family,
    /// `as_counted` as if the number had a number of games.
    pub(super) fn verdict(
        &self,
        adjusted: impl Fn(f64) -> f64,
        as_counted: impl Fn(f64) -> f64,
    ) -> PublishedVerdict {
        let is_known = self.theirs.is_none_or(|theirs| {
            let nearest = self.range.nearest(self.measured.value());
            self.measured.is_known(nearest, theirs)
        });
        match self.decide(&self.measured, &adjusted) {
            Some(true) if adjusted(self.p()) <= RISK => PublishedVerdict::Close,
            Some(true) if is_known => PublishedVerdict::Reproduced,
            Some(true) => PublishedVerdict::Compatible { is_within: true },
            Some(false) if self.theirs.is_some() => PublishedVerdict::Contradicted,
            Some(false) => {
                PublishedVerdict::OfUnknownGames { from: self.find_games_to_contradict(as_counted) }
            }
            None => self.judge_open(is_known, &adjusted),
        }
    }

    /// Returns true if the number is within the margin, false if it differs, `None` if this is
    /// open.
    fn decide(&self, measured: &Measurement, adjusted: impl Fn(f64) -> f64) -> Option<bool> {
        let (low, high) = self.interval(measured)?;
        if self.meant.0 <= low && high <= self.meant.1 {
            return Some(true);
        }
        (self.is_outside((low, high)) && adjusted(self.p_of(measured, self.theirs)) <= RISK).then_some(false)
    }

    fn interval(&self, measured: &Measurement) -> Option<(f64, f64)> {
        measured.interval(growth_level(LEVEL, self.earlier))
    }

    /// Returns true if an interval and the margin are disjoint.
    fn is_outside(&self, (low, high): (f64, f64)) -> bool {
        high < self.meant.0 || self.meant.1 < low
    }

    /// Returns true if the number is contradicted, or would be with more published games.
    #[cfg(test)]
    pub(super) fn is_refuted(&self, adjusted: impl Fn(f64) -> f64) -> bool {
        self.decide(&self.measured, adjusted) == Some(false)
    }

    /// Decides an open case: which games are too few, published or played here?
    fn judge_open(&self, is_known: bool, adjusted: impl Fn(f64) -> f64) -> PublishedVerdict {
        let played = self.measured.games();
        let settles = |games: u64| match self.decide(&self.measured.with_games(games), &adjusted) {
            Some(true) => is_known,
            Some(false) => true,
            None => false,
        };
        let more = find_least(played, settles).map(|games| games - played);
        let Some((low, high)) = self.interval(&self.measured) else {
            return PublishedVerdict::TooFew { more: None, is_outside: false };
        };
        let contradicts = adjusted(self.p()) <= RISK;
        let is_across = [self.meant.0, self.meant.1].iter().any(|&end| low < end && end < high);
        if more.is_none() && self.theirs.is_some() && !contradicts && !(is_known && is_across) {
            return PublishedVerdict::Compatible { is_within: false };
        }
        let is_far = more.is_none_or(|more| more > EDGE_TIMES * played);
        if is_across && played >= EDGE_GAMES && is_far {
            PublishedVerdict::OnTheEdge { more }
        } else {
            let more = more.filter(|_| played >= EDGE_GAMES || !is_far);
            PublishedVerdict::TooFew { more, is_outside: self.is_outside((low, high)) }
        }
    }

    /// Returns the least number of published games that would contradict the measurement.
    fn find_games_to_contradict(&self, as_counted: impl Fn(f64) -> f64) -> Option<u64> {
        let contradicts = |theirs: u64| as_counted(self.p_of(&self.measured, Some(theirs))) <= RISK;
        let mut from = find_least(0, contradicts)?;
        // A printed share stands for whole games, so its distance changes with each number of
        // games: try two rounding cycles.
        let round = self.measured.games_per_rounding_cycle(self.range.nearest(self.measured.value()));
        while let Some(fails) = (from + 1..=from + 2 * round).rev().find(|&games| !contradicts(games)) {
            from = fails + 1;
        }
        Some(from)
    }
}

/// Finds the least number of games above `from` for which a monotonic condition holds, or `None` if
/// it does not hold for the largest number.
fn find_least(from: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if from >= MOST_GAMES || !holds(MOST_GAMES) {
        return None;
    }
    let (mut fails, mut enough) = (from, MOST_GAMES);
    // Most searched numbers are small.
    while enough > 4 * fails.max(8) {
        let next = 2 * fails.max(8);
        if holds(next) { enough = next } else { fails = next }
    }
    Some(bisect_integer(fails, enough, holds).1)
}
