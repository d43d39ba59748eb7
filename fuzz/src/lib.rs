//! Laws for any bytes, one function for each place where bytes from outside are read. `cargo fuzz`
//! looks for bytes that break them; `tests/it/experiments/fuzz.rs` tries some thousands in every
//! run of the tests.

// The tests have both this library and the file.
mod network;
#[allow(clippy::duplicate_mod)]
#[path = "../../tests/it/support/scratch.rs"]
mod scratch;
mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use gauntlet::config::{self, Experiment};
use gauntlet::game::Seat;
use gauntlet::plan::Plan;
use gauntlet::probe::answer_all;
use gauntlet::record::Ending;
use gauntlet::run::blocks::BlockSeeds;
use gauntlet::run::coverage::Coverage;
use gauntlet::run::journal::{GamesEntry, Journal};
use gauntlet::run::keyed_plan::KeyedPlan;
use gauntlet::tally::csv_tally::tally_rows;
use gauntlet::text::escape;
use gauntlet::{GAMES, catalog};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use scratch::Scratch;

pub use network::network;
pub use tables::tables;

/// An experiment of two players that all of these bytes may be about.
const SMALL_EXPERIMENT: &str = include_str!("../seeds/small.toml");

static EXPERIMENT: LazyLock<Arc<Experiment>> = LazyLock::new(|| {
    Arc::new(
        config::parse(catalog(&GAMES), "small.toml", SMALL_EXPERIMENT)
            .unwrap_or_else(|mistakes| panic!("{mistakes}")),
    )
});

/// An experiment's file. What is no experiment has mistakes, each at a place of the text, and not
/// without end; what is one is the same experiment when its TOML is written in another way.
pub fn config(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    match config::parse(catalog(&GAMES), "x.toml", text) {
        Ok(experiment) => {
            let table = match text.parse::<toml::Table>() {
                Ok(table) => table,
                // Numbers up to 2^64 are understood where this reader ends at 2^63.
                Err(error) if error.message().contains("too large") => return,
                Err(error) => panic!("an experiment is TOML: {error}"),
            };
            let rewritten_toml = table.to_string();
            let second_experiment = config::parse(catalog(&GAMES), "x.toml", &rewritten_toml)
                .unwrap_or_else(|mistakes| panic!("{mistakes}"));
            assert_eq!(
                summary(&second_experiment),
                summary(&experiment),
                "written again as\n{rewritten_toml}"
            );
        }
        Err(mistakes) => {
            let mistake_list = mistakes.list();
            assert!((1..=10 + text.len()).contains(&mistake_list.len()), "{} mistakes", mistake_list.len());
            for span in mistake_list.iter().filter_map(|mistake| mistake.span.clone()) {
                assert!(span.start <= span.end && span.end <= text.len(), "{span:?} of {} bytes", text.len());
                assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end), "{span:?}");
            }
            let message = mistakes.to_string();
            assert!(!message.chars().any(|letter| letter.is_control() && letter != '\n'), "{message:?}");
            assert!(message.lines().all(|line| line.len() < 5000), "{message}");
        }
    }
}

/// Content of an experiment.
fn summary(experiment: &Experiment) -> impl PartialEq + std::fmt::Debug {
    let plan = experiment.plan();
    let signatures = vec![None; plan.players.len()];
    let keys: Vec<String> = (0..plan.lineups.len()).map(|lineup| plan.key(lineup, &signatures)).collect();
    let names: Vec<String> = plan.players.iter().map(|player| player.name.to_owned()).collect();
    let claims_and_stop = format!("{:?} {:?}", &experiment.sections().claims, experiment.sections().stop);
    (
        experiment.name().to_owned(),
        names,
        keys,
        plan.games(),
        claims_and_stop,
        experiment.sections().published.len(),
    )
}

