//! Accidents at every file operation: it fails, the process dies there, or the power is cut there.
//! After each a reader sees either all old tables or all new ones, and resuming ends with the same
//! bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use gauntlet::GAMES;
use gauntlet::config::Experiment;
use gauntlet::disk::Disk;
use gauntlet::page::{ExploratoryComparisons, make_page};
use gauntlet::player::Stop;
use gauntlet::results::analysis::judge::judge_on_disk;
use gauntlet::results::store::files::write_document;
use gauntlet::results::store::folder::{copy_experiment, has_tables};
use gauntlet::results::store::manifest::Manifest;
use gauntlet::results::store::read::Results;
use gauntlet::results::store::snapshot::ResultsSnapshot;
use gauntlet::results::store::write::write_results;
use gauntlet::run::journal::{GamesEntry, Journal};
use gauntlet::run::keyed_plan::KeyedPlan;
use gauntlet::run::paths::journal_path;
use gauntlet::run::run;

use crate::disk::{Cut, Fault, IgnoredSync, MemoryDisk};

use crate::in_process::{parse_experiment, quiet_options};

const FOLDER: &str = "results/small";

/// Returns two players and a comparison, so that there are tables of each kind.
fn experiment(games: u32, tables: &str) -> Experiment {
    let text = format!(
        "name = \"small\"\ngame = \"2048\"\nseed = 3\ngames = {games}\nwin = 64\nmax_moves = 60\n\n\
         [[player]]\nname = \"any\"\nalgorithm = \"random\"\n\n\
         [[player]]\nname = \"corner\"\nalgorithm = \"fixed-order\"\norder = [\"down\", \"left\", \"right\", \"up\"]\n\n{tables}"
    );
    parse_experiment(&GAMES, &text)
}

const CLAIM: &str = "[[claim]]\nbetter = \"corner\"\nthan = \"any\"\nby = \"score\"\n";

const COMMAND: &str = "gauntlet run small.toml";

/// Runs an experiment as `gauntlet run` does.
fn play(
    disk: &Arc<dyn Disk>,
    experiment: &Experiment,
    plan: &KeyedPlan,
    command: &str,
) -> anyhow::Result<()> {
    let folder = Path::new(FOLDER);
    let mut journal = Journal::open_on(Arc::clone(disk), &journal_path(folder, None))?;
    copy_experiment(disk, experiment, folder)?;
    run(plan, &mut journal, &quiet_options(1), &Stop::default())?;
    let report = write_results(experiment, plan, &mut journal, folder, command, 1)?;
    anyhow::ensure!(report.missing_blocks == 0, "games are missing");
    Ok(())
}

/// Returns a reader's view of a folder: nothing, or its files. Every table is read, and those
/// without clock readings are kept, including the columns of `ms-per-move.csv` without times.
fn visible_files(memory: &MemoryDisk) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let (disk, folder) = (memory.disk(), Path::new(FOLDER));
    if !has_tables(&*disk, folder) {
        return Ok(BTreeMap::new());
    }
    Results::read_on_disk(gauntlet::catalog(&gauntlet::GAMES), &disk, folder)?;
    let set = ResultsSnapshot::read(gauntlet::catalog(&gauntlet::GAMES), &disk, folder)?;
    let names = set.manifest().digests.keys().map(String::as_str).chain(["experiment.toml"]);
    let mut files = BTreeMap::new();
    for name in names.filter(|name| *name != "times.csv") {
        let mut bytes = set.bytes(name)?;
        if name == "ms-per-move.csv" {
            let text = String::from_utf8(bytes)?;
            let columns = |row: &str| row.split(',').take(2).collect::<Vec<_>>().join(",");
            bytes = text.lines().map(columns).collect::<Vec<_>>().join("\n").into_bytes();
        }
        files.insert(name.to_owned(), bytes);
    }
    let Manifest { games, command, .. } = set.manifest();
    files.insert("games and command".to_owned(), format!("{games} {command:?}").into_bytes());
    Ok(files)
}

/// Work on a folder that may be repeated until it succeeds.
struct Trial<'a> {
    initial: MemoryDisk,
    work: &'a dyn Fn(&Arc<dyn Disk>) -> anyhow::Result<()>,
    ignored_sync: IgnoredSync,
}

