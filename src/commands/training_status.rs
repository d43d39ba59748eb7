//! Snapshot of a training at its last checkpoint, for `status`.

use std::path::Path;

use anyhow::Context;
use gauntlet_core::text::{display_path, format_count, format_games, quote_path};
use gauntlet_run::progress::ProgressUnit;
use gauntlet_run::snapshot::Snapshot;
use gauntlet_train::curve::TrainingTest;
use gauntlet_train::section::TrainingLength;
use gauntlet_train::seen::{check, is_in_use, read_snapshot};
use gauntlet_train::{CURVE_FILE, NETWORK};

/// Returns the snapshot of the training in a folder. `again` is the command that resumes it, if
/// known. `length` is the length of the training.
pub(super) fn snapshot(
    folder: &Path,
    again: Option<&str>,
    length: Option<TrainingLength>,
) -> anyhow::Result<Snapshot> {
    let found = read_snapshot(folder)
        .with_context(|| format!("cannot read the training run in {}", display_path(folder)))?;
    let is_training = found.as_ref().map_or_else(|| is_in_use(folder), |found| found.is_training);
    let has_ended = found.as_ref().is_some_and(|found| found.has_ended);
    let state = match (is_training, has_ended) {
        (true, _) => "running",
        (false, true) => "ended",
        (false, false) => "not complete",
    };
    let resume = format!("  to resume: {}", again.unwrap_or("the same `gauntlet train` command"));
    let resume = Some(resume).filter(|_| !is_training && !has_ended);
    let title = format!("{}: training run, {state}", display_path(folder));
    let Some(found) = found else {
        let lines = resume.into_iter().collect();
        return Ok(Snapshot { lines, ..Snapshot::new(title + ", no checkpoint yet") });
    };
    check(folder)?;
    let progress = found.progress(length);
    let other = if progress.unit == ProgressUnit::Move {
        format_games(found.games)
    } else {
        format_count(found.moves, "move")
    };
    let part = if progress.all == 0 { progress.words() } else { progress.format_done() };
    let network = quote_path(&folder.join(NETWORK));
    let network = has_ended.then(|| format!("network: {network}; learning curve: {CURVE_FILE}"));
    let lines = std::iter::once(format!("trained on {part}, {other}"));
    let lines = lines.chain(found.curve.last().map(TrainingTest::describe)).chain(network).chain(resume);
    Ok(Snapshot { lines: lines.collect(), ..Snapshot::new(title) })
}
