//! `gauntlet run`: plays an experiment and writes its tables.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::config::changes::CliOverrides;
use gauntlet_analysis::config::time::DurationArg;
use gauntlet_analysis::results::store::claim_history;
use gauntlet_analysis::results::store::folder::{keep_experiment, keep_experiment_of_shard};
use gauntlet_analysis::results::store::manifest::digest;
use gauntlet_analysis::results::store::partial::{self, DamagedLines};
use gauntlet_analysis::results::store::read::{self, Results};
use gauntlet_analysis::results::store::set::ResultsSnapshot;
use gauntlet_analysis::results::store::write::write;
use gauntlet_analysis::results::tables::printed;
use gauntlet_core::arena::Arenas;
use gauntlet_core::disk::system;
use gauntlet_core::game::Shape;
use gauntlet_core::table::Table;
use gauntlet_core::text::{counted, escape, games, shown};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::division;
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed::KeyedPlan;
use gauntlet_run::memory::room;
use gauntlet_run::paths;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::Progress;
use gauntlet_run::{RunEnd, machine};
use gauntlet_tune::section::TuneSection;

use super::changed::{self, Given};
use super::check::{absent_programs, misfits};
use super::destination::{Destination, Replace};
use super::ending::Ending;
use super::export::{self, Export};
use super::known;
use gauntlet_cli::exit::{FAILED, Usage};
use gauntlet_cli::permission::Allow;
use gauntlet_cli::resources::Resources;
use gauntlet_cli::say::{
    complain, damaged_lines, progress, tell_broken, tell_forfeits, tell_how_to_resume, tell_skipped,
    tell_too_long,
};
use gauntlet_cli::session::CommandSession;
use gauntlet_cli::target::{self, Target, refuse_folder};

/// Play the games of an experiment and write result tables
///
/// Only games that are not in the journal are played. A stopped run therefore resumes where it
/// stopped. After a changed setting, only the affected games are played. With more games or
/// players, only the new games are played.
#[derive(clap::Args)]
#[command(after_long_help = "\
Files in results/NAME:
  experiment.toml, manifest.toml, games.csv, settings.csv, ms-per-move.csv, times.csv
  win-rate.csv and max-tile.csv, or for two-player games elo.csv and duels.csv
  published.csv, claims.csv, stop.csv and precision.csv, if the experiment has these sections
  times-by-processor.csv, if games were played on several processors
  the journal, from which an interrupted run resumes

A game depends only on its seed and the settings of its players. games.csv is therefore the same on any machine and for any \
number of threads. Exceptions are time limits and external players without `reproducible = true`.

A player whose program fails in ten games in a row is skipped. Tables cover the other players. Repair the program and repeat \
the command to play only its games.

With --games, --only, --set, --precision or --for, games from the results of the unchanged experiment are reused.

With --for, the run prints tables of the blocks that are complete for all players, and writes no tables. `gauntlet report` and \
`gauntlet compare` read the journal. Repeat the command to resume for the same time.

Example:
  gauntlet run configs/quick.toml")]
pub(super) struct Args {
    /// Experiments to play in this order; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    means: Resources,

    #[command(flatten)]
    changes: CliOverrides,

    #[command(flatten)]
    results: target::Results,

    /// Play only shard K of N; `gauntlet merge` combines the shards
    #[arg(long, value_name = "K/N", conflicts_with = "time")]
    shard: Option<Shard>,

    /// Also write a table to FILE; `-` for standard output
    #[arg(long, value_parser = clap::builder::ValueParser::string(), value_name = "TABLE=FILE")]
    export: Vec<Export>,

    #[command(flatten)]
    replace: Replace,

    #[command(flatten)]
    allow: Allow,

    #[cfg(feature = "live")]
    #[command(flatten)]
    live: live::Live,

    /// Show no progress and no tables
    #[arg(short, long)]
    quiet: bool,

    /// Explain the test behind each verdict
    #[arg(long, hide_short_help = true)]
    explain: bool,
}

