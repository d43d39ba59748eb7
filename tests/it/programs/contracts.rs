//! Parts of the contracts for external or large players. A player here needs each part.

#![cfg(unix)]

use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use gauntlet::arena::{Arena, Entry, build_worker};
use gauntlet::assets::AssetFiles;
use gauntlet::catalog;
use gauntlet::config::{self, Experiment};
use gauntlet::game::{Outcome, Seat};
use gauntlet::num::Seconds;
use gauntlet::plan::{Plan, PlannedPlayer};
use gauntlet::player::{BuildContext, Choice, NoMove, Player, Recipe, RecipeFacts, Start, Stop};
use gauntlet::record::{Ending, Fault};
use gauntlet::results::store::experiment_copy::parse_copy;
use gauntlet::results::store::partial;
use gauntlet::results::store::write::write_results;
use gauntlet::run::blocks::BlockSeeds;
use gauntlet::run::journal::Journal;
use gauntlet::run::keyed_plan::KeyedPlan;
use gauntlet::run::{RunEnd, RunOptions, run};
use gauntlet::twenty48::rules::{self as twenty48, Direction, Twenty48};

use crate::bench::{Folder, read_rows};
use crate::external_player::{ExternalPlayer, SCRIPT};
use crate::in_process::{open_journal, quiet_options};
use crate::self_play::blocks;
use crate::tictactoe::{GAMES, Rules, TicTacToe};

/// Returns a program that behaves in this way in the second seat.
fn external_entry(behaviour: &str, millis: u64) -> Entry {
    let command = ["sh", "-c", SCRIPT, "sh", behaviour].map(str::to_owned).to_vec();
    let player = ExternalPlayer { command, millis, wall: false, bytes: 0 };
    Entry::new::<TicTacToe>("talker", behaviour.into(), Arc::new(player), Rules::default())
}

/// Returns a player from the tests' list.
fn built_in_entry(algorithm: &str) -> Entry {
    Arena::find(GAMES, "tic-tac-toe").expect("the game").read_snippet(algorithm, "")
}

/// Returns the build context for files in this folder.
fn folder_context(folder: &Folder) -> BuildContext {
    BuildContext { assets: Arc::new(AssetFiles::new(&folder.path(""))), ..BuildContext::default() }
}

/// A program that receives positions and rules as text plays like a built-in player.
#[test]
fn another_program_plays_by_text() {
    let (folder, first) = (Folder::new(), built_in_entry("first"));
    let seeds = [1, 2, 3, 4, 5];
    let play = |player: &Entry| {
        let mut worker = build_worker(&[player, &first], None, &folder_context(&folder)).expect("players");
        worker(&blocks(seeds)).records
    };
    let (built_in_records, external_records) = (play(&first), play(&external_entry("plays", 60_000)));
    assert_eq!(external_records, built_in_records);
    // It moves first in one leg of each block, and second in the other.
    let script_log = folder.read("told");
    assert_eq!(script_log, "first {}\nsecond {}\n".repeat(seeds.len()));
}

/// Each kind of failure is a separate fault, which loses that game. The player plays the next game.
#[test]
fn a_program_that_fails_has_a_fault_of_its_own() {
    let (folder, first) = (Folder::new(), built_in_entry("first"));
    for (behaviour, millis, fault, message) in [
        ("crashes", 60_000, Fault::Crashed, "it ended before it answered"),
        ("sleeps", 2_000, Fault::TimedOut, "no answer within 2 s"),
        ("raves", 60_000, Fault::Nonsense, "\"the middle\" is no move"),
    ] {
        let player = external_entry(behaviour, millis);
        let slice =
            build_worker(&[&player, &first], None, &folder_context(&folder)).expect("players")(&blocks([
                1, 2,
            ]));
        let complaints: Vec<_> =
            slice.complaints.iter().map(|(index, complaint)| (*index, &*complaint.reason)).collect();
        assert_eq!(complaints, [(1, message), (3, message)], "{behaviour}");
        for (index, record) in slice.records.iter().enumerate() {
            let is_lost = record.ending == Ending::Fault(Seat::Second, fault);
            assert_eq!(is_lost, index % 2 == 1, "{behaviour}: {record:?}");
            assert!(!is_lost || record.outcome == Outcome::Won(Seat::First));
            assert!(is_lost || record.ending == Ending::GameOver, "{behaviour}: {record:?}");
        }
    }
}

