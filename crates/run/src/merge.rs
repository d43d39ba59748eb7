//! Merges the journals of shards into one.

use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::ops::Range;

use anyhow::{Context, bail};

use super::block_set::Holders;
use super::block_span::{BlockSpan, group_by_line, mark_leads};
use super::coverage::{Coverage, blocks_by_seed, find_spans, lineups_with_distinct_keys};
use super::journal::{GamesEntry, Journal, PanicEntry, SessionEntry, SessionSums};
use super::keyed::KeyedPlan;
use super::{programs, validate};
use crate::blocks::BlockSeeds;

/// Appends the games of a plan that the journal lacks and the sources have, and returns their
/// number. Nothing is appended if a game is impossible, or if games of a reproducible line-up
/// differ between two journals.
pub fn merge(plan: &KeyedPlan, journal: &mut Journal, sources: &[Coverage]) -> anyhow::Result<u64> {
    let own = Coverage::from_journal(plan, journal)?;
    let all: Vec<&Coverage> = std::iter::once(&own).chain(sources).collect();
    programs::check_same_programs(plan, all.iter().map(|coverage| coverage.journal))?;
    let lineups: Vec<usize> = lineups_with_distinct_keys(plan).collect();
    // If games equal those of their first holder, they equal those of all holders.
    let mut holders: Vec<Holders> = lineups.iter().map(|_| Holders::default()).collect();
    for (place, offered) in all.iter().enumerate() {
        check_games(plan, offered)?;
        let mut before = BTreeSet::new();
        for (holders, &lineup) in holders.iter_mut().zip(&lineups) {
            let stretches = offered.stretches[lineup].iter();
            stretches.for_each(|stretch| before.extend(holders.add(&stretch.range(), place)));
        }
        before.iter().try_for_each(|&known| all[known].compare(plan, offered))?;
    }
    let mut known = BTreeMap::new();
    for (place, session) in journal.sessions().iter().enumerate() {
        known.entry(session_identity(session)).or_insert(place);
    }
    let mut taken = 0;
    for (place, source) in (1..).zip(sources) {
        let of_lineup = |(holders, &lineup): (&Holders, &usize)| {
            (lineup, parts_to_take(&source.stretches[lineup], |range| holders.own_parts(place, range)))
        };
        let lacking = holders.iter().zip(&lineups).map(of_lineup).collect();
        taken += take_all(plan, journal, &mut known, source, lacking)?;
        journal.append_answers_of(plan, source.journal)?;
    }
    // After all games: a failure counts only until games of a later session.
    sources.iter().try_for_each(|source| journal.append_failures_of(source.journal))?;
    Ok(taken)
}

/// Fails unless all games of a plan in a journal are possible, or were played again since.
pub fn check_games(plan: &KeyedPlan, coverage: &Coverage) -> anyhow::Result<()> {
    let (journal, by_seed) = (coverage.journal, blocks_by_seed(plan));
    if let Some(dispute) = &coverage.disputed {
        bail!("{}. `gauntlet run` (with --shard for a shard) replays the games of both lines", dispute.told);
    }
    for &line in &coverage.flawed {
        let key = &*journal.line(line).key;
        let Some(lineup) = (0..plan.lineups.len()).find(|&lineup| plan.key(lineup) == key) else {
            continue;
        };
        let bytes = journal.read_raw(line)?;
        let flaw = validate::invalid_reason(plan, lineup, &bytes).unwrap_or_default();
        // The stretches of a damaged line are unknown.
        let stretches = find_spans(plan, &by_seed, journal, line).ok();
        let is_held = |stretch: &BlockSpan| coverage.missing_blocks(lineup, &stretch.range()).is_empty();
        if !stretches.is_some_and(|stretches| stretches.iter().all(is_held)) {
            bail!(
                "{}: {flaw}. If you trust the rest of the journal, replay these games with `gauntlet run` (with --shard for a shard). Otherwise remove the journal",
                journal.describe_place(line)
            );
        }
    }
    Ok(())
}

/// Appends the games that the journal lacks from one source, as games of the current session, and
/// returns their number. Games that cannot be read or were played by another program are skipped;
/// only a failed write is an error.
pub fn take_over(plan: &KeyedPlan, journal: &mut Journal, offered: &Coverage) -> anyhow::Result<u64> {
    if programs::check_same_programs(plan, [&*journal, offered.journal].into_iter()).is_err() {
        return Ok(0);
    }
    let known = Coverage::from_journal(plan, journal)?;
    let lacking = |lineup: usize| {
        (lineup, parts_to_take(&offered.stretches[lineup], |range| known.missing_blocks(lineup, range)))
    };
    let lacking: Vec<_> = lineups_with_distinct_keys(plan).map(lacking).collect();
    let mut taken = 0;
    for (lineup, stretches) in &lacking {
        for (line, stretches) in group_by_line(stretches) {
            let Ok(mut games) = offered.journal.read(line) else { continue };
            games.session = None;
            let Ok(parts) = split_line(plan, plan.key(*lineup), &games, &stretches) else { continue };
            taken += append(journal, parts)?;
        }
    }
    Ok(taken)
}

