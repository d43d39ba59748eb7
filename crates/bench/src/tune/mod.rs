//! Tunes a player: looks for settings that are better, and shows on fresh games whether they are. [`tune()`] is the whole of it.
//!
//! - [`method`]: the contract of a method, which knows points of a box and numbers, and nothing of games
//! - [`spsa`], [`cma_es`], [`race`]: the methods
//! - [`starts`]: several starting points
//! - `paired`: losses on the same blocks, compared; `tail`: the average of the last half of a path; `normal`, `jacobi`: what
//!   the normal distribution of `cma_es` needs
//! - `task`: what is asked for; `answer`: what was found
//! - [`search`]: a method, and beside it what keeps the best point found so far
//! - `space`: from points of the box to values of settings; `candidates`: from points to players; `field`: where these play
//! - `play_out`: an experiment that a tuning made, played like any other
//! - [`validation`]: the answer beside the start, on games that the search never saw
//! - [`explain`]: what each setting does around the answer
//! - `leaves`: the files that a tuning leaves
//! - [`ask`]: a tuning whose search is another program
//!
//! A search is a function of the losses that it is told, and a loss is a function of the games in the journal. So a tuning that
//! was stopped goes on by telling the search again what the journal holds, and ends as one that was never stopped.

mod answer;
pub mod ask;
mod candidates;
pub mod cma_es;
pub mod explain;
mod field;
mod jacobi;
pub mod leaves;
pub mod method;
mod normal;
mod paired;
mod play_out;
pub mod race;
pub mod search;
mod space;
pub mod spsa;
pub mod starts;
mod tail;
mod task;
#[cfg(test)]
mod tests;
pub mod validation;

use crate::config::tune::{self, MethodName, Tune};
use crate::player::Stop;
pub use answer::Answer;
use candidates::{Candidates, root};
use explain::{Explained, explain};
use field::Field;
pub use field::Games;
use leaves::{Known, Leaves};
use method::Kind;
use search::{Approach, Search};
use space::Axes;
pub use space::Tuned;
pub use task::{Halt, Task};
use validation::validate;

/// State of a tuning, for a person who waits for it.
pub enum News<'a> {
    /// The search took a step.
    Searched {
        /// The search.
        search: &'a Search,
        /// The setting at its present point, each with its value.
        settings: Vec<(&'a str, f64)>,
        /// Games of the search.
        spent: u64,
        /// Games played now, and not found in the journal.
        played: u64,
    },
    /// Validation begins: its number, and how many games each of both players plays at most.
    Validates(u64, u64),
    /// The games that explain the answer begin: how many in all.
    Explains(u64),
}

/// End of a tuning.
#[derive(Debug)]
pub enum End {
    /// It was stopped; what was played is in the journals.
    Stopped,
    /// It has an answer.
    Answered(Box<Answer>),
}

/// Tunes a player, as far as the journal in the folder does not tell the outcome already, and writes what was found.
pub fn tune(task: &Task, stop: &Stop, news: &mut dyn FnMut(&News)) -> anyhow::Result<End> {
    match answered(task, stop, news) {
        Ok(answer) => Ok(End::Answered(Box::new(answer))),
        Err(Halt::Stopped) => Ok(End::Stopped),
        Err(Halt::Failed(error)) => Err(error),
    }
}

fn answered(task: &Task, stop: &Stop, news: &mut dyn FnMut(&News)) -> Result<Answer, Halt> {
    let Task { experiment, tune, .. } = *task;
    let candidates = Candidates { experiment, tune };
    // The journal is locked from here on, so no other process writes into the folder.
    let mut field = Field::new(candidates, task)?;
    let mut leaves = Leaves::begin(task)?;
    let mut search = Search::from_starts(approach(tune), tune.starts, root(experiment).child("search", 0));
    let mut halt = None;
    // A block of a game of two has two games, and a search counts blocks.
    let legs = experiment.arena().shape.legs() as u64;
    while let Some(step) = search.ask(tune.budget / legs - search.spent()) {
        match field.play_step(&step, stop) {
            Ok(losses) => search.tell(&step, &losses),
            Err(halted) => {
                halt = Some(halted);
                break;
            }
        }
        let at = search.rows().last().map_or(search.answer(), |row| &row.point);
        let settings = candidates.settings(at);
        let spent = legs * search.spent();
        news(&News::Searched { search: &search, settings, spent, played: field.played });
    }
    let played = field.played;
    let start = search.start().clone();
    let point = search.answer().clone();
    let sides = [("start", &start), ("tuned", &point)].map(|(name, point)| {
        candidates
            .side(name, point)
            .expect("the player takes the settings of the start and of what was played")
    });
    let journal = field.close()?;
    leaves.trajectory(&search, candidates)?;
    if let Some(halt) = halt {
        return Err(halt);
    }
    let known = if point == start { Known::AtItsStart } else { Known::NotYet };
    leaves.tuned(&sides[1], candidates.name(&point), known)?;

    let validation = if point == start {
        None
    } else {
        Some(validate(task, &sides, &mut |number, games| news(&News::Validates(number, games)), stop)?)
    };
    leaves.tuned(&sides[1], candidates.name(&point), Known::at_the_end(validation.as_ref()))?;
    leaves.validation(validation.as_ref())?;
    if let tune::Field::Params { params, .. } = &tune.field
        && tune.explain > 0
    {
        let of = Explained { task, candidates, params, start: &start, answer: &point };
        let importance = explain(&of, &mut |games| news(&News::Explains(games)), stop)?;
        leaves.importance(&importance)?;
    }
    let is_race = matches!(tune.field, tune::Field::Players(_));
    let winner = is_race.then(|| [&start, &point].map(|point| candidates.name(point).to_owned()));
    let settings = match &tune.field {
        tune::Field::Params { params, .. } => {
            let axes = Axes::of(params);
            axes.tuned(&axes.values(&start), &axes.values(&point))
        }
        tune::Field::Players(_) => Vec::new(),
    };
    let answer = Answer {
        settings,
        winner,
        validation,
        games: legs * search.spent(),
        played,
        refused: search.refused(),
        steps: search.rows().iter().filter(|row| row.kind == Kind::Step).count() as u64,
    };
    leaves.finish(tune.method.name(), &answer, journal)?;
    Ok(answer)
}

fn approach(tune: &Tune) -> Approach {
    match (&tune.field, tune.method) {
        (tune::Field::Players(players), _) => {
            Approach::Race((0..players.len()).map(|player| vec![player as f64]).collect())
        }
        (tune::Field::Params { params, .. }, MethodName::CmaEs) => Approach::CmaEs(Axes::of(params).space()),
        (tune::Field::Params { params, .. }, _) => Approach::Spsa(Axes::of(params).space()),
    }
}
