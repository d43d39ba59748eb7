//! `gauntlet live`: a page that shows the run, tuning or training in a folder. `--live` shows the
//! folder that a command writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::folder::{FolderState, has_tables};
use gauntlet_analysis::results::store::missing_results::has_results;
use gauntlet_analysis::results::store::snapshot::GAMES_CSV;
use gauntlet_analysis::results::store::tuning::{
    EXPLAIN_FOLDER, is_tuning, is_unfinished, tunings_in, validation_folders,
};
use gauntlet_core::disk::system_disk;
use gauntlet_core::text::{display_path, quote_path};
use gauntlet_run::journal::Journal;
use gauntlet_run::shutdown::{ShutdownSignal, lock};
use gauntlet_run::{paths, threads};
use gauntlet_train::curve::CURVE;
use gauntlet_train::section::{TrainSection, TrainingLength};
use gauntlet_train::snapshot;

use crate::address::Address;
use crate::hub::{LookTime, SnapshotHub};
use crate::picture::{LiveCandidates, LiveSnapshot, WorkState};
use crate::server::Server;
use crate::{run_watch, training_watch, tuning_watch};
use gauntlet_cli::command::{Command, define, parse_arguments};
use gauntlet_cli::output::{accept_closed_pipe, print_message};
use gauntlet_cli::report_pages;
use gauntlet_cli::session::CommandSession;
use gauntlet_cli::target::{Results, Target, load_without_files};

/// The commands of this extra.
pub const COMMANDS: &[Command] = &[Command {
    name: "live",
    synonyms: &["dashboard", "web", "monitor", "ui"],
    define: define::<Args>,
    run: |program, matches| accept_closed_pipe(run(program.catalog, &parse_arguments(matches))),
}];

/// Option for a page that shows progress.
#[derive(clap::Args)]
pub struct Live {
    /// Show live progress in a browser
    ///
    /// The page is read-only and available while the command runs. The printed link contains a
    /// random token, and only readers who have the link can open the page. ADDRESS is a port or
    /// HOST:PORT, such as 8000 or 0.0.0.0:8000.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1")]
    live: Option<Address>,
}

impl Live {
    /// Returns true if a page is requested.
    pub fn is_requested(&self) -> bool {
        self.live.is_some()
    }

    /// Starts to listen, if requested, and prints the link. A session handles signals before this.
    pub fn begin<'s>(&self, session: &'s CommandSession) -> anyhow::Result<LivePage<'s>> {
        let server = self.live.as_ref().map(begin).transpose()?;
        Ok(LivePage { server, session })
    }
}

fn begin(address: &Address) -> anyhow::Result<Server> {
    let server = Server::start(address)?;
    print_message(format_args!("live: {}", server.link()));
    Ok(server)
}

/// Show progress of a run, tuning or training in a browser
///
/// For a run, the page shows blocks that are complete for all players. For a tuning, it shows the
/// search up to the last entry in its journal. For a training, it shows the last checkpoint. The
/// command exits when the work has ended. `--live` of `gauntlet run`, `tune` and `train` shows the
/// same page.
#[derive(clap::Args)]
#[command(after_long_help = "\
The page is read-only: no request can start, stop or write anything. The printed link contains a random token, and only \
readers who have the link can open the page. Without --address, the page is on loopback and accepts only host names of this machine.

Example:
  gauntlet live results/quick")]
pub(crate) struct Args {
    /// Results folder, tuning folder or training folder; or an experiment
    #[arg(value_name = "RESULTS")]
    of: PathBuf,

    /// Address of the page, such as 8000 or 0.0.0.0:8000
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    address: Address,

    #[command(flatten)]
    results: Results,
}

/// Shortest and longest pause between two looks. Even if a look takes some seconds on a busy
/// machine, the page is less than ten seconds old.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

/// Between these limits, a pause is this many times as long as the last look, because the run needs
/// the machine.
const PAUSE_FACTOR: u32 = 50;

/// Returns the pause after a look of this duration.
fn pause_after(look_duration: Duration) -> Duration {
    let [shortest, longest] = PAUSES;
    look_duration.saturating_mul(PAUSE_FACTOR).clamp(shortest, longest)
}