/// A stop request and the time limit of a game reach a player that waits for an answer.
#[test]
fn a_player_that_waits_is_stopped() {
    let (folder, first) = (Folder::new(), built_in_entry("first"));
    let sleeping_entry = external_entry("sleeps", 600_000);
    let flag = Arc::new(AtomicBool::new(false));
    let context = BuildContext { stop: Stop::from_flag(flag.clone()), ..folder_context(&folder) };
    let start = Instant::now();
    let slice = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            flag.store(true, Ordering::Relaxed);
        });
        build_worker(&[&sleeping_entry, &first], None, &context).expect("players")(&blocks([1]))
    });
    assert_eq!(slice.records, [], "a game that was stopped is no game");
    let limited_context = BuildContext {
        max_seconds: Some(Seconds::try_from(2.0).expect("seconds")),
        ..folder_context(&folder)
    };
    let slice =
        build_worker(&[&sleeping_entry, &first], None, &limited_context).expect("players")(&blocks([1]));
    assert_eq!(slice.records[1].ending, Ending::MaxSeconds);
    assert!(start.elapsed() < Duration::from_secs(60), "it was woken");
}

/// External programs in an experiment.
const PROGRAMS: &str = r#"
name = "programs"
game = "tic-tac-toe"
seed = 7
games = 8

[[player]]
name = "first"
algorithm = "first"

[[player]]
name = "by its word"
algorithm = "talker"
command = ["sh", "talker.sh", "crashes"]
millis = 60000
wall = false
bytes = 0

[[player]]
name = "on the wall"
algorithm = "talker"
command = ["sh", "talker.sh", "raves"]
millis = 60000
wall = true
bytes = 0

[[claim]]
better = "by its word"
than = "on the wall"
by = "ms"
"#;

fn load(folder: &Folder) -> Experiment {
    config::load(catalog(GAMES), &folder.path("programs.toml")).unwrap_or_else(|error| panic!("{error}"))
}

fn play(plan: &KeyedPlan, journal: &mut Journal, memory: u64) -> anyhow::Result<RunEnd> {
    let options = RunOptions { memory, ..quiet_options(2) };
    run(plan, journal, &options, &Stop::default())
}

/// External programs appear in tables like every player, with their faults and the clock of their
/// times.
#[test]
fn tables_tell_faults_and_clocks_of_programs() {
    let folder = Folder::with_file("programs.toml", PROGRAMS);
    folder.write("talker.sh", SCRIPT);
    let experiment = load(&folder);
    let results = folder.path("results");
    let mut journal = Journal::open(&results.join("journal.jsonl")).expect("a journal");
    let plan = KeyedPlan::new(experiment.plan(), &[&journal]).expect("keys");
    assert!(
        play(&plan, &mut journal, u64::MAX).expect("a run").panics.is_empty(),
        "these are no defects of ours"
    );
    let report = write_results(&experiment, &plan, &mut journal, &results, "", 2).expect("tables");
    assert!(!report.warnings.iter().any(|doubt| doubt.contains("overloaded")), "{:?}", report.warnings);

    let games = read_rows(&folder, "results/games.csv");
    for (player, ending) in [("by its word", "crashed"), ("on the wall", "nonsense")] {
        let failed_games: Vec<_> = games.iter().filter(|game| game["ending"] == ending).collect();
        assert!(
            !failed_games.is_empty() && failed_games.iter().all(|game| game["second"] == player),
            "{failed_games:?}"
        );
        assert!(failed_games.iter().all(|game| game["at_fault"] == "second" && game["winner"] == "first"));
        let elo = read_rows(&folder, "results/elo.csv");
        let row = elo.iter().find(|row| row["player"] == player).expect("a row");
        assert_eq!(row["forfeits"], failed_games.len().to_string());
    }
    let times = read_rows(&folder, "results/ms-per-move.csv");
    let time_sources: Vec<&str> = times.iter().map(|row| &*row["timed"]).collect();
    assert_eq!(time_sources, ["thoughts", "thoughts in other processes", "thoughts on the wall"]);
    // The first program reports 2 ms for each answer, whatever the wall clock shows.
    let number = |row: usize, column: &str| times[row][column].parse::<f64>().expect("a number");
    assert!((number(1, "cpu_ms_per_move") - 2.0).abs() < 1e-6, "{:?}", times[1]);
    assert!((number(2, "cpu_ms_per_move") / number(2, "mean_ms") - 1.0).abs() < 0.01, "{:?}", times[2]);
    let part_times = read_rows(&folder, "results/times.csv");
    assert!(part_times.iter().any(|row| row["timed"] == "thoughts on the wall"));
    // Times of different clocks are not compared.
    let claim = &read_rows(&folder, "results/claims.csv")[0];
    let message = "by its word and on the wall use different clocks (CPU time of other processes, wall time)";
    assert!(claim["answer"].contains(message) && claim["verdict"] == "inconclusive", "{claim:?}");
}

