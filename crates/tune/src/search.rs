//! A search: a method, and beside it a keeper that remembers the best point.
//!
//! From time to time the start, the point kept so far and the method's present answer play the same
//! fresh blocks: a check. The present answer becomes the kept point unless it is shown to be worse
//! than the kept point or the start. If it is, the method went astray, and begins again at the kept
//! point; or at the start, if the kept point in turn is shown to be worse than that. What counts as
//! shown: the k-th check takes `RISK / (k (k + 1))`, half of it for each comparison, so all checks
//! together send a method that only improves back with a probability of at most `RISK`.
//!
//! Checks lie at numbers of games that grow geometrically and do not depend on the budget. The
//! final one, at the end of the budget, decides what the search answers with. It asks for less to
//! be shown, since nothing comes after it.

use gauntlet_core::rng::Seed;
use gauntlet_methods::method::{Kind, Losses, Method, Point, Space, Step};
use gauntlet_methods::paired::{excess, is_positive, mean};
use gauntlet_methods::{OfPlayers, OfSettings};
use gauntlet_stats::{Estimate, Mean};

/// The first check follows when this number of games is spent, each further one after half as many
/// again.
const FIRST_CHECK: u64 = 1_000;

/// A check takes this part of the games since the last one: a tenth.
const CHECKED: u64 = 10;

/// The probability that any check calls an answer worse that is not.
const RISK: f64 = 0.05;

/// The same for each comparison of the final check: an excess of about one standard error is
/// enough.
const FINAL_RISK: f64 = 0.15;

/// The level of a gain's bounds.
pub const LEVEL: f64 = 0.95;

/// State after a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The games spent so far.
    pub games: u64,
    /// Purpose of the step.
    pub kind: Kind,
    /// Answer of the method after its step; for a check, the answer that was compared.
    pub point: Point,
    /// Result of a check; none for steps of the method.
    pub check: Option<Check>,
}

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// Mean loss of the start less that of the answer, with bounds that hold for this check alone.
    /// None if the player refuses the answer.
    pub gain: Option<Estimate>,
    /// True if the answer became the kept point. If not, it is worse, and the method went back; or
    /// in the final check, the point kept before is what the search answers with.
    pub is_kept: bool,
}

/// End of another search.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// The end.
    pub point: Point,
    /// Blocks that it and the answer played.
    pub games: u64,
    /// Mean loss of the end less that of the answer, with bounds. None if the player refuses one of
    /// them.
    pub less: Option<Estimate>,
    /// Pairs of points for which such bounds hold together. The same games choose the answer, so it
    /// could have been in any of them.
    pub pairs: u64,
}

/// A search under way.
pub struct Search {
    method: Box<dyn Method>,
    start: Point,
    kept: Point,
    spent: u64,
    refused: u64,
    checks: u64,
    /// At which number of games the last check was due, and the next one is; none if there are none
    /// on the way.
    due: Option<(u64, u64)>,
    has_ended: bool,
    last_check: Option<Check>,
    rows: Vec<Row>,
    ends: Vec<End>,
}

impl Search {
    /// A search for a point of a box.
    pub fn of_settings(method: OfSettings, space: &Space, searches: u32, seed: Seed) -> Search {
        Search::of(gauntlet_methods::begin(method, space, searches, seed), true)
    }

    /// A choice between points, the first of which is the start. The method compares them all, and
    /// cannot go astray.
    pub fn of_players(method: OfPlayers, points: &[Point], seed: Seed) -> Search {
        Search::of((method.begin)(points, seed), false)
    }

