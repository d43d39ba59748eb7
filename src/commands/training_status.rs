//! Snapshot of a training at its last checkpoint, for `status`.

use std::path::Path;

use anyhow::Context;
use gauntlet_core::text::{display_path, format_count, format_games, quote_path};
use gauntlet_run::progress::ProgressUnit;
use gauntlet_run::snapshot::Snapshot;
use gauntlet_train::curve::TrainingTest;
use gauntlet_train::section::TrainingLength;
use gauntlet_train::snapshot::{check, is_in_use, read_snapshot};
use gauntlet_train::{CURVE_FILE, NETWORK};

/// Returns the snapshot of the training in a folder. `resume_command` is the command that resumes
/// it, if known. `length` is the length of the training.
pub(super) fn snapshot(
    folder: &Path,
    resume_command: Option<&str>,
    length: Option<TrainingLength>,
) -> anyhow::Result<Snapshot> {
    let training = read_snapshot(folder)
        .with_context(|| format!("cannot read the training run in {}", display_path(folder)))?;
    let is_training = training.as_ref().map_or_else(|| is_in_use(folder), |training| training.is_training);
    let has_ended = training.as_ref().is_some_and(|training| training.has_ended);
    let state = match (is_training, has_ended) {
        (true, _) => "running",
        (false, true) => "ended",
        (false, false) => "not complete",
    };
    // After more games than in the file, the training had another command, which is not recorded.
    let is_longer = training.as_ref().is_some_and(|training| {
        let progress = training.progress(length);
        // The last game of a training of so many moves is completed.
        progress.unit == ProgressUnit::Game && progress.total > 0 && progress.done > progress.total
    });
    let (resume_command, length) = if is_longer { (None, None) } else { (resume_command, length) };
    let resume_line =
        format!("  to resume: {}", resume_command.unwrap_or("the same `gauntlet train` command"));
    let resume_line = Some(resume_line).filter(|_| !is_training && !has_ended);
    let title = format!("{}: training run, {state}", display_path(folder));
    let Some(training) = training else {
        let lines = resume_line.into_iter().collect();
        return Ok(Snapshot { remarks: lines, ..Snapshot::new(title + ", no checkpoint yet") });
    };
    check(folder)?;
    let progress = training.progress(length);
    let other_count = if progress.unit == ProgressUnit::Move {
        format_games(training.games)
    } else {
        format_count(training.moves, "move")
    };
    let progress_words = if progress.total == 0 { progress.words() } else { progress.format_done() };
    let network = quote_path(&folder.join(NETWORK));
    let network = has_ended.then(|| format!("network: {network}; learning curve: {CURVE_FILE}"));
    let lines = std::iter::once(format!("trained on {progress_words}, {other_count}"));
    let lines =
        lines.chain(training.curve.last().map(TrainingTest::describe)).chain(network).chain(resume_line);
    Ok(Snapshot { remarks: lines.collect(), ..Snapshot::new(title) })
}
