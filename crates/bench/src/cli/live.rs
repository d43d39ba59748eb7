//! `gauntlet live`: a page that shows a run, a tuning or a training as it goes, of a folder that others write into; and `--live`, the
//! same of what a command of ours does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use super::page;
use super::say::complain;
use super::signals::Signals;
use super::target::{Results, Target, load_without_files};
use crate::arena::Arenas;
use crate::config::Experiment;
use crate::config::train::Length;
use crate::disk::system;
use crate::live::address::Address;
use crate::live::hub::Hub;
use crate::live::picture::{Candidates, Picture, State};
use crate::live::server::Server;
use crate::live::{of_folder, of_training, tuning_folder};
use crate::results::store::absent::holds_results;
use crate::results::store::folder::{Tables, has_tables};
use crate::results::store::read;
use crate::results::store::set::GAMES_CSV;
use crate::results::store::tuning::{EXPLAINED, is_tuning, is_unfinished, tunings_in, validations};
use crate::results::tunings::tuned::{Answered, answered};
use crate::run::journal::Journal;
use crate::run::places;
use crate::text::{quoted_path, shown};
use crate::train::curve::CURVE;
use crate::train::seen;

/// A page that shows the work as it goes.
#[derive(clap::Args)]
pub(super) struct Live {
    /// Show it in a browser as it goes, on a page of this machine
    ///
    /// The page is read-only, and there as long as the command runs. The printed link contains a
    /// random token, and only readers who have the link can open the page. ADDRESS is a port or
    /// HOST:PORT, as in 8000 or 0.0.0.0:8000.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1")]
    live: Option<Address>,
}

impl Live {
    /// True if a page is asked for.
    pub(super) fn is_asked(&self) -> bool {
        self.live.is_some()
    }

    /// Begins to listen, if that is asked for, and tells where. A program that is told of as running answers signals as one that runs.
    pub(super) fn begin(&self, _: &Signals) -> anyhow::Result<Option<Server>> {
        self.live.as_ref().map(begin).transpose()
    }
}

fn begin(address: &Address) -> anyhow::Result<Server> {
    let server = Server::start(address)?;
    complain(format_args!("live: {}", server.link()));
    Ok(server)
}

/// Show a run, a tuning or a training of others on a page in a browser
///
/// A run is made of the journals in the folder, also those of shards: of the blocks that are complete for all players. A tuning is its
/// search, walked again on its journal; a training is its last checkpoint. At the end the page says so, and the command ends.
/// `--live` of `gauntlet run`, `tune` and `train` shows more: every finished game, games in play, each step.
#[derive(clap::Args)]
#[command(after_long_help = "\
The page is read-only: no request can start, stop or write anything. The printed link contains a random token, and only \
readers who have the link can open the page. Without --address the page is on loopback, where it answers to names of this machine only.

Example:
  gauntlet live results/quick")]
pub(super) struct Args {
    /// The folder of a run's results, of a tuning or of a training; or an experiment
    #[arg(value_name = "RESULTS")]
    of: PathBuf,

    /// Listen on this address, as in 8000 or 0.0.0.0:8000
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    address: Address,

    #[command(flatten)]
    results: Results,
}

/// Time between two looks, and a part of it that looks may take at most: the run that is looked at has the machine.
const PAUSE: Duration = Duration::from_secs(1);
const REST: u32 = 50;

pub(super) fn run(arenas: Arenas, args: &Args) -> anyhow::Result<ExitCode> {
    match shown_at(arenas, args)? {
        Subject::Run(target) => {
            let Target { experiment, folder } = *target;
            let merge = format!("gauntlet merge {}", args.results.said_again(&args.of));
            let mut watch = of_folder::Watch::of(experiment, folder.clone(), report_of(&folder), merge);
            let end = format!("the run in {} has ended: {}", shown(&folder), report_of(&folder));
            let report = |hub: &Hub| page_for(arenas, hub, &folder);
            watched(&args.address, &mut || watch.look(), &report, &end)
        }
        Subject::Tuning(folder) => {
            let mut watch = tuning_folder::Watch::of(arenas, folder.clone(), report_of(&folder));
            let end = format!("the tuning in {} has ended: {}", shown(&folder), report_of(&folder));
            let report = |hub: &Hub| page_for_tuning(arenas, hub, &folder);
            watched(&args.address, &mut || watch.look(), &report, &end)
        }
        Subject::Training { title, game, length, folder } => {
            let mut watch = of_training::FolderWatch::of(&title, &game, length, &folder);
            let end = format!("the training in {} has ended; {CURVE}.csv is its curve", shown(&folder));
            watched(&args.address, &mut || watch.look(), &|_| Ok(None), &end)
        }
    }
}