impl Args {
    /// Appends explanations to answers, if asked for.
    fn explain(&self, tables: &mut [Table]) {
        if self.explain {
            tables.iter_mut().for_each(Table::explain);
        }
    }

    /// Returns true if tables are printed on standard output. If a table is exported there, nothing
    /// else may be printed.
    fn says(&self) -> bool {
        !self.export.iter().any(Export::is_to_stdout)
    }
}

/// Adds the tables of these games to the option `--export`.
pub(super) fn with_words(arenas: Arenas, command: clap::Command) -> clap::Command {
    command.mut_arg("export", |arg| arg.value_parser(move |text: &str| Export::read(arenas, text)))
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    args.files.iter().try_for_each(|path| refuse_folder(path))?;
    // All mistakes in all files are reported before the first game.
    let (experiments, failure) =
        changed::load_all(catalog, &args.files, &args.results, &args.changes, args.quiet);
    if let Some(failure) = failure {
        return Err(failure);
    }
    check_together(args, &experiments)?;
    for given in &experiments {
        args.allow.permit(&given.target.experiment, given.file(), &given.target.folder)?;
    }
    for given in &experiments {
        let experiment = &given.target.experiment;
        if experiment.arena().shape == Shape::Duel && experiment.pairs().is_empty() {
            return Err(Usage(format!(
                "{}: {} needs two players, but there is only one; for moves of one player, use `gauntlet probe`",
                shown(given.file()),
                experiment.arena().name
            ))
            .into());
        }
    }
    for given in &experiments {
        room(&given.target.experiment.plan(), 1, args.means.memory())?;
    }
    if experiments.len() > 1 {
        for Given { target: Target { experiment, folder }, .. } in &experiments {
            Destination::peek(experiment, folder, args.shard, &args.replace)?;
        }
    }
    let session = CommandSession::begin()?;
    #[cfg(feature = "live")]
    let page = args.live.begin(&session)?;
    let mut worst = ExitCode::SUCCESS;
    for given in &experiments {
        let work = || play(args, given, &session);
        #[cfg(feature = "live")]
        let work = || page.show(|| live_subject(args, given), work, |done| how_it_ended(args, done));
        match work()? {
            Done::Well => {}
            Done::Failed => worst = ExitCode::from(FAILED),
            Done::Stopped => return Ok(session.stopped(args.shard.is_some())),
        }
    }
    Ok(worst)
}

/// Checks combinations of options that are valid individually.
fn check_together(args: &Args, experiments: &[Given]) -> Result<(), Usage> {
    for (i, given) in experiments.iter().enumerate() {
        // Some file systems ignore case.
        let name = |given: &Given| given.target.experiment.name().to_lowercase();
        if let Some(earlier) = experiments[..i].iter().find(|earlier| name(earlier) == name(given)) {
            return Err(Usage(format!(
                "{} and {} have the same name, `{}`: their results would overwrite each other",
                shown(earlier.file()),
                shown(given.file()),
                given.target.experiment.name()
            )));
        }
    }
    if args.shard.is_some() && !args.export.is_empty() {
        return Err(Usage(
            "--export is not available for a shard: `gauntlet merge` writes the tables".to_owned(),
        ));
    }
    export::check(&args.export, experiments)
}

/// Opens the journal of a run, or of a shard, which needs no lock.
fn open(path: &Path, shard: Option<Shard>) -> anyhow::Result<Journal> {
    let Some(shard) = shard else { return Journal::open(path) };
    let (journal, unlocked) = Journal::open_of_shard(path)?;
    if let Some(why) = unlocked {
        complain(format_args!(
            "gauntlet: cannot lock {} ({}): make sure that no other task plays shard {shard}",
            shown(path),
            escape::line(&why)
        ));
    }
    Ok(journal)
}

enum Done {
    Well,
    Failed,
    Stopped,
}

