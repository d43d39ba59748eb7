//! Timings of the parts of a run other than play: the journal, and the sums of its games. Each
//! benchmark asserts its result.
//!
//! `cargo bench --bench run`; an item is a game.

#[path = "../tests/it/support/scratch.rs"]
mod scratch;

use std::borrow::Cow;
use std::path::Path;

use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet::GAMES;
use gauntlet::arena::{Entry, build_worker};
use gauntlet::game::Block;
use gauntlet::plan::{Plan, PlannedPlayer};
use gauntlet::player::BuildContext;
use gauntlet::players::random;
use gauntlet::record::GameRecord;
use gauntlet::run::blocks::BlockSeeds;
use gauntlet::run::coverage::Coverage;
use gauntlet::run::journal::{GamesEntry, Journal};
use gauntlet::run::keyed_plan::KeyedPlan;
use gauntlet::tally::{BlockObserver, tally};
use scratch::Scratch;

/// Games per line of the journal, as in a run of random play.
const GAMES_PER_LINE: usize = 4096;
const LINES: usize = 16;
const GAMES_PLAYED: usize = GAMES_PER_LINE * LINES;
/// Number of facts: the largest tile.
const FACTS: usize = 1;

/// Points of all games.
const SCORE: u64 = 71_989_248;
/// Bytes of their journal lines, without clock readings.
const JOURNAL_BYTES: usize = 771_720;
/// Bytes of their `games.csv`.
const CSV_BYTES: usize = 3_961_869;
/// Digest of their `games.csv`.
const CSV_DIGEST: &str = "f9506f64b34b6837e2a32a5965f3489c48690ef268e7fd421dc5fb528bf96d65";

fn main() {
    divan::main();
}

fn entry() -> Entry {
    GAMES[0].read_snippet("random", random::EXAMPLE)
}

/// Plays the games and returns them as lines of a journal.
fn lines() -> Vec<GamesEntry> {
    let mut play = build_worker(&[&entry()], None, &BuildContext::default()).expect("a player");
    let line = |line: usize| {
        let first_block = (GAMES_PER_LINE * line) as u64;
        let slice = play(
            &(first_block..first_block + GAMES_PER_LINE as u64).map(Block::from_seed).collect::<Vec<_>>(),
        );
        let mut games = GamesEntry::new("random", &slice.records, FACTS);
        games.first = Some(first_block);
        games.threads = 1;
        games.set_times(slice.times);
        games
    };
    (0..LINES).map(line).collect()
}

fn write(path: &Path, lines: &[GamesEntry]) -> Journal {
    let mut journal = Journal::open(path).expect("a journal");
    for games in lines {
        journal.append_games(games.to_line()).expect("room on the disk");
    }
    journal
}

fn score(records: &[GameRecord]) -> u64 {
    records.iter().map(GameRecord::score).sum()
}

/// Converts records to lines and writes them, without syncing the file. Lines have no clock
/// readings, which would differ from run to run.
#[divan::bench]
fn journal_is_written(bencher: Bencher) {
    let lines = lines();
    let records: Vec<_> = lines.iter().map(|games| games.records().expect("records")).collect();
    bencher.counter(ItemsCount::new(GAMES_PLAYED)).with_inputs(Scratch::new).bench_local_refs(|folder| {
        let mut journal = Journal::open(&folder.path().join("journal.jsonl")).expect("a journal");
        for (games, records) in lines.iter().zip(&records) {
            let mut line = GamesEntry::new("random", records, FACTS);
            line.first = games.first;
            journal.append_games(line.to_line()).expect("room on the disk");
        }
        let bytes: usize = journal.lines().iter().map(|line| line.bytes()).sum();
        assert_eq!(bytes, JOURNAL_BYTES);
    });
}

/// Opens a journal and reads all games.
#[divan::bench]
fn journal_is_read(bencher: Bencher) {
    let folder = Scratch::new();
    let path = folder.path().join("journal.jsonl");
    drop(write(&path, &lines()));
    bencher.counter(ItemsCount::new(GAMES_PLAYED)).bench_local(|| {
        let journal = Journal::open(&path).expect("a journal");
        let records = |line| journal.read(line).expect("a line").records().expect("records");
        let score: u64 = (0..journal.lines().len()).map(|line| score(&records(line))).sum();
        assert_eq!(score, SCORE);
    });
}

/// Observer that needs no records.
struct Silent;

impl BlockObserver for Silent {
    fn needs(&self, _lineup: usize) -> bool {
        false
    }

    fn on_blocks(&mut self, _lineup: usize, _first: u64, _records: &[GameRecord]) {}
}

/// Computes the sums and the rows of `games.csv` from a journal, on one thread.
#[divan::bench]
fn tally_is_made(bencher: Bencher) {
    let folder = Scratch::new();
    let journal = write(&folder.path().join("journal.jsonl"), &lines());
    let entry = entry();
    let blocks = BlockSeeds::Derived { seed: 1, games: GAMES_PLAYED as u64 };
    let players = vec![PlannedPlayer { name: "random", entry: &entry }];
    let plan = Plan::new(&GAMES[0], players, Cow::Borrowed(&blocks));
    let plan = KeyedPlan::with_keys(plan, vec!["random".to_owned()]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let make_tally = || {
        let coverage = Coverage::from_journal(&plan, &journal).expect("a journal");
        let mut csv = Vec::new();
        let result = pool.install(|| tally(&plan, &coverage, &[], &mut csv, &mut Silent));
        let tallies = result.expect("nothing fails");
        let tally = &tallies[0];
        assert_eq!(
            (tally.games, tally.scores.sum(), csv.len()),
            (GAMES_PLAYED as u64, SCORE.into(), CSV_BYTES)
        );
        csv
    };
    assert_eq!(&*blake3::hash(&make_tally()).to_hex(), CSV_DIGEST);
    bencher.counter(ItemsCount::new(GAMES_PLAYED)).bench_local(make_tally);
}
