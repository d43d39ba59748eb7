//! `gauntlet versus`: writes an experiment with the players of the command line, and plays it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use gauntlet_analysis::config::changes::CliOverrides;
use gauntlet_analysis::config::typed_players::{TypedHead, TypedPlayers};
use gauntlet_analysis::config::{self, Catalog, Experiment};
use gauntlet_analysis::results::analysis::comparison_tables::PairwiseComparisons;
use gauntlet_analysis::results::analysis::place::{Place, PlaceComparisons};
use gauntlet_analysis::results::analysis::warnings;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::arena::{Arena, Arenas};
use gauntlet_core::game::Shape;
use gauntlet_core::measure::Measure;
use gauntlet_core::settings::tree::TomlTable;
use gauntlet_core::table::TableWidth;
use gauntlet_core::text::{display_path, escape, quote_path, wrap_line};
use gauntlet_run::blocks::BlockSeeds;
use gauntlet_run::paths;

use super::compare::warn;
use super::given_experiments::{GivenExperiment, load_all};
use super::play_options::PlayOptions;
use super::run::{self, play_files};
use gauntlet_cli::exit::Usage;
use gauntlet_cli::format::Format;
use gauntlet_cli::output::{print_as, print_message};
use gauntlet_cli::target::{to_error, write_new};
use gauntlet_cli::terminal::width;

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

With --among, the players play the seeds, games and rules of these results. No game of the results is played again. The answer shows \
the ranks of your players among all, the Pareto front, and the comparisons that decide. Times of other machines are converted to \
this one by the calibration loop. Times of different processors are not tested.

In settings, a value is TOML or plain text. Nested keys have dots: \"expectimax nodes=50 weights.empty=3\". A file named like an \
algorithm needs its folder: ./greedy.

Example:
  gauntlet versus greedy \"expectimax nodes=50\" --games 50")]
pub(super) struct Args {
    /// Algorithm with settings ("greedy", "expectimax nodes=50"), program or network file
    #[arg(value_name = "PLAYER", required = true)]
    players: Vec<String>,

    /// Game, if the players can play several
    #[arg(long, value_name = "GAME")]
    game: Option<String>,

    /// Show the place of the players among those of these results; can be repeated
    #[arg(long, value_name = "RESULTS", conflicts_with_all = ["seed", "game", "shard"])]
    among: Vec<PathBuf>,

    #[command(flatten)]
    options: PlayOptions,
}

/// Adds the names of these games to the option `--game`. The short help fits a screen, and shows
/// the option that programs need.
pub(super) fn add_game_names(games: Arenas, command: clap::Command) -> clap::Command {
    let names = clap::builder::PossibleValuesParser::new(games.iter().map(|arena| arena.name));
    let command = command.mut_arg("game", |arg| arg.value_parser(names));
    let command = command.mut_arg("allow_commands", |arg| arg.hide_short_help(false));
    command.mut_args(|arg| {
        let is_rare = ["export", "memory", "replace", "shard"].contains(&arg.get_id().as_str());
        if is_rare { arg.hide_short_help(true) } else { arg }
    })
}

/// Default seed of a new file, as in the experiments that `init` writes.
const SEED: u64 = 1;

/// Returns the default number of games of a new file, as in the experiments that `init` writes.
fn default_games(arena: &Arena) -> u64 {
    match arena.shape {
        Shape::Solo => 500,
        Shape::Duel => 100,
    }
}

pub(super) fn run(catalog: Catalog, mut args: Args) -> anyhow::Result<ExitCode> {
    args.options.verification.disable_caches();
    let others = Results::read_all(catalog, &args.among)?;
    let game = match others.first() {
        Some(results) => Some(results.experiment.arena()),
        None => args.game.as_deref().and_then(|name| Arena::find(catalog.games, name)),
    };
    if args.players.len() < 2 && others.is_empty() {
        let message = "there is only one player: give two or more, or results with --among";
        return Err(Usage(message.to_owned()).into());
    }
    let players = TypedPlayers::read(catalog, game, &args.players);
    let changes = &mut args.options.changes;
    let head = match others.first() {
        Some(_) => head_among(&others, &players, changes)?,
        None => TypedHead {
            name: changes.name.take(),
            seed: changes.seed.unwrap_or(SEED),
            games: changes.games.unwrap_or(default_games(players.arena())),
            rules: TomlTable::new(),
        },
    };
    // Networks are read once, when the games are played. If there are mistakes, those in networks
    // are reported, too.
    let experiment = players.experiment(&head, false).or_else(|_| players.experiment(&head, true));
    let path = PathBuf::from(format!("{}.toml", experiment.map_err(to_error)?.name()));
    let code = if path.symlink_metadata().is_ok() {
        let file_head = read_head(catalog, &path, &players, &head)?;
        // Options with the values of the file change nothing.
        changes.seed.take_if(|seed| *seed == file_head.seed);
        let legs = players.arena().shape.legs() as u64;
        changes.games.take_if(|games| games.div_ceil(legs) * legs == file_head.games);
        play_files(catalog, std::slice::from_ref(&path), &args.options)
    } else {
        (changes.seed, changes.games) = (None, None);
        play_new(players.experiment(&head, true).map_err(to_error)?, &path, &args.options)
    }?;
    if !others.is_empty() && code == ExitCode::SUCCESS && !args.options.quiet {
        print_place(catalog, &path, &args.options, others)?;
    }
    if !args.options.quiet {
        print_message(format_args!(
            "experiment: {}; after a change: gauntlet run {}{}",
            display_path(&path),
            args.options.results.to_arguments(&path),
            args.options.allow.to_options()
        ));
    }
    Ok(code)
}