/// A program is identified by its arguments and by the files that they name.
#[test]
fn a_program_is_known_by_its_files() {
    let folder = Folder::with_file("programs.toml", PROGRAMS);
    let keys = |script: &str| {
        folder.write("talker.sh", script);
        let experiment = load(&folder);
        let keyed_plan = KeyedPlan::new(experiment.plan(), &[]).expect("keys");
        // `first` against each program, and both programs.
        [0, 1, 2].map(|lineup| keyed_plan.key(lineup).to_owned())
    };
    let (one, other, same) = (keys(SCRIPT), keys(&format!("{SCRIPT}# another\n")), keys(SCRIPT));
    assert_eq!(one, same);
    assert!(one.iter().zip(&other).all(|(one, other)| one != other), "{one:?} {other:?}");
    assert!(one[0] != one[1], "other words, another player");
}

/// An experiment with a player that is built from a file next to it.
const BOOK: &str = r#"
name = "book"
game = "tic-tac-toe"
seed = 7
games = 40
player = [
    { name = "chance", algorithm = "random" },
    { name = "book", algorithm = "book", file = "books/some.book" },
]
"#;

/// A results folder stores the relative path of its players' files. So it can show games of an
/// unfinished run, and can be moved together with the experiment.
#[test]
fn results_find_the_files_of_their_players() {
    let folder = Folder::new();
    let results = folder.path("here/results/book");
    for path in ["here/configs/books", "here/results/book", "there"] {
        std::fs::create_dir_all(folder.path(path)).expect("a folder");
    }
    folder.write("here/configs/book.toml", BOOK);
    folder.write("here/configs/books/some.book", "876543210");
    folder.write("here/results/book/experiment.toml", BOOK);
    let experiment = config::load(catalog(GAMES), &folder.path("here/configs/book.toml"));
    let experiment = experiment.unwrap_or_else(|error| panic!("{error}"));
    let mut journal = Journal::open(&results.join("journal.jsonl")).expect("a journal");
    let plan = KeyedPlan::new(experiment.plan(), &[&journal]).expect("keys");
    play(&plan.limit_to_first(9), &mut journal, u64::MAX).expect("a run");
    drop(journal);

    let partial_blocks = |results: &Path| {
        let set = partial::read_partial(catalog(GAMES), results)?.expect("a journal");
        anyhow::Ok(set.partial().expect("it has not ended").blocks)
    };
    let parse_experiment_copy =
        |results: &Path| parse_copy(catalog(GAMES), results, BOOK.as_bytes().to_vec());
    assert_eq!(partial_blocks(&results).expect("tables"), 9);
    std::fs::rename(folder.path("here"), folder.path("there/all")).expect("another place");
    let results = folder.path("there/all/results/book");
    assert_eq!(partial_blocks(&results).expect("tables"), 9);
    assert_eq!(
        parse_experiment_copy(&results).expect("an experiment").assets().folder(),
        results.join("../../configs")
    );
    // Another book is another player, which has no games there.
    folder.write("there/all/configs/books/some.book", "012345678");
    let message = partial_blocks(&results).expect_err("no games").to_string();
    assert!(message.contains("of another version of the experiment"), "{message}");
    std::fs::remove_file(folder.path("there/all/configs/books/some.book")).expect("a file");
    let message = parse_experiment_copy(&results).expect_err("no file").to_string();
    assert!(message.contains("cannot read books/some.book"), "{message}");
    std::fs::remove_file(results.join("journal.jsonl")).expect("a file");
    let message = parse_experiment_copy(&results).expect_err("no journal").to_string();
    assert!(message.contains("pass the experiment file instead"), "{message}");
}