    /// A search by a method that stands at its start, with or without checks on the way.
    pub(super) fn of(method: Box<dyn Method>, has_checks: bool) -> Search {
        let start = method.answer();
        let kept = start.clone();
        let due = has_checks.then_some((0, FIRST_CHECK));
        Search {
            method,
            start,
            kept,
            spent: 0,
            refused: 0,
            checks: 0,
            due,
            has_ended: false,
            last_check: None,
            rows: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Next step, if this number of games is left of the budget; none at the end.
    pub fn ask(&mut self, games_left: u64) -> Option<Step> {
        if self.has_ended {
            return None;
        }
        let reserve = gauntlet_methods::final_check(self.spent + games_left, self.method.rivals().len());
        let before_the_end = games_left.saturating_sub(reserve);
        let next = match self.due.filter(|(_, due)| *due <= self.spent) {
            Some((last, due)) => self.comparison(Kind::Check, (due - last) / CHECKED),
            None => None,
        };
        let next = match next {
            Some(check) => Some(check).filter(|check| check.games() <= before_the_end),
            None => self.method.ask(before_the_end),
        };
        next.or_else(|| self.comparison(Kind::Final, reserve.min(games_left)))
    }

    /// Learns what came of the last step; one entry of losses for each candidate.
    ///
    /// # Panics
    /// If these are not the losses of that step: one for each block of each candidate that was not
    /// refused.
    pub fn tell(&mut self, step: &Step, losses: &[Losses]) {
        assert_eq!(losses.len(), step.candidates.len(), "an entry for each candidate");
        assert!(
            losses.iter().flatten().all(|losses| losses.len() as u64 == step.blocks),
            "a loss for each block"
        );
        let played = losses.iter().flatten().count() as u64;
        self.spent += step.blocks * played;
        self.refused += losses.len() as u64 - played;
        let row = match step.kind {
            Kind::Pilot | Kind::Step => {
                self.method.tell(step, losses);
                Row { games: self.spent, kind: step.kind, point: self.method.answer(), check: None }
            }
            Kind::Check | Kind::Final => {
                let (point, check) = self.judge(step, losses);
                self.last_check = Some(check);
                Row { games: self.spent, kind: step.kind, point, check: Some(check) }
            }
        };
        self.rows.push(row);
    }

    /// The point kept so far; at the end, what the search answers with.
    pub fn answer(&self) -> &Point {
        &self.kept
    }

    /// The point that it began with.
    pub fn start(&self) -> &Point {
        &self.start
    }

    /// Result of the last check.
    pub fn last_check(&self) -> Option<Check> {
        self.last_check
    }

    /// True if a check on the way ever sent the method back. The final check does not count: it
    /// prefers the kept point already where the answer seems a little worse.
    pub fn went_back(&self) -> bool {
        let sends_back = |row: &Row| row.kind == Kind::Check && row.check.is_some_and(|check| !check.is_kept);
        self.rows.iter().any(sends_back)
    }

    /// Games that were spent.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Candidates that the player refused.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Its course, a row for each step.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The ends of other searches beside the answer: known after the final check.
    pub fn ends(&self) -> &[End] {
        &self.ends
    }

    /// A check of this number of games. None if they are too few for two blocks, or there is
    /// nothing to compare.
    fn comparison(&self, kind: Kind, games: u64) -> Option<Step> {
        let others: Vec<Point> = match kind {
            Kind::Final => self.method.rivals(),
            _ => Vec::new(),
        };
        let answer = self.method.answer();
        if answer == self.start && others.is_empty() {
            return None;
        }
        let points = [answer, self.kept.clone()].into_iter().chain(others);
        let mut candidates = vec![self.start.clone()];
        for point in points {
            if !candidates.contains(&point) {
                candidates.push(point);
            }
        }
        let blocks = games / candidates.len() as u64;
        (candidates.len() > 1 && blocks >= 2).then_some(Step { kind, candidates, blocks })
    }

    /// Judges a check: which point was compared with the start, and what came of it.
    fn judge(&mut self, step: &Step, losses: &[Losses]) -> (Point, Check) {
        self.checks += 1;
        self.has_ended = step.kind == Kind::Final;
        if let Some((last, due)) = &mut self.due {
            while *due <= self.spent {
                (*last, *due) = (*due, *due + *due / 2);
            }
        }
        let risk = match step.kind {
            Kind::Final => FINAL_RISK,
            _ => RISK / (2 * self.checks * (self.checks + 1)) as f64,
        };
        let is_worse = |one: &Losses, other: &Losses| {
            one.is_none() || over(one, other).is_some_and(|excess| is_positive(excess, risk))
        };
        let of = |point: &Point| {
            let place = step.candidates.iter().position(|candidate| candidate == point);
            &losses[place.expect("it was compared")]
        };
        // Other points that may be the answer play the final check alone.
        let rivals = if self.has_ended { self.method.rivals() } else { Vec::new() };
        let own = self.method.answer();
        let lost = |point: &Point| of(point).as_deref().map_or(f64::INFINITY, mean);
        let better = rivals.iter().min_by(|one, other| lost(one).total_cmp(&lost(other)));
        let answer = better.filter(|rival| lost(rival) < lost(&own)).unwrap_or(&own).clone();
        if is_worse(of(&self.kept), of(&self.start)) {
            self.kept.clone_from(&self.start);
        }
        let is_kept = !is_worse(of(&answer), of(&self.start)) && !is_worse(of(&answer), of(&self.kept));
        let gain = over(of(&self.start), of(&answer)).map(|gain| estimate(gain, 1));
        let check = Check { gain, is_kept };
        let kept = if is_kept { answer.clone() } else { self.kept.clone() };
        if !rivals.is_empty() {
            let mut all: Vec<Point> = [own].into_iter().chain(rivals).collect();
            // One of them is the answer itself, unless an earlier point is.
            if let Some(place) = all.iter().position(|end| *end == kept) {
                all.remove(place);
            }
            let points = step.candidates.len() as u64;
            let pairs = points * (points - 1) / 2;
            let end = |point: Point| End {
                games: step.blocks,
                less: over(of(&point), of(&kept)).map(|less| estimate(less, pairs)),
                pairs,
                point,
            };
            self.ends = all.into_iter().map(end).collect();
        }
        self.kept = kept;
        if !is_kept {
            self.method.go_back(&self.kept);
        }
        (answer, check)
    }
}

/// A mean with its bounds, which hold together with those of so many others (Bonferroni).
fn estimate(mean: Mean, together: u64) -> Estimate {
    let (low, high) = mean.within(1.0 - (1.0 - LEVEL) / together as f64);
    Estimate { value: mean.value, low, high, level: LEVEL }
}

/// By how much the first lost more than the second. None if either was refused.
fn over(first: &Losses, second: &Losses) -> Option<Mean> {
    excess(first.as_ref()?, second.as_ref()?)
}