pub(crate) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let mut subject = find_subject(catalog, args)?;
    let start = Instant::now();
    let look_time = LookTime::now();
    let first_picture = subject.poll()?;
    if first_picture.as_ref().is_none_or(|picture| picture.state != WorkState::Finished) {
        let server = begin(&args.address)?;
        let hub = server.hub();
        first_picture.into_iter().for_each(|picture| hub.show(picture, Some(look_time)));
        let mut look_duration = start.elapsed();
        loop {
            thread::sleep(pause_after(look_duration));
            let start = Instant::now();
            subject.refresh(hub);
            if hub.picture().state == WorkState::Finished {
                subject.show_report(hub);
                break;
            }
            look_duration = start.elapsed();
        }
    }
    print_message(format_args!("{}", subject.end_message()));
    Ok(ExitCode::SUCCESS)
}

/// Subject of a page: the folder of a run, a tuning or a training.
pub struct Subject {
    catalog: Catalog,
    folder: PathBuf,
    /// The picture before the first look.
    initial_picture: LiveSnapshot,
    /// The last error of `watch`, as the page shows it.
    read_error: Option<String>,
    watch: Box<Watch>,
}

/// Returns a new picture, or `None` if nothing has changed.
type Watch = dyn FnMut() -> anyhow::Result<Option<LiveSnapshot>> + Send;

impl Subject {
    /// Returns a run whose tables go into the second folder. `merge` is the command that merges its
    /// shards. Without it, shards in the folder belong to another run.
    pub fn from_run(
        experiment: Experiment,
        folder: PathBuf,
        tables: PathBuf,
        merge: Option<String>,
    ) -> Subject {
        let catalog = experiment.catalog();
        let initial_picture = LiveSnapshot::new("run", experiment.name(), experiment.arena().name);
        let mut watch = run_watch::RunWatch::new(experiment, folder, tables.clone(), merge);
        Subject {
            catalog,
            folder: tables,
            initial_picture,
            read_error: None,
            watch: Box::new(move || watch.poll()),
        }
    }

    /// Returns a tuning.
    pub fn from_tuning(catalog: Catalog, folder: PathBuf) -> Subject {
        let initial_picture = LiveSnapshot::new("tuning", &display_path(&folder).to_string(), "");
        let mut watch = tuning_watch::TuningWatch::new(catalog, folder.clone());
        Subject { catalog, folder, initial_picture, read_error: None, watch: Box::new(move || watch.poll()) }
    }

    /// Returns a training, with its experiment and its length if known.
    pub fn from_training(
        catalog: Catalog,
        folder: PathBuf,
        experiment: Option<&Experiment>,
        length: Option<TrainingLength>,
    ) -> Subject {
        let title = experiment
            .map_or_else(|| display_path(&folder).to_string(), |experiment| experiment.name().to_owned());
        let game = experiment.map_or("", |experiment| experiment.arena().name);
        let initial_picture = LiveSnapshot::new("training", &title, game);
        let mut watch = training_watch::TrainingWatch::new(&title, game, length, folder.clone());
        Subject { catalog, folder, initial_picture, read_error: None, watch: Box::new(move || watch.poll()) }
    }

    fn poll(&mut self) -> anyhow::Result<Option<LiveSnapshot>> {
        let mut picture = (self.watch)()?;
        if let Some(picture) = picture.as_mut().filter(|picture| picture.state == WorkState::Finished)
            && self.initial_picture.kind != "training"
        {
            picture.report = report_command(&self.folder);
        }
        Ok(picture)
    }

    /// Shows a new picture if something has changed. Files of other processes may be incomplete or
    /// unreachable for a while.
    fn refresh(&mut self, hub: &SnapshotHub) {
        // Later changes may not have been read.
        let look_time = LookTime::now();
        match self.poll() {
            Ok(Some(picture)) => hub.show(picture, Some(look_time)),
            Ok(None) => hub.confirm(look_time),
            Err(error) => {
                let warning = format!("the page is out of date: {error:#}; retrying");
                let mut picture = hub.picture();
                if picture.warnings.last() != Some(&warning) {
                    // The previous error is outdated.
                    if let Some(previous) = self.read_error.replace(warning.clone()) {
                        picture.warnings.retain(|other| *other != previous);
                    }
                    picture.warnings.push(warning);
                    picture.progress.pace.clear();
                    hub.show(picture, None);
                }
            }
        }
    }

