//! `gauntlet tune`: searches for better settings, using a file with a `[tune]`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gauntlet_analysis::answer::tuning;
use gauntlet_analysis::compare::question::Conclusion;
use gauntlet_analysis::compare::verdict::Verdict;
use gauntlet_analysis::config::time::DurationArg;
use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::command::reproducing_command;
use gauntlet_analysis::results::store::folder::EXPERIMENT;
use gauntlet_analysis::results::store::manifest::experiment_digest;
use gauntlet_analysis::results::store::tuning::{FOLDER, finished_budget};
use gauntlet_core::num::BoundedInt;
use gauntlet_core::text::{display_path, format_games, group_digits, quote, quote_path, wrap_line};
use gauntlet_methods::TuningMethod;
use gauntlet_run::RunOptions;
use gauntlet_run::bar::ProgressDisplay;
use gauntlet_run::blocks::BlockSeeds;
use gauntlet_run::paths;
use gauntlet_run::plan::Shard;
use gauntlet_tune::results::TUNED;
use gauntlet_tune::results::ends::describe_ends;
use gauntlet_tune::results::history;
use gauntlet_tune::section::{TuneOverrides, TuneSection, override_tuning};
use gauntlet_tune::team::{LEADER_TIMEOUT, LeaderTimeout};
use gauntlet_tune::{BlockTimeout, HelpEnd, TuningEnd, TuningJob, TuningOutcome, ValidationResult};

use super::{status, tuning_status};
use gauntlet_cli::exit::{NOT_SHOWN, Usage, WORSE};
use gauntlet_cli::output::{describe_overlong_game, print, print_message, progress_mode};
use gauntlet_cli::permission::Allow;
use gauntlet_cli::resources::Resources;
use gauntlet_cli::session::{CommandSession, out_of_time_message, print_stopped};
use gauntlet_cli::target::{Results, load, refuse_folder};
use gauntlet_cli::terminal::width;

/// Optimize a player's settings and validate them on new games
///
/// `[tune]` in the file sets the player, its settings with their ranges, and the number of games.
/// The best point then plays against the start on seeds that the search never used. Only this
/// validation decides the verdict. A stopped tuning resumes where it stopped. A larger budget
/// continues from the end.
#[derive(clap::Args)]
#[command(after_long_help = "\
Files in results/NAME/tune:
  tuned.toml        experiment with the tuned settings, for `gauntlet run`
  trajectory.csv    path of the search
  validation.csv    verdict of each validation; its games are in validation-K
  explained         slices through the best point, if `[tune]` has `explain`
  manifest.toml     origin of the files
  the journal, from which a stopped tuning resumes

Exit status: 0 better, or stopped by --for; 6 inconclusive; 7 worse; 1, 2 and 130 as for all commands.

Example:
  gauntlet tune configs/tune/quick.toml")]
pub(super) struct Args {
    /// Experiment with a `[tune]` section
    file: PathBuf,

    /// Games for the search, instead of `budget` in the file; more games continue it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..=10_000_000_000))]
    budget: Option<u64>,

    /// Search method, with a separate results folder
    #[arg(
        long,
        value_name = "METHOD",
        long_help = format!("Search method, with a separate results folder\n{}", gauntlet_methods::manual())
    )]
    method: Option<TuningMethod>,

    /// Split the games among N searches and compare their results, in a separate folder
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    searches: Option<u32>,

    /// Seed of the search, with a separate results folder
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..1 << 63))]
    seed: Option<u64>,

    /// Stop after this time, such as 90s, 5m or 2h
    #[arg(long = "for", value_name = "TIME")]
    time: Option<DurationArg>,

    /// Run as worker K of N that share the games; worker 1 leads
    #[arg(
        long,
        value_name = "K/N",
        conflicts_with = "replace",
        long_help = "Run as worker K of N; the workers share the games of each step in a shared folder. Worker 1 runs the \
search and the validation. The result is the same as with one process. The other workers exit when the search has ended. \
Any worker can be killed and restarted."
    )]
    worker: Option<Shard>,

    /// For workers 2 to N: time to wait for worker 1 to start, such as 90s, 5m or 24h [default:
    /// 10m]
    ///
    /// After worker 1 has started, the limit is at most 10m.
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    wait: Option<DurationArg>,

    #[command(flatten)]
    means: Resources,

    #[command(flatten)]
    results: Results,

    #[command(flatten)]
    allow: Allow,

    #[cfg(feature = "live")]
    #[command(flatten)]
    live: live::Live,

    /// Replace a tuning whose journal is missing
    #[arg(long)]
    replace: bool,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
}

