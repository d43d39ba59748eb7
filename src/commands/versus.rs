//! `gauntlet versus`: writes an experiment with the players of the command line, and plays it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gauntlet_analysis::config::typed_players::{TypedHead, TypedPlayers};
use gauntlet_analysis::config::{self, Catalog};
use gauntlet_core::arena::{Arena, Arenas};
use gauntlet_core::game::Shape;
use gauntlet_core::text::{display_path, quote_path};
use gauntlet_run::blocks::BlockSeeds;

use super::play_options::PlayOptions;
use super::run::play_files;
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::print_message;
use gauntlet_cli::target::{to_error, write_new};

/// Write and play an experiment with the given players
///
/// A player is an algorithm with settings, such as "expectimax nodes=50", a program with its
/// arguments, such as "python3 bot.py", or a network file with settings. Programs need
/// --allow-commands.
#[derive(clap::Args)]
#[command(after_long_help = "\
The experiment is written to NAME.toml in the current folder. By default, NAME contains the names of the players. If the file \
exists and has the same players, it is played: the same command resumes a run.

The file contains --games (default: 500, or 100 in two-player games) and --seed (default: 1). To change rules or to add a claim, \
edit the file and use `gauntlet run`.

In settings, a value is TOML or plain text. Nested keys have dots: \"expectimax nodes=50 weights.empty=3\". A file named like an \
algorithm needs its folder: ./greedy.

Example:
  gauntlet versus greedy \"expectimax nodes=50\" --games 50")]
pub(super) struct Args {
    /// Players, each in one argument
    #[arg(value_name = "PLAYER", required = true)]
    players: Vec<String>,

    /// Game, if the players can play several
    #[arg(long, value_name = "GAME")]
    game: Option<String>,

    #[command(flatten)]
    options: PlayOptions,
}

/// Adds the names of these games to the option `--game`. The short help fits a screen.
pub(super) fn add_game_names(games: Arenas, command: clap::Command) -> clap::Command {
    let names = clap::builder::PossibleValuesParser::new(games.iter().map(|arena| arena.name));
    command.mut_arg("game", |arg| arg.value_parser(names)).mut_arg("replace", |arg| arg.hide_short_help(true))
}

/// Default number of games, and the default seed: those of the experiments that `init` writes.
fn default_games(arena: &Arena) -> u64 {
    match arena.shape {
        Shape::Solo => 500,
        Shape::Duel => 100,
    }
}

const SEED: u64 = 1;

pub(super) fn run(catalog: Catalog, mut args: Args) -> anyhow::Result<ExitCode> {
    let game = args.game.as_deref().and_then(|name| Arena::find(catalog.games, name));
    if args.players.len() < 2 {
        return Err(Usage("there is only one player: give two or more".to_owned()).into());
    }
    let players = TypedPlayers::read(catalog, game, &args.players);
    let changes = &mut args.options.changes;
    let head = TypedHead {
        name: changes.name.take(),
        seed: changes.seed.unwrap_or(SEED),
        games: changes.games.unwrap_or(default_games(players.arena())),
    };
    let experiment = players.experiment(&head, true).map_err(to_error)?;
    let path = PathBuf::from(format!("{}.toml", experiment.name()));
    if path.symlink_metadata().is_ok() {
        let file_head = read_head(catalog, &path, &players, &head)?;
        // Options with the values of the file change nothing.
        changes.seed.take_if(|seed| *seed == file_head.seed);
        let legs = players.arena().shape.legs() as u64;
        changes.games.take_if(|games| games.div_ceil(legs) * legs == file_head.games);
    } else {
        args.options.allow.permit(&experiment, &path, &args.options.results.folder(&experiment))?;
        write_new(&path, experiment.text())?;
        (changes.seed, changes.games) = (None, None);
    }
    // Its networks need not be in memory twice.
    drop(experiment);
    let result = play_files(catalog, std::slice::from_ref(&path), &args.options);
    if !args.options.quiet {
        print_message(format_args!(
            "experiment: {}; after a change: gauntlet run {}{}",
            display_path(&path),
            args.options.results.to_arguments(&path),
            args.options.allow.to_options()
        ));
    }
    result
}

/// Returns the head of an existing file. Fails if the file is not the experiment of these players.
fn read_head(
    catalog: Catalog,
    path: &Path,
    players: &TypedPlayers,
    head: &TypedHead,
) -> anyhow::Result<TypedHead> {
    let file = config::read_bytes(catalog, path)
        .and_then(|bytes| config::from_bytes(catalog, path, bytes, None))
        .map_err(to_error)?;
    if let BlockSeeds::Derived { seed, games } = file.blocks() {
        let games = games * file.arena().shape.legs() as u64;
        let file_head = TypedHead { seed: *seed, games, ..head.clone() };
        if players.experiment(&file_head, false).is_ok_and(|experiment| experiment.is_equivalent(&file)) {
            return Ok(file_head);
        }
    }
    Err(Usage(format!(
        "{} exists and is another experiment; to play it: gauntlet run {}; to write another file: --name NAME",
        display_path(path),
        quote_path(path)
    ))
    .into())
}
