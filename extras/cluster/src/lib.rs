//! `gauntlet cluster`: the shards of a run as tasks of a batch system. It schedules nothing: it
//! writes scripts for the batch system and prints the command that submits them.
//!
//! - `division`: the tasks that are left, and their commands
//! - `slurm`: scripts of an array job
//! - `parallel`: scripts for GNU parallel over ssh

mod division;
mod parallel;
mod slurm;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Context, ensure};
use gauntlet_analysis::config::{BuiltInExperiment, Catalog};
use gauntlet_core::process;
use gauntlet_core::text::{display_path, format_count, format_time_span, group_digits};
use gauntlet_run::division::{ShardDivision, read_division};
use gauntlet_run::{cost, paths};
use gauntlet_tune::section::TuneSection;

use crate::division::{Division, quote_path};
use gauntlet_cli::command::{Command, define, parse_arguments};
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::{accept_closed_pipe, data, print_message};
use gauntlet_cli::permission::Allow;
use gauntlet_cli::target::{Results, Target, refuse_folder};

/// The commands of this extra.
pub const COMMANDS: &[Command] = &[Command {
    name: "cluster",
    synonyms: &["slurm", "parallel", "submit", "shard"],
    define: define::<Args>,
    run: |program, matches| accept_closed_pipe(run(program.catalog, &parse_arguments(matches))),
}];

/// Split a run into tasks for a cluster or other hosts
///
/// Each task plays one shard into a separate journal. A final job merges the journals and writes
/// the tables and a report. A killed task resumes where it stopped. If the command is repeated, it
/// creates tasks only for unfinished shards. For a file with `[tune]`, the tasks are workers of one
/// tuning.
#[derive(clap::Args)]
#[command(after_long_help = "\
slurm     write scripts for an array job and a final job to results/NAME/cluster
parallel  write a script that runs the tasks on hosts with GNU parallel and ssh, and copies the journals back
commands  print one command for each unfinished shard, for xargs or any other system

extras/cluster/README.md has the requirements on shared folders.

Example:
  gauntlet cluster commands configs/quick.toml --shards 2 | xargs -d '\\n' -n 1 -P 2 sh -c")]
pub(crate) struct Args {
    /// System that runs the tasks
    #[arg(value_name = "SYSTEM", value_enum)]
    system: System,

    /// Experiment
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Number of shards, or `auto` for tasks of about --time; fixed until the shards are merged
    #[arg(long, value_name = "N")]
    shards: ShardCount,

    /// Threads per task
    #[arg(short = 'j', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// parallel: ssh host names; `4/HOST` for four tasks at a time
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    hosts: Vec<parallel::Host>,

    #[command(flatten)]
    slurm: slurm::SlurmOptions,

    #[command(flatten)]
    allow: Allow,

    #[command(flatten)]
    results: Results,
}

/// Number of shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShardCount {
    Fixed(u64),
    Auto,
}

impl FromStr for ShardCount {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<ShardCount, &'static str> {
        match (text, text.parse()) {
            ("auto", _) => Ok(ShardCount::Auto),
            (_, Ok(number @ 1..=MAX_SHARDS)) => Ok(ShardCount::Fixed(number)),
            _ => Err("expected a number from 1 to 100000, or auto"),
        }
    }
}

/// The most shards.
const MAX_SHARDS: u64 = 100_000;

/// Tasks should take this part of their time limit, because machines differ, and players take
/// different times for each game.
const TIME_SHARE: f64 = 0.75;

/// System that plays the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum System {
    Slurm,
    Parallel,
    Commands,
}

/// Fails if a path names a built-in experiment, because tasks start in other folders.
fn refuse_built_in(catalog: Catalog, path: &Path) -> Result<(), Usage> {
    match catalog.built_in_experiment(path) {
        Some(BuiltInExperiment { name, .. }) => {
            Err(Usage(format!("tasks need a file: gauntlet init --built-in {name} {name}.toml")))
        }
        None => Ok(()),
    }
}

