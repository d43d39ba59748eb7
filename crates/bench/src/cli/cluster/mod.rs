//! `gauntlet cluster`: the shards of a run as tasks of a batch system. Nothing is scheduled here: this writes what the batch system
//! reads, and prints the command that hands it over.
//!
//! - `division`: the tasks that are left, and what each calls
//! - `slurm`: scripts of an array job
//! - `parallel`: a script for GNU parallel over ssh

mod division;
mod parallel;
mod slurm;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};

use self::division::Division;
use super::commands::Allow;
use super::exit::Usage;
use super::say::{complain, data, screen};
use super::target::{Results, Target};
use crate::arena::Arenas;
use crate::process;
use crate::text::{counted, grouped, quoted_path, shown};

/// Divide a run into tasks for a cluster, a list of hosts or any batch system
///
/// Each task plays one shard, into a journal of its own; a job at the end joins them and writes the tables and a page. A task that
/// was killed goes on where it was. The same command again takes only the shards that are left.
#[derive(clap::Args)]
#[command(after_long_help = "\
slurm     writes the scripts of an array job, and of a job behind it, into results/NAME/cluster
parallel  writes a script there that plays on hosts by GNU parallel and ssh, and brings the journals back
commands  prints a command for each shard that is left, for xargs or any other system

docs/CLUSTER.md tells what a shared folder must hold to.

Example:
  gauntlet cluster commands configs/quick.toml --shards 8 | xargs -P 4 -I{} sh -c {}")]
pub(super) struct Args {
    /// System that plays the tasks
    #[arg(value_name = "SYSTEM", value_enum)]
    system: System,

    /// The experiment
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Number of shards; the division stays as it is until they are joined
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    shards: u64,

    /// Threads of each task
    #[arg(short = 'j', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Hosts for `parallel`, as ssh knows them; `4/HOST` for four tasks at once
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    hosts: Vec<String>,

    #[command(flatten)]
    slurm: slurm::Words,

    #[command(flatten)]
    allow: Allow,

    #[command(flatten)]
    results: Results,
}

/// System that plays the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum System {
    Slurm,
    Parallel,
    Commands,
}

pub(super) fn run(arenas: Arenas, args: &Args) -> anyhow::Result<ExitCode> {
    check_together(args)?;
    let target = Target::find(arenas, &args.file, &args.results)?;
    let more = format!(" --threads {}{}", args.threads, args.allow.typed());
    let division = Division::of(&target, &args.file, args.shards, more)?;
    let all = args.shards;
    match division.left.len() as u64 {
        0 => {
            complain(format_args!("all {} are played; to join them: {}", shards(all), division.merge()));
            return Ok(ExitCode::SUCCESS);
        }
        left if left < all => complain(format_args!("{} of {} are left", grouped(left), shards(all))),
        _ => {}
    }
    match args.system {
        System::Slurm => {
            let submit = slurm::write(&division, &args.slurm, args.threads)?;
            if args.slurm.submit {
                let status = process::call_script(&submit).context("cannot start sh")?;
                ensure!(status.success(), "{} failed: is sbatch there?", shown(&submit));
                return Ok(ExitCode::SUCCESS);
            }
            tell_script(&submit)?;
        }
        System::Parallel => tell_script(&parallel::write(&division, &args.hosts)?)?,
        System::Commands => {
            let mut out = data();
            for &shard in &division.left {
                writeln!(out, "{}", division.task(&shard.to_string()))?;
            }
            complain(format_args!("when all have ended: {}", division.merge()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the command that calls a script.
fn tell_script(path: &Path) -> io::Result<()> {
    writeln!(screen(), "sh {}", quoted_path(path))
}

fn shards(number: u64) -> String {
    counted(number, "shard")
}

/// Refuses options of another system than the one that is asked for.
fn check_together(args: &Args) -> Result<(), Usage> {
    if args.system != System::Slurm && args.slurm.are_said() {
        return Err(Usage(
            "--time, --partition, --account, --submit and words behind `--` are for slurm".to_owned(),
        ));
    }
    if let Some(host) = args.hosts.iter().find(|host| host.is_empty() || host.contains(char::is_whitespace)) {
        return Err(Usage(format!("{host:?} is no host: name it as the file of ssh's settings does")));
    }
    match (args.system, args.hosts.is_empty()) {
        (System::Parallel, true) => Err(Usage("parallel needs --hosts, as in --hosts a,b,4/c".to_owned())),
        (System::Slurm | System::Commands, false) => Err(Usage("--hosts is for parallel".to_owned())),
        _ => Ok(()),
    }
}
