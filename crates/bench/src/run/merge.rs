//! The journals of shards become one.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::{Context, bail};

use super::coverage::{Coverage, Stretch, by_line, firsts, lead};
use super::journal::{Counted, Games, Journal, JournalLine, Panic, Session};
use super::keyed::Keyed;
use super::{programs, sound};
use crate::config::Blocks;

/// Takes the games of a plan that the journal lacks and the sources have, and returns how many there were. Games of a
/// reproducible line-up that two journals hold must be the same in both, and all must be games that can have been played, or
/// nothing is taken.
pub fn merge(plan: &Keyed, journal: &mut Journal, sources: &[Coverage]) -> anyhow::Result<u64> {
    let own = Coverage::of(plan, journal)?;
    let all: Vec<&Coverage> = std::iter::once(&own).chain(sources).collect();
    programs::check_same(plan, all.iter().map(|coverage| coverage.journal))?;
    for (place, offered) in all.iter().enumerate() {
        check(plan, offered)?;
        all[..place].iter().try_for_each(|known| known.compare(plan, offered))?;
    }
    sources.iter().map(|source| take_all(plan, journal, source)).sum()
}

/// Fails unless all that a journal holds of a plan can have been played, or was played again since.
pub fn check(plan: &Keyed, coverage: &Coverage) -> anyhow::Result<()> {
    let journal = coverage.journal;
    if let Some(dispute) = &coverage.disputed {
        bail!(
            "{}. `gauntlet run` (of a shard, with --shard) plays the games of both lines again",
            dispute.told
        );
    }
    for line in &coverage.flawed {
        let Some(lineup) = (0..plan.lineups.len()).find(|&lineup| plan.key(lineup) == &*line.key) else {
            continue;
        };
        let bytes = journal.read_raw(line)?;
        let flaw = sound::flaw(plan, lineup, &bytes).unwrap_or_default();
        if !is_healed(plan, lineup, coverage, line) {
            bail!(
                "{}: {flaw}. If you trust the rest of the journal, play these games again with `gauntlet run` (of a \
                 shard, with --shard); if not, remove it",
                journal.place(line)
            );
        }
    }
    Ok(())
}

/// True if the journal holds all games of this line in other lines, too.
fn is_healed(plan: &Keyed, lineup: usize, coverage: &Coverage, line: &JournalLine) -> bool {
    let is_held = |blocks: Range<u64>| coverage.missing(lineup, &blocks).is_empty();
    match line.first {
        Some(first) => {
            let end = first.saturating_add(u64::from(line.games).div_ceil(plan.legs()));
            is_held(first.min(plan.blocks.len())..end.min(plan.blocks.len()))
        }
        None => {
            let Ok(games) = coverage.journal.read(line) else { return false };
            let seeds: BTreeSet<u64> = games.seeds.into_iter().collect();
            (0..plan.blocks.len())
                .filter(|&block| seeds.contains(&plan.blocks.seed(block)))
                .all(|block| is_held(block..block + 1))
        }
    }
}

/// Takes what the journal lacks from one source, as games of the session that plays into it now, and returns how many there were. What
/// of the source cannot be read, or was played by another program, is not taken; only a failure to write ends it.
pub fn take_over(plan: &Keyed, journal: &mut Journal, offered: &Coverage) -> anyhow::Result<u64> {
    if programs::check_same(plan, [&*journal, offered.journal].into_iter()).is_err() {
        return Ok(0);
    }
    let lacking: Vec<_> = {
        let known = Coverage::of(plan, journal)?;
        firsts(plan).map(|lineup| (plan.key(lineup), lacking(lineup, &known, offered))).collect()
    };
    let mut taken = 0;
    for (key, stretches) in &lacking {
        for (line, stretches) in by_line(stretches) {
            let Ok(mut games) = offered.journal.read(line) else { continue };
            games.session = None;
            let Ok(parts) = parts(plan, key, &games, &stretches) else { continue };
            taken += append(journal, parts)?;
        }
    }
    Ok(taken)
}

