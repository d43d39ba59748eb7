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
use gauntlet_analysis::config::Catalog;
use gauntlet_core::process;
use gauntlet_core::text::{display_path, format_count, format_time_span, group_digits};
use gauntlet_run::division::{ShardDivision, read_division};
use gauntlet_run::{cost, paths};
use gauntlet_tune::section::TuneSection;

use crate::division::{Division, quote_path};
use gauntlet_cli::command::{Command, define, parse_arguments};
use gauntlet_cli::exit::Usage;
use gauntlet_cli::permission::Allow;
use gauntlet_cli::say::{accept_closed_pipe, complain, data};
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
    shards: Number,

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
enum Number {
    Of(u64),
    Auto,
}

impl FromStr for Number {
    type Err = &'static str;

    fn from_str(said: &str) -> Result<Number, &'static str> {
        match (said, said.parse()) {
            ("auto", _) => Ok(Number::Auto),
            (_, Ok(number @ 1..=MOST)) => Ok(Number::Of(number)),
            _ => Err("expected a number from 1 to 100000, or auto"),
        }
    }
}

/// The most shards.
const MOST: u64 = 100_000;

/// Tasks should take this part of their time limit, because machines differ, and players take
/// different times for each game.
const PART_OF_TIME: f64 = 0.75;

/// System that plays the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum System {
    Slurm,
    Parallel,
    Commands,
}

pub(crate) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    check_together(args)?;
    refuse_folder(&args.file)?;
    let target = Target::find(catalog, &args.file, &args.results)?;
    let more = format!(" --threads {}{}", args.threads, args.allow.to_options());
    let is_tuning = TuneSection::from_experiment(&target.experiment).is_some();
    if is_tuning && args.system == System::Parallel {
        return Err(
            Usage("workers of a tuning need a shared folder: use `cluster commands`".to_owned()).into()
        );
    }
    let all = match args.shards {
        Number::Of(number) => number,
        Number::Auto if is_tuning => {
            return Err(Usage(
                "--shards auto is not available for tunings: give the number of workers".to_owned(),
            )
            .into());
        }
        Number::Auto => choose_shard_count(&target, &args.slurm, args.threads)?,
    };
    let seconds = if args.shards == Number::Auto { args.slurm.parse_seconds() } else { None };
    let decided = ShardDivision { shards: all, seconds };
    let mut division = if is_tuning {
        Division::from_tuning(&target, &args.file, all, more)?
    } else {
        Division::new(&target, &args.file, decided, more)?
    };
    match division.left.len() as u64 {
        0 if is_tuning => {
            complain(format_args!("the tuning has finished; report: {}", division.answer_command()));
            return Ok(ExitCode::SUCCESS);
        }
        0 => {
            complain(format_args!(
                "all {} are complete; to merge them: {}",
                format_shards(all),
                division.merge_command()
            ));
            return Ok(ExitCode::SUCCESS);
        }
        left if left < all => {
            complain(format_args!("{} of {} remain", group_digits(left), format_shards(all)))
        }
        _ => {}
    }
    match args.system {
        System::Slurm => {
            if is_tuning {
                division.wait = slurm::WAIT;
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
                complain(format_args!(
                    "[stop] has no effect on separate hosts: all blocks are played, and `gauntlet merge` applies [stop]"
                ));
            }
        }
        System::Commands => {
            let mut out = data();
            for &shard in &division.left {
                writeln!(out, "{}", division.task_command(&shard.to_string()))?;
            }
            complain(format_args!("when all tasks have ended: {}", division.merge_command()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the number of shards that each take about the requested time. If the folder is already
/// divided, returns the existing number.
fn choose_shard_count(target: &Target, words: &slurm::SlurmOptions, threads: u16) -> anyhow::Result<u64> {
    let time = words.parse_seconds().ok_or_else(|| {
        Usage("--shards auto needs the time of a task, such as --time 1h or --time 1:00:00".to_owned())
    })?;
    if let Some((shard, _)) = paths::find_shards(&target.folder)?.first() {
        return Ok(shard.count());
    }
    // A new estimate could give another number, because two measurements of time differ.
    let same = read_division(&target.folder).map_err(Usage)?.filter(|decided| decided.seconds == Some(time));
    if let Some(ShardDivision { shards, .. }) = same {
        return Ok(shards);
    }
    let plan = target.experiment.plan();
    let mut seconds = 0.0;
    for lineup in 0..plan.lineups.len() {
        ensure!(
            plan.members(lineup).all(|player| player.entrant.facts().command.is_none()),
            "--shards auto cannot measure players that are external programs: give the number of shards"
        );
        let cost = cost::measure_lineup(&plan, lineup, cost::PATIENCE)?;
        seconds += cost.seconds * plan.blocks.len() as f64;
    }
    let shards = (seconds / (f64::from(threads) * PART_OF_TIME * time)).ceil() as u64;
    let shards = shards.clamp(1, MOST.min(plan.blocks.len()));
    complain(format_args!(
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
    if args.system != System::Slurm && args.slurm.has_any(args.shards == Number::Auto) {
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
