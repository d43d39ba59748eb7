//! `gauntlet check-env`: checks whether another program is an environment of 2048.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use gauntlet_core::assets::{AssetFiles, ProgramPermission};
use gauntlet_core::player::Stop;
use gauntlet_core::text::escape;

use gauntlet_cli::command::{Command, define, parse_arguments};
use gauntlet_cli::exit::{FAILED, Usage};
use gauntlet_cli::format::{Format, versioned_json};
use gauntlet_cli::output::{accept_closed_pipe, print_as, print_message};
use gauntlet_cli::permission::TemporaryFolder;
use gauntlet_cli::session::CommandSession;
use gauntlet_twenty48::rules::Direction;

use crate::check::{CheckOptions, check};
use crate::encoding::CellKind;
use crate::program::ProgramEnvironment;
use crate::report::{Outcome, Report};

/// The commands of this extra.
pub const COMMANDS: &[Command] = &[Command {
    name: "check-env",
    synonyms: &[],
    define: define::<Args>,
    run: |_, matches| accept_closed_pipe(run(&parse_arguments(matches))),
}];

/// Status of an undecided check.
const UNDECIDED: u8 = 8;

/// Check whether an environment follows the rules of 2048
///
/// The environment is a program that answers `reset` and `step` with lines of text
/// (docs/PROTOCOL.md). gauntlet plays games with it, finds out which action is which direction, and
/// compares each answer with the rules. Each rule has a verdict: passed, failed, cannot tell or not
/// tested. Wrong moves are shown with the boards before and after.
///
/// An environment passes (status 0) if start, slides, rewards, new tiles and the end of the game
/// were tested without a violation. It fails (status 1) if a rule failed. Otherwise it is undecided
/// (status 8). A sound environment fails with a probability of at most 0.1 %.
#[derive(clap::Args)]
#[command(after_long_help = "\
Example:
  gauntlet check-env -- python3 examples/environments/twenty48.py")]
pub(crate) struct Args {
    /// Games to play: three of five with random moves, the others with a search
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,

    /// Seed of the check
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Directions of the actions in order, such as up,down,left,right [default: found by play]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_direction)]
    actions: Option<Vec<Direction>>,

    /// Meaning of the numbers of a board [default: found by play]
    #[arg(long, value_name = "KIND", value_enum)]
    cells: Option<Cells>,

    /// Do not test rewards: the environment has none, or others on purpose
    #[arg(long)]
    no_reward: bool,

    /// Time limit for each answer in milliseconds, up to a day
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=86_400_000))]
    step_millis: u32,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,

    /// Program to check, with its arguments
    #[arg(value_name = "COMMAND", last = true, required = true)]
    command: Vec<String>,
}

/// Meaning of the numbers of a board.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Cells {
    /// Tiles: 0, 2, 4, 8, …
    Values,
    /// Exponents: 0, 1, 2, 3, …
    Ranks,
    /// A one-hot plane for each tile
    Planes,
}

fn parse_direction(word: &str) -> Result<Direction, String> {
    let mut directions = Direction::ALL.into_iter();
    directions
        .find(|direction| direction.name() == word)
        .ok_or_else(|| "expected up, right, down or left".to_owned())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let actions = args.actions.clone();
    if let Some(directions) = &actions
        && (1..directions.len()).any(|index| directions[..index].contains(&directions[index]))
    {
        return Err(Usage("--actions: a direction is named twice".to_owned()).into());
    }
    let cells = args.cells.map(|cells| match cells {
        Cells::Values => CellKind::Values,
        Cells::Ranks => CellKind::Ranks,
        Cells::Planes => CellKind::Planes,
    });
    let has_reward = !args.no_reward;
    let (games, seed) = (args.games, args.seed);
    let options = CheckOptions { games, seed, actions, cells, has_reward, ..CheckOptions::default() };
    let session = CommandSession::begin()?;
    let (report, is_stopped) = session.run_stoppable(|stop| check_program(args, &options, stop));
    if is_stopped {
        print_message(format_args!("stopped"));
        return Ok(session.stop_status(false));
    }
    let report = report.map_err(|message| anyhow!("{}", escape::line(&message)))?;
    if args.json {
        print_as(Format::Json, &versioned_json([("check", report.to_json())]))?;
    } else {
        print_as(Format::Text, &report.to_text())?;
    }
    Ok(match report.outcome() {
        Outcome::Passed => ExitCode::SUCCESS,
        Outcome::Failed => ExitCode::from(FAILED),
        Outcome::Undecided => ExitCode::from(UNDECIDED),
    })
}

/// Checks the program of the command line. Its standard error goes to a temporary folder, which is
/// removed also after a stop.
fn check_program(args: &Args, options: &CheckOptions, stop: &Stop) -> Result<Report, String> {
    // Typing the command permits it.
    let assets = Arc::new(AssetFiles::default());
    let errors = TemporaryFolder::create();
    assets.permit(ProgramPermission::with_errors(errors.0.clone()));
    let timeout = Duration::from_millis(args.step_millis.into());
    let mut environment = ProgramEnvironment::start(&args.command, assets, timeout, stop)?;
    let report = check(&mut environment, options);
    environment.quit();
    report
}
