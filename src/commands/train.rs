//! `gauntlet train`: trains a network from a file with a `[train]`.

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::config::time::DurationArg;
use gauntlet_analysis::results::store::command::reproducing_command;
use gauntlet_analysis::results::store::folder::EXPERIMENT;
use gauntlet_core::text::{Bytes, display_path, format_games, quote_path, wrap_line};
use gauntlet_run::bar::ProgressDisplay;
use gauntlet_train::curve::TrainingTest;
use gauntlet_train::section::{TrainSection, TrainingLength};
use gauntlet_train::{FOLDER, NETWORK, TrainingEnd, TrainingJob, train};

use super::{status, training_status};
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::{print, print_message, progress_mode};
use gauntlet_cli::resources::bytes_or_half;
use gauntlet_cli::session::{CommandSession, print_stopped};
use gauntlet_cli::target::{Results, load_without_files, refuse_folder};
use gauntlet_cli::terminal::width;

/// Train a network by self-play
///
/// `[train]` in the file sets the learner, its method, and the number of games or moves. The same
/// file gives the same network on every machine. A stopped or killed training resumes from its last
/// checkpoint. With more games, it continues from the end.
#[derive(clap::Args)]
#[command(after_long_help = "\
Files in results/NAME/train:
  network       learned weights, for `network = \"…\"` of a player
  curve.csv     learning curve: test games on the same seeds after each number of training games
  checkpoint    state from which a training resumes

Example:
  gauntlet train configs/train/quick.toml --games 1000")]
pub(super) struct Args {
    /// Experiment with a `[train]` section
    file: PathBuf,

    /// Number of training games, instead of the number in the file; more games continue the
    /// training
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4_000_000_000))]
    games: Option<u64>,

    /// Stop after this time, such as 90s, 5m or 2h
    #[arg(long = "for", value_name = "TIME")]
    time: Option<DurationArg>,

    /// Number of threads, if `[train]` has `rounds` [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,

    /// Time between checkpoints, such as 30s or 5m
    #[arg(long, value_name = "TIME", default_value = "2m")]
    every: DurationArg,

    /// Memory limit of the training [default: half of RAM]
    ///
    /// A size such as 2GiB or 500MiB.
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,

    #[command(flatten)]
    results: Results,

    #[cfg(feature = "live")]
    #[command(flatten)]
    live: live::Live,

    /// Restart an existing training from the beginning
    #[arg(long)]
    replace: bool,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    refuse_folder(catalog, &args.file)?;
    let path = if args.file.is_dir() { args.file.join(EXPERIMENT) } else { args.file.clone() };
    // Players of the file may be built from a network that is being trained.
    let experiment = load_without_files(catalog, &path)?;
    let Some(section) = TrainSection::from_experiment(&experiment) else {
        let message = format!(
            "{} has no [train] section, which sets the learner, its method and the number of games",
            display_path(&path)
        );
        return Err(Usage(message).into());
    };
    let (required_memory, memory_limit) = (section.game_settings.memory(), bytes_or_half(args.memory));
    if required_memory > memory_limit {
        let message = format!(
            "the training run needs {} of memory, but the limit is {}; raise it with --memory",
            Bytes(required_memory),
            Bytes(memory_limit)
        );
        return Err(Usage(message).into());
    }
    if let Some(games) = args.games
        && let Err(reason) = section.game_settings.check_pause(games)
    {
        return Err(
            Usage(format!("the training run cannot end after {games} games: the number {reason}")).into()
        );
    }
    if !section.game_settings.is_thread_independent() && args.threads.is_some_and(|threads| threads > 1) {
        let message = "--threads has no effect without `rounds = true` in [train]";
        return Err(Usage(message.to_owned()).into());
    }
    let mut command = reproducing_command("train", &path);
    if let Some(games) = args.games {
        command += &format!(" --games {games}");
    }
    let folder = args.results.folder(&experiment).join(FOLDER);
    let task = TrainingJob {
        experiment: &experiment,
        train: section,
        length: args.games.map_or(section.length, TrainingLength::Games),
        folder: &folder,
        command: &command,
        threads: if section.game_settings.is_thread_independent() {
            args.threads.map_or(usize::MAX, |threads| threads as usize)
        } else {
            1
        },
        checkpoint_interval: args.every.get(),
        replace: args.replace,
        deadline: args.time.as_ref().map(DurationArg::deadline),
    };
    let session = CommandSession::begin()?;
    let work = || play(args, &task, &session);
    #[cfg(feature = "live")]
    let work = || {
        let length = Some(task.length);
        let subject = || live::Subject::from_training(catalog, folder.clone(), Some(&experiment), length);
        args.live.begin(&session)?.show(subject, work, |_| None)
    };
    work()
}

fn play(args: &Args, task: &TrainingJob, session: &CommandSession) -> anyhow::Result<ExitCode> {
    let TrainingJob { folder, command, .. } = *task;
    let mut display =
        ProgressDisplay::new(progress_mode(args.quiet), |line| print_message(format_args!("{line}")));
    let (end, is_stopped) = session.run_stoppable(|stop| train(task, stop, &mut display));
    display.finish();
    match end? {
        TrainingEnd::Stopped => {
            let time = args.time.as_ref().filter(|_| !is_stopped);
            let resume_command = &args.results.append_option(command);
            let progress = || {
                status::print([training_status::snapshot(folder, Some(resume_command), Some(task.length))?])
            };
            print_stopped("the last state is saved", resume_command, time, progress)?;
            Ok(if time.is_some() { ExitCode::SUCCESS } else { session.stop_status(false) })
        }
        TrainingEnd::Trained { last_test: test, digest } => {
            let text = describe_result(args, task, &test, &digest);
            print(&text.lines().map(|line| wrap_line(line, width()) + "\n").collect::<String>())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Describes the trained network and prints the next commands.
fn describe_result(args: &Args, task: &TrainingJob, test: &TrainingTest, digest: &str) -> String {
    let network = task.folder.join(NETWORK);
    let (quoted_network, quoted_file) = (quote_path(&network), quote_path(&args.file));
    // A file of an experiment is named relative to it.
    let parent_depth = args.file.parent().map_or(0, |parent| parent.components().count());
    let is_plain_path = args.file.components().all(|component| matches!(component, Component::Normal(_)));
    let can_be_relative = is_plain_path && network.is_relative() && !args.file.is_dir();
    let player_path = if can_be_relative {
        Path::new(&"../".repeat(parent_depth)).join(&network)
    } else {
        std::path::absolute(&network).unwrap_or_else(|_| network.clone())
    };
    format!(
        "{}\ntrained on {}; network {}\nto show it: gauntlet network show {quoted_network}\nto play with it: \
         network = {:?} in a player of {quoted_file}; then gauntlet run {quoted_file}\n",
        test.describe(),
        format_games(test.games),
        &digest[..16],
        player_path.to_string_lossy()
    )
}
