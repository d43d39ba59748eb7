//! The journal. Games are read back unchanged, even from damaged files, and the games left to play
//! are exactly the missing ones.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use gauntlet::GAMES;
use gauntlet::arena::Entry;
use gauntlet::disk::system_disk;
use gauntlet::game::{Outcome, Seat};
use gauntlet::plan::{Plan, PlannedPlayer, Shard};
use gauntlet::players::random;
use gauntlet::record::{CalibrationRuns, ClockReadings, Ending, GameRecord, TimeSource};
use gauntlet::results::store::snapshot::ResultsSnapshot;
use gauntlet::rng::{Rng, Seed};
use gauntlet::run::blocks::BlockSeeds;
use gauntlet::run::coverage::Coverage;
use gauntlet::run::journal::{GamesEntry, Journal, PanicEntry, SessionEntry, SessionSums};
use gauntlet::run::keyed_plan::KeyedPlan;
use gauntlet::twenty48::rules::{Rules, Twenty48};

use crate::bench::{Folder, add_checksum, replace_file};
use crate::cases::assert_for_all;
use crate::in_process::{open_journal, retry_open};

/// Returns a random number; the smallest and the largest are more frequent.
fn any_number(rng: &mut Rng) -> u64 {
    match rng.below(8) {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << 63,
        3 => rng.bits(),
        _ => rng.below(100_000),
    }
}

fn any_record(is_duel: bool, rng: &mut Rng) -> GameRecord {
    GameRecord {
        outcome: match (is_duel, rng.below(3)) {
            (false, chance) => Outcome::Points { score: any_number(rng), won: chance == 0 },
            (true, 0) => Outcome::Won(Seat::First),
            (true, 1) => Outcome::Won(Seat::Second),
            (true, _) => Outcome::Drawn,
        },
        facts: [any_number(rng) as i64, any_number(rng) as i64],
        moves: any_number(rng) as u32,
        ending: any_ending(is_duel, rng),
    }
}

/// Returns a random ending, by the rules in half of the cases; in a solo game it is not the fault
/// of a second player.
fn any_ending(is_duel: bool, rng: &mut Rng) -> Ending {
    let endings =
        Ending::ALL.into_iter().filter(|ending| is_duel || ending.seat_at_fault() != Some(Seat::Second));
    let endings: Vec<_> = endings.collect();
    let count = endings.len() as u64;
    endings[rng.below(2 * count).saturating_sub(count) as usize]
}

fn any_times(rng: &mut Rng) -> ClockReadings {
    ClockReadings {
        thinking_cpu_ns: (rng.below(2) == 0).then(|| any_number(rng)),
        timed: TimeSource::ALL[rng.below(4) as usize],
        unseen_ns: if rng.below(2) == 0 { any_number(rng) } else { 0 },
        yardsticks: CalibrationRuns { count: rng.below(2) * any_number(rng), ns: 0 },
        wall_ns: any_number(rng),
        cpu_ns: any_number(rng),
        thinking_ns: any_number(rng),
        thoughts: any_number(rng),
        table_moves: rng.below(2) * any_number(rng),
        max_ns: any_number(rng),
        moves: any_number(rng),
        histogram: (0..rng.below(4)).map(|_| (any_number(rng), any_number(rng))).collect(),
        depths: (0..rng.below(4)).map(|_| (any_number(rng) as u32, any_number(rng))).collect(),
    }
}

/// Returns random games of a key, solo or duel, on numbered blocks or on listed seeds.
fn any_games(key: &str, rng: &mut Rng) -> (Vec<GameRecord>, GamesEntry) {
    let is_duel = rng.below(2) == 0;
    let blocks = rng.below(6);
    let records: Vec<_> =
        (0..blocks * if is_duel { 2 } else { 1 }).map(|_| any_record(is_duel, rng)).collect();
    let mut games = GamesEntry::new(key, &records, 2);
    if rng.below(2) == 0 {
        games.first = Some(any_number(rng));
    } else {
        games.seeds = (0..blocks).map(|_| any_number(rng)).collect();
        // No games on no seeds are consistent, but a line must use one of the two forms.
        games.first = records.is_empty().then_some(0);
    }
    games.threads = rng.below(1000) as usize;
    if rng.below(2) == 0 {
        games.nodes = records.iter().map(|_| any_number(rng)).collect();
    }
    games.set_times((0..if is_duel { 2 } else { 1 }).map(|_| any_times(rng)).collect());
    (records, games)
}

