//! The command line: one file for each command, with its arguments and a function that runs it.
//!
//! - `ask`, `check`, `check_env`, `cluster`, `compare`, `completions`, `endgame`, `init`,
//!   `judge`, `live`, `man`, `manual` (`format` and `features`), `merge`, `network`,
//!   `new_player`, `players`, `power`, `probe`, `rank`, `report`, `run`, `serve`, `show`,
//!   `signature`, `status`, `train`, `tune`: the commands
//! - `attempt`: tries a program as a player
//! - `changed`: experiments as given to a command, with changes from the command line
//! - `target`: the subject of a command: a file, or a results folder
//! - `destination`: the folder for tables, and tables that are already there; `ending`: the end of
//!   a run on the screen; `known`: games that a changed experiment need not play
//! - `page`: the pages of `report`; `run_status`, `shards_status`, `tuning_status`,
//!   `training_status`: the output of `status` for runs, shards, tunings and trainings; `cost`: the
//!   output of `check --cost`
//! - `export`: tables written to a file of the user's choice
//! - `format`: the forms in which a command prints its tables
//! - `commands`: permission to start external programs
//! - `resources`: threads and memory that a command may use
//! - `paint`: coloured text
//! - `terminal`: tables as wide as the terminal
//! - `say`: messages on standard output and standard error
//! - `exit`: exit codes, and mistakes on the command line; `refusal`: messages for a command line
//!   that is not understood
//! - `session`: shared by commands that play: signals, the live page, how to resume
//! - `tune_screen`: progress of a search on a terminal or in a log

