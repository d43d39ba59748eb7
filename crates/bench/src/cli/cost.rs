//! What an experiment will cost, and its tuning: told from a few games, of which nothing is kept.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::config::Experiment;
use crate::config::tune::{Field, Tune};
use crate::game::Shape;
use crate::plan::Plan;
use crate::results::store::folder::EXPERIMENT;
use crate::results::store::tuning::{is_unfinished, manifest};
use crate::run::memory::threads_within;
use crate::run::{cost, machine};
use crate::text::{bytes, duration, games, shown, time_span};
use crate::tune::{as_it_stands, unfinished::unfinished};

/// Tells what the blocks that are left of each line-up will cost.
pub(super) fn tell(plan: &Plan, left_of: &[(usize, u64)], out: &mut impl Write) -> anyhow::Result<()> {
    threads_within(plan, 1, machine::memory())?;
    let (mut seconds, mut longest, mut journal) = (0.0, 0.0_f64, 0.0);
    let mut is_at_least = false;
    for &(lineup, left) in left_of.iter().filter(|(_, left)| *left > 0) {
        if plan.members(lineup).any(|player| player.entrant.command().is_some()) {
            writeln!(
                out,
                "  cost of {}: not tried, for nothing starts another program here",
                plan.title(lineup)
            )?;
            continue;
        }
        let cost = cost::of(plan, lineup, cost::PATIENCE)?;
        let (title, games_of) = (plan.title(lineup), plan.legs() as f64);
        let each = duration(1000.0 * cost.seconds / games_of);
        let more = if cost.is_at_least { "more than " } else { "" };
        let of = games(plan.legs() * cost.blocks);
        let all = time_span(cost.seconds * left as f64);
        writeln!(
            out,
            "  cost of {title}: {more}{each} a game ({of} played), {more}{all} of one core in all"
        )?;
        out.flush()?;
        seconds += cost.seconds * left as f64;
        longest = longest.max(cost.seconds);
        journal += cost.bytes * left as f64;
        is_at_least |= cost.is_at_least;
    }
    let blocks: u64 = left_of.iter().map(|(_, left)| left).sum();
    let cores = (machine::cores() as u64).min(blocks).max(1);
    // No block is played by two threads.
    let here = (seconds / cores as f64).max(longest);
    let more = if is_at_least { "more than " } else { "about " };
    let cores = if cores == 1 { "one core".to_owned() } else { format!("{cores} cores") };
    writeln!(
        out,
        "  cost in all: {more}{} of one core, {more}{} here on {cores}; the journal will take about {}",
        time_span(seconds),
        time_span(here),
        bytes(journal)
    )?;
    Ok(())
}

/// Tells what a tuning will cost: the search and the validation apart, and what a look at the player as it stands cannot tell.
pub(super) fn tell_of_tuning(
    experiment: &Experiment,
    tune: &Tune,
    folder: &Path,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let there = there(experiment, folder)?;
    if let There::Answered(budget) = there
        && budget >= tune.budget
    {
        let held = games(budget);
        writeln!(out, "  cost of tuning: none, {} holds the answer of a search of {held}", shown(folder))?;
        return Ok(());
    }
    let plan = as_it_stands(experiment, tune);
    threads_within(&plan, 1, machine::memory())?;
    let legs = plan.legs() as f64;
    let (mut seconds, mut size, mut sampled) = (0.0, 0.0, 0);
    let mut is_at_least = false;
    for lineup in 0..plan.lineups.len() {
        if plan.members(lineup).any(|player| player.entrant.command().is_some()) {
            writeln!(out, "  cost of tuning: not tried, for nothing starts another program here")?;
            return Ok(());
        }
        let cost = cost::of(&plan, lineup, cost::PATIENCE)?;
        seconds += cost.seconds / legs / plan.lineups.len() as f64;
        size += cost.bytes / legs / plan.lineups.len() as f64;
        sampled += plan.legs() * cost.blocks;
        is_at_least |= cost.is_at_least;
    }
    let more = if is_at_least { "more than " } else { "about " };
    let whose = match &tune.field {
        Field::Params { .. } => "the player as it stands".to_owned(),
        Field::Players { players, .. } => format!("the {} players", players.len()),
    };
    let each = duration(1000.0 * seconds);
    writeln!(out, "  cost of tuning: {more}{each} a game, by {whose} ({} played)", games(sampled))?;
    let priced =
        |count: u64| format!("{}, {more}{} of one core", games(count), time_span(seconds * count as f64));
    let (cores, left) = (machine::cores(), tune.budget.saturating_sub(there.played()));
    let held = match there.played() {
        0 => String::new(),
        played => format!(", {} of it are played", games(played)),
    };
    let here = if cores > 1 {
        format!(" and no less than {} here on {cores}", time_span(seconds * left as f64 / cores as f64))
    } else {
        String::new()
    };
    writeln!(
        out,
        "    search: {}{here}; its journal will grow by about {}{held}",
        priced(left),
        bytes(size * left as f64)
    )?;
    let both = match experiment.arena().shape {
        Shape::Solo => 2 * tune.validate.games,
        Shape::Duel => tune.validate.games,
    };
    let at_most = if tune.validate.sprt.is_some() { "at most " } else { "" };
    writeln!(out, "    validation: {at_most}{}", priced(both))?;
    if tune.explain > 0 {
        writeln!(out, "    slices: {}", priced(tune.explain))?;
    }
    let mut unknown = vec![match &tune.field {
        Field::Params { .. } => "how long candidates think: this is the time of the player as it stands",
        Field::Players { .. } => "how many of the games are whose: this is the mean of the players",
    }];
    if tune.validate.sprt.is_some() {
        unknown.push("when the test ends validation");
    }
    unknown.push("how well steps of few games use all cores");
    unknown.push("whether the search finds anything to validate");
    writeln!(out, "    not known: {}", unknown.join("; "))?;
    Ok(())
}

/// What the folder of a tuning holds.
enum There {
    /// The answer of a search with this budget.
    Answered(u64),
    /// These games of a search.
    Played(u64),
}

impl There {
    /// Games of the search that need not be played.
    fn played(&self) -> u64 {
        match self {
            There::Answered(games) | There::Played(games) => *games,
        }
    }
}

/// Of another experiment, or where it cannot be read, it is nothing: then all games are priced.
fn there(experiment: &Experiment, folder: &Path) -> anyhow::Result<There> {
    if !fs::read(folder.join(EXPERIMENT)).is_ok_and(|kept| kept == experiment.text().as_bytes()) {
        return Ok(There::Played(0));
    }
    if is_unfinished(folder) {
        let unfinished = unfinished(experiment.arenas(), folder);
        return Ok(There::Played(unfinished.map_or(0, |unfinished| unfinished.played())));
    }
    let budget = manifest(folder)?.and_then(|manifest| Some(manifest.tuning()?.budget));
    Ok(budget.map_or(There::Played(0), There::Answered))
}
