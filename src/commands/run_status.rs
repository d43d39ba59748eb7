//! Snapshot of a run or a shard by its journal, for `status`.

use gauntlet_core::text::{format_games, group_digits};
use gauntlet_run::broken::{complete_ranges, find_failures};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::failing::{self, skip_failing};
use gauntlet_run::judge::Judge;
use gauntlet_run::keyed::KeyedPlan;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::{Progress, RunState};
use gauntlet_run::snapshot::Snapshot;

use gauntlet_cli::permission::resume_lines;
use gauntlet_cli::say::describe_damaged_lines;

/// Returns the snapshot of a run or a shard. The end of a shard is known from the judge of all
/// shards. `again` is the command that resumes the run.
pub(super) fn snapshot(
    plan: &KeyedPlan,
    coverage: &Coverage,
    shard: Option<Shard>,
    of_all_shards: Option<&Judge>,
    again: &str,
) -> anyhow::Result<Snapshot> {
    let journal = coverage.journal;
    let (rest, own) = skip_failing(plan, coverage)?;
    let judge = if shard.is_some() { of_all_shards } else { own.as_ref() };
    let end = judge.and_then(Judge::end).unwrap_or(plan.blocks.len());
    let progress = Progress::from_journal(plan, coverage, shard, end);
    let (name, option) = match shard {
        None => ("run".to_owned(), String::new()),
        Some(shard) => (format!("shard {shard}"), format!(" --shard {shard}")),
    };
    // A duel with one player has no line-up.
    let each = progress.all / plan.lineups.len().max(1) as u64;
    let unfinished = progress.lineups.iter().enumerate().filter(|(_, played)| **played < each);
    let mut lines: Vec<String> = unfinished
        .map(|(lineup, played)| {
            format!("{}: {} of {}", plan.title(lineup), group_digits(*played), group_digits(each))
        })
        .collect();
    lines.extend(failing::skip_messages(&rest));
    if shard.is_none() {
        lines.extend(stop_line(&rest, judge));
    }
    if progress.remaining() > 0 && shard.is_none() {
        let parts = complete_ranges(&rest, &Coverage::from_journal(&rest, journal)?, 0).into_iter();
        let blocks = parts.map(|part| part.end.min(end).saturating_sub(part.start)).sum();
        let [blocks, all] = [blocks, end].map(group_digits);
        let whom = match (plan.players.len(), rest.skipped.len()) {
            (1, _) => "",
            (_, 0) => " for all players",
            _ => " for all other players",
        };
        lines.push(format!(
            "{blocks} of {all} blocks are complete{whom}; `report` and `compare` use only these"
        ));
    }
    if progress.remaining() > 0 && progress.state != RunState::Plays {
        lines.extend(resume_lines(&format!("{again}{option}"), plan));
    }
    let parts = plan.parts_before(end, shard);
    let broken: usize = parts.iter().map(|part| find_failures(plan, coverage, part).0.len()).sum();
    if broken > 0 {
        lines.push(format!("{} failed", format_games(plan.legs() * broken as u64)));
    }
    if coverage.foreign_games() > 0 {
        lines.push(format!(
            "{} not needed by this version of the experiment",
            format_games(coverage.foreign_games())
        ));
    }
    if let Some(dispute) = &coverage.disputed {
        lines.push(format!("{}; `gauntlet run` replays the games of both lines", dispute.told));
    }
    if journal.damaged_lines() > 0 {
        lines.push(format!("{} skipped", describe_damaged_lines(journal)));
    }
    Ok(Snapshot { lines, ..Snapshot::from_progress(name, progress) })
}

/// Describes whether a run that may end early has ended.
pub(super) fn stop_line(plan: &KeyedPlan, judge: Option<&Judge>) -> Option<String> {
    let judge = judge?;
    let [end, most] = [judge.end().unwrap_or_default(), plan.blocks.len()].map(group_digits);
    Some(match judge.end() {
        Some(_) => format!("stopped after {end} of at most {most} blocks"),
        None => judge.describe_state(|lineup| plan.title(lineup)),
    })
}
