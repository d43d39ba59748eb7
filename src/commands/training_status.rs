//! Progress of a training at its last checkpoint, for `status`.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use gauntlet_core::text::{counted, games, quoted_path, shown};
use gauntlet_run::progress::ProgressUnit;
use gauntlet_train::section::TrainingLength;
use gauntlet_train::seen::{TrainingSnapshot, check, is_in_use, seen};
use gauntlet_train::{CURVE_FILE, NETWORK};

/// Prints the progress of the training in a folder. `again` is the command that resumes it, if
/// known. `length` is the length of the training.
pub(super) fn tell(
    out: &mut impl Write,
    folder: &Path,
    again: Option<&str>,
    length: Option<TrainingLength>,
) -> anyhow::Result<()> {
    let again = again.unwrap_or("the same `gauntlet train` command");
    let cannot = || format!("cannot read the training run in {}", shown(folder));
    let Some(found) = seen(folder).with_context(cannot)? else {
        let is_in_use = is_in_use(folder);
        let state = if is_in_use { "running" } else { "not complete" };
        writeln!(out, "{}: training run, {state}, no checkpoint yet", shown(folder))?;
        if !is_in_use {
            writeln!(out, "    to resume: {again}")?;
        }
        return Ok(());
    };
    let TrainingSnapshot { curve, is_training, has_ended, .. } = &found;
    let state = match (is_training, has_ended) {
        (true, _) => "running",
        (false, true) => "ended",
        (false, false) => "not complete",
    };
    check(folder)?;
    let of_length = found.progress(length);
    let other =
        if of_length.unit == ProgressUnit::Move { games(found.games) } else { counted(found.moves, "move") };
    let part = if of_length.all == 0 { of_length.words() } else { of_length.part() };
    writeln!(out, "{}: training run, {state}", shown(folder))?;
    writeln!(out, "  trained on {part}, {other}")?;
    if let Some(tested) = curve.last() {
        writeln!(out, "  {}", tested.words())?;
    }
    match *has_ended {
        true => {
            writeln!(out, "  network: {}; learning curve: {CURVE_FILE}", quoted_path(&folder.join(NETWORK)))?
        }
        false if !is_training => writeln!(out, "    to resume: {again}")?,
        false => {}
    }
    Ok(())
}