fn session() -> SessionEntry {
    SessionEntry {
        started: "2026-11-21T03:20:11Z".to_owned(),
        gauntlet: "0.1.0".to_owned(),
        revision: "unknown".to_owned(),
        packages: vec!["own 0.1.0".to_owned()],
        cpu: "a \"processor\"\nof 雪".to_owned(),
        threads: 3,
        shard: Some("1/2".to_owned()),
        experiment: "digest".to_owned(),
        claims: Some(vec!["a claim".to_owned()]),
        files_from: Some("../../configs".to_owned()),
        binary: "digest of the program".to_owned(),
        game: "2048".to_owned(),
        signatures: BTreeMap::from([
            ("random".to_owned(), Some("5eed".to_owned())),
            ("by time".to_owned(), None),
        ]),
        yardstick: Some(1),
        programs: BTreeMap::from([("a digest".to_owned(), "my player 1.0".to_owned())]),
        rules: 2,
        sums: SessionSums::default(),
        seconds: None,
    }
}

/// Returns a session without the counts from its lines of games.
fn without_counts(session: &SessionEntry) -> SessionEntry {
    SessionEntry { sums: SessionSums::default(), ..session.clone() }
}

/// Content of a journal.
#[derive(Debug, PartialEq)]
struct Content {
    games: Vec<GamesEntry>,
    panics: Vec<PanicEntry>,
    sessions: Vec<SessionEntry>,
}

fn read_content(journal: &Journal) -> Content {
    let games = journal.lines().iter().enumerate().map(|(index, line)| {
        let games = journal.read(index).expect("what was listed can be read");
        assert_eq!((&*line.key, line.first, line.games), (&*games.key, games.first, games.games));
        games
    });
    Content {
        games: games.collect(),
        panics: journal.panics().collect(),
        sessions: journal.sessions().iter().map(without_counts).collect(),
    }
}

/// Writes a journal with a line of every kind, and several lines of games.
fn write_sample(path: &Path) -> Content {
    let mut rng = Seed::root(11).rng();
    let mut journal = open_journal(path);
    journal.begin(session()).unwrap();
    for key in ["a", "b", "a"] {
        journal.append_games(any_games(key, &mut rng).1.to_line()).unwrap();
    }
    let panic =
        PanicEntry { key: "b".to_owned(), seed: u64::MAX, leg: 1, message: "at \"the\" end\n{}".to_owned() };
    journal.append_panic(panic).unwrap();
    journal.append_games(any_games("c", &mut rng).1.to_line()).unwrap();
    journal.finish(1.5).unwrap();
    journal.begin(session()).unwrap();
    journal.append_games(any_games("a key with blanks, \"quotes\" and ä", &mut rng).1.to_line()).unwrap();
    read_content(&journal)
}

#[test]
fn records_come_back_as_they_were() {
    assert_for_all(300, Rng::bits, |seed| check_records(&mut Seed::root(seed).rng()));
}

fn check_records(rng: &mut Rng) {
    let folder = Folder::new();
    let path = folder.path("deep/journal.jsonl");
    let entries: Vec<_> = (0..4).map(|i| any_games(["a", "b"][i % 2], rng)).collect();
    let mut journal = open_journal(&path);
    for (records, games) in &entries {
        assert_eq!(games.records().as_ref(), Some(records));
        journal.append_games(games.to_line()).unwrap();
    }
    let initial_content = read_content(&journal);
    drop(journal);
    for journal in [open_journal(&path), Journal::peek(&path).unwrap()] {
        assert_eq!(journal.damaged_lines(), 0);
        assert_eq!(read_content(&journal), initial_content);
        for (line, (records, games)) in entries.iter().enumerate() {
            let entry = journal.read(line).unwrap();
            assert_eq!(&entry, games);
            assert_eq!(entry.records().as_ref(), Some(records));
        }
    }
}

#[test]
fn what_is_left_is_what_no_line_holds() {
    assert_for_all(300, Rng::bits, |seed| check_coverage(&mut Seed::root(seed).rng()));
}