/// Returns what the live page shows.
#[cfg(feature = "live")]
fn live_subject(args: &Args, given: &Given) -> live::Subject {
    let Target { experiment, folder } = &given.target;
    let merge = args.shard.map(|_| format!("gauntlet merge {}", given.said_again(&args.results)));
    // A mistake is reported when the run begins.
    let tables = Destination::peek(experiment, folder, args.shard, &args.replace);
    let tables = tables.map_or_else(|_| folder.clone(), |destination| destination.tables());
    live::Subject::of_run(experiment.clone(), folder.clone(), tables, merge)
}

/// Describes how a run without tables ended, for the live page; `None` if it can be resumed.
#[cfg(feature = "live")]
fn how_it_ended(args: &Args, done: &Done) -> Option<(live::WorkState, String)> {
    use live::WorkState;
    match (done, args.shard) {
        (Done::Failed, _) => Some((WorkState::Failed, "See the terminal.".to_owned())),
        (Done::Well, Some(shard)) => {
            let said =
                format!("Shard {shard} is complete. When all shards are complete, run `gauntlet merge`.");
            Some((WorkState::Finished, said))
        }
        _ => None,
    }
}

fn play(args: &Args, given: &Given, session: &CommandSession) -> anyhow::Result<Done> {
    let Target { experiment, folder } = &given.target;
    let plan = experiment.plan();
    if let Some(shard) = args.shard {
        division::check(folder, shard).map_err(Usage)?;
    }
    let path = paths::path_in(folder, args.shard);
    // No file is created before it is known that tables may be written.
    let known = if path.exists() { Some(open(&path, args.shard)?) } else { None };
    let destination = match args.shard {
        Some(_) => Destination::peek(experiment, folder, args.shard, &args.replace)?,
        None => {
            let sessions = known.iter().flat_map(Journal::sessions);
            Destination::find(experiment, folder, sessions, &args.replace)?
        }
    };
    destination.tell_fewer(&plan);
    let mut journal = known.map_or_else(|| open(&path, args.shard), Ok)?;
    let plan = KeyedPlan::of(plan, &[&journal])?;
    if !args.quiet && args.shard.is_none() && !paths::shards_in(folder)?.is_empty() {
        complain(format_args!(
            "gauntlet: {} has journals of shards, which this run ignores; to use them: gauntlet merge",
            shown(folder)
        ));
    }
    let keep = if args.shard.is_some() { keep_experiment_of_shard } else { keep_experiment };
    keep(journal.disk(), experiment, &destination.prepare()?)?;
    if let (Some(own), None) = (&given.own, args.shard) {
        known::take(own, &plan, &mut journal, args.quiet)?;
    }
    let claims = experiment.claims_in_words();
    let options = gauntlet_run::Options {
        threads: args.means.threads(plan.threads_of_a_player()),
        memory: args.means.memory(),
        shard: args.shard,
        time: args.changes.time.as_ref().map(DurationArg::get),
        progress: progress(args.quiet),
        experiment: &digest(experiment),
        claims: Some(&claims),
        ..gauntlet_run::Options::default()
    };
    if !args.quiet {
        tell_before(args, given, &plan, options.threads);
        tell_replayed(&plan, &journal);
    }
    let (finish, _) = session.let_stop(|stop| gauntlet_run::run(&plan, &mut journal, &options, stop));
    let finish = finish?;
    tell_after(&finish, &plan, &journal, args.quiet);
    if finish.interrupted {
        interrupted(args, given, &plan, &mut journal, &finish)
    } else if let Some(shard) = args.shard {
        shard_played(args, given, &plan, &journal, &finish, shard)
    } else {
        tables_written(args, given, &plan, &mut journal, &finish, &destination)
    }
}