impl Args {
    /// Returns the command line that resumes this session. `command` contains the options that
    /// decide the games.
    fn resume_command(&self, command: &str) -> String {
        let worker = self.worker.map_or_else(String::new, |shard| format!(" --worker {shard}"));
        self.results.append_option(&(command.to_owned() + &worker)) + &self.allow.to_options()
    }
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    refuse_folder(catalog, &args.file)?;
    let path = if args.file.is_dir() { args.file.join(EXPERIMENT) } else { args.file.clone() };
    let mut experiment = load(catalog, &path)?;
    if TuneSection::from_experiment(&experiment).is_none() {
        return Err(Usage(format!(
            "{} has no [tune] section, which sets the player, its settings and the number of games",
            display_path(&path)
        ))
        .into());
    }
    let overrides =
        TuneOverrides { method: args.method, searches: args.searches.map(BoundedInt::new), seed: args.seed };
    if overrides != TuneOverrides::default() {
        if args.seed.is_some() && matches!(experiment.blocks(), BlockSeeds::Listed(_)) {
            let message = format!("--seed: {} has `seeds`, not `seed`", display_path(&path));
            return Err(Usage(message).into());
        }
        experiment = override_tuning(&experiment, overrides)?;
    }
    args.allow.permit(&experiment, &path, &args.results.folder(&experiment).join(FOLDER))?;
    let mut section = TuneSection::from_experiment(&experiment).cloned().expect("the file has a [tune]");
    section.budget = args.budget.unwrap_or(section.budget);
    if let Some(message) = section.too_small_message(experiment.arena().shape.legs() as u64) {
        return Err(Usage(format!("--budget: {message}")).into());
    }
    let mut command = reproducing_command("tune", &path);
    if let Some(budget) = args.budget {
        command += &format!(" --budget {budget}");
    }
    if let Some(method) = args.method {
        command += &format!(" --method {method}");
    }
    if let Some(searches) = args.searches {
        command += &format!(" --searches {searches}");
    }
    if let Some(seed) = args.seed {
        command += &format!(" --seed {seed}");
    }
    let folder = args.results.folder(&experiment).join(FOLDER);
    check_earlier_result(args, &folder, section.budget)?;
    if args.wait.is_some() && args.worker.is_none() {
        return Err(Usage("--wait needs --worker".to_owned()).into());
    }
    let helper = args.worker.filter(|worker| worker.index() > 1);
    #[cfg(feature = "live")]
    if helper.is_some() && args.live.is_requested() {
        return Err(Usage("--live is only available for worker 1".to_owned()).into());
    }
    let options = RunOptions {
        threads: args.means.threads(experiment.plan().threads_of_a_player()),
        memory: args.means.memory(),
        progress: progress_mode(args.quiet),
        experiment_digest: &experiment_digest(&experiment),
        is_within_session: true,
        ..RunOptions::default()
    };
    let task = TuningJob {
        experiment: &experiment,
        tune: &section,
        folder: &folder,
        worker: args.worker,
        command: &command,
        options,
        deadline: args.time.as_ref().map(DurationArg::deadline),
    };
    let session = CommandSession::begin()?;
    if let Some(worker) = helper {
        return play_for_leader(args, worker, &task, &session);
    }
    let work = || play(args, &task, &session);
    #[cfg(feature = "live")]
    let work = || {
        let subject = || live::Subject::from_tuning(catalog, folder.clone());
        args.live.begin(&session)?.show(subject, work, |_| None)
    };
    work()
}

/// Fails if the folder has an answer that must not be lost, or that cannot be continued.
fn check_earlier_result(args: &Args, folder: &Path, budget: u64) -> anyhow::Result<()> {
    let Some(earlier_budget) = finished_budget(folder)?.filter(|_| !args.replace) else { return Ok(()) };
    if earlier_budget > budget {
        return Err(Usage(format!(
            "{} already has the result of a search of {}: use --budget {earlier_budget} or more, another --results folder, or --replace",
            display_path(folder),
            format_games(earlier_budget)
        ))
        .into());
    }
    if !paths::journal_path(folder, None).exists() {
        return Err(Usage(format!(
            "{} has a tuning without its journal: use another --results folder, or --replace",
            display_path(folder)
        ))
        .into());
    }
    Ok(())
}