/// Returns the head of an experiment with the seed, the games and the rules of the first results.
/// Fails if players of these results cannot be compared.
fn head_among(
    others: &[Results],
    players: &TypedPlayers,
    changes: &mut CliOverrides,
) -> anyhow::Result<TypedHead> {
    for Results { experiment, folder, .. } in others {
        let refuse = |reason: String| Usage(format!("--among {}: {reason}", quote_path(folder)));
        let arena = experiment.arena();
        if arena.shape == Shape::Duel {
            let reason = "players of two-player games have no place without games against them";
            return Err(refuse(reason.to_owned()).into());
        }
        if arena.name != players.arena().name {
            return Err(refuse(format!("the game is {}, not {}", arena.name, players.arena().name)).into());
        }
    }
    if let Some(reason) = warnings::explain_refusal(others, &[Measure::Score]) {
        return Err(Usage(format!("--among: {reason}")).into());
    }
    let experiment = &others[0].experiment;
    let BlockSeeds::Derived { seed, games } = experiment.blocks() else {
        let message = format!("--among {}: the experiment lists its seeds", quote_path(&others[0].folder));
        return Err(Usage(message).into());
    };
    let default_name = || players.are_well_formed().then(|| players.default_name_among(experiment.name()));
    Ok(TypedHead {
        name: changes.name.take().or_else(default_name),
        seed: *seed,
        games: changes.games.unwrap_or(*games),
        rules: experiment.rule_keys(),
    })
}

/// Prints the place of the players of this experiment among those of the results.
fn print_place(
    catalog: Catalog,
    path: &Path,
    options: &PlayOptions,
    others: Vec<Results>,
) -> anyhow::Result<()> {
    let files = [path.to_owned()];
    let (experiments, failure) = load_all(catalog, &files, &options.results, &options.changes, true);
    failure.map_or(Ok(()), Err)?;
    let mut results = vec![Results::read(catalog, &experiments[0].target.folder)?];
    results.extend(others);
    let place = Place::find(&results)?;
    let mut warnings = warnings::first_warnings(&results[1..]);
    let measures: Vec<Measure> =
        place.comparisons.iter().flat_map(|one| one.question.measures.clone()).collect();
    warnings.extend(warnings::comparison_warnings(&results, &measures)?);
    let width = width();
    let line = |text: &str| wrap_line(&escape::line(text), width) + "\n";
    let table_width = |hint| width.map(|width| TableWidth { width, full_table_hint: hint });
    let mut text = format!("\n{}\n", place.table.to_text(table_width("in a wider terminal")));
    let counts = format!("{} of {} players are shown.", place.shown_count, place.contestants.len());
    text += &line(&format!("{counts} Times are converted to this machine by the calibration loop."));
    if measures.contains(&Measure::Score) {
        text += &line(
            "Differences in scores are ratios of geometric means, which can differ from the ratio of mean scores.",
        );
    }
    for PlaceComparisons { pairs, question, comparisons } in &place.comparisons {
        let comparisons =
            PairwiseComparisons { players: &place.contestants, pairs, are_all: false, question, comparisons };
        let (caption, table) = comparisons.to_sheet_with_line();
        text += "\n";
        text += &caption.map(|caption| line(&caption)).unwrap_or_default();
        text += &format!("{}\n", table.to_text(table_width("in a wider terminal")));
        text += &comparisons.notes().iter().map(|note| line(note)).collect::<String>();
    }
    text += &place.notes.iter().map(|note| line(note)).collect::<String>();
    warn(&warnings);
    if options.prints_tables() {
        return print_as(Format::Text, &text);
    }
    print_message(format_args!("{}", text.trim_end()));
    Ok(())
}

/// Writes an experiment to a new file, and plays it. The file is not kept if no game can be played:
/// it would change what the corrected command plays.
fn play_new(experiment: Experiment, path: &Path, options: &PlayOptions) -> anyhow::Result<ExitCode> {
    let text = experiment.text().to_owned();
    let assets = Arc::clone(experiment.assets());
    let changes = &options.changes;
    let changed = config::change(experiment, path, changes, assets).map_err(to_error)?;
    let experiments = [GivenExperiment::new(path, changed, &options.results, changes, options.quiet)];
    run::check(options, &experiments)?;
    write_new(path, &text)?;
    let result = run::play(options, &experiments);
    if result.is_err() && !paths::journal_path(&experiments[0].target.folder, options.shard).exists() {
        // The error of the run is the one to report.
        fs::remove_file(path).ok();
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
