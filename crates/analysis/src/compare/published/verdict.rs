//! The verdict on a published number.

use gauntlet_run::tally::LEVEL;
use gauntlet_stats::{Estimate, growth_level, growth_p};

use super::super::verdict::Verdict as InTable;
use super::measured::Measured;
use crate::config::published::Range;

/// The risk of contradicting any number of a family that is right.
const RISK: f64 = 0.05;

/// The least number of games from which a number may lie on the edge of its margin. The interval of
/// a rate that is not close to 0 or 1 is then about half as wide as the margin around it.
const EDGE_GAMES: u64 = 1500;

/// It does if more than this many times the games played would be needed to decide. Of fewer games
/// such a number is noise.
const EDGE_TIMES: u64 = 10;

/// Numbers of games beyond this one are not asked for.
pub(super) const MOST_GAMES: u64 = 1_000_000;

/// The verdict on a published number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PublishedVerdict {
    /// It lies within the margin, and its own games are enough to say so.
    Reproduced,
    /// It lies outside of the margin, and both games cannot be of one truth.
    NotReproduced,
    /// It lies outside of the margin and does not say of how many games it is. It would contradict
    /// what was measured if it were of this number of games.
    Differs { from: Option<u64> },
    /// The published games are too few for either.
    Compatible { is_within: bool },
    /// The games here are too few; this number of further games would be enough, if these are
    /// enough to say so.
    TooFew { more: Option<u64>, is_outside: bool },
    /// The end of the margin lies within the interval, after many games, and too many more would be
    /// needed.
    OnTheEdge { more: Option<u64> },
    /// It came about.
    Seen,
    /// It did not.
    NotSeen,
    /// There is nothing to be judged.
    NotJudged,
}

impl PublishedVerdict {
    /// The same as it stands in the table.
    pub(super) const fn in_table(self) -> InTable {
        match self {
            PublishedVerdict::Reproduced => InTable::Reproduced,
            PublishedVerdict::NotReproduced => InTable::NotReproduced,
            PublishedVerdict::Differs { .. } => InTable::Unclear,
            PublishedVerdict::Compatible { .. } => InTable::Compatible,
            PublishedVerdict::TooFew { .. } => InTable::TooFewGames,
            PublishedVerdict::OnTheEdge { .. } => InTable::OnTheEdge,
            PublishedVerdict::Seen => InTable::Seen,
            PublishedVerdict::NotSeen => InTable::NotSeen,
            PublishedVerdict::NotJudged => InTable::NotJudged,
        }
    }
}

/// The measured number that a published one is compared with.
pub(super) struct Found<'a> {
    pub(super) estimate: Option<Estimate>,
    /// The games in which the event came about, where that is asked.
    pub(super) successes: u64,
    /// Beside the published number, if they can be compared.
    pub(super) case: Option<Case<'a>>,
}

/// A measured number beside a published one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case<'a> {
    measured: Measured<'a>,
    /// The published number.
    range: Range,
    /// The numbers that are the same for all practical purposes: a range as it is, a single number
    /// with its margin.
    meant: (f64, f64),
    /// The number of games that the published number is of.
    theirs: Option<u64>,
    /// True if it could be of some number of games.
    has_games: bool,
    /// Earlier answers with other numbers of the games played here.
    earlier: usize,
}

