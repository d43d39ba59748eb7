//! Permission to start external programs as players. An experiment may come from a stranger, so
//! only the command line can grant it.

use std::io::ErrorKind::AlreadyExists;
use std::path::{Path, PathBuf};

use gauntlet_analysis::config::Experiment;
use gauntlet_core::arena::Entry;
use gauntlet_core::assets::ProgramPermission;
use gauntlet_core::diagnostic::nearest;
use gauntlet_core::text::{display_path, escape, quote, quote_for_script};
use gauntlet_run::plan::Plan;
use serde_json::Value;

use crate::exit::Usage;

/// Options that permit external programs.
#[derive(Clone, clap::Args)]
pub struct Allow {
    /// Allow all players to start their external programs
    #[arg(long, hide_short_help = true)]
    allow_commands: bool,

    /// Allow this player to start its external program; can be repeated
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, hide_short_help = true)]
    allow_command: Vec<String>,
}

/// Folder, in the results of an experiment, for the standard error of programs.
pub const STDERR_FOLDER: &str = "stderr";

/// Returns the players of an experiment that are external programs: each with its name and its
/// command as typed in a shell.
pub fn external_commands(experiment: &Experiment) -> Vec<(&str, String)> {
    let quote_command =
        |words: &Vec<String>| words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
    // Other settings that decide what runs.
    let other_settings = |settings: &Value| -> String {
        let present_settings =
            ["directory", "env", "options"].iter().filter_map(|&key| Some((key, settings.get(key)?)));
        let is_set =
            |(_, value): &(&str, &Value)| !matches!(value.to_string().as_str(), "null" | "[]" | "{}");
        present_settings
            .filter(is_set)
            .map(|(key, value)| format!(" ({key} {})", escape::line(&value.to_string())))
            .collect()
    };
    let start_command = |entry: &Entry| {
        Some(quote_command(entry.facts().command.as_ref()?) + &other_settings(&entry.settings))
    };
    let entries = experiment.players().iter();
    entries.filter_map(|entry| Some((&*entry.name, start_command(&entry.entry)?))).collect()
}

/// Formats the command that resumes work on a plan. It has no permission to start programs, because
/// the experiment may come from a stranger.
pub fn resume_lines(command: &str, plan: &Plan) -> Vec<String> {
    let starts_programs = plan.players.iter().any(|player| player.entry.facts().command.is_some());
    let warning = starts_programs.then(|| "starts programs: needs permission".to_owned());
    std::iter::once(format!("to resume: {command}")).chain(warning).collect()
}

/// A temporary folder, removed when dropped.
pub struct TemporaryFolder(pub PathBuf);

impl TemporaryFolder {
    /// Creates a private folder among temporary files, with a name that does not exist yet. Another
    /// user may have created folders with predictable names.
    pub fn create() -> TemporaryFolder {
        let name = |number: u32| format!("gauntlet-stderr-{}-{number}", std::process::id());
        let mut folders = (0..).map(|number| std::env::temp_dir().join(name(number)));
        let is_taken =
            |folder: &PathBuf| matches!(create_private(folder), Err(error) if error.kind() == AlreadyExists);
        TemporaryFolder(folders.find(|folder| !is_taken(folder)).expect("there are enough numbers"))
    }
}

/// Creates a folder that only this user can access.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Allow {
    /// Returns the options that grant this permission, for printed commands and scripts.
    pub fn to_options(&self) -> String {
        let all = if self.allow_commands { " --allow-commands" } else { "" };
        let named =
            self.allow_command.iter().map(|name| format!(" --allow-command={}", quote_for_script(name)));
        all.to_owned() + &named.collect::<String>()
    }

    /// Permits the commands of an experiment, or refuses all if one is not permitted. Their
    /// standard error goes to a folder in these results.
    pub fn permit(&self, experiment: &Experiment, file: &Path, results: &Path) -> Result<(), Usage> {
        self.permit_with(experiment, file, results.join(STDERR_FOLDER))
    }

    /// Permits the commands of an experiment, with standard error in a temporary folder.
    pub fn permit_with_temporary_folder(
        &self,
        experiment: &Experiment,
        file: &Path,
    ) -> Result<TemporaryFolder, Usage> {
        let folder = TemporaryFolder::create();
        self.permit_with(experiment, file, folder.0.clone())?;
        Ok(folder)
    }

    fn permit_with(&self, experiment: &Experiment, file: &Path, stderr_folder: PathBuf) -> Result<(), Usage> {
        let is_refused =
            |name: &str| !self.allow_commands && !self.allow_command.iter().any(|allowed| allowed == name);
        let commands = external_commands(experiment);
        let refused_commands: Vec<_> = commands.iter().filter(|(name, _)| is_refused(name)).collect();
        if !refused_commands.is_empty() {
            let describe =
                |(name, command): &&(&str, String)| format!("  {name}: {}\n", escape::line(command));
            let names = || refused_commands.iter().map(|(name, _)| *name);
            let unknown_names =
                self.allow_command.iter().filter(|allowed| commands.iter().all(|(name, _)| name != allowed));
            let suggestion =
                unknown_names.filter_map(|allowed| Some((allowed, nearest(allowed, names())?))).next();
            let suggestion = suggestion.map_or_else(String::new, |(allowed, similar)| {
                format!("\nno such player {allowed:?}; did you mean {similar:?}?")
            });
            return Err(Usage(format!(
                "{} has players that start external programs:\n{}\
                 to allow them: --allow-commands, or --allow-command NAME for one player{suggestion}",
                display_path(file),
                refused_commands.iter().map(describe).collect::<String>(),
            )));
        }
        experiment.assets().permit(ProgramPermission::with_errors(stderr_folder));
        Ok(())
    }
}
