//! Progress of the shards of a run, for `status`: all together, and each by itself if there are
//! few.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::store::manifest::digest;
use gauntlet_core::disk::open_regular;
use gauntlet_core::text::{counted, duration, escape, games, grouped, time_span};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::decision::ShardEarlyStop;
use gauntlet_run::journal::Journal;
use gauntlet_run::judge::{self, Judge};
use gauntlet_run::keyed::KeyedPlan;
use gauntlet_run::paths;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::{Progress, RunState, pace};
use gauntlet_run::shards::{ShardProgress, progress, together};

use super::run_status;
use gauntlet_cli::permission::tell_resume;

/// If there are more shards than this, they are not listed by themselves. It is also the most
/// shards listed for one reason.
const NAMED: usize = 20;

/// Number of bytes read from the end of a task's log.
const LAST: u64 = 4096;

/// Prints the progress of the shards in a folder.
pub(super) fn tell(
    out: &mut impl Write,
    experiment: &Experiment,
    folder: &Path,
    shards: &[(Shard, PathBuf)],
    again: &str,
) -> anyhow::Result<()> {
    let Some((first, path)) = shards.first() else { return Ok(()) };
    // Keys are the same for all journals, so they are computed once, with the help of the first.
    let keyed = KeyedPlan::of(experiment.plan(), &[&Journal::peek(path)?])?;
    let is_few = shards.len() <= NAMED;
    // Journals are read if they decide the end or if there are few. Otherwise only games are
    // counted.
    let journals = if is_few || keyed.stop.is_some() {
        shards.iter().map(|(_, path)| Journal::peek(path)).collect::<anyhow::Result<Vec<_>>>()?
    } else {
        Vec::new()
    };
    let held = journals.iter().map(|journal| Coverage::of(&keyed, journal));
    let held = held.collect::<anyhow::Result<Vec<_>>>()?;
    let main = Some(paths::path_in(folder, None)).filter(|main| keyed.stop.is_some() && main.exists());
    let main = main.map(|main| Journal::peek(&main)).transpose()?;
    let main = main.as_ref().map(|journal| Coverage::of(&keyed, journal)).transpose()?;
    let judge = judge::heard_together(&keyed, main.as_ref(), &held)?;
    let end = judge.as_ref().and_then(Judge::end).unwrap_or(keyed.blocks.len());
    let all = progress(&keyed, shards, end)?;
    let mut divisions: BTreeMap<u64, u64> = BTreeMap::new();
    shards.iter().for_each(|(shard, _)| *divisions.entry(shard.of()).or_default() += 1);
    let is_divided_once = divisions.len() == 1;
    if is_divided_once {
        tell_together(out, &all, first.of(), &together(&keyed, &all, end))?;
    } else {
        // Shards of different divisions may share games, so their numbers are not added.
        let told = divisions.iter().map(|(of, count)| format!("{} of {}", grouped(*count), grouped(*of)));
        writeln!(out, "  shards of several divisions: {}", told.collect::<Vec<_>>().join(", "))?;
    }
    run_status::tell_stop(out, &keyed, judge.as_ref())?;
    let digest = digest(experiment);
    let deciding = ShardEarlyStop::of(&keyed, folder, &digest, *first);
    if let Some(Err(why)) = deciding.map(|deciding| deciding.told()) {
        writeln!(out, "    {why}")?;
    }
    if is_few {
        for ((shard, _), coverage) in shards.iter().zip(&held) {
            run_status::tell(out, &keyed, coverage, Some(*shard), judge.as_ref(), again)?;
        }
    }
    tell_troubled(out, &keyed, &all, folder, if is_few { None } else { Some(again) })?;
    let begun: BTreeSet<Shard> = shards.iter().map(|(shard, _)| *shard).collect();
    let mut not_begun = first.all().filter(|shard| is_divided_once && !begun.contains(shard));
    for shard in not_begun.by_ref().take(NAMED) {
        writeln!(out, "  shard {shard}: not started here")?;
    }
    let more = not_begun.count() as u64;
    if more > 0 {
        writeln!(out, "  … and {} more shards not started here", grouped(more))?;
    }
    Ok(())
}