/// Appends the missing games, given for each line-up, from one source. Sessions are numbered by
/// their index in the journal.
fn take_all(
    plan: &KeyedPlan,
    journal: &mut Journal,
    known: &mut BTreeMap<Identity, usize>,
    offered: &Coverage,
    lacking: Vec<(usize, Vec<BlockSpan>)>,
) -> anyhow::Result<u64> {
    let source = offered.journal;
    // A broken block that the journal already has is not changed.
    let is_new = |panic: &PanicEntry| journal.panic(&panic.key, panic.seed).is_none();
    let panics: Vec<_> = source.panics().filter(is_new).collect();
    if lacking.iter().all(|(_, stretches)| stretches.is_empty()) && panics.is_empty() {
        return Ok(0);
    }
    // Index of each of the source's sessions in the journal.
    let mut sessions = Vec::new();
    for session in source.sessions() {
        sessions.push(match known.entry(session_identity(session)) {
            btree_map::Entry::Occupied(known) => *known.get(),
            btree_map::Entry::Vacant(new) => {
                journal.begin(SessionEntry { counted: SessionSums::default(), ..session.clone() })?;
                *new.insert(journal.sessions().len() - 1)
            }
        });
    }
    let mut taken = 0;
    for (lineup, stretches) in lacking {
        for (line, stretches) in group_by_line(&stretches) {
            let mut games = source.read(line)?;
            games.session = sessions.get(source.line(line).session).copied();
            taken += append(journal, split_line(plan, plan.key(lineup), &games, &stretches)?)?;
        }
    }
    for panic in panics {
        journal.append_panic(panic)?;
    }
    Ok(taken)
}

/// Returns the parts of a line-up's stretches that the journal takes. `missing` returns the missing
/// blocks of a range.
fn parts_to_take(offered: &[BlockSpan], missing: impl Fn(&Range<u64>) -> Vec<Range<u64>>) -> Vec<BlockSpan> {
    let parts = |stretch: &BlockSpan| {
        let stretch = *stretch;
        missing(&stretch.range()).into_iter().map(move |range| stretch.clip(&range))
    };
    let mut taken: Vec<BlockSpan> = offered.iter().flat_map(parts).collect();
    // The times of a line belong to the first part taken from it.
    mark_leads(&mut taken);
    taken
}

/// Appends lines, and returns how many games they contain.
fn append(journal: &mut Journal, parts: Vec<GamesEntry>) -> anyhow::Result<u64> {
    let mut games = 0;
    for part in parts {
        games += u64::from(part.games);
        journal.append_games(part.to_line())?;
    }
    Ok(games)
}

/// Makes lines from stretches of one line. Numbered blocks must be consecutive within a line of the
/// journal; listed seeds need not.
fn split_line(
    plan: &KeyedPlan,
    key: &str,
    games: &GamesEntry,
    stretches: &[BlockSpan],
) -> anyhow::Result<Vec<GamesEntry>> {
    let records = games.records().context("a line of the journal is inconsistent")?;
    let mut parts = Vec::new();
    let together = match &*plan.blocks {
        BlockSeeds::Derived { .. } => 1,
        BlockSeeds::Listed(_) => stretches.len(),
    };
    // Times belong to a whole line and cannot be divided, so the first part gets them.
    let mut times =
        stretches.iter().any(|stretch| stretch.leads).then(|| games.times_of_members().cloned().collect());
    for stretches in stretches.chunks(together) {
        let mut part_of = Vec::new();
        let (mut nodes, mut played) = (Vec::new(), Vec::new());
        for stretch in stretches {
            part_of.extend_from_slice(stretch.entries(&records, plan.legs())?);
            if !games.nodes.is_empty() {
                nodes.extend_from_slice(stretch.entries(&games.nodes, plan.legs())?);
            }
            if !games.played.is_empty() {
                played.extend_from_slice(stretch.entries(&games.played, plan.legs())?);
            }
        }
        let records = part_of;
        let mut part = GamesEntry::new(key, &records, plan.arena.facts.len());
        match &*plan.blocks {
            BlockSeeds::Derived { .. } => part.first = Some(stretches[0].first),
            BlockSeeds::Listed(_) => {
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

/// Identity of a session. It excludes the duration, which may be recorded later.
type Identity = (String, Option<String>, String, usize);

fn session_identity(session: &SessionEntry) -> Identity {
    (session.started.clone(), session.shard.clone(), session.cpu.clone(), session.threads)
}
