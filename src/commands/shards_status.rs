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
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::paths;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::{Progress, RunState, format_pace};
use gauntlet_run::shards::{ShardProgress, read_progress, states, sum_progress};
use gauntlet_run::snapshot::{MAX_PARTS, Snapshot, list_parts};

use super::run_status::{self, stop_line};
use gauntlet_cli::permission::resume_lines;

/// Number of bytes read from the end of a task's log.
const LOG_TAIL_BYTES: u64 = 4096;

/// Returns the snapshots of the shards in a folder, first the one of all shards together.
/// `resume_command` is the command that resumes the run.
pub(super) fn snapshots(
    experiment: &Experiment,
    folder: &Path,
    shards: &[(Shard, PathBuf)],
    resume_command: &str,
) -> anyhow::Result<Vec<Snapshot>> {
    let Some((first, path)) = shards.first() else { return Ok(Vec::new()) };
    // Keys are the same for all journals, so they are computed once, with the help of the first.
    let plan = KeyedPlan::new(experiment.plan(), &[&Journal::peek(path)?])?;
    let is_few = shards.len() <= MAX_PARTS;
    // Journals are read if they decide the end or if there are few. Otherwise only games are
    // counted.
    let journals = if is_few || plan.stop.is_some() {
        shards.iter().map(|(_, path)| Journal::peek(path)).collect::<anyhow::Result<Vec<_>>>()?
    } else {
        Vec::new()
    };
    let coverages = journals.iter().map(|journal| Coverage::from_journal(&plan, journal));
    let coverages = coverages.collect::<anyhow::Result<Vec<_>>>()?;
    let main_path = Some(paths::journal_path(folder, None))
        .filter(|journal_path| plan.stop.is_some() && journal_path.exists());
    let main_journal = main_path.map(|journal_path| Journal::peek(&journal_path)).transpose()?;
    let main_coverage =
        main_journal.as_ref().map(|journal| Coverage::from_journal(&plan, journal)).transpose()?;
    let judge = judge::judge_folder(&plan, main_coverage.as_ref(), &coverages)?;
    let end = judge.as_ref().and_then(Judge::end).unwrap_or(plan.blocks.len());
    let shard_progress = read_progress(&plan, shards, end)?;
    let mut divisions: BTreeMap<u64, u64> = BTreeMap::new();
    for (shard, _) in shards {
        *divisions.entry(shard.count()).or_default() += 1;
    }
    let is_divided_once = divisions.len() == 1;
    let mut overall = if is_divided_once {
        snapshot_of_all(&shard_progress, first.count(), &sum_progress(&plan, &shard_progress, end))
    } else {
        // Shards of different divisions may share games, so their numbers are not added.
        let counts = divisions
            .iter()
            .map(|(total, count)| format!("{} of {}", group_digits(*count), group_digits(*total)));
        Snapshot::new(format!("shards of several divisions: {}", counts.collect::<Vec<_>>().join(", ")))
    };
    overall.remarks.extend(stop_line(&plan, judge.as_ref()));
    let digest = experiment_digest(experiment);
    let early_stop = ShardEarlyStop::new(&plan, folder, &digest, *first);
    overall.remarks.extend(early_stop.and_then(|early_stop| early_stop.read_end().err()));
    let mut shard_snapshots = Vec::new();
    if is_few {
        for (coverage, shard) in coverages.iter().zip(&shard_progress) {
            let snapshot =
                run_status::snapshot(&plan, coverage, Some(shard.shard), judge.as_ref(), resume_command)?;
            shard_snapshots.push(if shard.progress.is_silent() {
                add_trouble(snapshot, shard, folder)
            } else {
                snapshot
            });
        }
    } else {
        let is_troubled =
            |shard: &&ShardProgress| shard.progress.is_silent() || shard.progress.state == RunState::Stopped;
        let troubled: Vec<&ShardProgress> = shard_progress.iter().filter(is_troubled).collect();
        let troubled_shard = |shard: &&ShardProgress| {
            let snapshot = Snapshot::from_progress(format!("shard {}", shard.shard), shard.progress.clone());
            let mut snapshot = add_trouble(snapshot, shard, folder);
            if shard.progress.state != RunState::Plays {
                snapshot
                    .remarks
                    .extend(resume_lines(&format!("{resume_command} --shard {}", shard.shard), &plan));
            }
            snapshot
        };
        shard_snapshots.extend(list_parts(&troubled, troubled_shard, "silent shards"));
        let damaged_lines: usize = shard_progress.iter().map(|shard| shard.damaged_lines).sum();
        let broken_blocks: usize = shard_progress.iter().map(|shard| shard.failed_blocks).sum();
        for (count, noun, note) in
            [(damaged_lines, "damaged line", "skipped"), (broken_blocks, "block", "with a failed game")]
        {
            if count > 0 {
                overall.remarks.push(format!("{} {note}", format_count(count as u64, noun)));
            }
        }
    }
    let started: BTreeSet<Shard> = shards.iter().map(|(shard, _)| *shard).collect();
    let not_started: Vec<Shard> =
        first.all_shards().filter(|shard| is_divided_once && !started.contains(shard)).collect();
    let not_started_shard = |shard: &Shard| Snapshot::new(format!("shard {shard}: not started here"));
    shard_snapshots.extend(list_parts(&not_started, not_started_shard, "shards not started here"));
    shard_snapshots.insert(0, overall);
    Ok(shard_snapshots)
}