impl Trial<'_> {
    /// Tries every accident at every operation. Returns the number of cases, or what was wrong with
    /// one.
    fn try_all(&self) -> Result<usize, String> {
        let intact = self.initial.copy();
        (self.work)(&intact.disk()).expect("nothing fails");
        let old = visible_files(&self.initial).expect("tables from before");
        let new = visible_files(&intact).expect("new tables");
        assert!(!new.is_empty() && new != old);
        let mut cases = 0;
        for number in 1.. {
            let failed_disk = self.initial.with_fault(Fault::At(number), self.ignored_sync);
            let result = (self.work)(&failed_disk.disk());
            let is_reached = failed_disk.operation_count() >= number;
            // If the work still succeeds, it must be complete.
            let allowed_views = if result.is_ok() { [&new, &new] } else { [&old, &new] };
            self.check(&failed_disk.copy(), allowed_views, &new)
                .map_err(|reason| format!("failed at {number}: {reason}"))?;

            let dead_disk = self.initial.with_fault(Fault::From(number), self.ignored_sync);
            let result = (self.work)(&dead_disk.disk());
            let allowed_views = if result.is_ok() { [&new, &new] } else { [&old, &new] };
            let killed_case = ("killed".to_owned(), dead_disk.copy());
            let cut_cases =
                Cut::all().map(|cut| (format!("power cut, {cut:?},"), dead_disk.after_power_cut(cut)));
            // If everything was synced, all power cuts leave the same.
            let mut checked_files = BTreeSet::new();
            for (accident, disk) in std::iter::once(killed_case).chain(cut_cases) {
                if checked_files.insert(disk.files()) {
                    self.check(&disk, allowed_views, &new)
                        .map_err(|reason| format!("{accident} at {number}: {reason}"))?;
                    cases += 1;
                }
            }
            cases += 1;
            if !is_reached {
                return Ok(cases);
            }
        }
        unreachable!("the work ends")
    }

    /// Checks what an accident has left, and resumes from there.
    fn check(
        &self,
        disk: &MemoryDisk,
        allowed_views: [&BTreeMap<String, Vec<u8>>; 2],
        new: &BTreeMap<String, Vec<u8>>,
    ) -> Result<(), String> {
        let view = visible_files(disk).map_err(|error| format!("a reader is refused: {error:#}"))?;
        if !allowed_views.contains(&&view) {
            return Err(format!("a reader sees {:?}", view.keys()));
        }
        (self.work)(&disk.disk()).map_err(|error| format!("it does not go on: {error:#}"))?;
        let view = visible_files(disk).map_err(|error| format!("the result is refused: {error:#}"))?;
        if view != *new {
            let differences = view.iter().filter(|(name, bytes)| new.get(*name) != Some(bytes));
            return Err(format!(
                "another result: {:?}",
                differences.map(|(name, _)| name).collect::<Vec<_>>()
            ));
        }
        let hidden_files = disk.disk().list(Path::new(FOLDER)).expect("a folder");
        let hidden_files: Vec<_> = hidden_files.into_iter().filter(|name| name.starts_with('.')).collect();
        if hidden_files.is_empty() { Ok(()) } else { Err(format!("{hidden_files:?} stay behind")) }
    }
}

/// Tries all accidents during a run that continues an earlier one of this number of games, or
/// starts fresh.
fn try_run(earlier_games: Option<u32>, ignored_sync: IgnoredSync) -> Result<usize, String> {
    let initial = MemoryDisk::default();
    if let Some(games) = earlier_games {
        let experiment = experiment(games, "");
        let keyed_plan = KeyedPlan::new(experiment.plan(), &[]).expect("keys");
        play(&initial.disk(), &experiment, &keyed_plan, COMMAND).expect("nothing fails");
    }
    let experiment = experiment(20, CLAIM);
    let keyed_plan = KeyedPlan::new(experiment.plan(), &[]).expect("keys");
    let work = |disk: &Arc<dyn Disk>| play(disk, &experiment, &keyed_plan, COMMAND);
    Trial { initial: initial.copy(), work: &work, ignored_sync }.try_all()
}

#[test]
fn a_first_run_survives_accidents() {
    let cases = try_run(None, IgnoredSync::None).unwrap_or_else(|reason| panic!("{reason}"));
    assert!(cases > 200, "{cases}");
}

#[test]
fn a_continued_run_survives_accidents() {
    let cases = try_run(Some(12), IgnoredSync::None).unwrap_or_else(|reason| panic!("{reason}"));
    assert!(cases > 200, "{cases}");
}

