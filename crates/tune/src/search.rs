//! A search: a method, with checks that keep the best point found so far.
//!
//! From time to time the start, the kept point and the current answer of the method play the same
//! fresh blocks: a check. The current answer becomes the kept point unless it is significantly
//! worse than the kept point or the start. If it is worse, the method resumes from the kept point;
//! or from the start, if the kept point is significantly worse than the start. The k-th check uses
//! a risk of `RISK / (k (k + 1))`, half of it for each comparison. So the probability that any
//! check ever sends back a method that only improves is at most `RISK`.
//!
//! The game counts of checks grow geometrically and do not depend on the budget. The final check,
//! at the end of the budget, decides the answer of the search. It needs less evidence, because
//! nothing comes after it.

use gauntlet_core::rng::Seed;
use gauntlet_methods::loss_comparison::{excess, is_positive, mean};
use gauntlet_methods::method::{CandidateLosses, MethodStep, Optimizer, Point, Space, StepKind};
use gauntlet_methods::{PlayerMethod, SettingsMethod};
use gauntlet_stats::{Estimate, SampleMoments};

/// Games before the first check. Each further check follows after half as many games again.
const FIRST_CHECK: u64 = 1_000;

/// A check takes one of this many parts of the games since the last check: a tenth.
const CHECK_PART: u64 = 10;

/// The probability that any check wrongly calls an answer worse.
const RISK: f64 = 0.05;

/// Risk of each comparison in the final check: an excess of about one standard error is enough.
const FINAL_RISK: f64 = 0.15;

/// Confidence level of the bounds of a gain.
pub const LEVEL: f64 = 0.95;

/// Row of the search path: the state after a step.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchStep {
    /// Games spent so far.
    pub games: u64,
    /// Purpose of the step.
    pub kind: StepKind,
    /// Answer of the method after its step; in a check, the answer that was compared.
    pub point: Point,
    /// Result of a check; `None` for steps of the method.
    pub check: Option<CheckResult>,
}

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckResult {
    /// Mean loss of the start minus that of the answer, with bounds for this check alone. `None` if
    /// the player refuses the answer.
    pub gain: Option<Estimate>,
    /// True if the answer became the kept point. If false, it is worse, and the method went back.
    /// In the final check false means that the search answers with the earlier kept point.
    pub is_kept: bool,
}

/// Final point of another search.
#[derive(Clone, Debug, PartialEq)]
pub struct FinalPoint {
    pub point: Point,
    /// Blocks that it and the answer played.
    pub games: u64,
    /// Mean loss of this point minus that of the answer, with bounds. `None` if the player refuses
    /// one of them.
    pub excess: Option<Estimate>,
    /// Number of pairs of points for which the bounds hold simultaneously. The same games choose
    /// the answer, so the answer could be in any pair.
    pub pairs: u64,
}

/// A search in progress.
pub struct Search {
    method: Box<dyn Optimizer>,
    start: Point,
    kept_point: Point,
    games_spent: u64,
    refused_candidates: u64,
    checks: u64,
    /// Number of games at the last check and at the next one; `None` if there are no checks before
    /// the end.
    check_games: Option<(u64, u64)>,
    has_ended: bool,
    last_check: Option<CheckResult>,
    rows: Vec<SearchStep>,
    ends: Vec<FinalPoint>,
}

impl Search {
    /// Begins a search for a point of a box.
    pub fn with_settings(method: SettingsMethod, space: &Space, searches: u32, seed: Seed) -> Search {
        Search::new(gauntlet_methods::create_search(method, space, searches, seed), true)
    }

    /// Begins a race between points; the first one is the start. The method compares all of them,
    /// so it needs no checks before the end.
    pub fn with_players(method: PlayerMethod, points: &[Point], seed: Seed) -> Search {
        Search::new((method.create)(points, seed), false)
    }

