//! `gauntlet endgame`: tables of 2048's endgames.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use gauntlet_core::diagnostic::nearest;
use gauntlet_core::disk::system_disk;
use gauntlet_core::player::Preparation;
use gauntlet_core::text::{Bytes, display_path, format_duration, group_digits};
use gauntlet_run::bar::ProgressDisplay;
use gauntlet_run::machine;
use gauntlet_run::progress::{Progress, ProgressUnit, RunState};
use gauntlet_run::shutdown::lock;
use gauntlet_run::snapshot::Snapshot;
use gauntlet_twenty48::rules::Cells;
use gauntlet_twenty48_endgame::answers::{Advice, Answer, ORDER, TableFolder, parse_sources};
use gauntlet_twenty48_endgame::build::{BuildEnd, BuildProgress, Builder, SETS};
use gauntlet_twenty48_endgame::kind::{Coverage, Kind};
use gauntlet_twenty48_endgame::table::Table;
use rayon::ThreadPoolBuilder;

use gauntlet_cli::command::{Command, define, parse_arguments};
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::{accept_closed_pipe, print, print_message, progress_mode, prose, typed_command};
use gauntlet_cli::resources::bytes_or_half;
use gauntlet_cli::session::CommandSession;
use gauntlet_cli::target::refuse_missing;

/// The commands of this extra.
pub const COMMANDS: &[Command] = &[Command {
    name: "endgame",
    synonyms: &[],
    define: define::<Args>,
    run: |_, matches| accept_closed_pipe(run(parse_arguments(matches))),
}];

/// Build, check and query endgame tables of 2048
///
/// A table contains the probability of reaching a tile with the best moves, without moving the
/// large tiles. Players use the tables of a folder with `endgames = "FOLDER"`.
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet endgame build block-10 --target 32")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Build a table, or the set `small`, `medium` or `large`
    ///
    /// A stopped or killed build resumes from its last layer. The file does not depend on the
    /// number of threads.
    #[command(after_long_help = "\
Tables:
  block-10     six large tiles fill a block of 2x3 in a corner; exact, for a target from 8 to 1024
  block-11     as block-10, without the cell of the block that is farthest from the corner
  hook-11      as block-10, without the border cell of the block that is farthest from the corner
  row-10       six large tiles fill an edge and the first two cells beside it; exact, as block-10
  macroxue-10  table `10a` of macroxue/2048-ai
  macroxue-11  table `11a` of macroxue/2048-ai
  small        reachable boards of macroxue-11, macroxue-10, and block-10 for 512: 3 GB
  medium       small, and reachable boards of block-11 for 512: 8.5 GB
  large        medium, and reachable boards of hook-11 for 512 and 256: 16 GB

Example:
  gauntlet endgame build block-10 --target 32")]
    Build {
        /// Name of a table, or of a set
        name: String,
        /// Tile that an exact table aims at, such as 512
        #[arg(long, value_name = "TILE")]
        target: Option<u32>,
        #[command(flatten)]
        folder: Folder,
        /// Boards of the table [default: reachable for a set, otherwise all]
        ///
        /// Reachable boards are those that moves and new tiles can lead to from boards whose free
        /// tiles have a small sum. Players do not use the table on other boards.
        #[arg(long, value_name = "BOARDS")]
        boards: Option<Boards>,
        /// Number of threads [default: number of cores]
        #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
        threads: Option<u16>,
        /// Memory limit of the build [default: half of RAM]
        ///
        /// A size such as 2GiB or 500MiB. A table that needs more is not built.
        #[arg(long, value_name = "SIZE")]
        memory: Option<Bytes>,
        /// Show no progress
        #[arg(short, long)]
        quiet: bool,
    },
    /// Show the best move of a board by each table
    #[command(
        after_long_help = "Example:\n  gauntlet endgame ask 2 4 0 0  4 0 0 0  2 16 64 32  4 512 256 128"
    )]
    Ask {
        /// Sixteen tiles, row by row, 0 for empty
        #[arg(required = true, value_name = "TILE")]
        board: Vec<String>,
        #[command(flatten)]
        folder: Folder,
    },
    /// Check every byte of a table, or of all tables in a folder
    #[command(after_long_help = "Example:\n  gauntlet endgame check endgames")]
    Check {
        /// Table, or folder
        path: PathBuf,
    },
    /// Show what a table contains
    #[command(after_long_help = "Example:\n  gauntlet endgame show endgames/block-10-32.endgame")]
    Show {
        /// Table, or folder
        path: PathBuf,
    },
}