/// If a file changes during play, its digest would be wrong, so no results are written.
#[test]
fn results_are_of_the_files_that_were_read() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("books")).expect("a folder");
    folder.write("book.toml", BOOK);
    folder.write("books/some.book", "876543210");
    let experiment =
        config::load(catalog(GAMES), &folder.path("book.toml")).unwrap_or_else(|error| panic!("{error}"));
    let results = folder.path("results");
    let mut journal = Journal::open(&results.join("journal.jsonl")).expect("a journal");
    let plan = KeyedPlan::new(experiment.plan(), &[&journal]).expect("keys");
    play(&plan, &mut journal, u64::MAX).expect("a run");
    let mut tables = || write_results(&experiment, &plan, &mut journal, &results, "", 2);
    folder.write("books/some.book", "87654321012345");
    let message = tables().expect_err("another file").to_string();
    assert!(
        message.starts_with("books/some.book changed during the run") && !results.join("games.csv").exists(),
        "{message}"
    );
    // With the same content it is the same file, whatever its modification time.
    folder.write("books/some.book", "876543210");
    assert_eq!(tables().expect("tables").missing_blocks, 0);
    // The manifest stores the path too, like the journal.
    std::fs::remove_file(results.join("journal.jsonl")).expect("a file");
    let copied_experiment =
        parse_copy(catalog(GAMES), &results, BOOK.as_bytes().to_vec()).expect("an experiment");
    assert_eq!(copied_experiment.assets().folder(), results.join(".."));
}

/// A file is decoded once for all users, and identified by what was read first.
#[test]
fn a_file_is_decoded_once() {
    let folder = Folder::with_file("net", "weights");
    let (assets, net) = (AssetFiles::new(&folder.path("")), Path::new("net"));
    let decode_count = AtomicUsize::new(0);
    let get = || {
        assets.get(net, |bytes| {
            decode_count.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(20));
            Ok(bytes.len())
        })
    };
    let values: Vec<Arc<usize>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| get().expect("a value"))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(values.iter().all(|value| Arc::ptr_eq(value, &values[0]) && **value == 7));
    assert_eq!(decode_count.load(Ordering::Relaxed), 1);
    let error = assets.get::<String>(net, |_| Err("is no text".to_owned())).expect_err("a flaw");
    assert_eq!(error.to_string(), "is no text");
    assert_eq!(assets.digest(net).expect("a digest"), blake3::hash(b"weights").to_hex().to_string());
    // The modification time reveals a change of equal length.
    folder.write("net", "WEIGHTS");
    let file = std::fs::File::options().append(true).open(folder.path("net")).expect("a file");
    file.set_modified(SystemTime::UNIX_EPOCH).expect("a time of change");
    assert!(assets.check().is_err());
    assert!(assets.get::<u8>(net, |_| Ok(0)).is_err(), "no value is made of another content");
    // The check also covers a file that is used without decoding it.
    let assets = AssetFiles::new(&folder.path(""));
    assets.watch(&folder.path("net")).expect("a file");
    assets.check().expect("the same file");
    file.set_modified(SystemTime::now()).expect("a time of change");
    let message = assets.check().expect_err("another file").to_string();
    assert!(message.contains("net changed during the run"), "{message}");
}

