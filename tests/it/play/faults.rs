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
use gauntlet::results::store::read::Results;
use gauntlet::results::store::set::ResultsSnapshot;
use gauntlet::results::store::write::write;
use gauntlet::run::journal::Journal;
use gauntlet::run::keyed::KeyedPlan;
use gauntlet::run::paths::journal_path;
use gauntlet::run::run;

use crate::disk::{Cut, Fault, Idle, Memory};

use crate::inside::{parse_experiment, quiet_options};

const FOLDER: &str = "results/small";

/// Returns two players and a comparison, so that there are tables of each kind.
fn experiment(games: u32, more: &str) -> Experiment {
    let text = format!(
        "name = \"small\"\ngame = \"2048\"\nseed = 3\ngames = {games}\nwin = 64\nmax_moves = 60\n\n\
         [[player]]\nname = \"any\"\nalgorithm = \"random\"\n\n\
         [[player]]\nname = \"corner\"\nalgorithm = \"fixed-order\"\norder = [\"down\", \"left\", \"right\", \"up\"]\n\n{more}"
    );
    parse_experiment(&GAMES, &text)
}

const CLAIM: &str = "[[claim]]\nbetter = \"corner\"\nthan = \"any\"\nby = \"score\"\n";

/// Runs an experiment as `gauntlet run` does.
fn play(disk: &Arc<dyn Disk>, experiment: &Experiment, plan: &KeyedPlan) -> anyhow::Result<()> {
    let folder = Path::new(FOLDER);
    let mut journal = Journal::open_on(Arc::clone(disk), &journal_path(folder, None))?;
    copy_experiment(disk, experiment, folder)?;
    run(plan, &mut journal, &quiet_options(1), &Stop::default())?;
    let report = write(experiment, plan, &mut journal, folder, "gauntlet run small.toml", 1)?;
    anyhow::ensure!(report.missing == 0, "games are missing");
    Ok(())
}

/// Returns a reader's view of a folder: nothing, or its files. Every table is read, and those
/// without clock readings are kept, including the columns of `ms-per-move.csv` without times.
fn seen(memory: &Memory) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
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
    files.insert("games".to_owned(), set.manifest().games.to_string().into_bytes());
    Ok(files)
}

/// Work on a folder that may be repeated until it succeeds.
struct Trial<'a> {
    before: Memory,
    work: &'a dyn Fn(&Arc<dyn Disk>) -> anyhow::Result<()>,
    idle: Idle,
}

