//! Tunes a player: looks for settings that are better, and shows on fresh games whether they are.
//! [`tune()`] is the whole of it.
//!
//! - `task`: what is asked for; `answer`: what was found
//! - [`search`]: a method, and beside it what keeps the best point found so far
//! - `space`: from points of the box to values of settings; `candidates`: from points to players;
//!   `trials`: their games; [`team`]: several processes that play them; [`workers`]: how far these
//!   are
//! - `play_out`: an experiment that a tuning made, played like any other
//! - [`validation`]: the answer beside the start, on games that the search never saw
//! - [`explain`]: what each setting does around the answer
//! - `files`: the files that a tuning leaves; [`results`]: the same, read back
//! - `walk`: from step to step, as far as there are games; `tried`: the values that were tried on
//!   the way; [`unfinished`]: how far a tuning is that has not ended
//! - [`ask`]: a tuning whose search is another program
//!
//! A search is a function of the losses that it is told, and a loss is a function of the games in
//! the journal. So a tuning that was stopped goes on by telling the search again what the journal
//! holds, and ends as one that was never stopped.

mod answer;
pub mod ask;
mod candidates;
pub mod explain;
pub mod files;
mod play_out;
pub mod results;
pub mod search;
mod space;
mod task;
pub mod team;
#[cfg(test)]
mod tests;
mod trials;
mod tried;
pub mod unfinished;
pub mod validation;
mod walk;
pub mod workers;

use crate::results::ends;
pub use answer::Answer;
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::config::tune::{self, Tune};
use gauntlet_core::player::Stop;
use gauntlet_run::blocks::Blocks;
use gauntlet_run::plan::{Plan, Planned, Shard};

use candidates::Candidates;
use explain::{Explained, explain};
use files::{Known, TuningFiles};
use space::Axes;
pub use space::Tuned;
pub use task::{Dropped, Halt, Task};
use team::{Helper, Patience};
pub use trials::Games;
use trials::Trials;
pub use validation::Validation;
use validation::validate;
pub use walk::Seen;
use walk::Walk;