/// A digest at the end of a file is not part of the identity of players, in any order of requests.
/// A refused file is not read to its end.
#[test]
fn a_digest_at_the_end_of_a_file_is_no_identity() {
    let folder = Folder::with_file("net", "weights and digest");
    let net = Path::new("net");
    let [whole, weights] =
        ["weights and digest", "weights"].map(|text| blake3::hash(text.as_bytes()).to_hex());
    for reads_digest_first in [false, true] {
        let assets = AssetFiles::new(&folder.path(""));
        if reads_digest_first {
            assert_eq!(assets.identity(net).expect("a digest"), whole.to_string());
        }
        assets
            .load(net, |content| {
                content.declare_trailing_digest(11);
                Ok(content.read_exact(&mut [0; 3])?)
            })
            .expect("a value");
        assert_eq!(assets.identity(net).expect("a digest"), weights.to_string());
        assert_eq!(assets.digest(net).expect("a digest"), whole.to_string());
        let file = std::fs::File::options().append(true).open(folder.path("net")).expect("a file");
        file.set_modified(SystemTime::UNIX_EPOCH).expect("a time of change");
        assets.check().expect("the same file");
        assert_eq!(assets.identity(net).expect("a digest"), weights.to_string());
    }
    let file = std::fs::File::create(folder.path("huge")).expect("a file");
    file.set_len(1 << 43).expect("a file of holes");
    let huge = AssetFiles::new(&folder.path("")).with_limit(u64::MAX);
    let error = huge.load::<()>(Path::new("huge"), |_| anyhow::bail!("is no text")).expect_err("a flaw");
    assert_eq!(format!("{error:#}"), "is no text");
}

/// A large file is decoded in parts, and not at all if there is too little memory.
#[test]
fn a_file_is_read_part_by_part_and_within_memory() {
    let folder = Folder::with_file("net", "weights and more");
    let (net, open_assets) = (Path::new("net"), || AssetFiles::new(&folder.path("")));
    let assets = open_assets();
    let first_part = assets.load(net, |content| {
        let (length, mut first) = (content.length(), [0; 7]);
        content.read_exact(&mut first)?;
        Ok((length, first))
    });
    assert_eq!(*first_part.expect("a value"), (16, *b"weights"));
    // Bytes that were not decoded are part of the digest, too.
    assert_eq!(assets.digest(net).expect("a digest"), blake3::hash(b"weights and more").to_hex().to_string());
    let too_short =
        assets.load(net, |content| Ok(content.read_exact(&mut [0; 17])?)).expect_err("too few bytes");
    assert!(format!("{too_short:#}").starts_with("cannot read net: failed to fill"), "{too_short:#}");
    let assert_change_detected =
        |change: fn(&mut std::fs::File), decoder_result: fn() -> anyhow::Result<()>| {
            folder.write("net", "weights and more");
            let result = open_assets().load(net, |_| {
                change(&mut std::fs::File::options().append(true).open(folder.path("net"))?);
                decoder_result()
            });
            let error = format!("{:#}", result.expect_err("another file"));
            assert_eq!(error, "cannot read net: it changed while reading");
        };
    // A changed file is refused, whatever the decoder returned.
    assert_change_detected(|file| file.write_all(b", and still more").expect("a disk"), || Ok(()));
    assert_change_detected(|file| file.set_len(3).expect("a disk"), || anyhow::bail!("is no text"));
    assert_change_detected(
        |file| file.set_modified(SystemTime::UNIX_EPOCH).expect("a time of change"),
        || Ok(()),
    );
    folder.write("net", "weights and more");
    let error = open_assets().load::<()>(net, |_| anyhow::bail!("is no text")).expect_err("a flaw");
    assert_eq!(format!("{error:#}"), "is no text");
    let load_with_limit = |memory| open_assets().with_limit(memory).get(net, |bytes| Ok(bytes.len()));
    assert_eq!(*load_with_limit(16).expect("a value"), 16);
    let error = load_with_limit(15).expect_err("no memory");
    assert_eq!(format!("{error:#}"), "cannot read net: the file needs 16 B, but the memory limit is 15 B");

    // Files count together, each once for each type of value.
    folder.write("other", "weights");
    let shared_assets = open_assets().with_limit(22);
    let length =
        |name: &str| shared_assets.get(Path::new(name), |bytes| Ok(bytes.len())).map(|length| *length);
    assert_eq!(
        (length("net").expect("a value"), length("net").expect("a value"), shared_assets.decoded_bytes()),
        (16, 16, 16)
    );
    let message = format!("{:#}", length("other").expect_err("no memory"));
    assert_eq!(
        message,
        "cannot read other: the file needs 7 B, but the memory limit is 22 B, of which other files use 16 B"
    );
    assert_eq!(shared_assets.decoded_bytes(), 16);
}

/// Large players, and how many exist at once.
#[derive(Debug, Default)]
struct Large {
    current: AtomicUsize,
    maximum: AtomicUsize,
}

const GIB: u64 = 1 << 30;

