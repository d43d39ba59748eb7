//! Games in the folder of an experiment, for a run with changes from the command line.

use std::io;
use std::path::{Path, PathBuf};

use gauntlet_core::disk::folder_of;
use gauntlet_core::text::{display_path, format_games};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::merge::merge;
use gauntlet_run::paths;
use gauntlet_run::plan::Plan;

use gauntlet_cli::output::print_message;

/// Returns the journal of another folder, if a run may take games from it.
pub(super) fn find_journal(folder: &Path, plan: &Plan) -> Option<PathBuf> {
    let has_programs = plan.players.iter().any(|player| player.entry.facts().command.is_some());
    Some(paths::journal_path(folder, None)).filter(|path| !has_programs && path.exists())
}

/// Copies answers about games of a plan from the folders of an experiment and of its changed
/// variants, which play the same games.
pub(super) fn copy_answers(
    original_folder: &Path,
    plan: &KeyedPlan,
    journal: &mut Journal,
) -> anyhow::Result<()> {
    let Some(name) = original_folder.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return Ok(());
    };
    for folder in list_folders(folder_of(original_folder)) {
        let folder_name = folder.file_name().unwrap_or_default().to_string_lossy();
        let is_variant =
            folder_name.strip_prefix(&*name).is_some_and(|rest| rest.is_empty() || rest.starts_with('+'));
        let path = paths::journal_path(&folder, None);
        if is_variant && path != journal.path() && path.exists() {
            match Journal::peek(&path) {
                Ok(other_journal) => journal.append_answers_from(plan, &other_journal)?,
                Err(error) => warn_of_answers(&folder, &error),
            }
        }
    }
    Ok(())
}

/// Returns the paths in a folder, sorted. Empty, with a warning, if it cannot be read.
fn list_folders(parent: &Path) -> Vec<PathBuf> {
    let entries = match parent.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            warn_of_answers(parent, &error.into());
            Vec::new()
        }
    };
    let mut folders: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

fn warn_of_answers(folder: &Path, error: &anyhow::Error) {
    print_message(format_args!(
        "gauntlet: earlier results in {} are not counted: {error:#}",
        display_path(folder)
    ));
}

/// Copies games of a plan that this journal lacks from the journal of another folder, which is not
/// changed. Only journals are read, because tables have no times of single games. Invalid lines are
/// reported, and their games are played. External programs play all games again: a program may have
/// changed, and it is only started for playing.
pub(super) fn copy_games(
    original_folder: &Path,
    plan: &KeyedPlan,
    journal: &mut Journal,
    is_quiet: bool,
) -> anyhow::Result<()> {
    let Some(path) = find_journal(original_folder, plan) else { return Ok(()) };
    if path == journal.path() || Coverage::from_journal(plan, journal)?.is_complete(plan) {
        return Ok(());
    }
    let copied_games = Journal::peek(&path)
        .and_then(|other_journal| merge(plan, journal, &[Coverage::from_journal(plan, &other_journal)?]));
    match copied_games {
        Ok(0) => {}
        Ok(_) if is_quiet => {}
        Ok(games) => {
            print_message(format_args!(
                "gauntlet: reusing {} of this run from {}",
                format_games(games),
                display_path(original_folder)
            ));
        }
        Err(error) => {
            print_message(format_args!(
                "gauntlet: cannot reuse games from {}: {error:#}",
                display_path(original_folder)
            ));
        }
    }
    Ok(())
}