/// Prints limitations of a run before it begins.
fn tell_before(args: &Args, given: &Given, plan: &KeyedPlan, threads: usize) {
    if TuneSection::of(&given.target.experiment).is_some() {
        complain(format_args!(
            "gauntlet: playing with untuned settings; to tune: gauntlet tune {}{}",
            given.said_again(&args.results),
            args.allow.typed()
        ));
    }
    // A program that does not exist ends the run before the first game.
    for absent in absent_programs(&given.target.experiment).iter().filter(|absent| absent.is_script) {
        complain(format_args!("warning: {absent}; to leave it out, select the other players with --only"));
    }
    if threads * plan.threads_of_a_player() > machine::cores() {
        let threads = match plan.threads_of_a_player() {
            1 => format!("{threads} threads"),
            own => format!("{threads} threads, with {own} threads per player,"),
        };
        let effect = if plan.players.iter().any(|player| player.entrant.facts().command.is_some()) {
            "external programs get less CPU time than their time limit and may play worse or lose on time"
        } else {
            "games are unaffected, but times per move will be too long"
        };
        complain(format_args!("gauntlet: {threads} on {} cores: {effect}", machine::cores()));
    }
}

/// Prints which external players have only games of another version in the journal.
fn tell_replayed(plan: &KeyedPlan, journal: &Journal) {
    let lineups = || 0..plan.lineups.len();
    let known: BTreeSet<&str> = lineups().map(|lineup| plan.key(lineup)).collect();
    if journal.lines().iter().all(|line| known.contains(&*line.key)) {
        return;
    }
    for (place, player) in plan.players.iter().enumerate() {
        let mut own = lineups().filter(|&lineup| plan.lineups[lineup].members().contains(&place));
        let is_new = own.all(|lineup| journal.lines_of(plan.key(lineup)).next().is_none());
        if is_new && player.entrant.facts().command.is_some() {
            complain(format_args!(
                "gauntlet: {}: the journal has no games of this version of its program and settings; all games are played again",
                player.name
            ));
        }
    }
}

/// Reports problems with the journal or the games.
fn tell_after(finish: &RunEnd, plan: &KeyedPlan, journal: &Journal, is_quiet: bool) {
    if finish.played > 0 && journal.damaged() > 0 {
        complain(format_args!("gauntlet: {} skipped; their games are played again", damaged_lines(journal)));
    }
    if let Some(disputed) = &finish.disputed {
        complain(format_args!("gauntlet: {disputed}; replaying the games of both lines"));
    }
    if let Some(ignored) = &finish.ignored {
        complain(format_args!("gauntlet: {ignored}"));
    }
    // Otherwise the first forfeit of each player was shown when it happened.
    if is_quiet {
        tell_forfeits(&finish.forfeits, plan);
    }
}

/// Ends a run that was stopped, or whose time is over.
fn interrupted(
    args: &Args,
    given: &Given,
    plan: &KeyedPlan,
    journal: &mut Journal,
    finish: &RunEnd,
) -> anyhow::Result<Done> {
    let folder = &given.target.folder;
    journal.sync()?;
    if finish.is_out_of_time && journal.games() == 0 && !finish.too_long.is_empty() {
        tell_too_long(finish, plan);
        tell_broken(&finish.panics, plan, folder);
        tell_skipped(&finish.given_up, plan, folder);
        return Ok(Done::Failed);
    }
    let part = finish.is_out_of_time.then(|| tell_part(args, given, plan, journal));
    if finish.is_out_of_time {
        tell_too_long(finish, plan);
    }
    let coverage = Coverage::of(plan, journal)?;
    let done = Progress::of_journal(plan, &coverage, args.shard, plan.blocks.len());
    tell_how_to_resume(finish, &done, given.to_go_on(&args.results, &args.allow), folder);
    let Some(part) = part else { return Ok(Done::Stopped) };
    tell_broken(&finish.panics, plan, folder);
    tell_skipped(&finish.given_up, plan, folder);
    // Other experiments still get their time.
    if let Err(error) = &part {
        complain(format_args!("gauntlet: {error:#}"));
    }
    let is_whole = part.is_ok() && finish.panics.is_empty() && finish.given_up.is_empty();
    Ok(if is_whole { Done::Well } else { Done::Failed })
}

