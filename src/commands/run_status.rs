//! Snapshot of a run or a shard by its journal, for `status`.

use gauntlet_core::text::{format_games, group_digits};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::failing_players::{self, skip_failing};
use gauntlet_run::judge::Judge;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::missing_blocks::{complete_ranges, find_failures};
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::{Progress, RunState};
use gauntlet_run::snapshot::Snapshot;

use gauntlet_cli::output::describe_damaged_lines;
use gauntlet_cli::permission::resume_lines;

/// Returns the snapshot of a run or a shard. The end of a shard is known from the judge of all
/// shards. `resume_command` is the command that resumes the run.
pub(super) fn snapshot(
    plan: &KeyedPlan,
    coverage: &Coverage,
    shard: Option<Shard>,
    shared_judge: Option<&Judge>,
    resume_command: &str,
) -> anyhow::Result<Snapshot> {
    let journal = coverage.journal;
    let (active_plan, own_judge) = skip_failing(plan, coverage)?;
    let judge = if shard.is_some() { shared_judge } else { own_judge.as_ref() };
    let end = judge.and_then(Judge::end).unwrap_or(plan.blocks.len());
    let progress = Progress::from_journal(plan, coverage, shard, end);
    let (name, shard_option) = match shard {
        None => ("run".to_owned(), String::new()),
        Some(shard) => (format!("shard {shard}"), format!(" --shard {shard}")),
    };
    // A duel with one player has no line-up.
    let games_per_lineup = progress.total / plan.lineups.len().max(1) as u64;
    let unfinished = progress.lineups.iter().enumerate().filter(|(_, played)| **played < games_per_lineup);
    let mut lines: Vec<String> = unfinished
        .map(|(lineup, played)| {
            format!("{}: {} of {}", plan.title(lineup), group_digits(*played), group_digits(games_per_lineup))
        })
        .collect();
    lines.extend(failing_players::skip_messages(&active_plan));
    if shard.is_none() {
        lines.extend(stop_line(&active_plan, judge));
    }
    if progress.remaining() > 0 && shard.is_none() {
        let parts =
            complete_ranges(&active_plan, &Coverage::from_journal(&active_plan, journal)?, 0).into_iter();
        let complete_blocks = parts.map(|part| part.end.min(end).saturating_sub(part.start)).sum();
        let [complete_blocks, total_blocks] = [complete_blocks, end].map(group_digits);
        let player_note = match (plan.players.len(), active_plan.skipped.len()) {
            (1, _) => "",
            (_, 0) => " for all players",
            _ => " for all other players",
        };
        lines.push(format!(
            "{complete_blocks} of {total_blocks} blocks are complete{player_note}; `report` and `compare` use only these"
        ));
    }
    if progress.remaining() > 0 && progress.state != RunState::Plays {
        lines.extend(resume_lines(&format!("{resume_command}{shard_option}"), plan));
    }
    let parts = plan.parts_before(end, shard);
    let failed_games: usize = parts.iter().map(|part| find_failures(plan, coverage, part).0.len()).sum();
    if failed_games > 0 {
        lines.push(format!("{} failed", format_games(plan.legs() * failed_games as u64)));
    }
    if coverage.foreign_games() > 0 {
        lines.push(format!(
            "{} not needed by this version of the experiment",
            format_games(coverage.foreign_games())
        ));
    }
    if let Some(dispute) = &coverage.conflict {
        lines.push(format!("{}; `gauntlet run` replays the games of both lines", dispute.description));
    }
    if journal.damaged_lines() > 0 {
        lines.push(format!("{} skipped", describe_damaged_lines(journal)));
    }
    Ok(Snapshot { remarks: lines, ..Snapshot::from_progress(name, progress) })
}

/// Describes whether a run that may end early has ended.
pub(super) fn stop_line(plan: &KeyedPlan, judge: Option<&Judge>) -> Option<String> {
    let judge = judge?;
    let [end, max_blocks] = [judge.end().unwrap_or_default(), plan.blocks.len()].map(group_digits);
    Some(match judge.end() {
        Some(_) => format!("stopped after {end} of at most {max_blocks} blocks"),
        None => judge.describe_state(|lineup| plan.title(lineup)),
    })
}
