//! Subject of a command: an experiment's file, or the folder of its results.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use gauntlet_analysis::config::{self, Catalog, Experiment, LoadError};
use gauntlet_analysis::results::store::experiment_copy::parse_copy;
use gauntlet_analysis::results::store::folder::{
    EXPERIMENT, RESULTS, has_tables, read_experiment_copy, read_experiment_to_merge,
};
use gauntlet_analysis::results::store::missing_results;
use gauntlet_analysis::results::store::tuning::{is_tuning, tunings_in};
use gauntlet_core::disk::{Disk, system_disk};
use gauntlet_core::text::{display_path, quote, quote_path};

use crate::exit::Usage;

/// Where results go.
#[derive(clap::Args)]
pub struct Results {
    /// Parent folder of all results folders
    #[arg(long, value_name = "DIR", default_value = RESULTS)]
    results: PathBuf,
}

impl Results {
    /// Returns the results in a folder.
    pub fn new(parent: &Path) -> Results {
        Results { results: parent.to_owned() }
    }

    /// Returns the folder of an experiment.
    pub fn folder(&self, experiment: &Experiment) -> PathBuf {
        self.folder_of_name(experiment.name())
    }

    /// Returns the folder of an experiment with this name.
    pub fn folder_of_name(&self, name: &str) -> PathBuf {
        self.results.join(name)
    }

    /// Returns the arguments with which another command finds the folder of this experiment.
    pub fn to_arguments(&self, file: &Path) -> String {
        self.append_option(&quote_path(file))
    }

    /// Appends the option for this results folder to a command.
    pub fn append_option(&self, command: &str) -> String {
        if self.results == Path::new(RESULTS) {
            command.to_owned()
        } else {
            format!("{command} --results={}", quote(&self.results.to_string_lossy()))
        }
    }
}

/// Reads the copy of an experiment in a folder of results.
type CopyReader = fn(Catalog, &Arc<dyn Disk>, &Path) -> anyhow::Result<Vec<u8>>;

/// An experiment, and the folder of its results.
pub struct Target {
    pub experiment: Experiment,
    pub folder: PathBuf,
}

impl Target {
    /// Returns the path of the experiment's copy.
    pub fn copy_path(&self) -> PathBuf {
        self.folder.join(EXPERIMENT)
    }

    /// Finds the target from an experiment's file, or from a results folder that contains its
    /// experiment.
    pub fn find(catalog: Catalog, path: &Path, results: &Results) -> anyhow::Result<Target> {
        Target::find_by(catalog, path, results, read_experiment_copy)
    }

    /// Finds the target for `merge`, which writes all tables again and so accepts damaged ones.
    pub fn find_to_merge(catalog: Catalog, path: &Path, results: &Results) -> anyhow::Result<Target> {
        Target::find_by(catalog, path, results, read_experiment_to_merge)
    }

    fn find_by(
        catalog: Catalog,
        path: &Path,
        results: &Results,
        read_copy: CopyReader,
    ) -> anyhow::Result<Target> {
        refuse_absent(catalog, path)?;
        if path.is_dir() {
            let copy = read_copy(catalog, &system_disk(), path)?;
            let experiment = parse_copy(catalog, path, copy).map_err(to_error)?;
            return Ok(Target { experiment, folder: path.to_owned() });
        }
        let experiment = load(catalog, path)?;
        let folder = results.folder(&experiment);
        Ok(Target { experiment, folder })
    }

    /// Finds the target for a command that plays nothing, so files of players may be missing.
    pub fn find_without_files(catalog: Catalog, path: &Path, results: &Results) -> anyhow::Result<Target> {
        let experiment = load_without_files(catalog, path)?;
        let folder = if path.is_dir() { path.to_owned() } else { results.folder(&experiment) };
        Ok(Target { experiment, folder })
    }
}

/// Reads an experiment that is not played, from its file or from its results folder.
pub fn load_without_files(catalog: Catalog, path: &Path) -> anyhow::Result<Experiment> {
    let (path, bytes) = read_bytes(catalog, path)?;
    config::from_bytes(catalog, &path, bytes, None).map_err(to_error)
}

/// Reads the text of an experiment from its file or its results folder. Also returns the path.
pub fn read_bytes(catalog: Catalog, path: &Path) -> anyhow::Result<(PathBuf, Vec<u8>)> {
    refuse_absent(catalog, path)?;
    if path.is_dir() {
        Ok((path.join(EXPERIMENT), read_experiment_copy(catalog, &system_disk(), path)?))
    } else {
        Ok((path.to_owned(), config::read_bytes(catalog, path).map_err(to_error)?))
    }
}

/// Reads an experiment, or reports all mistakes in it.
pub fn load(catalog: Catalog, path: &Path) -> anyhow::Result<Experiment> {
    refuse_absent(catalog, path)?;
    config::load(catalog, path).map_err(to_error)
}

/// Fails if nothing exists at a path from the command line.
pub fn refuse_missing(path: &Path) -> anyhow::Result<()> {
    if path.try_exists().is_ok_and(|exists| !exists) {
        Err(missing_results::missing_path_error(path, &[]))
    } else {
        Ok(())
    }
}

/// Fails if a folder contains no experiment, for commands that play one.
pub fn refuse_folder(catalog: Catalog, path: &Path) -> Result<(), Usage> {
    // For folders of tunings, and for tables without their experiment, other messages are better.
    let has_tuning = || is_tuning(path) || !tunings_in(path).is_empty();
    if path.is_dir() && !path.join(EXPERIMENT).exists() && !has_tables(&*system_disk(), path) && !has_tuning()
    {
        return Err(Usage(format!(
            "{} has no experiment; give the file of an experiment{}",
            display_path(path),
            catalog.hidden_experiment_hint(path)
        )));
    }
    Ok(())
}

/// Fails if a path is neither a file nor a folder with an experiment nor a built-in experiment, or
/// is a tuning folder.
pub fn refuse_absent(catalog: Catalog, path: &Path) -> anyhow::Result<()> {
    if catalog.built_in_experiment(path).is_some() {
        return Ok(());
    }
    if path.try_exists().is_ok_and(|exists| !exists) {
        return Err(missing_results::missing_path_error(path, catalog.built_in));
    }
    let is_empty = || !has_tables(&*system_disk(), path) && !path.join(EXPERIMENT).exists();
    if path.is_dir() && (is_tuning(path) || is_empty()) {
        return Err(missing_results::missing_results_error(catalog, path));
    }
    Ok(())
}

/// Converts the error of a file that is not a valid experiment.
pub fn to_error(error: LoadError) -> anyhow::Error {
    match error {
        LoadError::Unreadable(error) => error,
        LoadError::Mistaken(mistakes) => mistakes.into(),
        LoadError::Refused(reason) => Usage(reason).into(),
    }
}

/// Writes a new file; fails if the file exists.
pub fn write_new(path: &Path, text: &str) -> anyhow::Result<()> {
    let name = display_path(path);
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(already_exists_error(path).into());
        }
        file => file.with_context(|| format!("cannot write {name}"))?,
    };
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {name}"))
}

pub fn already_exists_error(path: &Path) -> Usage {
    Usage(format!("{} already exists: give another file", display_path(path)))
}