/// Returns the snapshot of all shards together: their states, games, time left and cost.
fn snapshot_of_all(shards: &[ShardProgress], shard_count: u64, sum: &Progress) -> Snapshot {
    let shard_states: Vec<RunState> = shards.iter().map(|shard| shard.progress.state).collect();
    let mut snapshot = Snapshot::new(states(shard_count, &shard_states));
    let pace_note = sum.pace.zip(sum.time_left).map(|(games_per_second, time_left)| {
        format!(", {} games/s now, about {} left", format_pace(games_per_second), format_time_span(time_left))
    });
    snapshot.remarks.push(sum.format_done() + &pace_note.unwrap_or_default());
    let mut cost_by_cpu: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
    for (cpu, games, seconds) in shards.iter().flat_map(|shard| &shard.cost) {
        let sums = cost_by_cpu.entry(cpu).or_default();
        *sums = (sums.0 + games, sums.1 + seconds);
    }
    let seconds: f64 = cost_by_cpu.values().map(|(_, seconds)| seconds).sum();
    if seconds > 0.0 {
        snapshot.remarks.push(format!("CPU time so far: {}", format_time_span(seconds)));
    }
    if cost_by_cpu.len() > 1 {
        snapshot.remarks.extend(cost_by_cpu.into_iter().map(|(cpu, (count, seconds))| {
            let time_per_game = format_duration(1000.0 * seconds / count as f64);
            format!("  {}: {}, {time_per_game} each", escape::line(cpu), format_games(count))
        }));
    }
    snapshot
}

/// Adds to a shard for how long it has been silent, and the last line in the log of its task.
fn add_trouble(snapshot: Snapshot, shard: &ShardProgress, folder: &Path) -> Snapshot {
    let state_words = match shard.progress.state {
        RunState::Stopped => "stopped",
        RunState::Plays => "playing now",
        RunState::Silent | RunState::Complete => "ended unexpectedly, or runs on another machine",
    };
    let state_line = format!("{state_words}, silent for {}", format_time_span(shard.progress.silent_seconds));
    let last_line = last_log_line(folder, shard.shard);
    let task_output = last_line.map(|line| format!("last output of its task: {}", escape::line(&line)));
    Snapshot {
        state: state_line,
        remarks: snapshot.remarks.iter().cloned().chain(task_output).collect(),
        ..snapshot
    }
}

/// Returns the last line in the log of a shard's task, if `gauntlet cluster` kept a log.
fn last_log_line(folder: &Path, shard: Shard) -> Option<String> {
    let path = folder.join("cluster").join(format!("task-{}.log", shard.index()));
    let mut log = open_regular(&path, File::options().read(true)).ok()?;
    let length = log.metadata().ok()?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL_BYTES))).ok()?;
    let mut bytes = Vec::new();
    log.take(LOG_TAIL_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    text.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned)
}