/// The bytes of a journal, in which a line that begins with `~` gets a right checksum in its place.
/// The games that it shows are those of its right lines; opened again it shows the same; and what
/// is appended is read back behind them.
pub fn journal(data: &[u8]) {
    let mut bytes = Vec::new();
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_prefix(b"~") {
            Some(json) => {
                let json = json.strip_suffix(b"\n").unwrap_or(json);
                bytes.extend(format!("{} ", checksum(json)).bytes());
                bytes.extend(json);
                bytes.push(b'\n');
            }
            None => bytes.extend(line),
        }
    }
    let folder = Scratch::new();
    let path = folder.path().join("journal.jsonl");
    fs::write(&path, &bytes).expect("a file is written");

    let peeked_content = Journal::peek(&path).map(|journal| content(&journal)).ok();
    let Ok(mut journal) = Journal::open(&path) else {
        assert!(fs::read(&path).expect("a file") == bytes, "what is refused is not changed");
        return;
    };
    let content_before = content(&journal);
    assert_eq!(Some(&content_before), peeked_content.as_ref());
    if let Some(expected_lines) = valid_lines(&bytes) {
        // A number that is none in a part that is not looked at here damages a line, too.
        let mut remaining = expected_lines.iter();
        assert!(
            content_before.lines.iter().all(|line| remaining.any(|expected_line| expected_line == line)),
            "{content_before:?}\n{expected_lines:?}"
        );
        assert!(
            expected_lines.len() <= content_before.lines.len() + content_before.damaged,
            "{content_before:?}\n{expected_lines:?}"
        );
    }
    for (line_index, line) in journal.lines().iter().enumerate() {
        // A line may pass the checksum and hold columns that are none.
        let Some(records) = journal.read(line_index).ok().and_then(|games| games.records()) else { continue };
        assert_eq!(records.len(), line.games as usize);
    }
    let plan = EXPERIMENT.plan();
    let plan = KeyedPlan::with_keys(plan, vec!["a".to_owned(), "b".to_owned()]);
    if let Ok(coverage) = Coverage::from_journal(&plan, &journal) {
        for block_range in coverage.spans.iter().flatten() {
            assert!(
                block_range.blocks > 0 && block_range.first + block_range.blocks <= plan.blocks.len(),
                "{block_range:?}"
            );
        }
    }

    let mut new_entry = GamesEntry::new("more", &[], 1);
    new_entry.first = Some(0);
    journal.append_games(new_entry.to_line()).expect("a journal is written to");
    drop(journal);
    let content_after = content(&Journal::open(&path).expect("a journal is opened again"));
    let mut expected = content_before;
    expected.lines.push(("more".to_owned(), Some(0), 0));
    assert_eq!(content_after, expected);
}

/// Content of a journal, but for the times of its sessions.
#[derive(Debug, PartialEq)]
struct JournalContent {
    lines: Vec<(String, Option<u64>, u32)>,
    sessions: usize,
    panics: usize,
    damaged: usize,
}

fn content(journal: &Journal) -> JournalContent {
    let lines = journal.lines().iter().map(|line| (line.key.to_string(), line.first, line.games));
    JournalContent {
        lines: lines.collect(),
        sessions: journal.sessions().len(),
        panics: journal.panics().count(),
        damaged: journal.damaged_lines(),
    }
}

/// The lines of games in a journal, read in a second and plain way: whole lines with a right
/// checksum before the JSON of some games. None if some of them is no JSON as this way reads it,
/// with a number beyond all numbers, perhaps.
fn valid_lines(bytes: &[u8]) -> Option<Vec<(String, Option<u64>, u32)>> {
    let mut lines = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let Some((checksum_text, json)) = line.strip_suffix(b"\n").and_then(|line| line.split_at_checked(17))
        else {
            continue;
        };
        if checksum_text != format!("{} ", checksum(json)).as_bytes() {
            continue;
        }
        let entry: Value = serde_json::from_slice(json).ok()?;
        let Some(games) = entry.get("games").filter(|games| games.is_object()) else { continue };
        let count = u32::try_from(games["games"].as_u64()?).ok()?;
        let first = if games["first"].is_null() { None } else { Some(games["first"].as_u64()?) };
        lines.push((games["key"].as_str()?.to_owned(), first, count));
    }
    Some(lines)
}

fn checksum(json: &[u8]) -> String {
    blake3::hash(json).to_hex()[..16].to_owned()
}

