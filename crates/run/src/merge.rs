//! Merges the journals of shards into one.

use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::ops::Range;

use anyhow::{Context, bail};

use super::block_set::Holders;
use super::block_span::{BlockSpan, group_by_line, mark_first_in_line};
use super::coverage::{Coverage, blocks_by_seed, find_spans, lineups_with_distinct_keys};
use super::journal::{GamesEntry, Journal, PanicEntry, SessionEntry, SessionSums};
use super::keyed_plan::KeyedPlan;
use super::{programs, validate};
use crate::blocks::BlockSeeds;

/// Appends the games of a plan that the journal lacks and the sources have, and returns their
/// number. Nothing is appended if a game is impossible, or if games of a reproducible line-up
/// differ between two journals.
pub fn merge(plan: &KeyedPlan, journal: &mut Journal, sources: &[Coverage]) -> anyhow::Result<u64> {
    let own_coverage = Coverage::from_journal(plan, journal)?;
    let coverages: Vec<&Coverage> = std::iter::once(&own_coverage).chain(sources).collect();
    programs::check_same_programs(plan, coverages.iter().map(|coverage| coverage.journal))?;
    let lineups: Vec<usize> = lineups_with_distinct_keys(plan).collect();
    // If games equal those of their first holder, they equal those of all holders.
    let mut lineup_holders: Vec<Holders> = lineups.iter().map(|_| Holders::default()).collect();
    for (index, coverage) in coverages.iter().enumerate() {
        check_games(plan, coverage)?;
        let mut earlier = BTreeSet::new();
        for (holders, &lineup) in lineup_holders.iter_mut().zip(&lineups) {
            let spans = coverage.spans[lineup].iter();
            spans.for_each(|span| earlier.extend(holders.add(&span.range(), index)));
        }
        earlier.iter().try_for_each(|&other| coverages[other].compare(plan, coverage))?;
    }
    let mut session_indices = BTreeMap::new();
    for (index, session) in journal.sessions().iter().enumerate() {
        session_indices.entry(session_identity(session)).or_insert(index);
    }
    let mut merged_games = 0;
    for (index, source) in (1..).zip(sources) {
        let missing_spans = |(holders, &lineup): (&Holders, &usize)| {
            (lineup, parts_to_take(&source.spans[lineup], |range| holders.own_parts(index, range)))
        };
        let missing = lineup_holders.iter().zip(&lineups).map(missing_spans).collect();
        merged_games += copy_missing(plan, journal, &mut session_indices, source, missing)?;
        journal.append_answers_from(plan, source.journal)?;
    }
    // After all games: a failure counts only until games of a later session.
    sources.iter().try_for_each(|source| journal.append_failures_from(source.journal))?;
    Ok(merged_games)
}

/// Fails unless all games of a plan in a journal are possible, or were played again since.
pub fn check_games(plan: &KeyedPlan, coverage: &Coverage) -> anyhow::Result<()> {
    let (journal, by_seed) = (coverage.journal, blocks_by_seed(plan));
    if let Some(conflict) = &coverage.conflict {
        bail!(
            "{}. `gauntlet run` (with --shard for a shard) replays the games of both lines",
            conflict.description
        );
    }
    for &line in &coverage.flawed_lines {
        let key = &*journal.line(line).key;
        let Some(lineup) = (0..plan.lineups.len()).find(|&lineup| plan.key(lineup) == key) else {
            continue;
        };
        let bytes = journal.read_raw(line)?;
        let reason = validate::invalid_reason(plan, lineup, &bytes).unwrap_or_default();
        // The stretches of a damaged line are unknown.
        let spans = find_spans(plan, &by_seed, journal, line).ok();
        let is_held = |span: &BlockSpan| coverage.missing_blocks(lineup, &span.range()).is_empty();
        if !spans.is_some_and(|spans| spans.iter().all(is_held)) {
            bail!(
                "{}: {reason}. If you trust the rest of the journal, replay these games with `gauntlet run` (with --shard for a shard). Otherwise remove the journal",
                journal.describe_place(line)
            );
        }
    }
    Ok(())
}

/// Appends the games that the journal lacks from one source, as games of the current session, and
/// returns their number. Games that cannot be read or were played by another program are skipped;
/// only a failed write is an error.
pub fn copy_games(plan: &KeyedPlan, journal: &mut Journal, source: &Coverage) -> anyhow::Result<u64> {
    if programs::check_same_programs(plan, [&*journal, source.journal].into_iter()).is_err() {
        return Ok(0);
    }
    let own_coverage = Coverage::from_journal(plan, journal)?;
    let missing_spans = |lineup: usize| {
        (lineup, parts_to_take(&source.spans[lineup], |range| own_coverage.missing_blocks(lineup, range)))
    };
    let missing: Vec<_> = lineups_with_distinct_keys(plan).map(missing_spans).collect();
    let mut copied_games = 0;
    for (lineup, spans) in &missing {
        for (line, line_spans) in group_by_line(spans) {
            let Ok(mut games) = source.journal.read(line) else { continue };
            games.session = None;
            let Ok(parts) = split_line(plan, plan.key(*lineup), &games, &line_spans) else { continue };
            copied_games += append(journal, parts)?;
        }
    }
    Ok(copied_games)
}

