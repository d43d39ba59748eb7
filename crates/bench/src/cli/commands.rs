//! Permission to start the commands of players that are other programs. An experiment may come from a stranger, so the command line
//! alone gives it.

use std::path::{Path, PathBuf};

use super::exit::Usage;
use crate::assets::Programs;
use crate::config::Experiment;
use crate::text::{escape, quoted, shown};

/// Commands that may start.
#[derive(Clone, clap::Args)]
pub(super) struct Allow {
    /// Let the commands of all players start that are other programs
    #[arg(long, hide_short_help = true)]
    allow_commands: bool,

    /// Let the command of this player start; may be said several times
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, hide_short_help = true)]
    allow_command: Vec<String>,
}

/// The folder, among the results of an experiment, for what programs write to standard error.
pub(super) const ERRORS: &str = "stderr";

/// The players of an experiment that are other programs: each with its name, and its command as it could be typed.
pub(super) fn commands(experiment: &Experiment) -> Vec<(&str, String)> {
    let command = |words: Vec<String>| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let entries = experiment.entries().iter();
    entries.filter_map(|entry| Some((&*entry.name, command(entry.entrant.command()?)))).collect()
}

/// A folder that is gone when the command is done.
pub(super) struct Passing(PathBuf);

impl Drop for Passing {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Allow {
    /// Lets the commands of an experiment start, if they are permitted; refuses all if one is not. What they write to standard
    /// error goes to a folder among these results.
    pub(super) fn permit(&self, experiment: &Experiment, file: &Path, results: &Path) -> Result<(), Usage> {
        self.permit_with(experiment, file, results.join(ERRORS))
    }

    /// The same where nothing is to be left behind: standard error goes to a folder of temporary files.
    pub(super) fn permit_in_passing(&self, experiment: &Experiment, file: &Path) -> Result<Passing, Usage> {
        let folder = std::env::temp_dir().join(format!("gauntlet-stderr-{}", std::process::id()));
        self.permit_with(experiment, file, folder.clone())?;
        Ok(Passing(folder))
    }

    fn permit_with(&self, experiment: &Experiment, file: &Path, errors: PathBuf) -> Result<(), Usage> {
        let is_refused =
            |name: &str| !self.allow_commands && !self.allow_command.iter().any(|own| own == name);
        let refused: Vec<String> = commands(experiment)
            .iter()
            .filter(|(name, _)| is_refused(name))
            .map(|(name, command)| format!("  {name}: {}\n", escape::line(command)))
            .collect();
        if !refused.is_empty() {
            return Err(Usage(format!(
                "{} has players that are other programs, and nothing starts unasked:\n{}\
                 to let them start: --allow-commands, or --allow-command NAME for one player",
                shown(file),
                refused.concat()
            )));
        }
        experiment.assets().permit(Programs::with_errors(errors));
        Ok(())
    }
}
