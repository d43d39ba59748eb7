//! The journals of shards become one.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::bail;

use super::coverage::Coverage;
use super::journal::{Games, Journal, Line, Session};
use crate::config::Blocks;
use crate::plan::Plan;
use crate::record::{GameRecord, Times};

/// Takes the games of a plan that the journal lacks and the source has, and returns how many there were. Games that
/// both have must be the same: that of a reproducible player which is not is no game of this plan.
pub fn merge(plan: &Plan, journal: &mut Journal, source: &Journal) -> anyhow::Result<u64> {
    let lacking = lacking(plan, journal, source)?;
    let mut taken = 0;
    let panics = source.panics().iter().filter(|panic| !journal.panics().contains(panic));
    let panics: Vec<_> = panics.cloned().collect();
    if !lacking.is_empty() || !panics.is_empty() {
        let known: Vec<_> = journal.sessions().iter().map(identity).collect();
        let new = source.sessions().iter().filter(|session| !known.contains(&identity(session)));
        for session in new.cloned().collect::<Vec<_>>() {
            journal.begin(session)?;
        }
    }
    for part in lacking {
        let games = source.read(part.line)?;
        let records = records(&games, part.places.clone())?;
        taken += records.len() as u64;
        let mut taken = Games::of(&plan.entries[part.player].key, &records, plan.facts.len());
        match plan.blocks {
            Blocks::Derived { .. } => taken.first = Some(part.first),
            Blocks::Listed(_) => taken.seeds = games.seeds[part.places].to_vec(),
        }
        taken.jobs = games.jobs;
        // The times of a line are of all its games, and cannot be cut: they go with its first part.
        taken.times = if part.leads { games.times } else { Times::default() };
        journal.append_games(taken.framed())?;
    }
    for panic in panics {
        journal.append_panic(panic)?;
    }
    Ok(taken)
}

/// Games of one line that the journal lacks.
struct Lacking<'a> {
    player: usize,
    first: u64,
    line: &'a Line,
    places: Range<usize>,
    leads: bool,
}

/// Finds the games that the journal lacks, and compares those it has.
fn lacking<'a>(plan: &Plan, journal: &Journal, source: &'a Journal) -> anyhow::Result<Vec<Lacking<'a>>> {
    let known = Coverage::of(plan, journal)?;
    let offered = Coverage::of(plan, source)?;
    let mut lacking = Vec::new();
    for (player, entry) in plan.entries.iter().enumerate() {
        // Players with the same key share their games: taken once, they are there for all.
        if plan.entries[..player].iter().any(|earlier| earlier.key == entry.key) {
            continue;
        }
        for stretch in &offered.stretches[player] {
            let among = stretch.first..stretch.first + stretch.blocks;
            let missing = known.missing(player, &among);
            if missing != [among.clone()] && plan.is_reproducible() {
                let mine = known_records(player, &known, journal, &among)?;
                let games = source.read(stretch.line)?;
                let skip = stretch.skip as usize;
                let theirs = records(&games, skip..skip + stretch.blocks as usize)?;
                let differs = among
                    .clone()
                    .zip(&theirs)
                    .find(|(block, theirs)| mine.get(block).is_some_and(|mine| mine != *theirs));
                if let Some((block, _)) = differs {
                    bail!(
                        "{} and {} hold different games of {} on block {block}: one of them is not what this experiment plays",
                        journal.path().display(),
                        source.path().display(),
                        entry.name
                    );
                }
            }
            let mut leads = stretch.leads;
            for range in missing {
                let place = |block: u64| (stretch.skip + block - stretch.first) as usize;
                let places = place(range.start)..place(range.end);
                lacking.push(Lacking { player, first: range.start, line: stretch.line, places, leads });
                leads = false;
            }
        }
    }
    Ok(lacking)
}

fn known_records(
    player: usize,
    known: &Coverage,
    journal: &Journal,
    among: &Range<u64>,
) -> anyhow::Result<BTreeMap<u64, GameRecord>> {
    let mut mine = BTreeMap::new();
    let after =
        known.stretches[player].partition_point(|stretch| stretch.first + stretch.blocks <= among.start);
    for stretch in known.stretches[player][after..].iter().take_while(|stretch| stretch.first < among.end) {
        let games = journal.read(stretch.line)?;
        let skip = stretch.skip as usize;
        let records = records(&games, skip..skip + stretch.blocks as usize)?;
        mine.extend((stretch.first..).zip(records));
    }
    Ok(mine)
}

fn records(games: &Games, places: Range<usize>) -> anyhow::Result<Vec<GameRecord>> {
    match games.records().unwrap_or_default().get(places) {
        Some(records) => Ok(records.to_vec()),
        None => bail!("a line of a journal contradicts itself"),
    }
}

/// What tells one session from another; how long it took may be known later.
fn identity(session: &Session) -> (String, Option<String>, String, usize) {
    (session.started.clone(), session.shard.clone(), session.cpu.clone(), session.jobs)
}