/// What is to be shown.
enum Subject {
    Run(Box<Target>),
    Tuning(PathBuf),
    Training { title: String, game: String, length: Option<Length>, folder: PathBuf },
}

/// What there is at a path. Where there is more than one thing, it is what is at work; else what has not ended; else the run.
fn shown_at(arenas: Arenas, args: &Args) -> anyhow::Result<Subject> {
    let Args { of, results, .. } = args;
    let training = |folder: PathBuf, experiment: Option<&Experiment>| Subject::Training {
        title: experiment.map_or_else(|| shown(&folder).to_string(), |it| it.name().to_owned()),
        game: experiment.map_or_else(String::new, |it| it.arena().name.to_owned()),
        length: experiment.and_then(|it| Some(it.sections().train.as_ref()?.length)),
        folder,
    };
    if is_tuning(of) {
        return Ok(Subject::Tuning(of.clone()));
    }
    if seen::is_training(of) {
        return Ok(training(of.clone(), None));
    }
    // Players of the file may be built from what is trained now.
    let experiment = if of.is_file() { Some(load_without_files(arenas, of)?) } else { None };
    let folder = experiment.as_ref().map_or_else(|| of.clone(), |experiment| results.folder(experiment));
    let is_in_use = |folder: &Path| Journal::is_in_use(&places::path_in(folder, None));
    let shards = places::shards_in(&folder)?;
    let run = holds_results(&folder).then(|| {
        let plays = is_in_use(&folder) || shards.iter().any(|(_, path)| Journal::is_in_use(path));
        // Beside tables of before another run may have been stopped.
        let has_ended = match &experiment {
            Some(experiment) => matches!(Tables::of(&system(), experiment, &folder), Tables::Current),
            None => has_tables(&*system(), &folder),
        };
        (Use::of(plays, has_ended), None)
    });
    let of_tuning = |folder: PathBuf| {
        // Whether one that another program drives goes on, that program alone knows.
        (Use::of(is_in_use(&folder), !is_unfinished(&folder)), Some(Subject::Tuning(folder)))
    };
    let of_training = |folder: PathBuf| {
        let has_ended = seen::seen(&folder).is_ok_and(|seen| seen.is_some_and(|seen| seen.has_ended));
        (Use::of(seen::is_in_use(&folder), has_ended), Some(training(folder, experiment.as_ref())))
    };
    let tunings = tunings_in(&folder).into_iter().map(of_tuning);
    let trainings = seen::training_in(&folder).into_iter().map(of_training);
    // Of several that are alike the first is taken.
    let all = run.into_iter().chain(tunings).chain(trainings);
    match all.min_by_key(|(how, _)| *how) {
        Some((_, Some(subject))) => Ok(subject),
        Some((_, None)) | None => Target::find(arenas, of, results).map(Box::new).map(Subject::Run),
    }
}

/// Whether something is in use, unfinished or ended; the page shows the first of these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Now,
    NotEnded,
    Ended,
}

impl Use {
    fn of(is_now: bool, has_ended: bool) -> Use {
        match (is_now, has_ended) {
            (true, _) => Use::Now,
            (false, false) => Use::NotEnded,
            (false, true) => Use::Ended,
        }
    }
}

/// How a warning begins that nothing newer could be read.
const OF_BEFORE: &str = "what is shown is of before: ";

/// Shows what looks find, until one finds the end.
fn watched(
    address: &Address,
    look: &mut dyn FnMut() -> anyhow::Result<Option<Picture>>,
    report: &dyn Fn(&Hub) -> anyhow::Result<Option<String>>,
    end: &str,
) -> anyhow::Result<ExitCode> {
    let first = look()?;
    if first.as_ref().is_some_and(|picture| picture.state == State::Finished) {
        complain(format_args!("{end}"));
        return Ok(ExitCode::SUCCESS);
    }
    let server = begin(address)?;
    let hub = server.hub();
    first.into_iter().for_each(|picture| hub.show(picture));
    loop {
        thread::sleep(PAUSE);
        let begun = Instant::now();
        match look() {
            Ok(Some(picture)) if picture.state == State::Finished => {
                hub.show_with(picture, or_none(report(hub)).as_deref());
                hub.end();
                complain(format_args!("{end}"));
                return Ok(ExitCode::SUCCESS);
            }
            Ok(Some(picture)) => hub.show(picture),
            Ok(None) => {}
            // What others write may be half there, or on a disk that is away for a while.
            Err(error) => {
                let warning = format!("{OF_BEFORE}{error:#}; it is tried again");
                let mut picture = hub.picture();
                if picture.warnings.last() != Some(&warning) {
                    picture.warnings.retain(|other| !other.starts_with(OF_BEFORE));
                    picture.warnings.push(warning);
                    hub.show(picture);
                }
            }
        }
        thread::sleep(REST * begun.elapsed());
    }
}

