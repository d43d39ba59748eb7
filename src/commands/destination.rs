//! Destination of the tables of a run or a merge, and messages about tables that are already there.

use std::path::{Path, PathBuf};

use anyhow::Context;
use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::folder::{FolderState, has_tables};
use gauntlet_analysis::results::store::replay::{ReplayResult, replay, replay_folder};
use gauntlet_analysis::results::store::write::RunReport;
use gauntlet_core::disk::system_disk;
use gauntlet_core::text::{display_path, format_games, group_digits};
use gauntlet_run::journal::{Journal, SessionEntry};
use gauntlet_run::paths;
use gauntlet_run::plan::{Plan, Shard};

use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::{describe_location, print_message};

/// Prints where the tables of locally played games are, if the folder came with tables.
pub(super) fn print_local_tables(folder: &Path) {
    let local_folder = replay_folder(folder);
    if has_tables(&*system_disk(), &local_folder) {
        print_message(format_args!(
            "gauntlet: {} has tables that were not generated here; tables of the games played here: {}",
            display_path(folder),
            display_path(&local_folder)
        ));
    }
}

/// Permission to lose tables.
#[derive(clap::Args)]
pub(super) struct Replace {
    /// Replace tables generated from another journal
    ///
    /// By default, tables without their journal are kept. If they belong to the same experiment,
    /// new tables are compared with them and written to `replayed`, a subfolder. If they belong to
    /// another experiment, the command fails.
    #[arg(long)]
    replace: bool,
}

/// Destination of tables.
pub(super) struct Destination {
    catalog: Catalog,
    folder: PathBuf,
    /// What the folder is now.
    state: FolderState,
    table_folder: PathBuf,
}

impl Destination {
    /// Finds where tables go that are made from journals with these sessions. Fails if they would
    /// overwrite tables that they do not continue.
    pub(super) fn find<'a>(
        experiment: &Experiment,
        folder: &Path,
        sessions: impl Iterator<Item = &'a SessionEntry>,
        replace: &Replace,
    ) -> anyhow::Result<Destination> {
        let state = match replace.replace {
            true => FolderState::Empty,
            false => FolderState::read(&system_disk(), experiment, folder, sessions)?,
        };
        let table_folder = state.folder_for_tables(folder).ok_or_else(|| {
            Usage(format!(
                "{} has tables of another version of the experiment, without their journal: choose another name with --name, replace the tables with --replace, or run the original experiment, experiment.toml in that folder",
                display_path(folder)
            ))
        })?;
        Ok(Destination { catalog: experiment.catalog(), folder: folder.to_owned(), state, table_folder })
    }

    /// Finds the destination before a journal is open. A shard writes no tables, but the tables of
    /// all shards together must be permitted.
    pub(super) fn find_before_run(
        experiment: &Experiment,
        folder: &Path,
        shard: Option<Shard>,
        replace: &Replace,
    ) -> anyhow::Result<Destination> {
        let mut paths = vec![paths::journal_path(folder, None)];
        // Without tables nothing can be lost, and in a run of a thousand shards not every shard
        // should read all journals.
        if !has_tables(&*system_disk(), folder) {
            paths.clear();
        } else if shard.is_some() {
            paths.extend(paths::find_shards(folder)?.into_iter().map(|(_, path)| path));
        }
        let existing_paths = paths.iter().filter(|path| path.exists());
        let journals = existing_paths.map(|path| Journal::peek(path)).collect::<anyhow::Result<Vec<_>>>()?;
        Destination::find(experiment, folder, journals.iter().flat_map(Journal::sessions), replace)
    }

    /// Prints that tables of more games will be replaced by tables of fewer.
    pub(super) fn warn_of_fewer_games(&self, plan: &Plan) {
        if let FolderState::Finished { games: old_games } | FolderState::Stale { games: old_games } =
            self.state
            && plan.games() < old_games
        {
            print_message(format_args!(
                "gauntlet: the tables in {} have {}; the new tables have {}, and the journal keeps the other games",
                display_path(&self.folder),
                format_games(old_games),
                group_digits(plan.games())
            ));
        }
    }

    /// Returns the folder for the tables, and creates it if needed.
    pub(super) fn prepare(&self) -> anyhow::Result<PathBuf> {
        let result = system_disk().make_folder(&self.table_folder);
        result.with_context(|| format!("cannot create the folder {}", display_path(&self.table_folder)))?;
        Ok(self.tables_folder())
    }

    /// Returns the folder for the tables.
    pub(super) fn tables_folder(&self) -> PathBuf {
        self.table_folder.clone()
    }

    /// Describes `description` tables were made and where they are. If tables stay, the games are
    /// compared with theirs; the second value is true if games differ that must not.
    pub(super) fn describe_tables(
        &self,
        report: &RunReport,
        mut description: String,
    ) -> anyhow::Result<(String, bool)> {
        let mut is_different = false;
        if self.state == FolderState::Kept && report.missing_blocks == 0 {
            let folder = display_path(&self.folder);
            description += &match replay(self.catalog, &system_disk(), &self.folder)? {
                ReplayResult::Identical => {
                    format!("; games identical to games.csv of {folder}, which is unchanged")
                }
                ReplayResult::NotReproducible => format!(
                    "; games differ from those of {folder}, as expected with time limits; {folder} is unchanged"
                ),
                ReplayResult::Different { rows } => {
                    is_different = true;
                    match rows {
                        Some((count, first_row)) => print_message(format_args!(
                            "gauntlet: {} of {folder} {} from the games played now; first row: {first_row}",
                            format_games(count),
                            if count == 1 { "differs" } else { "differ" }
                        )),
                        None => print_message(format_args!(
                            "gauntlet: games differ from those of {folder}: the digest of games.csv in its manifest does not match"
                        )),
                    }
                    format!("; games differ from those of {folder}, which is unchanged")
                }
            };
        }
        Ok((describe_location(&description, &self.table_folder), is_different))
    }
}
