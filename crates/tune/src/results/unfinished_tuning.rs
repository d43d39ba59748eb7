//! A tuning that has not ended, as far as its journal goes.

use anyhow::Context;
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::store::manifest;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::store::snapshot::ResultsSnapshot;
use gauntlet_core::table::{Cell, Table, TypedRow, table};
use gauntlet_core::text::{display_path, format_count, format_games, shorten_number};
use gauntlet_run::progress::Progress;

use super::history::{BestRow, SearchHistory, SettingRow};
use super::path::columns;
use super::{BEST, CANDIDATES, TRAJECTORY, TRIED};

/// A tuning that has not ended. It has no answer and no verdict yet.
#[derive(Debug)]
pub struct UnfinishedTuning {
    pub snapshot: ResultsSnapshot,
    pub experiment: Experiment,
    /// The tuning's entry in its manifest.
    pub tuning_keys: manifest::TuningKeys,
    /// Settings and path of its search. The settings are those of the best point so far; in a race
    /// there is one, the player.
    pub history: SearchHistory,
    /// Current point of the search, a value for each setting. It becomes the best point only by a
    /// check.
    pub current_point: Vec<String>,
    /// Progress of its search.
    pub progress: Progress,
    /// The step that is being played; `None` if the search has ended and validation has not.
    pub current_step: Option<CurrentStep>,
    /// Candidates whose settings the player refused.
    pub refused_candidates: u64,
    /// The validations that have begun, each with its number, and its results if some blocks are
    /// complete.
    pub validations: Vec<(u64, Option<Results>)>,
    /// Sentences about journal lines that no longer count, or games of another version.
    pub journal_warnings: Vec<String>,
}

/// Warning that the numbers of a search favour its candidates.
pub const BIAS_WARNING: &str = "The games of the search are biased in favour of the best point. Only validation, with fresh games, decides whether the best point is better.";

/// The step that a search is playing.
#[derive(Debug)]
pub struct CurrentStep {
    /// Its purpose, in one word.
    pub kind: &'static str,
    /// Its candidates, each as a value for each setting.
    pub candidates: Vec<Vec<String>>,
    /// Its games, if no candidate is refused.
    pub games: u64,
    /// Its games that are already played.
    pub played: u64,
}

table! {
    /// A candidate that is played.
    struct Candidate(CANDIDATES, None) {
        candidate: u64, count();
        at: Vec<String>, settings();
    }
}

impl UnfinishedTuning {
    /// Describes what the method has done: steps taken, checks between them, candidates refused.
    pub fn describe_steps(&self) -> Vec<String> {
        let path = &self.history.path;
        let checks = path.iter().filter(|step| step.kept.is_some()).count();
        let mut clauses =
            vec![format_count((path.len() - checks) as u64, "step"), format_count(checks as u64, "check")];
        if self.refused_candidates > 0 {
            clauses.push(format!("{} refused", format_count(self.refused_candidates, "candidate")));
        }
        clauses
    }

    /// Describes the progress of the tuning.
    pub fn describe_progress(&self) -> String {
        match &self.current_step {
            Some(_) => format!("the search has played {}", self.progress.words()),
            None => {
                format!(
                    "the search has ended after {}, and validation is unfinished",
                    format_games(self.progress.done)
                )
            }
        }
    }

    /// Returns sentences that a reader must see first, starting with the fact that it has not
    /// ended.
    pub fn warnings(&self) -> Vec<String> {
        let status = format!(
            "{} is an unfinished tuning: {}; no verdict yet",
            display_path(self.snapshot.folder()),
            self.describe_progress()
        );
        std::iter::once(status).chain(self.journal_warnings.iter().cloned()).collect()
    }

    /// Returns a table by name. Fails if there is no such table before the end.
    pub fn table(&self, name: &str) -> anyhow::Result<Table> {
        let table = match name {
            BEST => Some(self.best_table()),
            CANDIDATES => self.candidates_table(),
            TRAJECTORY => Some(self.history.path_table(|_| true)),
            TRIED => self.history.tried_table(),
            _ => None,
        };
        let folder = display_path(self.snapshot.folder());
        table.with_context(|| format!("the tuning in {folder} has no table `{name}` until the tuning ends"))
    }

    /// Returns the tables for a terminal, with numbers rounded to a few digits.
    pub fn printed_tables(&self) -> Vec<Table> {
        let mut tables: Vec<Table> =
            std::iter::once(self.best_table()).chain(self.candidates_table()).collect();
        for cell in tables.iter_mut().flat_map(|table| &mut table.rows).flatten() {
            if let Cell::Text(text) = cell {
                *text = shorten_number(text);
            }
        }
        tables
    }

    /// Returns a table of each setting: at the start, at the best point so far, and now.
    pub fn best_table(&self) -> Table {
        let settings = self.history.settings.iter().map(SettingRow::new);
        BestRow::table(settings.zip(&self.current_point).map(BestRow::new))
    }

    /// Returns the table of candidates being played; `None` at the end of the search.
    pub fn candidates_table(&self) -> Option<Table> {
        let step = self.current_step.as_ref()?;
        let rows = (1..)
            .zip(&step.candidates)
            .map(|(candidate, values)| Candidate { candidate, at: values.clone() });
        Some(Candidate::table_with(&columns(&self.history.keys), rows))
    }
}