mod ask;
mod attempt;
mod changed;
mod check;
mod check_env;
mod cluster;
mod commands;
mod compare;
mod completions;
mod cost;
mod destination;
mod endgame;
mod ending;
mod exit;
mod export;
mod format;
mod init;
mod judge;
mod known;
mod live;
mod man;
mod manual;
mod merge;
mod network;
mod new_player;
mod page;
mod paint;
mod players;
mod power;
pub mod probe;
mod rank;
mod refusal;
mod report;
mod resources;
mod run;
mod run_status;
mod say;
mod serve;
mod session;
mod shards_status;
mod show;
mod signature;
mod status;
mod target;
mod terminal;
mod train;
mod training_status;
mod tune;
mod tune_screen;
mod tuning_status;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::ExitCode;
#[cfg(unix)]
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use commands::{ERRORS, commands};
use exit::{FAILED, MISTAKE, Usage};
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::store::absent::NoResults;
use gauntlet_core::arena::Arenas;
use gauntlet_core::diagnostic::Mistakes;
use gauntlet_core::process::supervisor;
use refusal::refused;
use say::{complain, printed, tell};

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
  gauntlet run configs/quick.toml"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Init(init::Args),
    NewPlayer(new_player::Args),
    Run(run::Args),
    Tune(tune::Args),
    Train(train::Args),
    Ask(ask::Args),
    Check(check::Args),
    CheckEnv(check_env::Args),
    Players(players::Args),
    Format(manual::Args),
    Features(manual::Features),
    Show(show::Args),
    Serve(serve::Args),
    Probe(probe::Args),
    Report(report::Args),
    Compare(compare::Args),
    Rank(rank::Args),
    Power(power::Args),
    Cluster(cluster::Args),
    Merge(merge::Args),
    Judge(judge::Args),
    Status(status::Args),
    Live(live::Args),
    Network(network::Args),
    Endgame(endgame::Args),
    Signature(signature::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Makes writes beyond the file size limit (`ulimit -f`) fail with an error. Without a handler the
/// signal SIGXFSZ would end the program first.
fn let_writes_fail() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Returns the command line for these games; some of its values depend on them.
fn command_line(arenas: Arenas) -> clap::Command {
    Cli::command()
        .mut_subcommand("run", |command| run::with_words(arenas, command))
        .mut_subcommand("report", |command| report::with_words(arenas, command))
        .mut_subcommand("compare", |command| compare::with_measures(arenas, command))
        .mut_subcommand("rank", |command| compare::with_measures(arenas, command))
}

/// Returns a name shared by two games, or by two players of one game. Experiments could name only
/// the first of them.
fn doubled_name(arenas: Arenas) -> Option<String> {
    let mut names = BTreeMap::new();
    for arena in arenas {
        let players = arena.manual().into_iter().map(|known| (Some(known.name), known.package));
        for (player, package) in std::iter::once((None, arena.package)).chain(players) {
            if let Some(earlier) = names.insert((arena.name, player), package) {
                let what = player.map_or_else(
                    || format!("a game `{}`", arena.name),
                    |player| format!("a player `{player}` of {}", arena.name),
                );
                return Some(format!("{earlier} and {package} both have {what}: rename one of them"));
            }
        }
    }
    None
}

/// Runs the command line.
pub fn main(catalog: Catalog) -> ExitCode {
    // The program, called by another name, supervises players that are external programs.
    if let Some(code) = supervisor::main() {
        return code;
    }
    let_writes_fail();
    if let Some(doubled) = doubled_name(catalog.games) {
        complain(format_args!("gauntlet: {doubled}"));
        return ExitCode::from(FAILED);
    }
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [help, format, words @ ..] = &words[..]
        && help == "help"
        && format == "format"
    {
        return ended(printed(manual::run(catalog, &manual::Args::about(words))));
    }
    let matches = command_line(catalog.games).try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return refused(error, command_line(catalog.games)),
    };
    let done = match cli.command {
        // These commands do more than print, and handle their output themselves.
        Command::Run(args) => run::run(catalog, &args),
        Command::Tune(args) => tune::run(catalog, &args),
        Command::Train(args) => train::run(catalog, &args),
        Command::Merge(args) => merge::run(catalog, &args),
        Command::Cluster(args) => printed(cluster::run(catalog, &args)),
        Command::Ask(args) => printed(ask::run(catalog, &args)),
        Command::Init(args) => printed(init::run(&args)),
        Command::NewPlayer(args) => printed(new_player::run(catalog.games, &args)),
        Command::Check(args) => printed(check::run(catalog, &args)),
        Command::CheckEnv(args) => printed(check_env::run(&args)),
        Command::Players(args) => printed(players::run(catalog, &args)),
        Command::Serve(args) => printed(serve::run(catalog, &args)),
        Command::Format(args) => printed(manual::run(catalog, &args)),
        Command::Features(args) => printed(manual::run_features(catalog, &args)),
        Command::Show(args) => printed(show::run(catalog, &args)),
        Command::Probe(args) => printed(probe::run(catalog, &args)),
        Command::Report(args) => printed(report::run(catalog, &args)),
        Command::Compare(args) => printed(compare::run(catalog, &args)),
        Command::Rank(args) => printed(rank::run(catalog, &args)),
        Command::Power(args) => printed(power::run(&args)),
        Command::Judge(args) => judge::run(catalog, &args),
        Command::Status(args) => printed(status::run(catalog, &args)),
        Command::Live(args) => printed(live::run(catalog, &args)),
        Command::Network(args) => printed(network::run(catalog.games, &args)),
        Command::Endgame(args) => printed(endgame::run(args)),
        Command::Signature(args) => printed(signature::run(catalog.games, &args)),
        Command::Completions(args) => printed(completions::run(&args, &mut command_line(catalog.games))),
        Command::Man(args) => printed(man::run(&args, command_line(catalog.games))),
    };
    ended(done)
}

/// Returns the exit code of a command, and prints its error.
fn ended(done: anyhow::Result<ExitCode>) -> ExitCode {
    match done {
        Ok(code) => code,
        Err(error) => {
            tell(&error);
            let is_mistake = error.is::<Mistakes>() || error.is::<Usage>() || error.is::<NoResults>();
            ExitCode::from(if is_mistake { MISTAKE } else { FAILED })
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_games::GAMES;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command_line(&GAMES).debug_assert();
    }

    #[test]
    fn short_help_fits_a_screen_and_long_help_ends_with_an_example() {
        for command in command_line(&GAMES).get_subcommands_mut() {
            let name = command.get_name().to_owned();
            let short = command.render_help().to_string();
            assert!(short.lines().count() <= 24, "{name} -h has {} lines", short.lines().count());
            let long = command.render_long_help().to_string();
            let (_, example) = long.rsplit_once("\nExample:\n").expect("an example at the end of the help");
            assert!(
                example.starts_with("  ") && example.contains("gauntlet "),
                "{name} --help ends with {example:?}"
            );
        }
    }
}