/// Boards of a table to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Boards {
    All,
    Reachable,
}

#[derive(clap::Args)]
struct Folder {
    /// Folder of the tables
    #[arg(long, value_name = "FOLDER", default_value = "endgames")]
    folder: PathBuf,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let session = CommandSession::begin()?;
    let on_stop = || print_message(format_args!("stopped; to repeat:\n  {}", typed_command()));
    match args.action {
        Action::Build { name, target, folder, boards, threads, memory, quiet } => {
            let threads = threads.map_or_else(machine::cores, usize::from);
            let default_boards = if find_set(&name).is_some() { Boards::Reachable } else { Boards::All };
            let coverage = match boards.unwrap_or(default_boards) {
                Boards::All => Coverage::All,
                Boards::Reachable => Coverage::REACHABLE,
            };
            let (folder, memory) = (folder.folder, bytes_or_half(memory));
            let builders: Vec<Builder> = parse_kinds(&name, target)?
                .into_iter()
                .map(|kind| Builder { disk: system_disk(), folder: folder.clone(), kind, coverage, memory })
                .collect();
            // A set that needs too much memory is refused before its first table is built.
            for builder in &builders {
                builder.check_memory()?;
            }
            for builder in builders {
                build(builder, threads, quiet, &session)?;
            }
        }
        Action::Ask { board, folder } => {
            session.run_killable(on_stop, move || ask(&board.join(" "), &folder.folder))?;
        }
        Action::Check { path } => session.run_killable(on_stop, move || check(&path))?,
        Action::Show { path } => session.run_killable(on_stop, move || show(&path))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the tables of a set.
fn find_set(name: &str) -> Option<&'static [Kind]> {
    SETS.into_iter().find_map(|(set, kinds)| (set == name).then_some(kinds))
}

/// Returns the tables of a name on the command line.
fn parse_kinds(name: &str, target: Option<u32>) -> Result<Vec<Kind>, Usage> {
    if let Some(kinds) = find_set(name) {
        return match target {
            None => Ok(kinds.to_vec()),
            Some(_) => Err(Usage(format!("the set {name} has fixed targets: leave out --target"))),
        };
    }
    if let Some(set) = nearest(name, SETS.map(|(set, _)| set)) {
        return Err(Usage(format!("no table is named {name}; did you mean {set}?")));
    }
    match (name, target) {
        (name, None) => Ok(vec![name.parse().map_err(Usage)?]),
        (name, Some(target)) => match name.parse::<Kind>() {
            Ok(kind) if kind.target().is_some() => {
                Err(Usage(format!("{kind} has a target: leave out --target {target}")))
            }
            _ => Ok(vec![Kind::from_family(name, Some(target)).map_err(Usage)?]),
        },
    }
}

fn build(builder: Builder, threads: usize, is_quiet: bool, session: &CommandSession) -> anyhow::Result<()> {
    let display = ProgressDisplay::new(progress_mode(is_quiet), |line| print_message(format_args!("{line}")));
    let display = Arc::new(Mutex::new(display));
    let shared_display = Arc::clone(&display);
    let on_stop = || {
        lock(&display).finish();
        print_message(format_args!("stopped; whole layers are saved; to resume:\n  {}", typed_command()));
    };
    session.run_killable(on_stop, move || {
        let start = Instant::now();
        let mut show_progress = |progress: BuildProgress| {
            let mut display = lock(&shared_display);
            if display.is_due() {
                let layers =
                    format!("layer {} of {} of {}", progress.layers, progress.all_layers, builder.kind);
                let snapshot = Snapshot::from_progress("table", progress_of(progress, start));
                display.show(&Snapshot { remarks: vec![layers], ..snapshot });
            }
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let end = pool.install(|| builder.build(&mut show_progress));
        lock(&shared_display).finish();
        let message = match end? {
            BuildEnd::Present(path) => {
                let coverage = Table::open(&path)?.coverage();
                format!("{} is already there ({coverage}); its layers were not checked", display_path(&path))
            }
            BuildEnd::Built(path) => {
                format!(
                    "built {} ({}) in {}",
                    display_path(&path),
                    Bytes(path.metadata()?.len()),
                    format_duration(1e3 * start.elapsed().as_secs_f64())
                )
            }
        };
        print(&(message + "\n"))
    })
}

/// Returns the progress of a build that started at this time.
fn progress_of(build_progress: BuildProgress, start: Instant) -> Progress {
    let state = RunState::Plays;
    let pace = (build_progress.boards - build_progress.resumed_boards) as f64
        / start.elapsed().as_secs_f64().max(1e-9);
    let (done, all, unit) = (build_progress.boards, build_progress.all_boards, ProgressUnit::Board);
    Progress { done, total: all, unit, state, ..Progress::default() }
        .with_pace(Some(pace).filter(|pace| *pace > 0.0))
}

fn ask(board: &str, folder: &Path) -> anyhow::Result<()> {
    let cells: Cells = board.parse().map_err(|message| Usage(format!("{board:?} is no board: {message}")))?;
    refuse_missing(folder)?;
    let tables = TableFolder::open(folder)?;
    let preparation = Preparation::default();
    let (mut out, mut is_covered) = (prose(), false);
    for table in tables.tables() {
        let (name, answer) = (table.kind().to_string(), table.ask(cells, &preparation)?);
        is_covered |= answer != Answer::NotCovered;
        match answer {
            Answer::NotCovered => (),
            Answer::Unknown => writeln!(out, "{name:<14} unknown: not among its reachable boards")?,
            Answer::Known(Advice { direction, probability, .. }) => {
                let word = if probability > 0.0 { direction.name() } else { "lost" };
                writeln!(out, "{name:<14} {word:<5} {probability:.5}")?;
            }
        }
    }
    let prefix = "by default, expectimax and n-tuple play";
    match tables.ask(&parse_sources(ORDER), cells, &preparation)? {
        Some(advice) => writeln!(out, "{prefix} {} from {}", advice.direction, advice.kind)?,
        None if !is_covered => {
            writeln!(
                out,
                "no table in {} has an answer; a board needs these locked tiles:",
                display_path(folder)
            )?;
            for kind in tables.tables().iter().map(Table::kind) {
                writeln!(out, "{:<14} {}", kind.to_string(), kind.locked_tiles())?;
            }
        }
        None => writeln!(
            out,
            "{prefix} the move of their search, because no table of the default order has a known and probable enough answer"
        )?,
    }
    Ok(())
}

/// Opens a table, or all tables of a folder.
fn open_tables(path: &Path) -> anyhow::Result<Vec<Table>> {
    refuse_missing(path)?;
    if path.is_dir() { Ok(TableFolder::open(path)?.into_tables()) } else { Ok(vec![Table::open(path)?]) }
}

fn check(path: &Path) -> anyhow::Result<()> {
    let mut out = prose();
    for table in open_tables(path)? {
        table.check()?;
        writeln!(out, "{} is undamaged ({})", display_path(table.path()), Bytes(table.length()))?;
    }
    Ok(())
}

fn show(path: &Path) -> anyhow::Result<()> {
    for (number, table) in open_tables(path)?.iter().enumerate() {
        if number > 0 {
            writeln!(prose())?;
        }
        show_table(table)?;
    }
    Ok(())
}

fn show_table(table: &Table) -> anyhow::Result<()> {
    let (boards, numbered_boards) = table.boards();
    let numbered_boards = group_digits(numbered_boards);
    let numbers = match table.coverage() {
        Coverage::All => ("probability", format!("over 0 for {numbered_boards}")),
        coverage @ Coverage::ReachableFrom(_) => ("numbers", format!("{numbered_boards} ({coverage})")),
    };
    let rows = [
        ("table", table.kind().to_string()),
        ("locked", table.kind().locked_tiles().to_owned()),
        ("target", table.kind().goal()),
        ("new tiles", "90 % of 2, 10 % of 4".to_owned()),
        ("boards", group_digits(boards)),
        numbers,
        ("layers", table.layers().to_string()),
        ("bytes", group_digits(table.length())),
        ("digest", table.digest().to_owned()),
    ];
    let mut out = prose();
    for (label, value) in rows {
        writeln!(out, "{label:<13} {value}")?;
    }
    Ok(())
}