/// Appends the missing games, given for each line-up, from one source. Sessions are numbered by
/// their index in the journal.
fn copy_missing(
    plan: &KeyedPlan,
    journal: &mut Journal,
    session_indices: &mut BTreeMap<SessionIdentity, usize>,
    coverage: &Coverage,
    missing: Vec<(usize, Vec<BlockSpan>)>,
) -> anyhow::Result<u64> {
    let source = coverage.journal;
    // A broken block that the journal already has is not changed.
    let is_new = |panic: &PanicEntry| journal.panic(&panic.key, panic.seed).is_none();
    let panics: Vec<_> = source.panics().filter(is_new).collect();
    if missing.iter().all(|(_, spans)| spans.is_empty()) && panics.is_empty() {
        return Ok(0);
    }
    // Index of each of the source's sessions in the journal.
    let mut sessions = Vec::new();
    for session in source.sessions() {
        sessions.push(match session_indices.entry(session_identity(session)) {
            btree_map::Entry::Occupied(entry) => *entry.get(),
            btree_map::Entry::Vacant(entry) => {
                journal.begin(SessionEntry { sums: SessionSums::default(), ..session.clone() })?;
                *entry.insert(journal.sessions().len() - 1)
            }
        });
    }
    let mut copied_games = 0;
    for (lineup, spans) in missing {
        for (line, line_spans) in group_by_line(&spans) {
            let mut games = source.read(line)?;
            games.session = sessions.get(source.line(line).session).copied();
            copied_games += append(journal, split_line(plan, plan.key(lineup), &games, &line_spans)?)?;
        }
    }
    for panic in panics {
        journal.append_panic(panic)?;
    }
    Ok(copied_games)
}

/// Returns the parts of a line-up's stretches that the journal takes. `missing` returns the missing
/// blocks of a range.
fn parts_to_take(spans: &[BlockSpan], missing: impl Fn(&Range<u64>) -> Vec<Range<u64>>) -> Vec<BlockSpan> {
    let missing_parts = |span: &BlockSpan| {
        let span = *span;
        missing(&span.range()).into_iter().map(move |range| span.clip(&range))
    };
    let mut spans_to_take: Vec<BlockSpan> = spans.iter().flat_map(missing_parts).collect();
    // The times of a line belong to the first part taken from it.
    mark_first_in_line(&mut spans_to_take);
    spans_to_take
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
    spans: &[BlockSpan],
) -> anyhow::Result<Vec<GamesEntry>> {
    let records = games.records().context("a line of the journal is inconsistent")?;
    let mut parts = Vec::new();
    let chunk_size = match &*plan.blocks {
        BlockSeeds::Derived { .. } => 1,
        BlockSeeds::Listed(_) => spans.len(),
    };
    // Times belong to a whole line and cannot be divided, so the first part gets them.
    let mut times =
        spans.iter().any(|span| span.is_first_in_line).then(|| games.times_of_members().cloned().collect());
    for chunk in spans.chunks(chunk_size) {
        let mut part_records = Vec::new();
        let (mut nodes, mut moves) = (Vec::new(), Vec::new());
        for span in chunk {
            part_records.extend_from_slice(span.entries(&records, plan.legs())?);
            if !games.nodes.is_empty() {
                nodes.extend_from_slice(span.entries(&games.nodes, plan.legs())?);
            }
            if !games.played.is_empty() {
                moves.extend_from_slice(span.entries(&games.played, plan.legs())?);
            }
        }
        let records = part_records;
        let mut part = GamesEntry::new(key, &records, plan.arena.facts.len());
        match &*plan.blocks {
            BlockSeeds::Derived { .. } => part.first = Some(chunk[0].first),
            BlockSeeds::Listed(_) => {
                let indices = chunk.iter().flat_map(|span| span.skip..span.skip + span.blocks);
                part.seeds = indices.map(|index| games.seeds[index as usize]).collect();
            }
        }
        (part.nodes, part.played) = (nodes, moves);
        part.session = games.session;
        part.threads = games.threads;
        part.set_times(times.take().unwrap_or_default());
        parts.push(part);
    }
    Ok(parts)
}

/// Identity of a session. It excludes the duration, which may be recorded later.
type SessionIdentity = (String, Option<String>, String, usize);

fn session_identity(session: &SessionEntry) -> SessionIdentity {
    (session.started.clone(), session.shard.clone(), session.cpu.clone(), session.threads)
}