    /// Adds the report to the last picture if it can be made. A missing report is not an error.
    fn show_report(&self, hub: &SnapshotHub) {
        let report = self.render_report(hub).unwrap_or_else(|error| {
            print_message(format_args!("gauntlet: cannot add the report to the live page: {error:#}"));
            None
        });
        report.iter().for_each(|report| hub.add_report(report));
    }

    /// Returns the report as a page, with all validations of a tuning. `None` if there are too many
    /// games.
    fn render_report(&self, hub: &SnapshotHub) -> anyhow::Result<Option<String>> {
        let mut folders = vec![self.folder.clone()];
        if self.initial_picture.kind == "tuning" {
            folders = validation_folders(&self.folder)?.into_iter().map(|(_, folder)| folder).collect();
            folders.push(self.folder.join(EXPLAIN_FOLDER));
        }
        let bytes = |folder: &PathBuf| fs::metadata(folder.join(GAMES_CSV)).map_or(0, |games| games.len());
        if folders.iter().map(bytes).sum::<u64>() > MAX_GAME_BYTES || !hub.is_watched() {
            return Ok(None);
        }
        match self.initial_picture.kind {
            "run" => report_pages::render_folder(self.catalog, &self.folder).map(Some),
            "tuning" => report_pages::render_tuning_folder(self.catalog, &self.folder).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the message at the end.
    fn end_message(&self) -> String {
        let (kind, folder) = (self.initial_picture.kind, display_path(&self.folder));
        match kind {
            "training" => format!("the training run in {folder} has ended; learning curve: {CURVE}.csv"),
            _ => format!("the {kind} in {folder} has ended: {}", report_command(&self.folder)),
        }
    }
}

/// Finds the subject at a path. If there are several, prefers active ones, then unfinished ones,
/// then the run.
fn find_subject(catalog: Catalog, args: &Args) -> anyhow::Result<Subject> {
    let Args { of: results_path, results, .. } = args;
    let training_subject = |folder: PathBuf, experiment: Option<&Experiment>| {
        let length =
            experiment.and_then(|experiment| Some(TrainSection::from_experiment(experiment)?.length));
        Subject::from_training(catalog, folder, experiment, length)
    };
    if is_tuning(results_path) {
        return Ok(Subject::from_tuning(catalog, results_path.clone()));
    }
    if snapshot::is_training(results_path) {
        return Ok(training_subject(results_path.clone(), None));
    }
    // Players of the file may be built from a network that is being trained.
    let is_experiment = results_path.is_file() || catalog.built_in_experiment(results_path).is_some();
    let experiment = if is_experiment { Some(load_without_files(catalog, results_path)?) } else { None };
    let folder =
        experiment.as_ref().map_or_else(|| results_path.clone(), |experiment| results.folder(experiment));
    // Active subjects first, then unfinished ones.
    let rank = |is_in_use: bool, has_ended: bool| (!is_in_use, !is_in_use && has_ended);
    let is_in_use = |folder: &Path| Journal::is_in_use(&paths::journal_path(folder, None));
    let shards = paths::find_shards(&folder)?;
    let run = has_results(&folder).then(|| {
        let is_playing = is_in_use(&folder) || shards.iter().any(|(_, path)| Journal::is_in_use(path));
        // Next to older tables, another run may have been stopped.
        let has_ended = match &experiment {
            Some(experiment) => FolderState::read_without_journals(&system_disk(), experiment, &folder)
                .is_ok_and(FolderState::is_current),
            None => has_tables(&*system_disk(), &folder),
        };
        (rank(is_playing, has_ended), None)
    });
    let rank_tuning = |folder: PathBuf| {
        // Only the external optimizer knows whether its tuning continues.
        let order = rank(is_in_use(&folder), !is_unfinished(&folder));
        (order, Some(Subject::from_tuning(catalog, folder)))
    };
    let rank_training = |folder: PathBuf| {
        let has_ended = snapshot::read_snapshot(&folder)
            .is_ok_and(|snapshot| snapshot.is_some_and(|seen| seen.has_ended));
        (rank(snapshot::is_in_use(&folder), has_ended), Some(training_subject(folder, experiment.as_ref())))
    };
    let tunings = tunings_in(&folder).into_iter().map(rank_tuning);
    let trainings = snapshot::training_in(&folder).into_iter().map(rank_training);
    // If several rank equally, the first one is used.
    let candidates = run.into_iter().chain(tunings).chain(trainings);
    if let Some((_, Some(subject))) = candidates.min_by_key(|(order, _)| *order) {
        return Ok(subject);
    }
    let Target { experiment, folder } = Target::find(catalog, results_path, results)?;
    let merge = format!("gauntlet merge {}", results.to_arguments(results_path));
    Ok(Subject::from_run(experiment, folder.clone(), folder, Some(merge)))
}

fn report_command(folder: &Path) -> String {
    format!("gauntlet report {}", quote_path(folder))
}

/// A report reads the games again. With more bytes than this it would take seconds, so the command
/// is printed instead.
const MAX_GAME_BYTES: u64 = 20 << 20;

/// The page of a command that plays, if requested.
pub struct LivePage<'s> {
    server: Option<Server>,
    session: &'s CommandSession,
}

impl LivePage<'_> {
    /// Does some work and, while the page has readers, shows the folder that the work writes. At
    /// the end shows how it ended: `end_state` returns this if the folder does not show it, or
    /// `None` if the work can be resumed.
    pub fn show<T>(
        &self,
        make_subject: impl FnOnce() -> Subject,
        work: impl FnOnce() -> anyhow::Result<T>,
        end_state: impl FnOnce(&T) -> Option<(WorkState, String)>,
    ) -> anyhow::Result<T> {
        let Some(hub) = self.server.as_ref().map(Server::hub) else { return work() };
        let subject = make_subject();
        // The earlier picture belongs to other work.
        hub.begin(subject.initial_picture.clone());
        let shared = Arc::new((Mutex::new(subject), ShutdownSignal::default()));
        let (thread_shared, thread_hub) = (Arc::clone(&shared), Arc::clone(hub));
        threads::start_detached(move || follow(&thread_shared.0, &thread_hub, &thread_shared.1))?;
        let (subject, shutdown) = &*shared;
        let result = work();
        shutdown.trigger();
        match &result {
            Err(error) => show_end(hub, WorkState::Failed, &format!("{error:#}")),
            // A stopped command does not wait for a look, which takes seconds if there are many
            // games.
            Ok(_) if self.session.is_asked_to_stop() => show_stopped(hub),
            Ok(value) if hub.is_watched() => {
                let mut subject = lock(subject);
                subject.refresh(hub);
                match hub.picture().state {
                    WorkState::Finished => subject.show_report(hub),
                    _ => match end_state(value) {
                        Some((state, message)) => show_end(hub, state, &message),
                        None => show_stopped(hub),
                    },
                }
            }
            Ok(_) => {}
        }
        result
    }
}