fn report_of(folder: &Path) -> String {
    format!("gauntlet report {}", quoted_path(folder))
}

/// To make the page of a report, the games are read again: of more than these bytes that takes seconds, and the command that makes
/// it is told instead.
const MOST_GAMES: u64 = 20 << 20;

/// The page of a report that is made of the games in these folders, for those who look on.
fn page_of(
    hub: &Hub,
    folders: &[PathBuf],
    make: impl FnOnce() -> anyhow::Result<String>,
) -> anyhow::Result<Option<String>> {
    let bytes = |folder: &PathBuf| fs::metadata(folder.join(GAMES_CSV)).map_or(0, |games| games.len());
    let is_small = folders.iter().map(bytes).sum::<u64>() <= MOST_GAMES;
    (is_small && hub.is_watched()).then(make).transpose()
}

fn page_for(arenas: Arenas, hub: &Hub, folder: &Path) -> anyhow::Result<Option<String>> {
    page_of(hub, &[folder.to_owned()], || page::of_folder(arenas, folder))
}

/// The same of a tuning, of which the report has all validations.
fn page_for_tuning(arenas: Arenas, hub: &Hub, folder: &Path) -> anyhow::Result<Option<String>> {
    let validations = validations(folder)?.into_iter().map(|(_, folder)| folder);
    let folders: Vec<PathBuf> = validations.chain([folder.join(EXPLAINED)]).collect();
    page_of(hub, &folders, || page::of_tuning_folder(arenas, folder))
}

/// The page of a report, or none: that there is none is no flaw of the work.
fn or_none(report: anyhow::Result<Option<String>>) -> Option<String> {
    report.unwrap_or_else(|error| {
        complain(format_args!("gauntlet: the live page has no report: {error:#}"));
        None
    })
}

/// Shows that the run of an experiment has come to its end, with tables in a folder.
pub(super) fn show_tables(experiment: &Experiment, hub: &Hub, folder: &Path) {
    let arenas = experiment.arenas();
    // To read the results checks all their games, of which there may be millions: only a run that may end early has an answer to be read.
    // The terminal has it: that it cannot be read back for the page is no flaw of the run.
    let may_end_early = experiment.sections().stop.is_some();
    let set = may_end_early.then(|| read::set(arenas, folder).ok()).flatten();
    let how = set.and_then(|set| of_folder::how_it_ended(&set));
    let how = how.unwrap_or_else(|| "All games are played".to_owned());
    let said = format!("{how}; tables and manifest are in {}.", shown(folder));
    show_report(hub, Picture { said, ..over(hub) }, folder, page_for(arenas, hub, folder));
}

/// Shows that a tuning has come to its end, with its answer. The terminal has it: that it cannot be read back for the page is no flaw of
/// the tuning.
pub(super) fn show_tuned(arenas: Arenas, hub: &Hub, folder: &Path) {
    let (said, answer) = match answered(arenas, folder) {
        Ok(Answered { verdict, settings }) => (verdict, settings),
        Err(error) => {
            complain(format_args!("gauntlet: the live page has no answer: {error:#}"));
            (
                "The terminal has the answer, which could not be read back for this page.".to_owned(),
                Vec::new(),
            )
        }
    };
    show_report(hub, Picture { said, answer, ..over(hub) }, folder, page_for_tuning(arenas, hub, folder));
}

fn show_report(hub: &Hub, picture: Picture, folder: &Path, report: anyhow::Result<Option<String>>) {
    let picture = Picture { state: State::Finished, report: report_of(folder), ..picture };
    hub.show_with(picture, or_none(report).as_deref());
}

/// Shows the end of some work that has not shown one itself, and waits a little until all readers have it.
pub(super) fn end(hub: &Hub, done: &anyhow::Result<ExitCode>) {
    match (done, hub.picture().state) {
        (Err(error), _) => show_end(hub, State::Failed, format!("{error:#}")),
        (Ok(_), State::Stopped | State::Finished) => {}
        (Ok(_), _) => show_end(hub, State::Failed, "The terminal says why.".to_owned()),
    }
    hub.end();
}

/// Shows that a run ended otherwise.
pub(super) fn show_end(hub: &Hub, state: State, said: String) {
    let over = over(hub);
    // What the numbers of a run that has not ended are stays true.
    let said = if state == State::Stopped { format!("{said} {}", over.said) } else { said };
    hub.show(Picture { state, said, ..over });
}

/// The picture that is shown, without what is of a run that plays: games, its pace, the time left.
fn over(hub: &Hub) -> Picture {
    let mut picture = hub.picture();
    picture.in_play.clear();
    picture.candidates = Candidates::default();
    picture.progress.pace.clear();
    for player in &mut picture.players {
        (player.left, player.rate) = (String::new(), String::new());
    }
    picture
}