/// Ends a shard.
fn shard_played(
    args: &Args,
    given: &Given,
    plan: &KeyedPlan,
    journal: &Journal,
    finish: &RunEnd,
    shard: Shard,
) -> anyhow::Result<Done> {
    journal.sync()?;
    if !args.quiet {
        let merge = given.said_again(&args.results);
        let end = finish
            .end
            .map_or_else(String::new, |end| format!(": the run ended after {}", counted(end, "block")));
        complain(format_args!("shard {shard} is complete{end}; when all shards are: gauntlet merge {merge}"));
    }
    tell_broken(&finish.panics, plan, &given.target.folder);
    tell_skipped(&finish.given_up, plan, &given.target.folder);
    Ok(if finish.panics.is_empty() && finish.given_up.is_empty() { Done::Well } else { Done::Failed })
}

/// Ends a complete run: writes its tables.
fn tables_written(
    args: &Args,
    given: &Given,
    plan: &KeyedPlan,
    journal: &mut Journal,
    finish: &RunEnd,
    destination: &Destination,
) -> anyhow::Result<Done> {
    let Target { experiment, folder } = &given.target;
    let tables = destination.tables();
    known::take_answers(given.own.as_deref().unwrap_or(folder), plan, journal)?;
    let threads = args.means.threads(plan.threads_of_a_player());
    let report = write(experiment, plan, journal, &tables, &given.command(), threads)?;
    let played = match finish.played {
        0 => "no games left to play".to_owned(),
        played => format!("{} played in {:.1} s", games(played), finish.seconds),
    };
    let (how, is_different) = destination.told(&report, played)?;
    if !args.quiet {
        let results = Results::read(experiment.catalog(), &tables)?;
        let more = given.with_more_games(&args.results, &args.allow);
        let warnings = [misfits(plan), report.doubts.clone()].concat();
        let mut tables = report.tables.clone();
        args.explain(&mut tables);
        Ending::of(&results, &tables, &warnings, how, more)?.say(args.says())?;
    }
    tell_broken(&report.broken, plan, folder);
    tell_skipped(&report.skipped, plan, folder);
    if !args.export.is_empty() {
        let set = ResultsSnapshot::read(experiment.catalog(), &system(), &tables)?;
        args.export.iter().try_for_each(|export| export.write(&set, folder))?;
    }
    Ok(if report.is_whole() && !is_different { Done::Well } else { Done::Failed })
}

/// Prints the tables of a run whose time is over, from blocks that are complete for all players.
/// They are not written, because the run can be resumed; every command computes them from the
/// journal.
fn tell_part(args: &Args, given: &Given, plan: &KeyedPlan, journal: &mut Journal) -> anyhow::Result<()> {
    let Target { experiment, folder } = &given.target;
    known::take_answers(given.own.as_deref().unwrap_or(folder), plan, journal)?;
    let results =
        Results::of_set(partial::of_journal(folder, experiment, plan, journal, DamagedLines::default())?)?;
    let set = &results.set;
    if let Some(part) = set.partial() {
        let is_stopped = part.is_whole && part.of < plan.blocks.len();
        let claims = if part.is_whole { claim_history::answered(plan, experiment) } else { Vec::new() };
        journal.append_answer(plan, part.blocks, is_stopped, claims)?;
        journal.sync()?;
    }
    if args.quiet {
        for warning in set.warnings() {
            complain(format_args!("warning: {warning}"));
        }
    } else {
        let names = printed(experiment.catalog().games).into_iter().filter(|name| read::has_table(set, name));
        let mut tables = names.map(|name| read::table(set, name)).collect::<anyhow::Result<Vec<_>>>()?;
        args.explain(&mut tables);
        let warnings = [&misfits(plan), set.warnings()].concat();
        Ending::of(&results, &tables, &warnings, String::new(), Vec::new())?.say(args.says())?;
    }
    args.export.iter().try_for_each(|export| export.write(set, folder))
}