/// Shows a folder while the page has readers, until the work is over.
fn follow(subject: &Mutex<Subject>, hub: &SnapshotHub, shutdown: &ShutdownSignal) {
    let mut pause = Duration::ZERO;
    while !shutdown.wait(pause) {
        let start = Instant::now();
        if hub.is_watched() {
            lock(subject).refresh(hub);
        }
        pause = pause_after(start.elapsed());
    }
}

fn show_stopped(hub: &SnapshotHub) {
    let message = "The session has ended. See the terminal for the reason and how to resume.";
    show_end(hub, WorkState::Stopped, &format!("{message} {}", hub.picture().said));
}

/// Shows the last picture, marked as finished work.
fn show_end(hub: &SnapshotHub, state: WorkState, message: &str) {
    let mut picture = hub.picture();
    picture.candidates = LiveCandidates::default();
    picture.progress.pace.clear();
    hub.show(LiveSnapshot { state, said: message.to_owned(), ..picture }, Some(LookTime::now()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_limited_however_long_a_look_takes() {
        let [shortest, longest] = PAUSES;
        let look_durations = [0, 1, 20, 60, 100, 2_000, 3_600_000].map(Duration::from_millis);
        let pauses = look_durations.map(pause_after);
        assert!(pauses.is_sorted(), "{pauses:?}");
        assert_eq!((pauses[0], pauses[3], pauses[6]), (shortest, 3 * shortest, longest));
        assert!(pause_after(Duration::MAX) == longest && longest <= Duration::from_secs(5));
    }
}