/// Prints the progress of all shards together: their states, games, time left and cost.
fn tell_together(out: &mut impl Write, all: &[ShardProgress], of: u64, sum: &Progress) -> anyhow::Result<()> {
    let count = |state: RunState| all.iter().filter(|shard| shard.progress.state == state).count() as u64;
    let states = [
        (count(RunState::Complete), "complete"),
        (count(RunState::Plays), "playing now"),
        (count(RunState::Stopped), "stopped"),
        (count(RunState::Silent), "ended unexpectedly"),
        (of.saturating_sub(all.len() as u64), "not started here"),
    ];
    let states = states.iter().filter(|(count, _)| *count > 0);
    let states: Vec<String> = states.map(|(count, what)| format!("{} {what}", grouped(*count))).collect();
    writeln!(out, "  {}: {}", counted(of, "shard"), states.join(", "))?;
    let goes_on = sum
        .pace
        .zip(sum.time_left)
        .map(|(a_second, left)| format!(", {} games/s now, about {} left", pace(a_second), time_span(left)));
    writeln!(out, "    {}{}", sum.part(), goes_on.unwrap_or_default())?;
    let mut by_cpu: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
    for (cpu, games, seconds) in all.iter().flat_map(|shard| &shard.cost) {
        let sums = by_cpu.entry(cpu).or_default();
        *sums = (sums.0 + games, sums.1 + seconds);
    }
    let seconds: f64 = by_cpu.values().map(|(_, seconds)| seconds).sum();
    if seconds > 0.0 {
        writeln!(out, "    CPU time so far: {}", time_span(seconds))?;
    }
    if by_cpu.len() > 1 {
        for (cpu, (count, seconds)) in by_cpu {
            let each = duration(1000.0 * seconds / count as f64);
            writeln!(out, "      {}: {}, {each} each", escape::line(cpu), games(count))?;
        }
    }
    Ok(())
}

/// Lists shards that ended without a message, that were stopped, or that are played but silent for
/// long. The last lines of their logs are printed if they exist. If shards are listed by
/// themselves, only silent ones are repeated here.
fn tell_troubled(
    out: &mut impl Write,
    plan: &KeyedPlan,
    all: &[ShardProgress],
    folder: &Path,
    again: Option<&str>,
) -> anyhow::Result<()> {
    let is_troubled = |shard: &&ShardProgress| {
        shard.progress.is_silent() || (shard.progress.state == RunState::Stopped && again.is_some())
    };
    let troubled: Vec<&ShardProgress> = all.iter().filter(is_troubled).collect();
    for shard in troubled.iter().take(NAMED) {
        let progress = &shard.progress;
        let how = match progress.state {
            RunState::Stopped => "stopped",
            RunState::Plays => "playing now",
            RunState::Silent | RunState::Complete => "ended unexpectedly, or runs on another machine",
        };
        let (part, silent) = (progress.part(), time_span(progress.silent));
        writeln!(out, "  shard {}: {part}, {how}, silent for {silent}", shard.shard)?;
        if let Some(words) = last_words(folder, shard.shard) {
            writeln!(out, "    last output of its task: {}", escape::line(&words))?;
        }
        if let Some(again) = again.filter(|_| progress.state != RunState::Plays) {
            tell_resume(out, &format!("{again} --shard {}", shard.shard), plan)?;
        }
    }
    let more = troubled.len().saturating_sub(NAMED) as u64;
    if more > 0 {
        writeln!(out, "  … and {} more silent shards", grouped(more))?;
    }
    if again.is_some() {
        let damaged: usize = all.iter().map(|shard| shard.damaged).sum();
        let broken: usize = all.iter().map(|shard| shard.broken).sum();
        for (count, what) in [(damaged, "damaged line"), (broken, "block")] {
            let told = if what == "block" { "with a failed game" } else { "skipped" };
            if count > 0 {
                writeln!(out, "    {} {told}", counted(count as u64, what))?;
            }
        }
    }
    Ok(())
}

/// Returns the last line in the log of a shard's task, if `gauntlet cluster` kept a log.
fn last_words(folder: &Path, shard: Shard) -> Option<String> {
    let path = folder.join("cluster").join(format!("task-{}.log", shard.index()));
    let mut log = open_regular(&path, File::options().read(true)).ok()?;
    let length = log.metadata().ok()?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(LAST))).ok()?;
    let mut said = Vec::new();
    log.take(LAST).read_to_end(&mut said).ok()?;
    let said = String::from_utf8_lossy(&said);
    said.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned)
}