/// The bytes of `games.csv`. What is accepted adds up to what a second and plain reading finds.
pub fn games(data: &[u8]) {
    let plan: Plan = EXPERIMENT.plan();
    let mut visited_rows = 0;
    let Ok((tallies, blocks)) = tally_rows(&plan, &mut &*data, &mut |_, _, _| visited_rows += 1) else {
        return;
    };
    let mut reader = csv::Reader::from_reader(data);
    let column_names = reader.headers().expect("what is accepted has heads").clone();
    let rows: Vec<BTreeMap<&str, String>> = reader
        .records()
        .map(|row| column_names.iter().zip(row.expect("a row").iter().map(str::to_owned)).collect())
        .collect();
    assert_eq!(visited_rows, rows.len());
    assert_eq!(rows.len() as u64, blocks * plan.players.len() as u64);
    for (player, tally) in plan.players.iter().zip(&tallies) {
        let rows: Vec<_> = rows.iter().filter(|row| row["player"] == player.name).collect();
        let is_broken = |row: &&&BTreeMap<&str, String>| {
            Ending::ALL.iter().any(|ending| ending.is_panic() && ending.name() == row["ending"])
        };
        let complete_rows: Vec<_> = rows.iter().filter(|row| !is_broken(row)).collect();
        let sum = |column| {
            complete_rows.iter().map(|row| row[column].parse::<u128>().expect("a number")).sum::<u128>()
        };
        assert_eq!(rows.len() - complete_rows.len(), tally.failed_games as usize);
        assert_eq!(complete_rows.len() as u64, tally.games);
        assert_eq!(complete_rows.iter().filter(|row| row["won"] == "true").count() as u64, tally.wins);
        assert_eq!(sum("moves"), u128::from(tally.moves));
        assert_eq!(sum("score"), tally.scores.sum());
        let is_forfeit = |ending: &str| {
            Ending::ALL
                .iter()
                .any(|candidate| candidate.name() == ending && candidate.seat_at_fault() == Some(Seat::First))
        };
        assert_eq!(
            complete_rows.iter().filter(|row| is_forfeit(&row["ending"])).count() as u64,
            tally.forfeits()
        );
        for (fact, counts) in plan.arena.facts.iter().zip(&tally.facts) {
            let mut expected_counts: BTreeMap<i64, u64> = BTreeMap::new();
            for row in &complete_rows {
                *expected_counts
                    .entry(row.get(fact.column).map_or(0, |text| text.parse().expect("a number")))
                    .or_default() += 1;
            }
            assert_eq!(expected_counts, *counts);
        }
    }
    assert!(matches!(&*plan.blocks, BlockSeeds::Derived { .. }));
}

/// Questions to `gauntlet probe`. Each line up to the first mistake is answered by one line, with
/// its own `id`, and each player names a move that the rules allow.
pub fn probe(data: &[u8]) {
    let mut output = Vec::new();
    let result = answer_all(&gauntlet::GAMES, Some(&EXPERIMENT), data, "boards", &mut output);
    let answers = String::from_utf8(output).expect("answers are text");
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').collect();
    let is_blank = |line: &[u8]| str::from_utf8(line).is_ok_and(|line| line.trim().is_empty());
    let question_count = match &result {
        Ok(()) => lines.len(),
        Err(error) => {
            let message = format!("{error:#}");
            let number = message.strip_prefix("boards: line ").and_then(|rest| rest.split_once(": "));
            let number: usize =
                number.and_then(|(number, _)| number.parse().ok()).expect("a mistake has its line");
            assert!(!is_blank(lines[number - 1]), "{message}");
            number - 1
        }
    };
    let questions: Vec<&[u8]> =
        lines[..question_count].iter().filter(|line| !is_blank(line)).copied().collect();
    assert_eq!(answers.lines().count(), questions.len(), "{answers}");
    for (question, answer) in questions.iter().zip(answers.lines()) {
        let question = question.strip_prefix("\u{feff}".as_bytes()).unwrap_or(question);
        let [question_id, answer_id] = [question, answer.as_bytes()].map(|line| {
            serde_json::from_slice::<LineId>(line).expect("a line of JSON").id.map(|id| id.get().to_owned())
        });
        // An invisible character comes back by its number, or between words as a blank.
        let question_id = question_id.map(|id| escape::json(&id));
        assert_eq!(question_id.as_deref().unwrap_or("null"), answer_id.as_deref().unwrap_or("null"));
        // The rest of an answer; an `id` may hold what JSON knows and Rust does not, as half a
        // letter.
        let answer = answer.split_once(",\"over\":").expect("whether the game is over").1;
        let answer: Value = serde_json::from_str(&format!("{{\"over\":{answer}")).expect("an answer is JSON");
        let moves = answer["moves"].as_object().expect("moves");
        assert_eq!(moves.len(), 4);
        let movable = moves.values().any(|after| !after.is_null());
        assert!(!(answer["over"] == true && movable), "{answer}");
        let players = answer["players"].as_object().expect("players");
        assert_eq!(players.len(), EXPERIMENT.players().len());
        for player in players.values() {
            assert!(player.get("panic").is_none(), "{answer}");
            match player["move"].as_str() {
                Some(mv) => assert!(!moves[mv].is_null(), "{answer}"),
                None => assert!(!movable || player.get("gave_up").is_some(), "{answer}"),
            }
        }
    }
}

/// The `id` of a question or of an answer, to the letter.
#[derive(Deserialize)]
struct LineId {
    #[serde(default)]
    id: Option<Box<RawValue>>,
}

/// The folder of this package, from which corpora and dictionaries are read.
pub fn package() -> &'static Path {
    // This file is a part of two programs: of the package itself, and of the library's tests.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    if folder.ends_with("fuzz") { folder } else { Box::leak(folder.join("fuzz").into_boxed_path()) }
}