pub(crate) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    check_together(args)?;
    refuse_folder(catalog, &args.file)?;
    refuse_built_in(catalog, &args.file)?;
    let target = Target::find(catalog, &args.file, &args.results)?;
    let options = format!(" --threads {}{}", args.threads, args.allow.to_options());
    let is_tuning = TuneSection::from_experiment(&target.experiment).is_some();
    if is_tuning && args.system == System::Parallel {
        return Err(
            Usage("workers of a tuning need a shared folder: use `cluster commands`".to_owned()).into()
        );
    }
    let shard_count = match args.shards {
        ShardCount::Fixed(number) => number,
        ShardCount::Auto if is_tuning => {
            return Err(Usage(
                "--shards auto is not available for tunings: give the number of workers".to_owned(),
            )
            .into());
        }
        ShardCount::Auto => choose_shard_count(&target, &args.slurm, args.threads)?,
    };
    let seconds = if args.shards == ShardCount::Auto { args.slurm.parse_seconds() } else { None };
    let shard_division = ShardDivision { shards: shard_count, seconds };
    let mut division = if is_tuning {
        Division::from_tuning(&target, &args.file, shard_count, options)?
    } else {
        Division::new(&target, &args.file, shard_division, options)?
    };
    match division.remaining.len() as u64 {
        0 if is_tuning => {
            print_message(format_args!("the tuning has finished; report: {}", division.answer_command()));
            return Ok(ExitCode::SUCCESS);
        }
        0 => {
            print_message(format_args!(
                "all {} are complete; to merge them: {}",
                format_shards(shard_count),
                division.merge_command()
            ));
            return Ok(ExitCode::SUCCESS);
        }
        remaining if remaining < shard_count => print_message(format_args!(
            "{} of {} remain",
            group_digits(remaining),
            format_shards(shard_count)
        )),
        _ => {}
    }
    match args.system {
        System::Slurm => {
            if is_tuning {
                division.wait_option = slurm::WAIT_OPTION;
            }
            let submit = slurm::write(&division, &args.slurm, args.threads)?;
            if args.slurm.submit {
                let status = process::call_script(&submit).context("cannot start sh")?;
                ensure!(status.success(), "{} failed; is sbatch installed?", display_path(&submit));
                return Ok(ExitCode::SUCCESS);
            }
            print_script_command(&submit)?;
        }
        System::Parallel => {
            print_script_command(&parallel::write(&division, &args.hosts)?)?;
            if target.experiment.plan().stop.is_some() {
                print_message(format_args!(
                    "[stop] has no effect on separate hosts: all blocks are played, and `gauntlet merge` applies [stop]"
                ));
            }
        }
        System::Commands => {
            let mut output = data();
            for &shard in &division.remaining {
                writeln!(output, "{}", division.task_command(&shard.to_string()))?;
            }
            print_message(format_args!("when all tasks have ended: {}", division.merge_command()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the number of shards that each take about the requested time. If the folder is already
/// divided, returns the existing number.
fn choose_shard_count(target: &Target, options: &slurm::SlurmOptions, threads: u16) -> anyhow::Result<u64> {
    let time = options.parse_seconds().ok_or_else(|| {
        Usage("--shards auto needs the time of a task, such as --time 1h or --time 1:00:00".to_owned())
    })?;
    if let Some((shard, _)) = paths::find_shards(&target.folder)?.first() {
        return Ok(shard.count());
    }
    // A new estimate could give another number, because two measurements of time differ.
    let existing =
        read_division(&target.folder).map_err(Usage)?.filter(|division| division.seconds == Some(time));
    if let Some(ShardDivision { shards, .. }) = existing {
        return Ok(shards);
    }
    let plan = target.experiment.plan();
    let mut seconds = 0.0;
    for lineup in 0..plan.lineups.len() {
        ensure!(
            plan.members(lineup).all(|player| player.entry.facts().command.is_none()),
            "--shards auto cannot measure players that are external programs: give the number of shards"
        );
        let cost = cost::measure_lineup(&plan, lineup, cost::FIRST_GAME_TIMEOUT)?;
        seconds += cost.seconds * plan.blocks.len() as f64;
    }
    let shards = (seconds / (f64::from(threads) * TIME_SHARE * time)).ceil() as u64;
    let shards = shards.clamp(1, MAX_SHARDS.min(plan.blocks.len()));
    print_message(format_args!(
        "about {} of CPU time in total: {} of about {} each",
        format_time_span(seconds),
        format_count(shards, "shard"),
        format_time_span(seconds / (shards as f64 * f64::from(threads)))
    ));
    Ok(shards)
}

/// Prints the command that runs a script.
fn print_script_command(path: &Path) -> io::Result<()> {
    writeln!(data(), "sh {}", quote_path(path))
}

fn format_shards(number: u64) -> String {
    format_count(number, "shard")
}

/// Refuses options of a batch system other than the requested one.
fn check_together(args: &Args) -> Result<(), Usage> {
    if args.system != System::Slurm && args.slurm.has_any(args.shards == ShardCount::Auto) {
        return Err(Usage(
            "--time (without --shards auto), --partition, --account, --submit and options after `--` need the system slurm".to_owned(),
        ));
    }
    match (args.system, args.hosts.is_empty()) {
        (System::Parallel, true) => Err(Usage("parallel needs --hosts, such as --hosts a,b,4/c".to_owned())),
        (System::Slurm | System::Commands, false) => {
            Err(Usage("--hosts needs the system parallel".to_owned()))
        }
        _ => Ok(()),
    }
}