/// A run that plays no games and keeps `games.csv`.
#[test]
fn a_run_without_games_survives_accidents() {
    let initial = MemoryDisk::default();
    let experiment = experiment(20, CLAIM);
    let keyed_plan = KeyedPlan::new(experiment.plan(), &[]).expect("keys");
    play(&initial.disk(), &experiment, &keyed_plan, COMMAND).expect("nothing fails");
    let work = |disk: &Arc<dyn Disk>| play(disk, &experiment, &keyed_plan, "gauntlet run ./small.toml");
    let trial = Trial { initial: initial.copy(), work: &work, ignored_sync: IgnoredSync::None };
    let cases = trial.try_all().unwrap_or_else(|reason| panic!("{reason}"));
    assert!(cases > 50, "{cases}");
}

/// A run that plays no games finds a changed byte in any file. It does the same as a run that must
/// write `games.csv` because the file is empty.
#[test]
fn a_changed_byte_is_found_without_playing() {
    let experiment = experiment(20, CLAIM);
    let keyed_plan = KeyedPlan::new(experiment.plan(), &[]).expect("keys");
    let memory = MemoryDisk::default();
    play(&memory.disk(), &experiment, &keyed_plan, COMMAND).expect("nothing fails");
    let original = visible_files(&memory).expect("tables");
    let games = Path::new(FOLDER).join("games.csv");
    let replay = |disk: &MemoryDisk| -> Result<_, String> {
        let result = play(&disk.disk(), &experiment, &keyed_plan, COMMAND);
        let files = result.and_then(|()| visible_files(disk));
        files.map_err(|error| format!("{error:#}"))
    };
    for (name, step) in
        [("games.csv", 61), ("manifest.toml", 17), ("journal.jsonl", 43), ("win-rate.csv", 41)]
    {
        let path = Path::new(FOLDER).join(name);
        let content = memory.files().remove(&path).expect("a file");
        for index in (0..content.len()).step_by(step) {
            let mut changed_content = content.clone();
            changed_content[index] ^= 1;
            let disk = memory.with_content(&path, changed_content);
            let twin = disk.with_content(&games, Vec::new());
            let [files, expected] = [&disk, &twin].map(replay);
            assert_eq!(files.as_ref().err(), expected.as_ref().err(), "{name}, byte {index}");
            assert!(files == expected, "{name}, byte {index}");
            if name != "manifest.toml" {
                assert!(files.as_ref() == Ok(&original), "{name}, byte {index}");
            }
        }
    }
}

/// A re-evaluation after a claim was removed: its table disappears, and others appear.
fn try_judgement(ignored_sync: IgnoredSync) -> Result<usize, String> {
    let earlier_experiment = experiment(20, CLAIM);
    let keyed_plan = KeyedPlan::new(earlier_experiment.plan(), &[]).expect("keys");
    let initial = MemoryDisk::default();
    play(&initial.disk(), &earlier_experiment, &keyed_plan, COMMAND).expect("nothing fails");
    let published = "[[published]]\nplayer = \"any\"\nwhat = \"win\"\nvalue = 0.5\nsource = \"a page\"\n";
    let changed_experiment = experiment(20, published);
    let work = |disk: &Arc<dyn Disk>| {
        judge_on_disk(disk, &changed_experiment, Path::new(FOLDER), "gauntlet judge small.toml").map(|_| ())
    };
    Trial { initial: initial.copy(), work: &work, ignored_sync }.try_all()
}

#[test]
fn verdicts_made_anew_survive_accidents() {
    let cases = try_judgement(IgnoredSync::None).unwrap_or_else(|reason| panic!("{reason}"));
    assert!(cases > 50, "{cases}");
}

/// A document is the old one or the new one, and the next write removes leftovers.
#[test]
fn a_document_survives_accidents() {
    let path = Path::new("pages/page.html");
    let write = |disk: &Arc<dyn Disk>, content: &[u8]| write_document(disk, path, content);
    let [old, new] = [b"old".repeat(100), b"new".repeat(100)];
    let initial = MemoryDisk::default();
    write(&initial.disk(), &old).expect("nothing fails");
    for number in 1.. {
        let mut is_reached = true;
        for fault in [Fault::At(number), Fault::From(number)] {
            let faulty_disk = initial.with_fault(fault, IgnoredSync::None);
            let result = write(&faulty_disk.disk(), &new);
            is_reached = faulty_disk.operation_count() >= number;
            let cuts = Cut::all().map(|cut| (format!("{cut:?}"), faulty_disk.after_power_cut(cut)));
            for (accident, disk) in std::iter::once(("killed".to_owned(), faulty_disk.copy())).chain(cuts) {
                let document = disk.files().remove(path).expect("a document");
                assert!(document == new || (result.is_err() && document == old), "{fault:?}, {accident}");
                write(&disk.disk(), &new).expect("nothing fails");
                assert_eq!(disk.files().into_values().collect::<Vec<_>>(), [&*new], "{fault:?}, {accident}");
            }
        }
        if !is_reached {
            assert!(number > 4, "{number}");
            return;
        }
    }
}