impl<'a> Case<'a> {
    /// A number that is of games, if it does not say of how many.
    pub(super) fn new(measured: Measured<'a>, range: Range, theirs: Option<u64>) -> Case<'a> {
        let meant =
            if range.is_single() { measured.around(range.low()) } else { (range.low(), range.high()) };
        Case { measured, range, meant, theirs, has_games: true, earlier: 0 }
    }

    /// A rate that is said to lie in a range.
    pub(super) fn statement(measured: Measured<'a>, range: Range) -> Case<'a> {
        Case { has_games: false, ..Case::new(measured, range, None) }
    }

    /// The same after this number of earlier answers.
    pub(super) fn after(self, earlier: usize) -> Case<'a> {
        Case { earlier, ..self }
    }

    /// The ends of the numbers that are the same for all practical purposes.
    pub(super) fn meant(&self) -> (f64, f64) {
        self.meant
    }

    /// The p of the hypothesis that the truth is the number of the published range that is nearest
    /// to the measured one.
    pub(super) fn p(&self) -> f64 {
        self.p_of(&self.measured, self.theirs)
    }

    fn p_of(&self, measured: &Measured, theirs: Option<u64>) -> f64 {
        let nearest = self.range.nearest(measured.value());
        if nearest == measured.value() { 1.0 } else { growth_p(measured.p(nearest, theirs), self.earlier) }
    }

    /// The verdict; `adjusted` corrects a p for the other numbers of the family, and `as_counted`
    /// does if the number said of how many games it is.
    pub(super) fn verdict(
        &self,
        adjusted: impl Fn(f64) -> f64,
        as_counted: impl Fn(f64) -> f64,
    ) -> PublishedVerdict {
        let is_known = self.theirs.is_none_or(|theirs| {
            let nearest = self.range.nearest(self.measured.value());
            self.measured.is_known(nearest, theirs)
        });
        match self.settled(&self.measured, &adjusted) {
            Some(true) if is_known => PublishedVerdict::Reproduced,
            Some(true) => PublishedVerdict::Compatible { is_within: true },
            Some(false) if self.theirs.is_some() => PublishedVerdict::NotReproduced,
            Some(false) => PublishedVerdict::Differs { from: self.contradicted_from(as_counted) },
            None => self.open(is_known, &adjusted),
        }
    }

    /// True if a number lies within the margin, false if it differs; none where that is open.
    fn settled(&self, measured: &Measured, adjusted: impl Fn(f64) -> f64) -> Option<bool> {
        let (low, high) = self.within(measured)?;
        if self.meant.0 <= low && high <= self.meant.1 {
            return Some(true);
        }
        (self.is_outside((low, high)) && adjusted(self.p_of(measured, self.theirs)) <= RISK).then_some(false)
    }

    fn within(&self, measured: &Measured) -> Option<(f64, f64)> {
        measured.within(growth_level(LEVEL, self.earlier))
    }

    /// True if no part of an interval lies within the margin.
    fn is_outside(&self, (low, high): (f64, f64)) -> bool {
        high < self.meant.0 || self.meant.1 < low
    }

    /// True if the number is contradicted, or would be if it rested on more games.
    #[cfg(test)]
    pub(super) fn is_refuted(&self, adjusted: impl Fn(f64) -> f64) -> bool {
        self.settled(&self.measured, adjusted) == Some(false)
    }

    /// The verdict where neither is shown: whose games are too few?
    fn open(&self, is_known: bool, adjusted: impl Fn(f64) -> f64) -> PublishedVerdict {
        let played = self.measured.games();
        let settles = |games: u64| match self.settled(&self.measured.with(games), &adjusted) {
            Some(true) => is_known,
            Some(false) => true,
            None => false,
        };
        let more = least(played, settles).map(|games| games - played);
        let Some((low, high)) = self.within(&self.measured) else {
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

    /// The least number of games from which on the published number would contradict what was
    /// measured.
    fn contradicted_from(&self, as_counted: impl Fn(f64) -> f64) -> Option<u64> {
        if !self.has_games {
            return None;
        }
        let contradicts = |theirs: u64| as_counted(self.p_of(&self.measured, Some(theirs))) <= RISK;
        let mut from = least(0, contradicts)?;
        // A printed share stands for whole games, and is nearer or further with each number of
        // them: two rounds are looked at.
        let round = self.measured.games_of_a_round(self.range.nearest(self.measured.value()));
        while let Some(fails) = (from + 1..=from + 2 * round).rev().find(|&games| !contradicts(games)) {
            from = fails + 1;
        }
        Some(from)
    }
}

/// The least number of games above `from` for which something holds that holds for all larger ones;
/// none if it does not hold for the most.
fn least(from: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if from >= MOST_GAMES || !holds(MOST_GAMES) {
        return None;
    }
    let (mut fails, mut enough) = (from, MOST_GAMES);
    while enough - fails > 1 {
        // Most numbers that are looked for are small.
        let middle = if enough > 4 * fails.max(8) { 2 * fails.max(8) } else { u64::midpoint(fails, enough) };
        if holds(middle) { enough = middle } else { fails = middle }
    }
    Some(enough)
}
