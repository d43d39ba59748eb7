//! The journals of shards become one.

use anyhow::{Context, bail};

use super::coverage::{Coverage, Stretch, by_line};
use super::journal::{Games, Journal, Session};
use crate::config::Blocks;
use crate::plan::Plan;
use crate::record::GameRecord;

/// Takes the games of a plan that the journal lacks and the source has, and returns how many there were. Games that
/// both have must be the same: that of a reproducible player which is not is no game of this plan.
pub fn merge(plan: &Plan, journal: &mut Journal, source: &Journal) -> anyhow::Result<u64> {
    let mut lacking = Vec::new();
    {
        let known = Coverage::of(plan, journal)?;
        let offered = Coverage::of(plan, source)?;
        for (player, entry) in plan.entries.iter().enumerate() {
            // Players with the same key share their games: taken once, they are there for all.
            if plan.entries[..player].iter().any(|earlier| earlier.key == entry.key) {
                continue;
            }
            if plan.is_reproducible() {
                compare(plan, player, (&known, journal), (&offered, source))?;
            }
            lacking.push((entry, lacking_of(player, &known, &offered)));
        }
    }
    let panics =
        source.panics().filter(|panic| journal.panic(&panic.key, panic.seed) != Some(&panic.message));
    let panics: Vec<_> = panics.collect();
    if lacking.iter().any(|(_, stretches)| !stretches.is_empty()) || !panics.is_empty() {
        let known: Vec<_> = journal.sessions().iter().map(identity).collect();
        let new = source.sessions().iter().filter(|session| !known.contains(&identity(session)));
        for session in new.cloned().collect::<Vec<_>>() {
            journal.begin(session)?;
        }
    }
    let mut taken = 0;
    for (entry, stretches) in &lacking {
        for (line, stretches) in by_line(stretches) {
            taken += take(plan, &entry.key, journal, &source.read(line)?, &stretches)?;
        }
    }
    for panic in panics {
        journal.append_panic(panic)?;
    }
    Ok(taken)
}

/// The stretches of a player's games that the journal lacks.
fn lacking_of<'a>(player: usize, known: &Coverage, offered: &Coverage<'a>) -> Vec<Stretch<'a>> {
    let mut lacking = Vec::new();
    for &stretch in &offered.stretches[player] {
        let mut leads = stretch.leads;
        for range in known.missing(player, &(stretch.first..stretch.first + stretch.blocks)) {
            let skip = stretch.skip + range.start - stretch.first;
            let blocks = range.end - range.start;
            lacking.push(Stretch { first: range.start, blocks, skip, leads, ..stretch });
            leads = false;
        }
    }
    lacking
}

/// Takes some stretches of one line, and returns how many games that were. Blocks that are numbered must follow each
/// other within a line of the journal; seeds that are listed need not.
fn take(
    plan: &Plan,
    key: &str,
    journal: &mut Journal,
    games: &Games,
    stretches: &[Stretch],
) -> anyhow::Result<u64> {
    let records = games.records().context("a line of a journal contradicts itself")?;
    let mut taken = 0;
    let together = match plan.blocks {
        Blocks::Derived { .. } => 1,
        Blocks::Listed(_) => stretches.len(),
    };
    // The times of a line are of all its games, and cannot be cut: they go with its first part.
    let mut times = stretches.iter().any(|stretch| stretch.leads).then(|| games.times.clone());
    for stretches in stretches.chunks(together) {
        let places = stretches.iter().flat_map(|stretch| stretch.skip..stretch.skip + stretch.blocks);
        let places: Vec<usize> = places.map(|place| place as usize).collect();
        let of_places = |place: &usize| records.get(*place).copied();
        let records: Option<Vec<GameRecord>> = places.iter().map(of_places).collect();
        let records = records.context("a line of a journal contradicts itself")?;
        let mut part = Games::of(key, &records, plan.facts.len());
        match plan.blocks {
            Blocks::Derived { .. } => part.first = Some(stretches[0].first),
            Blocks::Listed(_) => part.seeds = places.iter().map(|&place| games.seeds[place]).collect(),
        }
        part.jobs = games.jobs;
        part.times = times.take().unwrap_or_default();
        journal.append_games(part.framed())?;
        taken += records.len() as u64;
    }
    Ok(taken)
}

/// Finds out whether the games of a player that two journals hold are the same in both.
fn compare(
    plan: &Plan,
    player: usize,
    (known, mine): (&Coverage, &Journal),
    (offered, theirs): (&Coverage, &Journal),
) -> anyhow::Result<()> {
    for window in offered.windows(player) {
        let among = window[0].first..window.last().map_or(0, |last| last.first + last.blocks);
        let held = known.touching(player, &among);
        if held.is_empty() {
            continue;
        }
        let (my_games, their_games) = (records(mine, held)?, records(theirs, window)?);
        let differs = their_games.iter().find(|(block, record)| {
            let found = my_games.binary_search_by_key(block, |(block, _)| *block);
            found.is_ok_and(|place| my_games[place].1 != *record)
        });
        if let Some((block, _)) = differs {
            bail!(
                "{} and {} hold different games of {} on block {block}: one of them is not what this experiment plays",
                mine.path().display(),
                theirs.path().display(),
                plan.entries[player].name
            );
        }
    }
    Ok(())
}

/// The records of some stretches, by block.
fn records(journal: &Journal, stretches: &[Stretch]) -> anyhow::Result<Vec<(u64, GameRecord)>> {
    let mut found = Vec::new();
    for (line, stretches) in by_line(stretches) {
        let records = journal.read(line)?.records().context("a line of a journal contradicts itself")?;
        for stretch in stretches {
            let asked = stretch.skip as usize..(stretch.skip + stretch.blocks) as usize;
            let records = records.get(asked).context("a line of a journal contradicts itself")?;
            found.extend((stretch.first..).zip(records.iter().copied()));
        }
    }
    found.sort_unstable_by_key(|(block, _)| *block);
    Ok(found)
}

/// What tells one session from another; how long it took may be known later.
fn identity(session: &Session) -> (String, Option<String>, String, usize) {
    (session.started.clone(), session.shard.clone(), session.cpu.clone(), session.jobs)
}