/// Games that a later plan may use survive the removal of the others.
#[test]
fn the_removal_of_unusable_games_survives_accidents() {
    let path = journal_path(Path::new(FOLDER), None);
    let initial = MemoryDisk::default();
    let mut journal = Journal::open_on(initial.disk(), &path).expect("nothing fails");
    for (block, key) in ["0f", "1d-once", "2c", "2b-once", "0f"].into_iter().enumerate() {
        let mut games = GamesEntry::new(key, &[], 2);
        games.first = Some(block as u64);
        journal.append_games(games.to_line()).expect("nothing fails");
    }
    journal.sync().expect("nothing fails");
    let keys = |disk: &MemoryDisk| -> Vec<String> {
        let journal = Journal::open_on(disk.disk(), &path).expect("a journal");
        journal.lines().iter().map(|line| line.key.to_string()).collect()
    };
    let remove = |disk: &MemoryDisk| Journal::open_on(disk.disk(), &path)?.remove_unusable_games();
    for number in 1.. {
        let mut is_reached = true;
        for fault in [Fault::At(number), Fault::From(number)] {
            let faulty_disk = initial.with_fault(fault, IgnoredSync::None);
            let result = remove(&faulty_disk);
            is_reached = faulty_disk.operation_count() >= number;
            let cuts = Cut::all().map(|cut| faulty_disk.after_power_cut(cut));
            for disk in std::iter::once(faulty_disk.copy()).chain(cuts) {
                let is_done = keys(&disk).len() == 3;
                assert!(is_done || (result.is_err() && keys(&disk).len() == 5), "{fault:?}");
                remove(&disk).expect("nothing fails");
                assert_eq!(keys(&disk), ["0f", "2c", "0f"], "{fault:?}");
                assert_eq!(disk.files().len(), 1, "{fault:?}");
            }
        }
        if !is_reached {
            assert!(number > 5, "{number}");
            return;
        }
    }
}

/// A page is either complete or missing: nothing is omitted because a file could not be read.
#[test]
fn a_page_tells_what_cannot_be_read() {
    let experiment = experiment(20, CLAIM);
    let keyed_plan = KeyedPlan::new(experiment.plan(), &[]).expect("keys");
    let memory = MemoryDisk::default();
    play(&memory.disk(), &experiment, &keyed_plan, COMMAND).expect("nothing fails");
    let read_page = |memory: &MemoryDisk| -> anyhow::Result<String> {
        let results =
            Results::read_on_disk(gauntlet::catalog(&gauntlet::GAMES), &memory.disk(), Path::new(FOLDER))?;
        Ok(make_page(&results, &ExploratoryComparisons::new(std::slice::from_ref(&results))?)?.html)
    };
    let full_page = read_page(&memory).expect("nothing fails");
    let mut error_count = 0;
    for number in 1.. {
        let faulty_disk = memory.with_fault(Fault::Reading(number), IgnoredSync::None);
        match read_page(&faulty_disk) {
            Ok(page) => assert!(page == full_page, "reading {number}: another page"),
            Err(error) => {
                let message = format!("{error:#}");
                assert!(message.contains("a planted fault"), "reading {number}: {message}");
                error_count += 1;
            }
        }
        if faulty_disk.read_count() < number {
            break;
        }
    }
    assert!(error_count > 50, "{error_count}");
}

/// These tests detect files or folders that are not synced.
#[test]
fn what_is_not_synced_is_found() {
    for ignored_sync in [IgnoredSync::Files, IgnoredSync::Folders] {
        for result in [try_run(None, ignored_sync), try_judgement(ignored_sync)] {
            let reason = result.expect_err("a power cut loses what was not synced");
            assert!(reason.starts_with("power cut"), "{ignored_sync:?}: {reason}");
        }
    }
}
