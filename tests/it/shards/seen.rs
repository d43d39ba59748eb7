//! After each look, the state that a task or the live page has of the journals in a folder equals a
//! full read.

use std::collections::BTreeMap;
use std::fs::{self, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gauntlet::disk::{Disk, DiskFile, system_disk};
use gauntlet::record::GameRecord;
use gauntlet::rng::{Rng, Seed};
use gauntlet::run::coverage::Coverage;
use gauntlet::run::folder_journals::{FolderJournals, JournalReader, ReadPurpose};
use gauntlet::run::journal::{GamesEntry, Journal};
use gauntlet::run::judge::judge_folder;
use gauntlet::run::keyed_plan::KeyedPlan;
use gauntlet::run::paths;
use gauntlet::run::progress::Progress;

use crate::bench::{Folder, add_checksum, play_in_new_folder, short_experiment};
use crate::in_process::{key_by_name, open_journal, parse_experiment, retry_open};

/// Blocks of each player.
const BLOCKS: u64 = 120;

/// The names of the files in a folder.
const FILES: [&str; 4] =
    ["journal.jsonl", "journal-1-of-3.jsonl", "journal-2-of-3.jsonl", "journal-3-of-3.jsonl"];

/// Two players whose scores soon differ.
fn experiment() -> String {
    short_experiment(BLOCKS)
        + "\n[stop]\nbetter = \"third\"\nthan = \"any\"\nby = \"score\"\ndifference = [-0.1, 0.2]\n"
}

/// Lines of a journal with possible games.
struct JournalLines {
    /// The games of all blocks, by player.
    games: BTreeMap<String, Vec<GameRecord>>,
    /// Number of facts of 2048.
    facts: usize,
    folder: Folder,
}

impl JournalLines {
    fn from_run() -> JournalLines {
        let folder = play_in_new_folder("short.toml", short_experiment(BLOCKS));
        let text = short_experiment(BLOCKS);
        let experiment = parse_experiment(&gauntlet::GAMES, &text);
        let journal = retry_open(|| Journal::peek(&folder.path("results/short/journal.jsonl")));
        let plan = KeyedPlan::new(experiment.plan(), &[&journal]).expect("keys");
        let coverage = Coverage::from_journal(&plan, &journal).expect("games");
        let games_of = |lineup: usize| {
            let read_block =
                |block| coverage.read_game(&plan, lineup, block, 0).expect("a journal").expect("a game").0;
            (0..BLOCKS).map(read_block).collect()
        };
        let games = (0..plan.lineups.len()).map(|lineup| (plan.title(lineup), games_of(lineup))).collect();
        let facts = plan.arena.facts.len();
        JournalLines { games, facts, folder }
    }

    /// Returns a line with the games of some blocks of a player. `claimed_first` is the first block
    /// that the line claims.
    fn line(&self, player: &str, first: u64, count: u64, claimed_first: u64) -> String {
        self.line_of_other(player, player, first, count, claimed_first)
    }

    /// Returns a line with games that another player has played.
    fn line_of_other(
        &self,
        source_player: &str,
        player: &str,
        first: u64,
        count: u64,
        claimed_first: u64,
    ) -> String {
        let records = &self.games[source_player][first as usize..(first + count) as usize];
        let mut games = GamesEntry::new(player, records, self.facts);
        games.first = Some(claimed_first);
        games.threads = 1;
        let path = self.folder.path("line.jsonl");
        let _ = fs::remove_file(&path);
        open_journal(&path).append_games(games.to_line()).expect("a line");
        let text = fs::read_to_string(&path).expect("a line");
        text.lines().last().expect("a line").to_owned() + "\n"
    }
}

/// Reads a whole folder: the number of complete blocks, and the end.
fn read_fully(plan: &KeyedPlan, folder: &Path) -> (u64, Option<u64>) {
    let main = paths::journal_path(folder, None);
    let main = main.exists().then(|| retry_open(|| Journal::peek(&main)));
    let shards = paths::find_shards(folder).expect("a folder");
    let shards: Vec<_> = shards.iter().map(|(_, path)| retry_open(|| Journal::peek(path))).collect();
    let main = main.as_ref().map(|main| Coverage::from_journal(plan, main).expect("games"));
    let shards: Vec<_> =
        shards.iter().map(|shard| Coverage::from_journal(plan, shard).expect("games")).collect();
    let judge = judge_folder(plan, main.as_ref(), &shards).expect("games").expect("a judge");
    (judge.judged_blocks(), judge.end())
}

/// Returns the result of a look of the live page: the sums, or the contradiction of two journals.
/// It is followed by the progress and the number of damaged lines of each journal.
fn page_state(plan: &KeyedPlan, journals: &mut FolderJournals) -> String {
    let scan = journals.scan(plan, || false);
    assert!(scan.read_error.is_none(), "{:?}", scan.read_error);
    let end = scan.end.unwrap_or(plan.blocks.len());
    let check_journal = |(shard, reader): (_, &JournalReader)| {
        let progress = reader.progress(plan, shard, end);
        let journal = retry_open(|| Journal::peek(reader.journal().path()));
        let coverage = Coverage::from_journal(plan, &journal).expect("games");
        let expected = Progress::from_journal(plan, &coverage, shard, end);
        assert_eq!((&progress.lineups, progress.total), (&expected.lineups, expected.total));
        assert_eq!(
            (reader.damaged_lines(), reader.foreign_games()),
            (journal.damaged_lines(), coverage.foreign_games())
        );
        assert_eq!(reader.conflict_message().is_some(), coverage.conflict.is_some());
    };
    journals.journals().for_each(check_journal);
    format!("{:?}", journals.sums().map(|sums| sums.map_err(|_| "contradiction")))
}

fn watch(folder: &Path) -> FolderJournals {
    FolderJournals::new(system_disk(), folder, ReadPurpose::Sums { with_shards: true })
}

/// Makes a random change to a folder.
fn change_randomly(
    lines: &JournalLines,
    folder: &Folder,
    rng: &mut Rng,
    unfinished_line: &mut Option<(&str, String)>,
) {
    // An unfinished line is completed first, because a journal has one writer.
    if let Some((name, rest)) = unfinished_line.take() {
        return append(folder, name, &rest);
    }
    let name = FILES[rng.below(4) as usize];
    let player = ["gain", "any", "third"][rng.below(3) as usize];
    let content = fs::read_to_string(folder.path(name)).unwrap_or_default();
    let count = 1 + rng.below(30);
    let first = rng.below(BLOCKS - count);
    let line = lines.line(player, first, count, first);
    match rng.below(16) {
        // The next line is the most frequent.
        0..=6 => {
            let next_block = content.matches(&format!("\"key\":\"{player}\"")).count() as u64 * 10;
            let shard = FILES.iter().position(|file| *file == name).expect("a file") as u64;
            let first = (next_block + 40 * shard.saturating_sub(1)).min(BLOCKS - 10);
            append(folder, name, &lines.line(player, first, 10, first));
        }
        7 | 8 => append(folder, name, &line),
        9 => append(folder, name, &line.replacen("\"key\"", "\"kex\"", 1)),
        // The process completes the line later, or another one resumes the journal.
        10 => {
            let (start, rest) = line.split_at(rng.below(line.len() as u64) as usize);
            append(folder, name, start);
            *unfinished_line = Some((name, rest.to_owned()));
        }
        // The line has games of other blocks than it claims. They are possible, and contradict
        // other games.
        11 => {
            let claimed_first = rng.below(BLOCKS - count);
            append(folder, name, &lines.line(player, first, count, claimed_first));
        }
        12 => {
            if let Some(line) = content.lines().nth(rng.below(1 + content.lines().count() as u64) as usize) {
                let json = format!("{{\"dropped\":{{\"lines\":[\"{}\"]}}}}", &line[..16]);
                append(folder, name, &add_checksum(&json));
            }
        }
        // The last line is removed or replaced by another.
        13 if content.lines().count() > 1 => {
            let (kept_lines, _) = content.trim_end().rsplit_once('\n').expect("lines");
            let replacement = if rng.below(2) == 0 { line } else { String::new() };
            folder.write(name, format!("{kept_lines}\n{replacement}"));
        }
        14 if rng.below(4) == 0 => _ = fs::remove_file(folder.path(name)),
        _ => append(folder, name, &line.repeat(2)),
    }
}

fn append(folder: &Folder, name: &str, text: &str) {
    let content = fs::read_to_string(folder.path(name)).unwrap_or_default();
    folder.write(name, content + text);
}

#[test]
fn what_is_seen_look_by_look_is_what_is_there() {
    let lines = JournalLines::from_run();
    let experiment = parse_experiment(&gauntlet::GAMES, &experiment());
    let plan = key_by_name(experiment.plan());
    let (mut scan_count, mut end_count, mut rollback_count, mut contradiction_count) = (0, 0, 0, 0);
    for seed in 0..16 {
        let mut rng = Seed::root(seed).rng();
        let folder = Folder::new();
        let path = folder.path("");
        let mut journals = FolderJournals::new(system_disk(), &path, ReadPurpose::End);
        let mut page_journals = watch(&path);
        let mut waiting = None;
        let mut last_blocks = 0;
        for event in 0..60 {
            for _ in 0..=rng.below(3) {
                change_randomly(&lines, &folder, &mut rng, &mut waiting);
            }
            let scan = journals.scan(&plan, || false);
            assert!(scan.read_error.is_none(), "{:?}", scan.read_error);
            assert_eq!((scan.blocks, scan.end), read_fully(&plan, &path), "seed {seed}, event {event}");
            let state = page_state(&plan, &mut page_journals);
            assert_eq!(state, page_state(&plan, &mut watch(&path)), "seed {seed}, event {event}");
            contradiction_count += u32::from(state.contains("contradiction"));
            scan_count += 1;
            end_count += u32::from(scan.end.is_some());
            rollback_count += u32::from(scan.blocks < last_blocks);
            last_blocks = scan.blocks;
        }
    }
    assert!(
        contradiction_count > 10 && contradiction_count < scan_count / 2,
        "{contradiction_count} of {scan_count}"
    );
    assert!(
        end_count > scan_count / 50 && end_count < scan_count && rollback_count > 10,
        "{end_count} and {rollback_count} of {scan_count}"
    );
}

/// Bytes that were read are not read again: damage to them is not noticed, and additions are.
#[test]
fn a_look_reads_what_was_added() {
    let lines = JournalLines::from_run();
    let experiment = parse_experiment(&gauntlet::GAMES, &experiment());
    let plan = key_by_name(experiment.plan());
    let folder = Folder::new();
    let path = folder.path("");
    let mut journals = FolderJournals::new(system_disk(), &path, ReadPurpose::End);
    for (number, name) in (0..).zip(&FILES[1..]) {
        for player in ["any", "third"] {
            append(&folder, name, &lines.line(player, 2 * number, 2, 2 * number));
        }
    }
    assert_eq!(journals.scan(&plan, || false).blocks, 6);
    let name = FILES[2];
    let content = folder.read(name);
    // Journals are distinguished by their last bytes.
    folder.write(name, content.replacen("\"key\"", "\"kex\"", 1));
    assert_eq!(read_fully(&plan, &path).0, 2);
    for player in ["any", "third"] {
        append(&folder, FILES[1], &lines.line(player, 6, 2, 6));
    }
    assert_eq!(journals.scan(&plan, || false).blocks, 8);
    // If a journal becomes unreadable, what was read is kept.
    fs::remove_file(folder.path(name)).expect("a file");
    fs::create_dir(folder.path(name)).expect("a folder");
    let scan = journals.scan(&plan, || false);
    assert_eq!(scan.blocks, 8);
    assert!(scan.read_error.is_some());
    // A removed journal no longer counts.
    fs::remove_dir(folder.path(name)).expect("a folder");
    assert_eq!(journals.scan(&plan, || false).blocks, 2);
}

/// If two journals have a block, the first journal counts, even if it appears later.
#[test]
fn a_journal_that_comes_first_counts_though_it_comes_late() {
    let lines = JournalLines::from_run();
    let experiment = parse_experiment(&gauntlet::GAMES, &experiment());
    let plan = key_by_name(experiment.plan());
    let folder = Folder::new();
    let path = folder.path("");
    let mut journals = FolderJournals::new(system_disk(), &path, ReadPurpose::End);
    let mut blocks = 0;
    while read_fully(&plan, &path).1.is_none() {
        journals.scan(&plan, || false);
        ["any", "third"]
            .iter()
            .for_each(|player| append(&folder, FILES[3], &lines.line(player, blocks, 1, blocks)));
        blocks += 1;
    }
    let old_state = read_fully(&plan, &path);
    // Here both play the same, which decides nothing.
    append(&folder, FILES[1], &lines.line_of_other("any", "third", 0, blocks - 1, 0));
    let scan = journals.scan(&plan, || false);
    assert_eq!((scan.blocks, scan.end), read_fully(&plan, &path));
    assert_ne!((scan.blocks, scan.end), old_state);
}

/// The file system, which counts the bytes that are read.
#[derive(Debug, Default)]
struct CountingDisk(Arc<AtomicU64>);

/// A file whose bytes are counted.
#[derive(Debug)]
struct CountedFile(Arc<dyn DiskFile>, Arc<AtomicU64>);

impl Disk for CountingDisk {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(CountedFile(system_disk().open(path)?, Arc::clone(&self.0))))
    }
    fn open_to_append(&self, _: &Path) -> io::Result<Arc<dyn DiskFile>> {
        panic!("a reader writes nothing")
    }
    fn create(&self, _: &Path) -> io::Result<Arc<dyn DiskFile>> {
        panic!("a reader writes nothing")
    }
    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        panic!("a reader writes nothing")
    }
    fn remove(&self, _: &Path) -> io::Result<()> {
        panic!("a reader writes nothing")
    }
    fn make_folder(&self, _: &Path) -> io::Result<()> {
        panic!("a reader writes nothing")
    }
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        panic!("a reader writes nothing")
    }
    fn check_replaceable(&self, _: &Path) -> io::Result<()> {
        panic!("a reader writes nothing")
    }
    fn wait_for_lock(&self, _: &Path) -> io::Result<Arc<dyn DiskFile>> {
        panic!("a reader takes no lock")
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        system_disk().list(folder)
    }
}

