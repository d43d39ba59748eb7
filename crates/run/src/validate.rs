//! Validates the lines of a journal: their games must be possible. A checksum only proves that a
//! line is as it was written, not that its games were played.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::game_sums::GameSums;
use super::games_parser::parse_verified;
use super::journal::Journal;
use super::keyed_plan::KeyedPlan;
use super::{machine, threads};

/// Bytes of the journal that are examined together: enough to give every thread some lines.
const BATCH_BYTES: usize = 8 << 20;

/// Examines the lines of a plan's games from an index on, each once while the journal is open
/// ([`JournalLine::is_valid`]). A line with an impossible game counts as damaged.
pub(super) fn examine(
    plan: &KeyedPlan,
    journal: &Journal,
    first_line: usize,
    lineups: &BTreeMap<&str, Vec<usize>>,
) -> anyhow::Result<()> {
    let lines_with_key = |(key, lineups): (&&str, &Vec<usize>)| {
        let lineup = lineups[0];
        journal.lines_of(key).skip_while(move |&line| line < first_line).map(move |line| (line, lineup))
    };
    let lines = lineups.iter().flat_map(lines_with_key);
    let unexamined: Vec<_> = lines.filter(|&(line, _)| journal.line(line).is_valid().is_none()).collect();
    let total_bytes = unexamined.iter().map(|&(line, _)| journal.line(line).bytes()).sum::<usize>();
    // Few lines are not worth more than one thread.
    let pool = match total_bytes {
        0..BATCH_BYTES => None,
        _ => Some(threads::build_pool(machine::cores())?),
    };
    let mut rest = &unexamined[..];
    while !rest.is_empty() {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while let Some((&(line, lineup), remaining)) = rest.split_first()
            && (bytes == 0 || bytes + journal.line(line).bytes() <= BATCH_BYTES)
        {
            bytes += journal.line(line).bytes();
            batch.push((line, lineup, journal.read_raw(line)?));
            rest = remaining;
        }
        let examine_line = |(line, lineup, bytes): &(usize, usize, Vec<u8>)| {
            journal.line(*line).set_result(sum_valid_games(plan, *lineup, bytes).ok());
        };
        match &pool {
            Some(pool) => pool.install(|| batch.par_iter().for_each(examine_line)),
            None => batch.iter().for_each(examine_line),
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
    let sums = GameSums::new(plan.arena.shape, &records);
    let Some(player) = plan.members(lineup).next() else { return Ok(sums) };
    let entry = player.entry;
    let mut reasons = (0..).zip(&records).filter_map(|(index, record)| {
        let reason = entry.invalid_reason(record, plan.max_moves)?;
        let block = index / legs;
        let block = match games.first {
            Some(first) => format!("block {}", first.saturating_add(block as u64)),
            None => format!("seed {}", games.seeds[block]),
        };
        Some(format!("impossible game of {} on {block}: {reason}", plan.title(lineup)))
    });
    reasons.next().map_or(Ok(sums), Err)
}