fn play(args: &Args, task: &TuningJob, session: &CommandSession) -> anyhow::Result<ExitCode> {
    let TuningJob { experiment, folder, .. } = *task;
    let mut display =
        ProgressDisplay::new(progress_mode(args.quiet), |line| print_message(format_args!("{line}")));
    let (end, is_stopped) = session.run_stoppable(|stop| gauntlet_tune::tune(task, stop, &mut display));
    display.finish();
    match end? {
        TuningEnd::Stopped(timeout) => {
            let resume_command = &args.resume_command(task.command);
            let time = args.time.as_ref().filter(|_| !is_stopped);
            let progress = || {
                status::print(tuning_status::snapshot(experiment.catalog(), folder, Some(resume_command))?)
            };
            match time.and(timeout) {
                Some(timeout) => {
                    progress()?;
                    print_message(format_args!("{}", time_too_short_message(&timeout, experiment)));
                }
                None => print_stopped("finished games are in the journals", resume_command, time, progress)?,
            }
            Ok(if time.is_some() { ExitCode::SUCCESS } else { session.stop_status(args.worker.is_some()) })
        }
        TuningEnd::Answered(answer) => {
            print(&describe_result(&answer, args, task))?;
            Ok(match answer.conclusion() {
                Conclusion::Yes => ExitCode::SUCCESS,
                Conclusion::Inconclusive => ExitCode::from(NOT_SHOWN),
                Conclusion::Opposite => ExitCode::from(WORSE),
            })
        }
    }
}

/// Plays shares of the games of a tuning that worker 1 leads, until its search has ended.
fn play_for_leader(
    args: &Args,
    worker: Shard,
    task: &TuningJob,
    session: &CommandSession,
) -> anyhow::Result<ExitCode> {
    let on_wait = || print_message(format_args!("waiting for worker 1, which has not started"));
    let leader_timeout =
        LeaderTimeout { max_silence: args.wait.as_ref().map_or(LEADER_TIMEOUT, DurationArg::get), on_wait };
    let (result, is_stopped) =
        session.run_stoppable(|stop| gauntlet_tune::help_leader(task, worker, stop, leader_timeout));
    let resume_command = &args.resume_command(task.command);
    match (result?, args.time.as_ref().filter(|_| !is_stopped)) {
        (HelpEnd::SearchEnded(games), _) => {
            if !args.quiet {
                print_message(format_args!(
                    "worker {worker}: {} played; the search has ended",
                    format_games(games)
                ));
            }
        }
        (HelpEnd::Stopped(_), None) => {
            print_message(format_args!(
                "worker {worker} was stopped before the search ended; to resume:\n  {resume_command}"
            ));
            return Ok(session.stop_status(true));
        }
        (HelpEnd::Stopped(timeout), Some(time)) => {
            let timeout_message = timeout.map(|timeout| time_too_short_message(&timeout, task.experiment));
            let message = timeout_message.unwrap_or_else(|| out_of_time_message(resume_command, time));
            print_message(format_args!("worker {worker}: {message}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Message for a tuning whose time was too short for one game.
fn time_too_short_message(
    BlockTimeout { title, block: too_long }: &BlockTimeout,
    experiment: &Experiment,
) -> String {
    let legs = experiment.arena().shape.legs() as u64;
    format!("no game finished: {}", describe_overlong_game(too_long, title, legs))
}

/// Describes the verdict of a tuning in a sentence.
fn describe_verdict(answer: &TuningOutcome) -> String {
    let describe_start =
        || tuning::describe_verdict(Verdict::from_comparison(answer.conclusion()), None, None);
    answer.validation.as_ref().map_or_else(describe_start, ValidationResult::describe)
}

/// Describes the answer of a tuning and where its files are.
fn describe_result(answer: &TuningOutcome, args: &Args, task: &TuningJob) -> String {
    let TuningJob { tune, folder, experiment, .. } = *task;
    let mut text = String::new();
    let mut add_line = |line: &str| text += &(wrap_line(line, width()) + "\n");
    add_line(&describe_verdict(answer));
    if let Some(validation) = &answer.validation {
        for comparison in &validation.comparisons[1..] {
            add_line(&format!("  {}", comparison.answer()));
        }
        if let [Some(nodes_before), Some(nodes_now)] = validation.nodes {
            add_line(&format!("  positions searched per move: {nodes_before:.1} before, {nodes_now:.1} now"));
        }
    }
    if answer.winner.is_none() && answer.validation.is_some() {
        add_line(&describe_ends(&answer.search_ends, tune.searches, tune.objective));
    }
    for change in history::describe_changes(&answer.settings, answer.winner.as_ref()) {
        add_line(&format!("  {change}"));
    }
    let rejected_note = match answer.refused_candidates {
        0 => String::new(),
        rejected => format!("; {} candidates rejected by the player", group_digits(rejected)),
    };
    add_line(&format!("{} in the search{rejected_note}", format_games(answer.games)));
    let (tuned_file, allow) = (quote_path(&folder.join(TUNED)), args.allow.to_options());
    add_line(&format!("to play with these settings: gauntlet run {tuned_file}{allow}"));
    let page = quote(&format!("{}.html", experiment.name()));
    add_line(&format!("HTML report: gauntlet report {} --out {page}", quote_path(folder)));
    text
}