/// Takes what the journal lacks from one source.
fn take_all(plan: &Keyed, journal: &mut Journal, offered: &Coverage) -> anyhow::Result<u64> {
    let source = offered.journal;
    let lacking: Vec<_> = {
        let known = Coverage::of(plan, journal)?;
        firsts(plan).map(|lineup| (plan.key(lineup), lacking(lineup, &known, offered))).collect()
    };
    // A broken block that the journal knows stays as it is.
    let is_new = |panic: &Panic| journal.panic(&panic.key, panic.seed).is_none();
    let panics: Vec<_> = source.panics().filter(is_new).collect();
    if lacking.iter().all(|(_, stretches)| stretches.is_empty()) && panics.is_empty() {
        return Ok(0);
    }
    // Sessions that the source's have become.
    let mut sessions = Vec::new();
    for session in source.sessions() {
        let is_same = |known: &Session| identity(known) == identity(session);
        sessions.push(match journal.sessions().iter().position(is_same) {
            Some(known) => known,
            None => {
                journal.begin(Session { counted: Counted::default(), ..session.clone() })?;
                journal.sessions().len() - 1
            }
        });
    }
    let mut taken = 0;
    for (key, stretches) in &lacking {
        for (line, stretches) in by_line(stretches) {
            let mut games = source.read(line)?;
            games.session = sessions.get(line.session).copied();
            taken += append(journal, parts(plan, key, &games, &stretches)?)?;
        }
    }
    for panic in panics {
        journal.append_panic(panic)?;
    }
    Ok(taken)
}

/// The stretches of a line-up's games that the journal lacks.
fn lacking<'a>(lineup: usize, known: &Coverage, offered: &Coverage<'a>) -> Vec<Stretch<'a>> {
    let mut lacking = Vec::new();
    for &stretch in &offered.stretches[lineup] {
        for range in known.missing(lineup, &stretch.range()) {
            lacking.push(stretch.within(&range));
        }
    }
    // The times of a line go with the first of what is taken of it.
    lead(&mut lacking);
    lacking
}

/// Appends lines, and returns how many games they hold.
fn append(journal: &mut Journal, parts: Vec<Games>) -> anyhow::Result<u64> {
    let mut games = 0;
    for part in parts {
        games += u64::from(part.games);
        journal.append_games(part.framed())?;
    }
    Ok(games)
}

/// Lines of some stretches of one line. Blocks that are numbered must follow each other within a line of the journal; seeds that
/// are listed need not.
fn parts(plan: &Keyed, key: &str, games: &Games, stretches: &[Stretch]) -> anyhow::Result<Vec<Games>> {
    let records = games.records().context("a line of a journal contradicts itself")?;
    let mut parts = Vec::new();
    let together = match &*plan.blocks {
        Blocks::Derived { .. } => 1,
        Blocks::Listed(_) => stretches.len(),
    };
    // The times of a line are of all its games, and cannot be cut: they go with its first part.
    let mut times =
        stretches.iter().any(|stretch| stretch.leads).then(|| games.times_of_members().cloned().collect());
    for stretches in stretches.chunks(together) {
        let mut part_of = Vec::new();
        let (mut nodes, mut played) = (Vec::new(), Vec::new());
        for stretch in stretches {
            part_of.extend_from_slice(stretch.of(&records, plan.legs())?);
            if !games.nodes.is_empty() {
                nodes.extend_from_slice(stretch.of(&games.nodes, plan.legs())?);
            }
            if !games.played.is_empty() {
                played.extend_from_slice(stretch.of(&games.played, plan.legs())?);
            }
        }
        let records = part_of;
        let mut part = Games::of(key, &records, plan.arena.facts.len());
        match &*plan.blocks {
            Blocks::Derived { .. } => part.first = Some(stretches[0].first),
            Blocks::Listed(_) => {
                let places = stretches.iter().flat_map(|stretch| stretch.skip..stretch.skip + stretch.blocks);
                part.seeds = places.map(|place| games.seeds[place as usize]).collect();
            }
        }
        (part.nodes, part.played) = (nodes, played);
        part.session = games.session;
        part.threads = games.threads;
        part.set_times(times.take().unwrap_or_default());
        parts.push(part);
    }
    Ok(parts)
}

/// Identity of a session. Its duration is no part of it, for that may be known later.
fn identity(session: &Session) -> (String, Option<String>, String, usize) {
    (session.started.clone(), session.shard.clone(), session.cpu.clone(), session.threads)
}
