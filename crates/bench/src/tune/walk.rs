//! The walk of a search, from step to step: by the same code for a tuning that plays the games and for a look at one that has not
//! ended.

use super::candidates::{Candidates, root};
use super::search::{Row, Search};
use super::space::Axes;
use super::task::Halt;
use super::trials::Trials;
use super::tried::Tried;
use crate::config::tune::{Field, Tune};
use crate::methods::method::{Point, Step};
use crate::player::Stop;
use crate::results::tunings::{path, tried};
use crate::rng::Seed;

/// A search, the games on which it goes, and what it tried on its way.
pub(super) struct Walk<'a> {
    pub(super) search: Search,
    pub(super) trials: Trials<'a>,
    candidates: Candidates<'a>,
    tried: Tried,
}

impl<'a> Walk<'a> {
    /// A search at its start.
    pub(super) fn begin(candidates: Candidates<'a>, trials: Trials<'a>) -> Walk<'a> {
        let seed = root(candidates.experiment).child("search", 0);
        Walk { search: search(candidates.tune, seed), trials, candidates, tried: Tried::new(candidates) }
    }

    /// Goes to the end of the search. Where games of a step are not there it ends before, and returns that step with the reason.
    pub(super) fn go(
        &mut self,
        stop: &Stop,
        tell: &mut dyn FnMut(&Search, &Trials),
    ) -> Result<(), (Step, Halt)> {
        // A block of a game of two has two games, and a search counts blocks.
        let blocks = self.candidates.tune.budget / self.legs();
        while let Some(step) = self.search.ask(blocks - self.search.spent()) {
            match self.trials.play_step(&step, stop) {
                Ok(losses) => {
                    self.search.tell(&step, &losses);
                    self.tried.add(self.candidates, &step, &losses);
                }
                Err(halt) => return Err((step, halt)),
            }
            tell(&self.search, &self.trials);
        }
        Ok(())
    }

    /// Games of a block.
    pub(super) fn legs(&self) -> u64 {
        self.candidates.experiment.arena().shape.legs() as u64
    }

    /// Games that the search has spent.
    pub(super) fn spent(&self) -> u64 {
        self.legs() * self.search.spent()
    }

    /// The steps that it has taken, as tables have them.
    pub(super) fn steps(&self) -> Vec<path::Step> {
        let step = |row: &Row| path::Step {
            games: self.legs() * row.games,
            kind: row.kind.name().to_owned(),
            kept: row.check.map(|check| check.is_kept),
            gain: row.check.and_then(|check| check.gain),
            at: self.candidates.written_at(&row.point),
        };
        self.search.rows().iter().map(step).collect()
    }

    /// What it has tried, likewise.
    pub(super) fn tried(&self) -> Vec<tried::Tried> {
        self.tried.told(self.candidates)
    }
}

fn search(tune: &Tune, seed: Seed) -> Search {
    match &tune.field {
        Field::Params { params, method, .. } => {
            Search::of_settings(*method, &Axes::of(params).space(), tune.starts, seed)
        }
        Field::Players { players, method } => {
            let points: Vec<Point> = (0..players.len()).map(|player| vec![player as f64]).collect();
            Search::of_players(*method, &points, seed)
        }
    }
}
