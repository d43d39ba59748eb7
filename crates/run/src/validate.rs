//! Validates the lines of a journal: their games must be possible. A checksum only proves that a
//! line is as it was written, not that its games were played.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::entry::parse_verified;
use super::journal::Journal;
use super::keyed::KeyedPlan;
use super::played::GameSums;
use super::{machine, threads};

/// Bytes of the journal that are examined together: enough to give every thread some lines.
const BATCH: usize = 8 << 20;

/// Examines the lines of a plan's games from an index on, each once while the journal is open
/// ([`JournalLine::is_sound`]). A line with an impossible game counts as damaged.
pub(super) fn examine(
    plan: &KeyedPlan,
    journal: &Journal,
    from: usize,
    lineups: &BTreeMap<&str, Vec<usize>>,
) -> anyhow::Result<()> {
    let of_key = |(key, lineups): (&&str, &Vec<usize>)| {
        let lineup = lineups[0];
        journal.lines_of(key).skip_while(move |&line| line < from).map(move |line| (line, lineup))
    };
    let all = lineups.iter().flat_map(of_key);
    let unknown: Vec<_> = all.filter(|&(line, _)| journal.line(line).is_sound().is_none()).collect();
    let all = unknown.iter().map(|&(line, _)| journal.line(line).bytes()).sum::<usize>();
    // Few lines are not worth more than one thread.
    let pool = match all {
        0..BATCH => None,
        _ => Some(threads::build_pool(machine::cores())?),
    };
    let mut rest = &unknown[..];
    while !rest.is_empty() {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while let Some((&(line, lineup), left)) = rest.split_first()
            && (bytes == 0 || bytes + journal.line(line).bytes() <= BATCH)
        {
            bytes += journal.line(line).bytes();
            batch.push((line, lineup, journal.read_raw(line)?));
            rest = left;
        }
        let judge = |(line, lineup, bytes): &(usize, usize, Vec<u8>)| {
            journal.line(*line).set_result(sum_valid_games(plan, *lineup, bytes).ok());
        };
        match &pool {
            Some(pool) => pool.install(|| batch.par_iter().for_each(judge)),
            None => batch.iter().for_each(judge),
        }
    }
    Ok(())
}

/// Returns why the games of a line with a correct checksum are impossible; `None` if they are
/// possible.
pub fn invalid_reason(plan: &KeyedPlan, lineup: usize, line: &[u8]) -> Option<String> {
    sum_valid_games(plan, lineup, line).err()
}

/// Sums the games of a line, or returns why they are impossible.
fn sum_valid_games(plan: &KeyedPlan, lineup: usize, line: &[u8]) -> Result<GameSums, String> {
    let Some(games) = parse_verified(line) else { return Err("it is damaged".to_owned()) };
    let legs = plan.legs() as usize;
    let records = games.records().filter(|records| records.len().is_multiple_of(legs));
    let Some(records) = records.filter(|_| games.facts() == plan.arena.facts.len()) else {
        return Err("its columns contradict each other".to_owned());
    };
    let played = GameSums::new(plan.arena.shape, &records);
    let Some(player) = plan.members(lineup).next() else { return Ok(played) };
    let entrant = player.entrant;
    let mut flaws = (0..).zip(&records).filter_map(|(place, record)| {
        let flaw = entrant.invalid_reason(record, plan.max_moves)?;
        let block = place / legs;
        let block = match games.first {
            Some(first) => format!("block {}", first.saturating_add(block as u64)),
            None => format!("seed {}", games.seeds[block]),
        };
        Some(format!("impossible game of {} on {block}: {flaw}", plan.title(lineup)))
    });
    flaws.next().map_or(Ok(played), Err)
}