/// A game has fewer facts than a record has room for; the rest stays 0.
#[test]
fn facts_that_a_game_has_not_are_not_written() {
    let record = any_record(false, &mut Seed::root(1).rng());
    for facts in 0..=2 {
        let mut games = GamesEntry::new("a", &[record], facts);
        games.first = Some(0);
        let mut expected = record;
        expected.facts[facts..].fill(0);
        assert_eq!(games.records(), Some(vec![expected]));
    }
}

#[test]
fn a_second_writer_is_refused() {
    let folder = Folder::new();
    let path = folder.path("journal.jsonl");
    assert!(Journal::open_existing(&path).is_err() && Journal::peek(&path).is_err());
    assert!(!Journal::is_in_use(&path) && !path.exists());
    let mut journal = open_journal(&path);
    assert!(Journal::is_in_use(&path));
    for second_open in [Journal::open(&path), Journal::open_existing(&path)] {
        assert!(second_open.unwrap_err().to_string().contains("another gauntlet process is using"));
    }
    assert!(Journal::peek(&path).is_ok());
    let mut games = GamesEntry::new("1d-once", &[], 2);
    games.first = Some(0);
    journal.append_games(games.to_line()).unwrap();
    // Both the journal and the file that it replaces stay locked.
    let replaced_file = fs::File::open(&path).unwrap();
    journal.remove_unusable_games().unwrap();
    assert!(Journal::is_in_use(&path) && replaced_file.try_lock_shared().is_err());
    drop(journal);
    retry_open(|| Journal::open_existing(&path));
}

/// Lines before the last two survive a kill anywhere within those two, and the next session appends
/// after them.
#[test]
fn a_torn_journal_keeps_its_whole_lines() {
    let folder = Folder::new();
    let path = folder.path("journal.jsonl");
    write_sample(&path);
    let bytes = fs::read(&path).unwrap();
    let ends: Vec<usize> = (1..=bytes.len()).filter(|&end| bytes[end - 1] == b'\n').collect();
    let [.., kept_end, _, file_end] = ends[..] else { panic!("{} lines", ends.len()) };
    assert_eq!(file_end, bytes.len());
    let more_games = any_games("more", &mut Seed::root(3).rng()).1;
    for cut in kept_end..=bytes.len() {
        let whole_end = ends.iter().rfind(|&&end| end <= cut).copied().expect("lines before");
        replace_file(&path, &bytes[..whole_end]);
        let mut expected = read_content(&Journal::peek(&path).unwrap());

        replace_file(&path, &bytes[..cut]);
        assert_eq!(read_content(&Journal::peek(&path).unwrap()), expected, "cut at {cut}, peeked at");
        assert_eq!(read_content(&retry_open(|| Journal::open_existing(&path))), expected, "cut at {cut}");
        assert_eq!(fs::read(&path).unwrap(), &bytes[..cut], "reading changes nothing");
        let mut journal = open_journal(&path);
        assert_eq!(journal.damaged_lines(), 0, "cut at {cut}: torn is not damaged");
        assert_eq!(read_content(&journal), expected, "cut at {cut}, opened");
        journal.append_games(more_games.to_line()).unwrap();
        drop(journal);
        let journal = open_journal(&path);
        expected.games.push(more_games.clone());
        assert_eq!(
            (journal.damaged_lines(), read_content(&journal)),
            (0, expected),
            "cut at {cut}, written on"
        );
    }
}

/// Damaged bytes only lose lines: no line becomes another.
#[test]
fn a_damaged_journal_never_says_something_else() {
    let folder = Folder::new();
    let path = folder.path("journal.jsonl");
    let intact = write_sample(&path);
    let bytes = fs::read(&path).unwrap();
    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
    let mut rng = Seed::root(5).rng();
    let mut total_lost = 0;
    for _ in 0..2_000 {
        let mut damaged = bytes.clone();
        let flips = 1 + rng.below(3);
        for _ in 0..flips {
            let position = rng.below(damaged.len() as u64) as usize;
            damaged[position] ^= match rng.below(4) {
                0 => 1 << rng.below(8),
                // The most dangerous change makes two lines of one, or one line of two.
                1 => damaged[position] ^ b'\n',
                _ => rng.below(256) as u8,
            };
        }
        replace_file(&path, &damaged);
        let journal = open_journal(&path);
        let remaining = read_content(&journal);
        assert!(is_subsequence(&remaining.games, &intact.games), "{remaining:?}");
        assert!(is_subsequence(&remaining.panics, &intact.panics), "{remaining:?}");
        for session in remaining.sessions {
            // The end of a session may be lost, or be taken for the end of another session whose
            // end is lost.
            let without_end = SessionEntry { seconds: None, ..session };
            assert_eq!(without_end, self::session());
        }
        let lost_now = intact.games.len() - remaining.games.len();
        assert!(lost_now <= 2 * flips as usize && journal.damaged_lines() <= 2 * flips as usize + 1);
        assert!(lost_now == 0 || damaged != bytes);
        total_lost += lost_now;
        assert!(journal.lines().len() <= lines);
    }
    assert!(total_lost > 500, "only {total_lost} lines were hit");
}