/// State of a tuning, for a person who waits for it.
pub enum News<'a> {
    /// The search takes a step, or has come to its end.
    Searched(Seen<'a>),
    /// The games of another worker cannot be read: which, and why.
    Unread(&'a str),
    /// Validation begins: its number, and how many games each of both players plays at most.
    Validates(u64, u64),
    /// The games that explain the answer begin: how many in all.
    Explains(u64),
}

/// End of a tuning.
#[derive(Debug)]
pub enum End {
    /// It was stopped; what was played is in the journals. If nothing was: a block that needs more
    /// time.
    Stopped(Option<Dropped>),
    /// It has an answer.
    Answered(Box<Answer>),
}

/// Games by which one can tell what those of a tuning cost: of the player as it stands; of a race,
/// of each player.
pub fn as_it_stands<'a>(experiment: &'a Experiment, tune: &'a Tune) -> Plan<'a> {
    let candidates = Candidates { experiment, tune };
    let players = candidates.written_all().map(|(name, entrant)| Planned { name, entrant });
    let seed = candidates::root(experiment).child("cost", 0).number();
    candidates.plan(players.collect(), Blocks::Derived { seed, games: tune.budget })
}

/// Tunes a player, as far as the journal in the folder does not tell the outcome already, and
/// writes what was found.
pub fn tune(task: &Task, stop: &Stop, news: &mut dyn FnMut(&News)) -> anyhow::Result<End> {
    match answered(task, stop, news) {
        Ok(answer) => Ok(End::Answered(Box::new(answer))),
        Err(Halt::Stopped(dropped)) => Ok(End::Stopped(dropped)),
        Err(Halt::Failed(error)) => Err(error),
    }
}

/// Plays shares of the games of a tuning that another process leads, until its search has ended.
/// Returns how many games this one has played; if it was stopped before, a block that needs more
/// time than there was.
pub fn help(
    task: &Task,
    share: Shard,
    stop: &Stop,
    patience: Patience,
) -> anyhow::Result<Result<u64, Option<Dropped>>> {
    let candidates = Candidates { experiment: task.experiment, tune: task.tune };
    let Some((helper, journal)) = Helper::begin(task, share, stop, patience)? else { return Ok(Err(None)) };
    let mut walk = Walk::begin(candidates, Trials::helping(candidates, task, helper, journal));
    let walked = walk.go(stop, &mut |_| ());
    walk.trials.close()?;
    match walked {
        Ok(()) => Ok(Ok(walk.trials.played())),
        Err((_, Halt::Stopped(dropped))) => Ok(Err(dropped)),
        Err((_, Halt::Failed(error))) => Err(error),
    }
}

fn answered(task: &Task, stop: &Stop, news: &mut dyn FnMut(&News)) -> Result<Answer, Halt> {
    let Task { experiment, tune, .. } = *task;
    let candidates = Candidates { experiment, tune };
    // The journal is locked from here on, so no other process writes into the folder.
    let trials = Trials::new(candidates, task)?;
    validation::check(task)?;
    let mut leaves = TuningFiles::begin(task)?;
    let mut walk = Walk::begin(candidates, trials);
    let legs = walk.legs();
    let mut unread = 0;
    let mut tell = |seen: Seen| {
        let all = seen.unread();
        all[unread..].iter().for_each(|why| news(&News::Unread(why)));
        unread = all.len();
        news(&News::Searched(seen));
    };
    let walked = walk.go(stop, &mut tell);
    let (steps, tried, spent) = (walk.steps(), walk.tried(), walk.spent());
    let Walk { search, mut trials, .. } = walk;
    let played = trials.played();
    let start = search.start().clone();
    let point = search.answer().clone();
    let sides = [("start", &start), ("tuned", &point)].map(|(name, point)| {
        candidates
            .side(name, point)
            .expect("the player takes the settings of the start and of what was played")
    });
    let journal = trials.close()?;
    leaves.trajectory(&steps)?;
    leaves.tried(&tried)?;
    let other = |end: &search::End| ends::EndPoint {
        games: legs * end.games,
        less: end.less,
        pairs: Some(end.pairs),
        at: candidates.written_at(&end.point),
    };
    let ends: Vec<_> = search.ends().iter().map(other).collect();
    leaves.ends(&ends)?;
    walked.map_err(|(_, halt)| halt)?;
    let known = if point == start { Known::AtItsStart } else { Known::NotYet };
    leaves.tuned(&sides[1], candidates.name(&point), known)?;

    let validation = if point == start {
        None
    } else {
        let mut tell = |number, games| news(&News::Validates(number, games));
        Some(validate(task, &sides, &mut tell, stop).map_err(|halt| halt.after(played))?)
    };
    leaves.tuned(&sides[1], candidates.name(&point), Known::at_the_end(validation.as_ref()))?;
    leaves.validation(validation.as_ref())?;
    if let tune::Field::Params { params, .. } = &tune.field
        && tune.explain > 0
    {
        let of = Explained { task, candidates, params, start: &start, answer: &point };
        let explained = explain(&of, &mut |games| news(&News::Explains(games)), stop);
        let importance = explained.map_err(|halt| halt.after(played))?;
        leaves.importance(&importance)?;
    }
    let is_race = matches!(tune.field, tune::Field::Players { .. });
    let winner = is_race.then(|| [&start, &point].map(|point| candidates.name(point).to_owned()));
    let settings = match &tune.field {
        tune::Field::Params { params, .. } => {
            let axes = Axes::of(params);
            axes.tuned(&axes.values(&start), &axes.values(&point))
        }
        tune::Field::Players { .. } => Vec::new(),
    };
    let answer =
        Answer { settings, winner, ends, validation, games: spent, played, refused: search.refused() };
    leaves.finish(tune.field.method(), &answer, journal)?;
    Ok(answer)
}
