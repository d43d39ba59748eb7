//! A tuning that has not come to its end, as far as its journal goes.

use anyhow::Context;
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::store::manifest;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::store::set::Set;
use gauntlet_core::table::{Cell, Table, TypedRow, table};
use gauntlet_core::text::{at_a_glance, counted, games, shown};
use gauntlet_run::progress::Progress;

use super::course::{BestRow, Course, SettingRow};
use super::path::columns;
use super::{BEST, CANDIDATES, TRAJECTORY, TRIED};

/// A tuning that has not come to its end. It has no answer yet, and no verdict.
#[derive(Debug)]
pub struct Unfinished {
    /// Its files.
    pub set: Set,
    /// The experiment.
    pub experiment: Experiment,
    /// Keys of the tuning in its manifest.
    pub told: manifest::Tuning,
    /// The course of its search. Its settings are those of the best point so far; of a race there
    /// is one, the player.
    pub course: Course,
    /// Where the search stands, which is not the best point until a check has said so: a value for
    /// each setting.
    pub now: Vec<String>,
    /// How far its search is.
    pub progress: Progress,
    /// The step that it plays; none where the search has come to its end, and validation has not.
    pub in_hand: Option<InHand>,
    /// Candidates that the player refused.
    pub refused: u64,
    /// Its validations that have begun, each with its number, and its results if some blocks are
    /// complete.
    pub validations: Vec<(u64, Option<Results>)>,
    /// Lines of its journal that count no more, or games of another version, in sentences.
    pub doubts: Vec<String>,
}

/// What the numbers of a search are, and are not.
pub const FAVOURED: &str = "The search chooses by its own games, so they favour what it has found. Whether that is better, \
                            validation will say, on games that the search never saw.";

/// The step that a search plays.
#[derive(Debug)]
pub struct InHand {
    /// Its purpose, in a word.
    pub kind: &'static str,
    /// Its candidates, each by a value for each setting.
    pub candidates: Vec<Vec<String>>,
    /// Its games, if no candidate is refused.
    pub games: u64,
    /// Those of them that are played.
    pub played: u64,
}

table! {
    /// A candidate that is played.
    struct Candidate(CANDIDATES, None) {
        candidate: u64, count();
        at: Vec<String>, settings();
    }
}

impl Unfinished {
    /// The steps that the method has taken, the checks between them, and what the player refused,
    /// in words.
    pub fn done(&self) -> Vec<String> {
        let path = &self.course.path;
        let checks = path.iter().filter(|step| step.kept.is_some()).count();
        let mut done = vec![counted((path.len() - checks) as u64, "step"), counted(checks as u64, "check")];
        if self.refused > 0 {
            done.push(format!("{} refused", counted(self.refused, "candidate")));
        }
        done
    }

    /// How far it is, in words.
    pub fn stands(&self) -> String {
        match &self.in_hand {
            Some(_) => format!("its search has played {}", self.progress.words()),
            None => {
                format!("its search has ended after {}, and validation has not", games(self.progress.done))
            }
        }
    }

    /// What a reader must know before all else, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        let own = format!(
            "{} is a tuning that has not ended: {}; so there is no answer yet, and no verdict",
            shown(self.set.folder()),
            self.stands()
        );
        std::iter::once(own).chain(self.doubts.iter().cloned()).collect()
    }

    /// A table. Fails if there is none of this name before the end.
    pub fn table(&self, name: &str) -> anyhow::Result<Table> {
        let table = match name {
            BEST => Some(self.best_table()),
            CANDIDATES => self.candidates_table(),
            TRAJECTORY => Some(self.course.path_table(|_| true)),
            TRIED => self.course.tried_table(),
            _ => None,
        };
        let folder = shown(self.set.folder());
        table.with_context(|| format!("the tuning in {folder} has no table `{name}` before its end"))
    }

    /// The tables that a person is shown: numbers of many digits have a few.
    pub fn printed(&self) -> Vec<Table> {
        let mut tables: Vec<Table> =
            std::iter::once(self.best_table()).chain(self.candidates_table()).collect();
        for cell in tables.iter_mut().flat_map(|table| &mut table.rows).flatten() {
            if let Cell::Text(text) = cell {
                *text = at_a_glance(text);
            }
        }
        tables
    }

    /// Each setting: at the start, at the best point so far, and where the search stands.
    pub fn best_table(&self) -> Table {
        let settings = self.course.settings.iter().map(SettingRow::of);
        BestRow::table(settings.zip(&self.now).map(BestRow::of))
    }

    /// The candidates that are played; none at the end of the search.
    pub fn candidates_table(&self) -> Option<Table> {
        let step = self.in_hand.as_ref()?;
        let rows = (1..).zip(&step.candidates).map(|(candidate, at)| Candidate { candidate, at: at.clone() });
        Some(Candidate::table_with(&columns(&self.course.keys), rows))
    }
}