    /// Begins a search by a method at its start, with or without checks before the end.
    pub(super) fn new(method: Box<dyn Optimizer>, has_checks: bool) -> Search {
        let start = method.best_point();
        let kept_point = start.clone();
        let check_games = has_checks.then_some((0, FIRST_CHECK));
        Search {
            method,
            start,
            kept_point,
            games_spent: 0,
            refused_candidates: 0,
            checks: 0,
            check_games,
            has_ended: false,
            last_check: None,
            rows: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Returns the next step if this number of games is left of the budget; `None` at the end.
    pub fn ask(&mut self, games_left: u64) -> Option<MethodStep> {
        if self.has_ended {
            return None;
        }
        let reserve =
            gauntlet_methods::final_check_games(self.games_spent + games_left, self.method.rivals().len());
        let games_before_end = games_left.saturating_sub(reserve);
        let next = match self.check_games.filter(|(_, due)| *due <= self.games_spent) {
            Some((last, due)) => self.make_check(StepKind::Check, (due - last) / CHECK_PART),
            None => None,
        };
        let next = match next {
            Some(check) => Some(check).filter(|check| check.games() <= games_before_end),
            None => self.method.ask(games_before_end),
        };
        next.or_else(|| self.make_check(StepKind::Final, reserve.min(games_left)))
    }

    /// Records the losses of the last step; one entry for each candidate.
    ///
    /// # Panics
    /// If the losses do not fit the step: one loss for each block of each candidate that was not
    /// refused.
    pub fn record_losses(&mut self, step: &MethodStep, losses: &[CandidateLosses]) {
        assert_eq!(losses.len(), step.candidates.len(), "an entry for each candidate");
        assert!(
            losses.iter().flatten().all(|losses| losses.len() as u64 == step.blocks),
            "a loss for each block"
        );
        let played = losses.iter().flatten().count() as u64;
        self.games_spent += step.blocks * played;
        self.refused_candidates += losses.len() as u64 - played;
        let row = match step.kind {
            StepKind::Pilot | StepKind::Step => {
                self.method.record_losses(step, losses);
                SearchStep {
                    games: self.games_spent,
                    kind: step.kind,
                    point: self.method.best_point(),
                    check: None,
                }
            }
            StepKind::Check | StepKind::Final => {
                let (point, check) = self.judge(step, losses);
                self.last_check = Some(check);
                SearchStep { games: self.games_spent, kind: step.kind, point, check: Some(check) }
            }
        };
        self.rows.push(row);
    }

    /// Returns the point kept so far; at the end, the answer of the search.
    pub fn best_point(&self) -> &Point {
        &self.kept_point
    }

    /// Returns the point at which the search began.
    pub fn start(&self) -> &Point {
        &self.start
    }

    /// Returns the result of the last check.
    pub fn last_check(&self) -> Option<CheckResult> {
        self.last_check
    }

    /// Returns true if a check before the end ever sent the method back. The final check does not
    /// count: it prefers the kept point even if the answer seems only a little worse.
    pub fn has_gone_back(&self) -> bool {
        let sends_back =
            |row: &SearchStep| row.kind == StepKind::Check && row.check.is_some_and(|check| !check.is_kept);
        self.rows.iter().any(sends_back)
    }

    /// Returns the number of games spent.
    pub fn games_spent(&self) -> u64 {
        self.games_spent
    }

    /// Returns the number of candidates that the player refused.
    pub fn refused_candidates(&self) -> u64 {
        self.refused_candidates
    }

    /// Returns the path of the search, a row for each step.
    pub fn rows(&self) -> &[SearchStep] {
        &self.rows
    }

    /// Returns the final points of the other searches, known after the final check.
    pub fn ends(&self) -> &[FinalPoint] {
        &self.ends
    }

    /// Returns a check of this number of games. `None` if they are too few for two blocks, or there
    /// is nothing to compare.
    fn make_check(&self, kind: StepKind, games: u64) -> Option<MethodStep> {
        let others: Vec<Point> = match kind {
            StepKind::Final => self.method.rivals(),
            _ => Vec::new(),
        };
        let answer = self.method.best_point();
        if answer == self.start && others.is_empty() {
            return None;
        }
        let points = [answer, self.kept_point.clone()].into_iter().chain(others);
        let mut candidates = vec![self.start.clone()];
        for point in points {
            if !candidates.contains(&point) {
                candidates.push(point);
            }
        }
        let blocks = games / candidates.len() as u64;
        (candidates.len() > 1 && blocks >= 2).then_some(MethodStep { kind, candidates, blocks })
    }

    /// Evaluates a check: returns the point that was compared with the start, and the result.
    fn judge(&mut self, step: &MethodStep, losses: &[CandidateLosses]) -> (Point, CheckResult) {
        self.checks += 1;
        self.has_ended = step.kind == StepKind::Final;
        if let Some((last, due)) = &mut self.check_games {
            while *due <= self.games_spent {
                (*last, *due) = (*due, *due + *due / 2);
            }
        }
        let risk = match step.kind {
            StepKind::Final => FINAL_RISK,
            _ => RISK / (2 * self.checks * (self.checks + 1)) as f64,
        };
        let is_worse = |one: &CandidateLosses, other: &CandidateLosses| {
            one.is_none() || excess_loss(one, other).is_some_and(|excess| is_positive(excess, risk))
        };
        let losses_of = |point: &Point| {
            let index = step.candidates.iter().position(|candidate| candidate == point);
            &losses[index.expect("it was compared")]
        };
        // Only the final check includes other points that may become the answer.
        let rivals = if self.has_ended { self.method.rivals() } else { Vec::new() };
        let current = self.method.best_point();
        let mean_loss = |point: &Point| losses_of(point).as_deref().map_or(f64::INFINITY, mean);
        let best_rival = rivals.iter().min_by(|one, other| mean_loss(one).total_cmp(&mean_loss(other)));
        let answer =
            best_rival.filter(|rival| mean_loss(rival) < mean_loss(&current)).unwrap_or(&current).clone();
        if is_worse(losses_of(&self.kept_point), losses_of(&self.start)) {
            self.kept_point.clone_from(&self.start);
        }
        let is_kept = !is_worse(losses_of(&answer), losses_of(&self.start))
            && !is_worse(losses_of(&answer), losses_of(&self.kept_point));
        let gain = excess_loss(losses_of(&self.start), losses_of(&answer)).map(|gain| estimate_mean(gain, 1));
        let check = CheckResult { gain, is_kept };
        let kept_point = if is_kept { answer.clone() } else { self.kept_point.clone() };
        if !rivals.is_empty() {
            let mut end_points: Vec<Point> = [current].into_iter().chain(rivals).collect();
            // One of them is the answer itself, unless an earlier point is the answer.
            if let Some(index) = end_points.iter().position(|end| *end == kept_point) {
                end_points.remove(index);
            }
            let points = step.candidates.len() as u64;
            let pairs = points * (points - 1) / 2;
            let final_point = |point: Point| FinalPoint {
                games: step.blocks,
                excess: excess_loss(losses_of(&point), losses_of(&kept_point))
                    .map(|excess| estimate_mean(excess, pairs)),
                pairs,
                point,
            };
            self.ends = end_points.into_iter().map(final_point).collect();
        }
        self.kept_point = kept_point;
        if !is_kept {
            self.method.restart_at(&self.kept_point);
        }
        (answer, check)
    }
}

/// Returns a mean whose bounds hold simultaneously with the bounds of `mean_count` means
/// (Bonferroni).
fn estimate_mean(mean: SampleMoments, mean_count: u64) -> Estimate {
    let (low, high) = mean.interval(1.0 - (1.0 - LEVEL) / mean_count as f64);
    Estimate { value: mean.value, low, high, level: LEVEL }
}

/// Returns by how much the first lost more than the second. `None` if either was refused.
fn excess_loss(first: &CandidateLosses, second: &CandidateLosses) -> Option<SampleMoments> {
    excess(first.as_ref()?, second.as_ref()?)
}