impl DiskFile for CountedFile {
    fn length(&self) -> io::Result<u64> {
        self.0.length()
    }
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read_at(offset, bytes)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
    fn append(&self, _: &[u8]) -> io::Result<()> {
        panic!("a reader writes nothing")
    }
    fn truncate(&self, _: u64) -> io::Result<()> {
        panic!("a reader writes nothing")
    }
    fn sync(&self) -> io::Result<()> {
        panic!("a reader writes nothing")
    }
    fn lock(&self) -> Result<(), TryLockError> {
        panic!("a reader takes no lock")
    }
    fn count_links(&self, path: &Path) -> io::Result<u64> {
        self.0.count_links(path)
    }
}

/// A look of the live page reads new lines a few times, however long the journal is. If nothing is
/// new, it reads only the last bytes.
#[test]
fn a_later_look_reads_only_new_lines() {
    let lines = JournalLines::from_run();
    let experiment = parse_experiment(&gauntlet::GAMES, &short_experiment(BLOCKS));
    let plan = key_by_name(experiment.plan());
    let folder = Folder::new();
    let disk = CountingDisk::default();
    let count = Arc::clone(&disk.0);
    let purpose = ReadPurpose::Sums { with_shards: true };
    let mut journals = FolderJournals::new(Arc::new(disk), &folder.path(""), purpose);
    let mut scan_once = || {
        let scan = journals.scan(&plan, || false);
        assert!(scan.read_error.is_none(), "{:?}", scan.read_error);
        let sums = journals.sums().expect("a look").expect("no contradiction");
        (count.swap(0, Ordering::Relaxed), sums.blocks)
    };
    let mut total_bytes = 0;
    for block in 0..100 {
        let new_lines: String =
            ["gain", "any", "third"].map(|player| lines.line(player, block, 1, block)).concat();
        total_bytes += new_lines.len() as u64;
        append(&folder, FILES[0], &new_lines);
        let (read_bytes, blocks) = scan_once();
        assert_eq!(blocks, block + 1);
        assert!(
            read_bytes <= 5 * new_lines.len() as u64 + 1024,
            "block {block}: {read_bytes} bytes for {}",
            new_lines.len()
        );
        assert!(
            block < 50 || read_bytes < total_bytes / 5,
            "block {block}: {read_bytes} of {total_bytes} bytes"
        );
    }
    assert!(scan_once().0 <= 1024, "nothing is new");
}
