//! The program: finds the command of a command line and runs it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write;
use std::process::ExitCode;
#[cfg(unix)]
use std::sync::Arc;

use clap::builder::Styles;
use clap::{CommandFactory, Parser};
use gauntlet_analysis::results::store::missing_results::NoResults;
use gauntlet_core::arena::Arenas;
use gauntlet_core::diagnostic::Mistakes;
use gauntlet_core::process::supervisor;

use crate::command::{Command, Program};
use crate::exit::{FAILED, MISTAKE, Usage};
use crate::output::{print_error, print_message};
use crate::usage_error::print_usage_error;

/// Compare game-playing AIs with statistical confidence
///
/// gauntlet plays thousands of games of 2048 or Gomoku between the players of an experiment. All
/// players get the same seeds and openings. Results are win rates or ratings and times per move,
/// with confidence intervals.
#[derive(Parser)]
#[command(
    name = "gauntlet",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_long_help = "\
Exit status:
  0    success
  1    failure, such as a full disk, missing games or failed games
  2    invalid file or command line
  5    regression found by `compare --fail-on`
  6    result of `tune` is inconclusive
  7    result of `tune` is worse than the start
  75   shard stopped by SIGTERM; can be resumed
  130  stopped by Ctrl-C or SIGTERM; can be resumed

Example:
  gauntlet run quick"
)]
struct Cli;

impl Program {
    /// Returns the definition of the command line.
    pub fn definition(self) -> clap::Command {
        let define =
            |command: &Command| (command.define)(clap::Command::new(command.name), self.catalog.games);
        let definitions: Vec<clap::Command> = self.commands().map(define).collect();
        // At least as wide as with all extras, so that the list of the core is always the same.
        let width = self.commands().map(|command| command.name.len()).fold(11, usize::max);
        let list = |definitions: &[clap::Command]| -> String {
            let line = |definition: &clap::Command| {
                let about = definition.get_about().map(ToString::to_string).unwrap_or_default();
                format!("  {:<width$}  {about}\n", definition.get_name())
            };
            definitions.iter().map(line).collect()
        };
        let (core, extras) = definitions.split_at(self.core.len());
        // Clap's own list of commands has one part.
        let header = *Styles::default().get_header();
        let mut template = format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{header}Commands:{header:#}\n{}  {:<width$}  \
             Print this message or the help of the given subcommand(s)\n",
            list(core),
            "help"
        );
        if !extras.is_empty() {
            let _ = write!(template, "\n{header}Extras:{header:#}\n{}", list(extras));
        }
        let _ = write!(template, "\n{header}Options:{header:#}\n{{options}}{{after-help}}");
        Cli::command().help_template(template).subcommands(definitions)
    }

    /// Runs the command line, and returns the exit status of the program.
    pub fn main(self) -> ExitCode {
        // The program, called by another name, supervises players that are external programs.
        if let Some(code) = supervisor::main() {
            return code;
        }
        ignore_file_size_signal();
        if let Some(duplicate) = self.find_duplicate_name() {
            print_message(format_args!("gauntlet: {duplicate}"));
            return ExitCode::from(FAILED);
        }
        self.run(std::env::args_os())
    }

    /// Runs a command line, which begins with the name of the program.
    pub fn run(self, words: impl IntoIterator<Item = impl Into<OsString>>) -> ExitCode {
        let mut words: Vec<OsString> = words.into_iter().map(Into::into).collect();
        // `help format` prints the manual, like `format`, instead of the help about `format`.
        if words.get(1).is_some_and(|word| word == "help")
            && words.get(2).is_some_and(|word| word == "format")
        {
            words.remove(1);
        }
        let matches = match self.definition().try_get_matches_from(&words) {
            Ok(matches) => matches,
            Err(error) => return print_usage_error(error, self, words.get(1..).unwrap_or_default()),
        };
        let (name, matches) = matches.subcommand().expect("a command is required");
        let command = self.commands().find(|command| command.name == name).expect("a defined command");
        match (command.run)(self, matches) {
            Ok(code) => code,
            Err(error) => {
                print_error(&error);
                let is_mistake = error.is::<Mistakes>() || error.is::<Usage>() || error.is::<NoResults>();
                ExitCode::from(if is_mistake { MISTAKE } else { FAILED })
            }
        }
    }

    /// Describes two commands, two games, or two players of one game with the same name. Only the
    /// first of them could be used.
    fn find_duplicate_name(self) -> Option<String> {
        let mut names = BTreeSet::new();
        self.commands()
            .find(|command| !names.insert(command.name))
            .map(|command| format!("there are two commands `{}`: rename one of them", command.name))
            .or_else(|| find_duplicate_game_or_player(self.catalog.games))
    }
}

/// Describes two games, or two players of one game with the same name.
fn find_duplicate_game_or_player(arenas: Arenas) -> Option<String> {
    let mut names = BTreeMap::new();
    for arena in arenas {
        let players = arena.manual().into_iter().map(|entry| (Some(entry.name), entry.package));
        for (player, package) in std::iter::once((None, arena.package)).chain(players) {
            if let Some(other_package) = names.insert((arena.name, player), package) {
                let description = player.map_or_else(
                    || format!("a game `{}`", arena.name),
                    |player| format!("a player `{player}` of {}", arena.name),
                );
                return Some(format!(
                    "{other_package} and {package} both have {description}: rename one of them"
                ));
            }
        }
    }
    None
}

/// Makes writes beyond the file size limit (`ulimit -f`) fail with an error. Without a handler the
/// signal SIGXFSZ would end the program first.
fn ignore_file_size_signal() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}
