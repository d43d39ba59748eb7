//! Runs a search from step to step. The code is shared by a tuning that plays games and by the
//! progress of a tuning that has not ended.

use std::time::Instant;

use gauntlet_core::player::Stop;
use gauntlet_core::rng::Seed;
use gauntlet_methods::method::{MethodStep, Point};
use gauntlet_run::progress::{self, Progress};

use super::candidates::{Candidates, root};
use super::search::{CheckResult, Search, SearchStep};
use super::space::Axes;
use super::task::MissingGamesReason;
use super::trials::Trials;
use super::tried::TriedPoints;
use crate::results::course::SearchHistory;
use crate::results::unfinished::CurrentStep;
use crate::results::{path, tried};
use crate::section::{CandidateSpace, Param, TuneSection};

/// A search, its games, and the values that it tried.
pub(super) struct Walk<'a> {
    pub(super) search: Search,
    pub(super) trials: Trials<'a>,
    candidates: Candidates<'a>,
    tried: TriedPoints,
}

impl<'a> Walk<'a> {
    /// Creates the walk of a search that has not taken a step.
    pub(super) fn begin(candidates: Candidates<'a>, trials: Trials<'a>) -> Walk<'a> {
        let seed = root(candidates.experiment).child("search", 0);
        Walk {
            search: search(candidates.tune, seed),
            trials,
            candidates,
            tried: TriedPoints::new(candidates),
        }
    }

    /// Runs the search to its end. Calls `tell` before each step and at the end. If games of a step
    /// are missing, ends early and returns the step with the reason.
    pub(super) fn go(
        &mut self,
        stop: &Stop,
        tell: &mut dyn FnMut(SearchSnapshot),
    ) -> Result<(), (MethodStep, MissingGamesReason)> {
        // A block of a duel has two games, and a search counts blocks.
        let blocks = self.candidates.tune.budget / self.legs();
        while let Some(step) = self.search.ask(blocks - self.search.spent()) {
            tell(SearchSnapshot { walk: self });
            match self.trials.play_step(&step, stop) {
                Ok(losses) => {
                    self.search.tell(&step, &losses);
                    self.tried.add(self.candidates, &step, &losses);
                }
                Err(halt) => return Err((step, halt)),
            }
        }
        tell(SearchSnapshot { walk: self });
        Ok(())
    }

    /// Returns the number of games of a block.
    pub(super) fn legs(&self) -> u64 {
        self.candidates.experiment.arena().shape.legs() as u64
    }

    /// Returns the number of games that the search has spent.
    pub(super) fn spent(&self) -> u64 {
        self.legs() * self.search.spent()
    }

    /// Returns the progress of the search, including `of_step` games of the current step.
    pub(super) fn progress(&self, of_step: u64, state: progress::RunState, pace: Option<f64>) -> Progress {
        Progress::of_games(self.spent() + of_step, self.candidates.tune.budget, state).at_pace(pace)
    }

    /// Returns the steps taken, as rows of the path table.
    pub(super) fn steps(&self) -> Vec<path::TrajectoryRow> {
        let step = |row: &SearchStep| path::TrajectoryRow {
            games: self.legs() * row.games,
            kind: row.kind.name().to_owned(),
            kept: row.check.map(|check| check.is_kept),
            gain: row.check.and_then(|check| check.gain),
            at: self.candidates.written_at(&row.point),
        };
        self.search.rows().iter().map(step).collect()
    }

    /// Returns the path of the search and its settings.
    pub(super) fn course(&self) -> SearchHistory {
        let tune = self.candidates.tune;
        SearchHistory {
            keys: path::keys(tune),
            path: self.steps(),
            tried: self.tried(),
            settings: self.candidates.settings_between(self.search.start(), self.search.answer()),
            tune: tune.clone(),
        }
    }

    /// Returns the current point of the search.
    fn point(&self) -> &Point {
        self.search.rows().last().map_or(self.search.answer(), |row| &row.point)
    }

    /// Returns the current point, formatted for tables.
    pub(super) fn now(&self) -> Vec<String> {
        self.candidates.written_at(self.point())
    }

    /// Returns the values tried, as rows of their table.
    pub(super) fn tried(&self) -> Vec<tried::TriedValuesRow> {
        self.tried.told(self.candidates)
    }
}

/// A search before a step or at its end, for observers.
#[derive(Clone, Copy)]
pub struct SearchSnapshot<'s> {
    walk: &'s Walk<'s>,
}

impl SearchSnapshot<'_> {
    /// Returns the progress, at the pace of the games played since `started`.
    pub fn progress(&self, started: Instant) -> Progress {
        let played = Some(self.walk.trials.played() as f64).filter(|played| *played > 0.0);
        let pace = played.map(|played| played / started.elapsed().as_secs_f64());
        self.walk.progress(0, progress::RunState::Plays, pace)
    }

    /// Returns a line for each worker whose games cannot be read, with the reason.
    pub(super) fn unread(&self) -> &[String] {
        self.walk.trials.unread()
    }

    /// Returns the result of the last check.
    pub fn last_check(&self) -> Option<CheckResult> {
        self.walk.search.last_check()
    }

    /// Returns the settings at the current point, each with its value; empty in a race.
    pub fn settings(&self) -> Vec<(&Param, f64)> {
        self.walk.candidates.settings(self.walk.point())
    }
}

/// Describes a step that is being played.
pub(super) fn in_hand(candidates: Candidates, step: &MethodStep, legs: u64, played: u64) -> CurrentStep {
    CurrentStep {
        kind: step.kind.name(),
        candidates: step.candidates.iter().map(|point| candidates.written_at(point)).collect(),
        games: legs * step.games(),
        played,
    }
}

fn search(tune: &TuneSection, seed: Seed) -> Search {
    match &tune.field {
        CandidateSpace::Params { params, method, .. } => {
            Search::of_settings(*method, &Axes::of(params).space(), tune.searches, seed)
        }
        CandidateSpace::Players { players, method } => {
            let points: Vec<Point> = (0..players.len()).map(|player| vec![player as f64]).collect();
            Search::of_players(*method, &points, seed)
        }
    }
}
