//! Other authors' programs, as a player's configuration names them: how they are started and
//! identified.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use gauntlet_core::assets::AssetFiles;
use gauntlet_core::player::NoMove;
use gauntlet_core::process::{LaunchSpec, Program};
use gauntlet_core::protocol::encode_word;
use gauntlet_core::record::TimeSource;

/// Which time counts for players that compute in other programs.
pub const TIME_SOURCE: TimeSource =
    if cfg!(target_os = "linux") { TimeSource::Process } else { TimeSource::Wall };

/// Program, its location and its files.
#[derive(Clone, Copy, Debug)]
pub struct ExternalProgram<'a> {
    /// Program and its arguments.
    pub command: &'a [String],
    /// Working directory, relative to the experiment's file.
    pub directory: &'a Path,
    /// Environment variables.
    pub env: &'a [String],
    /// Files of the program, in addition to those among its arguments.
    pub files: &'a [String],
}

impl ExternalProgram<'_> {
    /// Starts the program. `title_suffix` follows the command at the head of its kept standard
    /// error.
    pub fn start(
        &self,
        assets: &Arc<AssetFiles>,
        memory_mib: Option<u32>,
        title_suffix: &str,
    ) -> Result<Program, NoMove> {
        let title: String = self.command.iter().map(|word| format!("{} ", encode_word(word))).collect();
        let title = title + title_suffix;
        let folder = assets.folder().join(self.directory);
        let current_folder = PathBuf::from(".");
        let launch = LaunchSpec {
            command: self.command,
            directory: if folder.as_os_str().is_empty() { &current_folder } else { &folder },
            variables: self.env,
            memory: memory_mib.map(|mib| u64::from(mib) << 20),
            title: title.trim_end(),
        };
        Program::start(&launch, assets)
            .map_err(|error| NoMove::cannot_play(format!("cannot start {}: {error}", self.command[0])))
    }

    /// Returns the digest of its files and of the protocol.
    pub fn identity(&self, protocol: &str, assets: &AssetFiles) -> anyhow::Result<String> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{protocol}\n").as_bytes());
        for word in self.command {
            let path = self.directory.join(word);
            // A program found on PATH is identified by its name alone.
            if assets.folder().join(&path).is_file() {
                hasher.update(format!("{word} {}\n", assets.digest(&path)?).as_bytes());
            }
        }
        for file in self.files {
            let digest = assets.digest(&self.directory.join(file)).context("`files`")?;
            hasher.update(format!("{file} {digest}\n").as_bytes());
        }
        Ok(hasher.finalize().to_hex()[..16].to_owned())
    }

    /// Returns why no program can be started with these settings, if so: the setting, and why.
    pub fn contradiction(&self) -> Option<(&'static str, String)> {
        if !self.command.first().is_some_and(|program| is_bare(program)) {
            return Some(("command", "must name a program".to_owned()));
        }
        if let Some(word) = self.command.iter().find(|word| word.contains('\0')) {
            return Some(("command", format!("{word:?} contains a null byte")));
        }
        let variable_name = |variable: &str| variable.split('=').next().unwrap_or("").to_owned();
        let invalid_variable =
            self.env.iter().find(|variable| !is_name(&variable_name(variable)) || variable.contains('\0'));
        invalid_variable
            .map(|invalid_variable| ("env", format!("{invalid_variable:?}: expected NAME or NAME=VALUE")))
    }
}

fn is_bare(text: &str) -> bool {
    !text.is_empty() && !text.contains('\0')
}

/// Returns true if a text can be the name of a variable or an option: one word without `=`.
pub fn is_name(name: &str) -> bool {
    is_bare(name) && !name.contains(|c: char| c == '=' || c.is_whitespace())
}
