//! Experiments as given to a command: files, results folders or standard input, with changes from
//! the command line.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use gauntlet_analysis::config::changes::CliOverrides;
use gauntlet_analysis::config::{self, Catalog, ChangedExperiment, MAX_FILE_BYTES};
use gauntlet_analysis::results::store::command;
use gauntlet_core::text::quote_path;
use gauntlet_core::user_cache;
use gauntlet_run::blocks::BlockSeeds;

use gauntlet_cli::output::{print_error, print_message, print_waiting};
use gauntlet_cli::permission::Allow;
use gauntlet_cli::target::{Results, Target, read_bytes, to_error};

/// Option to check the files of players.
#[derive(clap::Args)]
pub(super) struct Verification {
    /// First check every byte of the players' endgame tables, and use no caches
    ///
    /// By default, a part of a table is checked before the first answer from it. The caches are in
    /// `$XDG_CACHE_HOME/gauntlet` or `~/.cache/gauntlet`.
    #[arg(long, hide_short_help = true)]
    verify: bool,
}

impl Verification {
    /// Disables the caches of the user, if asked for. Must be called before an experiment is
    /// loaded.
    pub(super) fn disable_caches(&self) {
        if self.verify {
            user_cache::set_enabled(false);
        }
    }

    /// Checks the files of the players of some experiments, if asked for.
    pub(super) fn verify(&self, experiments: &[GivenExperiment]) -> anyhow::Result<()> {
        if !self.verify {
            return Ok(());
        }
        for experiment in experiments.iter().map(|given_experiment| &given_experiment.target.experiment) {
            for player in experiment.players() {
                let result = player.entry.verify_files(experiment.assets());
                result.map_err(|mistake| anyhow!("{}: {}", player.name, mistake.message))?;
            }
        }
        Ok(())
    }
}

/// An experiment as given to a command.
pub(super) struct GivenExperiment<'a> {
    /// Path as typed.
    path: &'a Path,
    /// The experiment and its results folder.
    pub(super) target: Target,
    /// The results folder of the unchanged experiment, if the command line changes it.
    pub(super) original_folder: Option<PathBuf>,
    changes: &'a CliOverrides,
}

impl<'a> GivenExperiment<'a> {
    /// Finds the results folders of an experiment, and prints what the changes exclude.
    pub(super) fn new(
        path: &'a Path,
        changed: ChangedExperiment,
        results: &Results,
        changes: &'a CliOverrides,
        is_quiet: bool,
    ) -> GivenExperiment<'a> {
        let ChangedExperiment { experiment, dropped_parts, original_name } = changed;
        for dropped_part in dropped_parts.iter().filter(|_| !is_quiet) {
            print_message(format_args!("gauntlet: skipping parts of {}: {dropped_part}", experiment.name()));
        }
        let has_original = !changes.is_empty() && !changes.is_name_alone();
        let original_folder = has_original
            .then(|| if path.is_dir() { path.to_owned() } else { results.folder_of_name(&original_name) });
        let folder = results.folder(&experiment);
        GivenExperiment { path, target: Target { experiment, folder }, original_folder, changes }
    }

    /// Returns the name for messages.
    pub(super) fn file(&self) -> &Path {
        if is_stdin(self.path) { Path::new(STDIN) } else { self.path }
    }

    /// Returns the command that reproduces the results.
    pub(super) fn command(&self) -> String {
        let path = if is_stdin(self.path) { &self.target.copy_path() } else { self.path };
        let change_options = if is_stdin(self.path) { String::new() } else { self.changes.to_options() };
        command::reproducing_command("run", path) + &change_options
    }

    /// Returns the arguments with which other commands find these results.
    pub(super) fn to_arguments(&self, results: &Results) -> String {
        if self.is_unchanged_file() {
            results.to_arguments(self.path)
        } else {
            quote_path(&self.target.folder)
        }
    }

    /// Returns lines that explain how to play four times as many games. Empty if the command line
    /// changed the experiment, or something else ends the run.
    pub(super) fn suggest_more_games(&self, results: &Results, allow: &Allow) -> Vec<String> {
        let experiment = &self.target.experiment;
        let can_extend =
            self.is_unchanged_file() && experiment.sections().stop.is_none() && !self.path.is_dir();
        let games = match experiment.blocks() {
            BlockSeeds::Derived { games, .. } if can_extend => {
                *games * experiment.arena().shape.legs() as u64
            }
            _ => return Vec::new(),
        };
        let Some(more_games) = games.checked_mul(4) else { return Vec::new() };
        let arguments = self.to_arguments(results) + &allow.to_options();
        let mut lines =
            vec![format!("for intervals half as wide: gauntlet run {arguments} --games {more_games}")];
        // If the experiment has claims, further games must be declared in its file, because the
        // results are known by then.
        if !experiment.sections().claims.is_empty() {
            lines.push(format!(
                "to add these games to the file: games = {more_games}, extended_from = {games}"
            ));
        }
        lines
    }

    /// Returns the command that resumes a run, if the experiment came from standard input.
    /// Otherwise the same command resumes it.
    pub(super) fn resume_command(&self, results: &Results, allow: &Allow) -> Option<String> {
        let copy_arguments = || results.to_arguments(&self.target.copy_path());
        is_stdin(self.path).then(|| format!("gauntlet run {}{}", copy_arguments(), allow.to_options()))
    }

    /// Returns true if the command runs the file without changes.
    fn is_unchanged_file(&self) -> bool {
        !is_stdin(self.path) && self.changes.is_empty()
    }
}

const STDIN: &str = "standard input";

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads experiments. Prints all errors in all of them before the command fails, and prints what
/// was excluded.
pub(super) fn load_all<'a>(
    catalog: Catalog,
    paths: &'a [PathBuf],
    results: &Results,
    changes: &'a CliOverrides,
    is_quiet: bool,
) -> (Vec<GivenExperiment<'a>>, Option<anyhow::Error>) {
    let mut experiments = Vec::new();
    let mut failure = None;
    for path in paths {
        match load(catalog, path, results, changes, is_quiet) {
            Ok(experiment) => experiments.push(experiment),
            Err(error) => {
                if let Some(earlier) = failure.replace(error) {
                    print_error(&earlier);
                }
            }
        }
    }
    (experiments, failure)
}

fn load<'a>(
    catalog: Catalog,
    path: &'a Path,
    results: &Results,
    changes: &'a CliOverrides,
    is_quiet: bool,
) -> anyhow::Result<GivenExperiment<'a>> {
    if path.is_dir() && changes.is_empty() {
        let target = Target::find(catalog, path, results)?;
        return Ok(GivenExperiment { path, target, original_folder: None, changes });
    }
    let (shown_path, bytes) = if is_stdin(path) {
        print_waiting("an experiment", "");
        let mut bytes = Vec::new();
        let read_result = io::stdin().lock().take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes);
        read_result.context("cannot read standard input")?;
        (PathBuf::from(STDIN), bytes)
    } else {
        read_bytes(catalog, path)?
    };
    let changed = config::load_with_changes(catalog, &shown_path, bytes, changes).map_err(to_error)?;
    Ok(GivenExperiment::new(path, changed, results, changes, is_quiet))
}
