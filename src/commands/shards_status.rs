//! Snapshots of the shards of a run, for `status`: all together, and each by itself if there are
//! few.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::store::manifest::experiment_digest;
use gauntlet_core::disk::open_regular;
use gauntlet_core::text::{
    escape, format_count, format_duration, format_games, format_time_span, group_digits,
};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::decision::ShardEarlyStop;
use gauntlet_run::journal::Journal;
use gauntlet_run::judge::{self, Judge};
use gauntlet_run::keyed::KeyedPlan;
use gauntlet_run::paths;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::{Progress, RunState, format_pace};
use gauntlet_run::shards::{ShardProgress, read_progress, states, sum_progress};
use gauntlet_run::snapshot::{MOST_PARTS, Snapshot, listed};

use super::run_status::{self, stop_line};
use gauntlet_cli::permission::resume_lines;

/// Number of bytes read from the end of a task's log.
const LOG_TAIL_BYTES: u64 = 4096;

/// Returns the snapshots of the shards in a folder, first the one of all shards together. `again`
/// is the command that resumes the run.
pub(super) fn snapshots(
    experiment: &Experiment,
    folder: &Path,
    shards: &[(Shard, PathBuf)],
    again: &str,
) -> anyhow::Result<Vec<Snapshot>> {
    let Some((first, path)) = shards.first() else { return Ok(Vec::new()) };
    // Keys are the same for all journals, so they are computed once, with the help of the first.
    let keyed = KeyedPlan::new(experiment.plan(), &[&Journal::peek(path)?])?;
    let is_few = shards.len() <= MOST_PARTS;
    // Journals are read if they decide the end or if there are few. Otherwise only games are
    // counted.
    let journals = if is_few || keyed.stop.is_some() {
        shards.iter().map(|(_, path)| Journal::peek(path)).collect::<anyhow::Result<Vec<_>>>()?
    } else {
        Vec::new()
    };
    let held = journals.iter().map(|journal| Coverage::from_journal(&keyed, journal));
    let held = held.collect::<anyhow::Result<Vec<_>>>()?;
    let main = Some(paths::journal_path(folder, None)).filter(|main| keyed.stop.is_some() && main.exists());
    let main = main.map(|main| Journal::peek(&main)).transpose()?;
    let main = main.as_ref().map(|journal| Coverage::from_journal(&keyed, journal)).transpose()?;
    let judge = judge::judge_folder(&keyed, main.as_ref(), &held)?;
    let end = judge.as_ref().and_then(Judge::end).unwrap_or(keyed.blocks.len());
    let all = read_progress(&keyed, shards, end)?;
    let mut divisions: BTreeMap<u64, u64> = BTreeMap::new();
    for (shard, _) in shards {
        *divisions.entry(shard.count()).or_default() += 1;
    }
    let is_divided_once = divisions.len() == 1;
    let mut whole = if is_divided_once {
        snapshot_of_all(&all, first.count(), &sum_progress(&keyed, &all, end))
    } else {
        // Shards of different divisions may share games, so their numbers are not added.
        let counts =
            divisions.iter().map(|(of, count)| format!("{} of {}", group_digits(*count), group_digits(*of)));
        Snapshot::new(format!("shards of several divisions: {}", counts.collect::<Vec<_>>().join(", ")))
    };
    whole.lines.extend(stop_line(&keyed, judge.as_ref()));
    let digest = experiment_digest(experiment);
    let deciding = ShardEarlyStop::new(&keyed, folder, &digest, *first);
    whole.lines.extend(deciding.and_then(|deciding| deciding.read_end().err()));
    let mut parts = Vec::new();
    if is_few {
        for (coverage, shard) in held.iter().zip(&all) {
            let own = run_status::snapshot(&keyed, coverage, Some(shard.shard), judge.as_ref(), again)?;
            parts.push(if shard.progress.is_silent() { with_trouble(own, shard, folder) } else { own });
        }
    } else {
        let is_troubled =
            |shard: &&ShardProgress| shard.progress.is_silent() || shard.progress.state == RunState::Stopped;
        let troubled: Vec<&ShardProgress> = all.iter().filter(is_troubled).collect();
        let troubled_shard = |shard: &&ShardProgress| {
            let own = Snapshot::from_progress(format!("shard {}", shard.shard), shard.progress.clone());
            let mut own = with_trouble(own, shard, folder);
            if shard.progress.state != RunState::Plays {
                own.lines.extend(resume_lines(&format!("{again} --shard {}", shard.shard), &keyed));
            }
            own
        };
        parts.extend(listed(&troubled, troubled_shard, "silent shards"));
        let damaged: usize = all.iter().map(|shard| shard.damaged).sum();
        let broken: usize = all.iter().map(|shard| shard.broken).sum();
        for (count, what, how) in
            [(damaged, "damaged line", "skipped"), (broken, "block", "with a failed game")]
        {
            if count > 0 {
                whole.lines.push(format!("{} {how}", format_count(count as u64, what)));
            }
        }
    }
    let begun: BTreeSet<Shard> = shards.iter().map(|(shard, _)| *shard).collect();
    let not_begun: Vec<Shard> =
        first.all_shards().filter(|shard| is_divided_once && !begun.contains(shard)).collect();
    let not_begun_shard = |shard: &Shard| Snapshot::new(format!("shard {shard}: not started here"));
    parts.extend(listed(&not_begun, not_begun_shard, "shards not started here"));
    parts.insert(0, whole);
    Ok(parts)
}

