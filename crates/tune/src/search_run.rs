//! Runs a search from step to step. The code is shared by a tuning that plays games and by the
//! progress of a tuning that has not ended.

use std::time::Instant;

use gauntlet_core::player::Stop;
use gauntlet_core::rng::Seed;
use gauntlet_methods::method::{MethodStep, Point};
use gauntlet_run::progress::{Progress, RunState};
use gauntlet_run::snapshot::Snapshot;

use super::candidates::{Candidates, root_seed};
use super::search::{FinalPoint, Search, SearchStep};
use super::space::Axes;
use super::task::MissingGamesReason;
use super::trials::Trials;
use super::tried_points::TriedPoints;
use crate::results::ends::{EndPointRow, describe_gain};
use crate::results::history::SearchHistory;
use crate::results::unfinished_tuning::CurrentStep;
use crate::results::{path, tried_values};
use crate::section::{CandidateSpace, Param, TuneSection};

/// A search, its games, and the values that it tried.
pub(super) struct SearchRun<'a> {
    pub(super) search: Search,
    pub(super) trials: Trials<'a>,
    candidates: Candidates<'a>,
    tried_points: TriedPoints,
}

impl<'a> SearchRun<'a> {
    /// Creates the run of a search that has not taken a step.
    pub(super) fn begin(candidates: Candidates<'a>, trials: Trials<'a>) -> SearchRun<'a> {
        let seed = root_seed(candidates.experiment).child("search", 0);
        SearchRun {
            search: new_search(candidates.tune, seed),
            trials,
            candidates,
            tried_points: TriedPoints::new(candidates),
        }
    }

    /// Runs the search to its end. Calls `on_step` before each step and at the end. If games of a
    /// step are missing, ends early and returns the step with the reason.
    pub(super) fn run(
        &mut self,
        stop: &Stop,
        on_step: &mut dyn FnMut(&SearchRun),
    ) -> Result<(), (MethodStep, MissingGamesReason)> {
        // A block of a duel has two games, and a search counts blocks.
        let blocks = self.candidates.tune.budget / self.games_per_block();
        while let Some(step) = self.search.ask(blocks - self.search.games_spent()) {
            on_step(self);
            match self.trials.play_step(&step, stop) {
                Ok(losses) => {
                    self.search.record_losses(&step, &losses);
                    self.tried_points.add(self.candidates, &step, &losses);
                }
                Err(reason) => return Err((step, reason)),
            }
        }
        on_step(self);
        Ok(())
    }

    /// Returns the number of games of a block.
    pub(super) fn games_per_block(&self) -> u64 {
        self.candidates.experiment.arena().shape.legs() as u64
    }

    /// Returns the number of games that the search has spent.
    pub(super) fn games_spent(&self) -> u64 {
        self.games_per_block() * self.search.games_spent()
    }

    /// Returns the progress of the search, including `step_games` games of the current step.
    pub(super) fn progress(&self, step_games: u64, state: RunState, pace: Option<f64>) -> Progress {
        Progress::from_games(self.games_spent() + step_games, self.candidates.tune.budget, state)
            .with_pace(pace)
    }

    /// Returns the steps taken, as rows of the path table.
    pub(super) fn steps(&self) -> Vec<path::TrajectoryRow> {
        let to_row = |row: &SearchStep| path::TrajectoryRow {
            games: self.games_per_block() * row.games,
            kind: row.kind.name().to_owned(),
            kept: row.check.map(|check| check.is_kept),
            gain: row.check.and_then(|check| check.gain),
            at: self.candidates.format_point(&row.point),
        };
        self.search.rows().iter().map(to_row).collect()
    }

    /// Returns the final points of the other searches, as rows of their table.
    pub(super) fn ends(&self) -> Vec<EndPointRow> {
        let to_row = |end: &FinalPoint| EndPointRow {
            games: self.games_per_block() * end.games,
            less: end.excess,
            pairs: end.pairs,
            at: self.candidates.format_point(&end.point),
        };
        self.search.ends().iter().map(to_row).collect()
    }

    /// Returns the path of the search and its settings.
    pub(super) fn history(&self) -> SearchHistory {
        let tune = self.candidates.tune;
        SearchHistory {
            keys: path::keys(tune),
            path: self.steps(),
            tried_values: self.tried_values(),
            settings: self.candidates.compare_settings(self.search.start(), self.search.best_point()),
            tune: tune.clone(),
        }
    }

    /// Returns the current point of the search.
    fn current_point(&self) -> &Point {
        self.search.rows().last().map_or(self.search.best_point(), |row| &row.point)
    }

    /// Returns the current point, formatted for tables.
    pub(super) fn format_current_point(&self) -> Vec<String> {
        self.candidates.format_point(self.current_point())
    }

    /// Returns the values tried, as rows of their table.
    pub(super) fn tried_values(&self) -> Vec<tried_values::TriedValuesRow> {
        self.tried_points.rows(self.candidates)
    }

    /// Returns the snapshot of the search with the settings at its current point, at the pace of
    /// the games played since `started`.
    pub(super) fn snapshot(&self, started: Instant) -> Snapshot {
        let SearchRun { search, trials, candidates, .. } = self;
        let played = Some(trials.games_played() as f64).filter(|played| *played > 0.0);
        let pace = played.map(|played| played / started.elapsed().as_secs_f64());
        let gain = search.last_check().and_then(|check| check.gain).map(|estimate| {
            let gain = describe_gain(estimate, candidates.tune.objective);
            format!("gain over the initial settings at the last check: {gain}")
        });
        let setting = |(param, value): (&Param, f64)| {
            let value = if param.choices.is_empty() { round_value(value) } else { param.format_value(value) };
            [param.key.clone(), value, String::new()]
        };
        // A race has no settings.
        let table: Vec<_> = candidates.settings(self.current_point()).into_iter().map(setting).collect();
        Snapshot {
            remarks: gain.into_iter().collect(),
            log_remarks: table.iter().map(|[key, value, _]| format!("{key} {value}")).collect(),
            table,
            ..Snapshot::from_progress("search", self.progress(0, RunState::Plays, pace))
        }
    }
}

/// Rounds a setting to four decimals, enough to see it move.
fn round_value(value: f64) -> String {
    format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Describes a step that is being played.
pub(super) fn current_step(candidates: Candidates, step: &MethodStep, legs: u64, played: u64) -> CurrentStep {
    CurrentStep {
        kind: step.kind.name(),
        candidates: step.candidates.iter().map(|point| candidates.format_point(point)).collect(),
        games: legs * step.games(),
        played,
    }
}

fn new_search(tune: &TuneSection, seed: Seed) -> Search {
    match &tune.field {
        CandidateSpace::Params { params, method, .. } => {
            Search::with_settings(*method, &Axes::new(params).space(), tune.searches, seed)
        }
        CandidateSpace::Players { players, method } => {
            let points: Vec<Point> = (0..players.len()).map(|player| vec![player as f64]).collect();
            Search::with_players(*method, &points, seed)
        }
    }
}