struct LargePlayer(Arc<Large>);

#[derive(Debug)]
struct LargeRecipe(Arc<Large>);

impl Recipe<Twenty48> for LargeRecipe {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let current = 1 + self.0.current.fetch_add(1, Ordering::SeqCst);
        self.0.maximum.fetch_max(current, Ordering::SeqCst);
        Ok(Box::new(LargePlayer(self.0.clone())))
    }

    fn facts(&self, _rules: &twenty48::Rules) -> RecipeFacts {
        RecipeFacts { memory: GIB, ..RecipeFacts::default() }
    }
}

impl Player<Twenty48> for LargePlayer {
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        Ok(Choice::new(position.board().legal_directions().next().expect("only asked where there is a move")))
    }
}

impl Drop for LargePlayer {
    fn drop(&mut self) {
        self.0.current.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Threads and their players stay within the memory for players.
#[test]
fn large_players_keep_to_a_budget() {
    let names = ["a", "b", "c"];
    for (memory, max_players) in [(2 * GIB, 2), (5 * GIB, 4), (100 * GIB, 6)] {
        let large = Arc::new(Large::default());
        let entries = names.map(|name| {
            let recipe = Arc::new(LargeRecipe(large.clone()));
            Entry::new::<Twenty48>("large", name.into(), recipe, twenty48::Rules::default())
        });
        let blocks = BlockSeeds::Derived { seed: 5, games: 60 };
        let players = names.iter().zip(&entries).map(|(name, entry)| PlannedPlayer { name, entry });
        let plan = Plan::new(&gauntlet::GAMES[0], players.collect(), Cow::Borrowed(&blocks));
        let plan = KeyedPlan::with_keys(plan, names.map(str::to_owned).to_vec());
        let folder = Folder::new();
        let mut journal = open_journal(&folder.path("journal"));
        let message = play(&plan, &mut journal, GIB / 2).expect_err("no room").to_string();
        assert_eq!(message, "a needs 1 GiB of memory, but the limit is 512 MiB; raise it with --memory");
        assert_eq!(large.maximum.load(Ordering::SeqCst), 0, "nothing was built");
        assert_eq!(play(&plan, &mut journal, memory).expect("a run").games_played, 180);
        let built_players = large.maximum.load(Ordering::SeqCst);
        assert!((1..=max_players).contains(&built_players), "{built_players} at once within {memory} bytes");
        assert_eq!(large.current.load(Ordering::SeqCst), 0);
    }
}

/// The shared files of players leave less memory for players.
#[test]
fn files_count_in_the_budget_of_players() {
    let folder = Folder::with_file("net", "weights and more");
    let assets = Arc::new(AssetFiles::new(&folder.path("")));
    assets.get(Path::new("net"), |bytes| Ok(bytes.len())).expect("a value");
    for (files, memory, expected) in [
        (false, 2 * GIB, Ok((2, 2 * GIB))),
        (true, 2 * GIB, Ok((1, 2 * GIB - 16))),
        (true, 2 * GIB + 16, Ok((2, 2 * GIB))),
        (
            true,
            GIB / 2 + 16,
            Err("a needs 1 GiB of memory, but the limit is 512 MiB in addition to the files of all players"),
        ),
        (true, 15, Err("the files of players need 16 B of memory, but the limit is 15 B")),
    ] {
        let large = Arc::new(Large::default());
        let recipe = Arc::new(LargeRecipe(large.clone()));
        let entry = Entry::new::<Twenty48>("large", "a".into(), recipe, twenty48::Rules::default());
        let blocks = BlockSeeds::Derived { seed: 5, games: 200 };
        let players = vec![PlannedPlayer { name: "a", entry: &entry }];
        let plan = Plan::new(&gauntlet::GAMES[0], players, Cow::Borrowed(&blocks));
        let plan = Plan { assets: if files { assets.clone() } else { plan.assets.clone() }, ..plan };
        let expected = expected.map_err(|message| format!("{message}; raise it with --memory"));
        let budget = gauntlet::run::memory::thread_budget(&plan, 6, memory)
            .map(|budget| (budget.threads, budget.memory));
        assert_eq!(budget.map_err(|error| error.to_string()), expected, "{memory} bytes, files: {files}");
    }
}