/// Returns the snapshot of all shards together: their states, games, time left and cost.
fn snapshot_of_all(all: &[ShardProgress], of: u64, sum: &Progress) -> Snapshot {
    let begun: Vec<RunState> = all.iter().map(|shard| shard.progress.state).collect();
    let mut whole = Snapshot::new(states(of, &begun));
    let left = sum.pace.zip(sum.time_left).map(|(a_second, left)| {
        format!(", {} games/s now, about {} left", format_pace(a_second), format_time_span(left))
    });
    whole.lines.push(sum.format_done() + &left.unwrap_or_default());
    let mut by_cpu: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
    for (cpu, games, seconds) in all.iter().flat_map(|shard| &shard.cost) {
        let sums = by_cpu.entry(cpu).or_default();
        *sums = (sums.0 + games, sums.1 + seconds);
    }
    let seconds: f64 = by_cpu.values().map(|(_, seconds)| seconds).sum();
    if seconds > 0.0 {
        whole.lines.push(format!("CPU time so far: {}", format_time_span(seconds)));
    }
    if by_cpu.len() > 1 {
        whole.lines.extend(by_cpu.into_iter().map(|(cpu, (count, seconds))| {
            let each = format_duration(1000.0 * seconds / count as f64);
            format!("  {}: {}, {each} each", escape::line(cpu), format_games(count))
        }));
    }
    whole
}

/// Adds to a shard for how long it has been silent, and the last line in the log of its task.
fn with_trouble(own: Snapshot, shard: &ShardProgress, folder: &Path) -> Snapshot {
    let how = match shard.progress.state {
        RunState::Stopped => "stopped",
        RunState::Plays => "playing now",
        RunState::Silent | RunState::Complete => "ended unexpectedly, or runs on another machine",
    };
    let state = format!("{how}, silent for {}", format_time_span(shard.progress.silent));
    let last = last_log_line(folder, shard.shard);
    let last = last.map(|words| format!("last output of its task: {}", escape::line(&words)));
    Snapshot { state, lines: own.lines.iter().cloned().chain(last).collect(), ..own }
}

/// Returns the last line in the log of a shard's task, if `gauntlet cluster` kept a log.
fn last_log_line(folder: &Path, shard: Shard) -> Option<String> {
    let path = folder.join("cluster").join(format!("task-{}.log", shard.index()));
    let mut log = open_regular(&path, File::options().read(true)).ok()?;
    let length = log.metadata().ok()?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL_BYTES))).ok()?;
    let mut said = Vec::new();
    log.take(LOG_TAIL_BYTES).read_to_end(&mut said).ok()?;
    let said = String::from_utf8_lossy(&said);
    said.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned)
}