/// Returns true if `part` is a subsequence of `whole`.
fn is_subsequence<T: PartialEq>(part: &[T], whole: &[T]) -> bool {
    let mut remaining = whole.iter();
    part.iter().all(|this| remaining.any(|that| that == this))
}

/// Unknown lines, for example of a future version, are skipped.
#[test]
fn strange_lines_are_passed_over() {
    let folder = Folder::new();
    let games = any_games("a", &mut Seed::root(8).rng()).1;
    let session_line = add_checksum(&serde_json::json!({ "session": session() }).to_string());
    let check = |line: &str, damaged_lines: usize| {
        folder.write("journal.jsonl", format!("{session_line}{line}"));
        let mut journal = open_journal(&folder.path("journal.jsonl"));
        assert_eq!((journal.damaged_lines(), journal.lines().len()), (damaged_lines, 0), "{line}");
        journal.append_games(games.to_line()).unwrap();
        assert_eq!(read_content(&journal).games, std::slice::from_ref(&games));
    };
    check("", 0);
    check("\n", 1);
    check("\n\n \n", 3);
    check("no journal at all\n", 1);
    check("torn", 0);
    check("0123456789abcdef\n", 1);
    check("0123456789abcdef \n", 1);
    check(&add_checksum(""), 1);
    check(&add_checksum("{}"), 1);
    check(&add_checksum(r#"{"omen":{}}"#), 1);
    check(&add_checksum(r#"{"games":{"key":"a"}}"#), 1);
    check(&add_checksum(r#"{"end":{"seconds":1.0}}"#), 0);
    check(&add_checksum(r#"{"end":{"seconds":1.0}}"#).replace('\n', "\r\n"), 1);
    check(&add_checksum(r#"{"end":{"seconds":1.0}}"#).to_uppercase(), 1);
    check(&format!(" {}", add_checksum(r#"{"end":{"seconds":1.0}}"#)), 1);
}

/// The version precedes the first line that this version writes. Tested with an empty journal, with
/// one that was torn in its first line, and with one that lost its version.
#[test]
fn a_journal_tells_its_version_once() {
    let folder = Folder::new();
    let version = add_checksum(r#"{"journal":{"format":1}}"#);
    let line = add_checksum(&serde_json::json!({ "session": session() }).to_string());
    for (old_text, kept_text) in [("", ""), (&version[..20], ""), (&line, &line), (&version, "")] {
        folder.write("journal.jsonl", old_text);
        for _ in 0..2 {
            open_journal(&folder.path("journal.jsonl")).begin(session()).unwrap();
        }
        let sessions = line.repeat(2);
        assert_eq!(folder.read("journal.jsonl"), format!("{kept_text}{version}{sessions}"));
    }
}

/// Files of a newer version are refused in one line, and not changed: a journal, and a manifest.
#[test]
fn what_is_newer_is_refused() {
    let folder = Folder::new();
    let newer_version =
        add_checksum(&format!(r#"{{"journal":{{"format":{}}}}}"#, gauntlet::run::journal::FORMAT + 1));
    let content = newer_version + "a torn line";
    folder.write("journal.jsonl", &content);
    let path = folder.path("journal.jsonl");
    for result in [Journal::open(&path), Journal::open_existing(&path), Journal::peek(&path)] {
        let error = format!("{:#}", result.expect_err("a newer journal"));
        assert!(error.contains("newer gauntlet") && !error.contains('\n'), "{error}");
        assert_eq!(folder.read("journal.jsonl"), content);
    }
    let manifest = |format: u32| {
        folder.write("manifest.toml", format!("format = {format}\n"));
        folder.update_digests(".");
        ResultsSnapshot::read(gauntlet::catalog(&gauntlet::GAMES), &system_disk(), &folder.path("."))
    };
    let latest = gauntlet::results::store::manifest::FORMAT;
    manifest(latest).expect("a manifest of this version");
    let error = format!("{:#}", manifest(latest + 1).expect_err("a newer manifest"));
    assert!(error.contains("newer gauntlet") && !error.contains('\n'), "{error}");
}

/// Contradictory columns with a correct checksum make no records.
#[test]
fn contradictory_columns_make_no_records() {
    let check = |json: &str, is_valid: bool| {
        let times = r#""threads":1,"times":{"moves":3,"wall_ns":1,"cpu_ns":1,"thinking_ns":1,"thoughts":1,"max_ns":1,"histogram":[]}"#;
        let line = add_checksum(&format!(r#"{{"games":{{"key":"a",{json},{times}}}}}"#));
        let games = gauntlet::run::journal::parse(line.as_bytes()).unwrap();
        assert_eq!(games.records().is_some(), is_valid, "{json}");
    };
    let valid =
        r#""first":0,"games":2,"score":[1,2],"facts":[[1,2]],"moves":[1,2],"won":[1],"endings":[[0,5]]"#;
    check(valid, true);
    check(&valid.replace(r#""first":0"#, r#""seeds":[7,8]"#), true);
    for (part, replacement) in [
        (r#""first":0"#, r#""seeds":[7]"#),
        (r#""first":0"#, r#""seeds":[]"#),
        (r#""first":0"#, r#""seeds":[7,8,9]"#),
        (r#""games":2"#, r#""games":1"#),
        (r#""games":2"#, r#""games":3"#),
        (r#""score":[1,2]"#, r#""score":[1]"#),
        (r#""facts":[[1,2]]"#, r#""facts":[[1,2],[1]]"#),
        (r#""moves":[1,2]"#, r#""moves":[]"#),
        (r#""won":[1]"#, r#""won":[2]"#),
        (r#"[[0,5]]"#, r#"[[2,5]]"#),
        (r#"[[0,5]]"#, r#"[[0,6]]"#),
        (r#"[[0,5]]"#, r#"[[0,99]]"#),
    ] {
        assert!(valid.contains(part));
        check(&valid.replace(part, replacement), false);
    }
    // Two games of one block by two players, and so without points.
    let duel = r#""seeds":[7],"games":2,"facts":[],"moves":[1,2],"won":[1],"lost":[0],"endings":[[0,7]]"#;
    check(duel, true);
    for (part, replacement) in [
        (r#""seeds":[7]"#, r#""seeds":[7,8]"#),
        (r#""lost":[0]"#, r#""lost":[1]"#),
        (r#""lost":[0]"#, r#""lost":[2]"#),
        (r#""lost":[0],"#, ""),
        (r#""facts":[]"#, r#""score":[1,2],"facts":[]"#),
        (r#"[[0,7]]"#, r#"[[0,99]]"#),
    ] {
        assert!(duel.contains(part));
        check(&duel.replace(part, replacement), false);
    }
}

/// Returns a possible record that depends on the seed and differs for most seeds.
fn record_of(seed: u64) -> GameRecord {
    let outcome = Outcome::Points { score: 18_432 + 4 * (seed % 4400), won: true };
    GameRecord { outcome, facts: [2048, 0], moves: 1000, ending: Ending::GameOver }
}

/// Checks lines as from several runs of several experiments. They overlap and repeat, and some
/// belong to players or blocks outside of the plan.
#[allow(clippy::too_many_lines, reason = "one random case, from its making to its check")]
fn check_coverage(rng: &mut Rng) {
    let is_listed = rng.below(2) == 0;
    let block_count = 1 + rng.below(60);
    let blocks = if is_listed {
        // The order differs from the order of the numbers.
        let offset = rng.below(block_count);
        BlockSeeds::Listed((0..block_count).map(|i| 1000 + (i + offset) % block_count * 7).rev().collect())
    } else {
        BlockSeeds::Derived { seed: rng.below(100), games: block_count }
    };
    let recipe: random::Config = serde_json::from_str("{}").unwrap();
    let entry = Entry::new::<Twenty48>("random", "any".into(), Arc::new(recipe), Rules::default());
    // Two players with the same settings have one key, and so one set of games.
    let entries = [("one", "a"), ("other", "b"), ("twin of one", "a")];
    let players = entries.map(|(name, _)| PlannedPlayer { name, entry: &entry }).into();
    let plan = Plan::new(&GAMES[0], players, Cow::Borrowed(&blocks));
    let plan = KeyedPlan::with_keys(plan, entries.map(|(_, key)| key.to_owned()).into());

    let folder = Folder::new();
    let mut journal = open_journal(&folder.path("journal.jsonl"));
    let mut held_blocks: BTreeMap<&str, Vec<bool>> =
        ["a", "b", "c"].map(|key| (key, vec![false; block_count as usize])).into();
    for _ in 0..rng.below(14) {
        let key = ["a", "b", "c"][rng.below(3) as usize];
        let count = rng.below(12);
        let mut games = if is_listed {
            // Seeds of the plan in any order, with foreign ones among them.
            let mut seeds: Vec<u64> = Vec::new();
            for _ in 0..count {
                let is_foreign = rng.below(4) == 0;
                let seed =
                    if is_foreign { 3 + rng.below(900) } else { plan.blocks.seed(rng.below(block_count)) };
                if !seeds.contains(&seed) {
                    seeds.push(seed);
                }
            }
            let records: Vec<_> = seeds.iter().map(|&seed| record_of(seed)).collect();
            for block in (0..block_count).filter(|&block| seeds.contains(&plan.blocks.seed(block))) {
                held_blocks.get_mut(key).unwrap()[block as usize] = true;
            }
            let mut games = GamesEntry::new(key, &records, 1);
            games.seeds = seeds;
            games
        } else {
            let first = if rng.below(20) == 0 { u64::MAX - rng.below(3) } else { rng.below(block_count + 5) };
            let blocks = || (0..count).map(|i| first.wrapping_add(i));
            let seed = |block| if block < block_count { plan.blocks.seed(block) } else { 0 };
            let records: Vec<_> = blocks().map(|block| record_of(seed(block))).collect();
            if first < block_count {
                for block in blocks().filter(|&block| block < block_count) {
                    held_blocks.get_mut(key).unwrap()[block as usize] = true;
                }
            }
            let mut games = GamesEntry::new(key, &records, 1);
            games.first = Some(first);
            games
        };
        games.threads = 1;
        journal.append_games(games.to_line()).unwrap();
    }

    let coverage = Coverage::from_journal(&plan, &journal).unwrap();
    assert_eq!(coverage.spans.len(), 3);
    for player in 0..plan.lineups.len() {
        let player_blocks = &held_blocks[plan.key(player)];
        // Stretches are in order and do not overlap, and each block's record is its own.
        let mut next = 0;
        let mut found_blocks = vec![false; block_count as usize];
        for stretch in &coverage.spans[player] {
            assert!(stretch.blocks > 0 && stretch.first >= next, "{:?}", coverage.spans[player]);
            next = stretch.first + stretch.blocks;
            assert_eq!(*journal.line(stretch.line).key, *plan.key(player));
            let records = journal.read(stretch.line).unwrap().records().unwrap();
            for (block, record) in (stretch.first..next).zip(&records[stretch.skip as usize..]) {
                assert_eq!(record, &record_of(plan.blocks.seed(block)), "block {block}");
                found_blocks[block as usize] = true;
            }
        }
        assert_eq!(&found_blocks, player_blocks, "{}", plan.title(player));
        // The missing blocks, of all and of each shard, are the rest.
        check_missing(&coverage, player, 0..block_count, player_blocks);
        let shard: Shard = format!("1/{}", 1 + rng.below(block_count + 2)).parse().unwrap();
        for shard in shard.all_shards() {
            check_missing(&coverage, player, plan.shard_parts(shard)[0].clone(), player_blocks);
        }
        let start = rng.below(block_count);
        check_missing(&coverage, player, start..start + rng.below(block_count - start + 1), player_blocks);
    }
    let complete =
        (0..plan.lineups.len()).all(|player| held_blocks[plan.key(player)].iter().all(|&held| held));
    assert_eq!(coverage.is_complete(&plan), complete);
}

fn check_missing(coverage: &Coverage, player: usize, blocks: Range<u64>, held_blocks: &[bool]) {
    let missing = coverage.missing_blocks(player, &blocks);
    let expected: Vec<u64> = blocks.clone().filter(|&block| !held_blocks[block as usize]).collect();
    assert!(missing.iter().all(|range| range.start < range.end), "{missing:?}");
    assert!(missing.windows(2).all(|pair| pair[0].end < pair[1].start), "ranges are joined: {missing:?}");
    assert_eq!(missing.into_iter().flatten().collect::<Vec<_>>(), expected, "among {blocks:?}");
    let held_count = blocks.end - blocks.start - expected.len() as u64;
    assert_eq!(coverage.count_blocks(player, &blocks), held_count, "among {blocks:?}");
}

/// A complete journal: nothing is missing, and the lines of one run are one stretch each.
#[test]
fn a_complete_journal_leaves_nothing() {
    let blocks = BlockSeeds::Derived { seed: 1, games: 10 };
    let recipe: random::Config = serde_json::from_str("{}").unwrap();
    let entry = Entry::new::<Twenty48>("random", "any".into(), Arc::new(recipe), Rules::default());
    let players = vec![PlannedPlayer { name: "one", entry: &entry }];
    let plan =
        KeyedPlan::with_keys(Plan::new(&GAMES[0], players, Cow::Borrowed(&blocks)), vec!["a".to_owned()]);
    let folder = Folder::new();
    let mut journal = open_journal(&folder.path("journal.jsonl"));
    // The lines are in the order of completion, which differs from the order of blocks. One line is
    // repeated.
    for range in [6..10, 0..3, 6..10, 3..6] {
        assert!(!Coverage::from_journal(&plan, &journal).unwrap().is_complete(&plan));
        let records: Vec<_> = range.clone().map(|block| record_of(blocks.seed(block))).collect();
        let mut games = GamesEntry::new("a", &records, 1);
        games.first = Some(range.start);
        journal.append_games(games.to_line()).unwrap();
    }
    let coverage = Coverage::from_journal(&plan, &journal).unwrap();
    assert!(coverage.is_complete(&plan));
    let stretches: Vec<_> = coverage.spans[0].iter().map(|stretch| (stretch.first, stretch.blocks)).collect();
    assert_eq!(stretches, [(0, 3), (3, 3), (6, 4)]);
}

/// A step of a tuning reads only its own games: lines of other steps are not examined.
#[test]
fn games_of_another_step_are_not_looked_at() {
    let recipe: random::Config = serde_json::from_str("{}").unwrap();
    let entry = Entry::new::<Twenty48>("random", "any".into(), Arc::new(recipe), Rules::default());
    let blocks = BlockSeeds::Listed((0..10).map(|seed| 7 * seed).collect());
    let players = || vec![PlannedPlayer { name: "one", entry: &entry }];
    let plan = |step| {
        let plan = Plan::new(&GAMES[0], players(), Cow::Borrowed(&blocks));
        KeyedPlan::with_keys(plan, vec!["a".to_owned()]).with_key_suffix(step)
    };
    let (own_plan, other_plan) = (plan(0), plan(1));
    assert_ne!(own_plan.key(0), other_plan.key(0));
    let folder = Folder::new();
    let path = folder.path("journal.jsonl");
    let mut journal = open_journal(&path);
    for (plan, score) in [(&own_plan, 18_432), (&other_plan, 1), (&own_plan, 18_432)] {
        let scored_record =
            |seed| GameRecord { outcome: Outcome::Points { score, won: true }, ..record_of(seed) };
        let records: Vec<_> = (0..4).map(|block| scored_record(plan.blocks.seed(block))).collect();
        let mut games = GamesEntry::new(plan.key(0), &records, 1);
        games.seeds = (0..4).map(|block| plan.blocks.seed(block)).collect();
        journal.append_games(games.to_line()).unwrap();
    }
    drop(journal);
    let journal = open_journal(&path);
    let coverage = Coverage::from_journal(&own_plan, &journal).unwrap();
    assert_eq!((coverage.count_blocks(0, &(0..10)), coverage.flawed_lines.len()), (4, 0));
    assert_eq!(journal.games(), 8, "one line stands there twice");
    // A score of 1 is impossible: the other step detects it.
    let coverage = Coverage::from_journal(&other_plan, &journal).unwrap();
    assert_eq!((coverage.count_blocks(0, &(0..10)), coverage.flawed_lines.len()), (0, 1));
}