impl Trial<'_> {
    /// Tries every accident at every operation. Returns the number of cases, or what was wrong with
    /// one.
    fn all(&self) -> Result<usize, String> {
        let unbroken = self.before.copy();
        (self.work)(&unbroken.disk()).expect("nothing fails");
        let old = seen(&self.before).expect("tables from before");
        let new = seen(&unbroken).expect("new tables");
        assert!(!new.is_empty() && new != old);
        let mut cases = 0;
        for number in 1.. {
            let failed = self.before.with_fault(Fault::At(number), self.idle);
            let done = (self.work)(&failed.disk());
            let is_reached = failed.operation_count() >= number;
            // If the work still succeeds, it must be complete.
            let allowed = if done.is_ok() { [&new, &new] } else { [&old, &new] };
            self.check(&failed.copy(), allowed, &new).map_err(|why| format!("failed at {number}: {why}"))?;

            let died = self.before.with_fault(Fault::From(number), self.idle);
            let done = (self.work)(&died.disk());
            let allowed = if done.is_ok() { [&new, &new] } else { [&old, &new] };
            let killed = ("killed".to_owned(), died.copy());
            let cut = Cut::all().map(|cut| (format!("power cut, {cut:?},"), died.after_power_cut(cut)));
            // If everything was synced, all power cuts leave the same.
            let mut known = BTreeSet::new();
            for (how, left) in std::iter::once(killed).chain(cut) {
                if known.insert(left.files()) {
                    self.check(&left, allowed, &new).map_err(|why| format!("{how} at {number}: {why}"))?;
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
        left: &Memory,
        allowed: [&BTreeMap<String, Vec<u8>>; 2],
        new: &BTreeMap<String, Vec<u8>>,
    ) -> Result<(), String> {
        let found = seen(left).map_err(|error| format!("a reader is refused: {error:#}"))?;
        if !allowed.contains(&&found) {
            return Err(format!("a reader sees {:?}", found.keys()));
        }
        (self.work)(&left.disk()).map_err(|error| format!("it does not go on: {error:#}"))?;
        let found = seen(left).map_err(|error| format!("the result is refused: {error:#}"))?;
        if found != *new {
            let differ = found.iter().filter(|(name, bytes)| new.get(*name) != Some(bytes));
            return Err(format!("another result: {:?}", differ.map(|(name, _)| name).collect::<Vec<_>>()));
        }
        let hidden = left.disk().list(Path::new(FOLDER)).expect("a folder");
        let hidden: Vec<_> = hidden.into_iter().filter(|name| name.starts_with('.')).collect();
        if hidden.is_empty() { Ok(()) } else { Err(format!("{hidden:?} stay behind")) }
    }
}

/// Tries all accidents during a run that continues an earlier one of this number of games, or
/// starts fresh.
fn a_run(earlier: Option<u32>, idle: Idle) -> Result<usize, String> {
    let before = Memory::default();
    if let Some(games) = earlier {
        let experiment = experiment(games, "");
        let keyed = KeyedPlan::new(experiment.plan(), &[]).expect("keys");
        play(&before.disk(), &experiment, &keyed).expect("nothing fails");
    }
    let experiment = experiment(20, CLAIM);
    let keyed = KeyedPlan::new(experiment.plan(), &[]).expect("keys");
    let work = |disk: &Arc<dyn Disk>| play(disk, &experiment, &keyed);
    Trial { before: before.copy(), work: &work, idle }.all()
}

#[test]
fn a_first_run_survives_accidents() {
    let cases = a_run(None, Idle::None).unwrap_or_else(|why| panic!("{why}"));
    assert!(cases > 200, "{cases}");
}

#[test]
fn a_continued_run_survives_accidents() {
    let cases = a_run(Some(12), Idle::None).unwrap_or_else(|why| panic!("{why}"));
    assert!(cases > 200, "{cases}");
}

/// A re-evaluation after a claim was removed: its table disappears, and others appear.
fn a_judgement(idle: Idle) -> Result<usize, String> {
    let earlier = experiment(20, CLAIM);
    let keyed = KeyedPlan::new(earlier.plan(), &[]).expect("keys");
    let before = Memory::default();
    play(&before.disk(), &earlier, &keyed).expect("nothing fails");
    let published = "[[published]]\nplayer = \"any\"\nwhat = \"win\"\nvalue = 0.5\nsource = \"a page\"\n";
    let now = experiment(20, published);
    let work = |disk: &Arc<dyn Disk>| {
        judge_on_disk(disk, &now, Path::new(FOLDER), "gauntlet judge small.toml").map(|_| ())
    };
    Trial { before: before.copy(), work: &work, idle }.all()
}

#[test]
fn verdicts_made_anew_survive_accidents() {
    let cases = a_judgement(Idle::None).unwrap_or_else(|why| panic!("{why}"));
    assert!(cases > 50, "{cases}");
}

/// A document is the old one or the new one, and the next write removes leftovers.
#[test]
fn a_document_survives_accidents() {
    let path = Path::new("pages/page.html");
    let write = |disk: &Arc<dyn Disk>, content: &[u8]| write_document(disk, path, content);
    let [old, new] = [b"old".repeat(100), b"new".repeat(100)];
    let before = Memory::default();
    write(&before.disk(), &old).expect("nothing fails");
    for number in 1.. {
        let mut is_reached = true;
        for fault in [Fault::At(number), Fault::From(number)] {
            let broken = before.with_fault(fault, Idle::None);
            let done = write(&broken.disk(), &new);
            is_reached = broken.operation_count() >= number;
            let cuts = Cut::all().map(|cut| (format!("{cut:?}"), broken.after_power_cut(cut)));
            for (how, left) in std::iter::once(("killed".to_owned(), broken.copy())).chain(cuts) {
                let found = left.files().remove(path).expect("a document");
                assert!(found == new || (done.is_err() && found == old), "{fault:?}, {how}");
                write(&left.disk(), &new).expect("nothing fails");
                assert_eq!(left.files().into_values().collect::<Vec<_>>(), [&*new], "{fault:?}, {how}");
            }
        }
        if !is_reached {
            assert!(number > 4, "{number}");
            return;
        }
    }
}

/// A page is either complete or missing: nothing is omitted because a file could not be read.
#[test]
fn a_page_tells_what_cannot_be_read() {
    let experiment = experiment(20, CLAIM);
    let keyed = KeyedPlan::new(experiment.plan(), &[]).expect("keys");
    let memory = Memory::default();
    play(&memory.disk(), &experiment, &keyed).expect("nothing fails");
    let made = |memory: &Memory| -> anyhow::Result<String> {
        let results =
            Results::read_on_disk(gauntlet::catalog(&gauntlet::GAMES), &memory.disk(), Path::new(FOLDER))?;
        Ok(make_page(&results, &ExploratoryComparisons::new(std::slice::from_ref(&results))?)?.html)
    };
    let whole = made(&memory).expect("nothing fails");
    let mut told = 0;
    for number in 1.. {
        let broken = memory.with_fault(Fault::Reading(number), Idle::None);
        match made(&broken) {
            Ok(page) => assert!(page == whole, "reading {number}: another page"),
            Err(error) => {
                let said = format!("{error:#}");
                assert!(said.contains("a planted fault"), "reading {number}: {said}");
                told += 1;
            }
        }
        if broken.read_count() < number {
            break;
        }
    }
    assert!(told > 50, "{told}");
}

/// These tests detect files or folders that are not synced.
#[test]
fn what_is_not_synced_is_found() {
    for idle in [Idle::Files, Idle::Folders] {
        for found in [a_run(None, idle), a_judgement(idle)] {
            let why = found.expect_err("a power cut loses what was not synced");
            assert!(why.starts_with("power cut"), "{idle:?}: {why}");
        }
    }
}
