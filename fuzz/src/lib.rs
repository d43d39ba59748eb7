//! Laws for any bytes, one function for each place where bytes from outside are read. `cargo fuzz`
//! looks for bytes that break them; `tests/it/experiments/fuzz.rs` tries some thousands in every run
//! of the tests.

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
use gauntlet::run::keyed::KeyedPlan;
use gauntlet::tally::replay::tally_rows;
use gauntlet::text::escape;
use gauntlet::{GAMES, catalog};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use scratch::Scratch;

pub use network::network;
pub use tables::tables;

/// An experiment of two players that all of these bytes may be about.
const SMALL: &str = include_str!("../seeds/small.toml");

static EXPERIMENT: LazyLock<Arc<Experiment>> = LazyLock::new(|| {
    Arc::new(
        config::parse(catalog(&GAMES), "small.toml", SMALL).unwrap_or_else(|mistakes| panic!("{mistakes}")),
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
            let plain = table.to_string();
            let again = config::parse(catalog(&GAMES), "x.toml", &plain)
                .unwrap_or_else(|mistakes| panic!("{mistakes}"));
            assert_eq!(summary(&again), summary(&experiment), "written again as\n{plain}");
        }
        Err(mistakes) => {
            let list = mistakes.list();
            assert!((1..=10 + text.len()).contains(&list.len()), "{} mistakes", list.len());
            for span in list.iter().filter_map(|mistake| mistake.span.clone()) {
                assert!(span.start <= span.end && span.end <= text.len(), "{span:?} of {} bytes", text.len());
                assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end), "{span:?}");
            }
            let shown = mistakes.to_string();
            assert!(!shown.chars().any(|letter| letter.is_control() && letter != '\n'), "{shown:?}");
            assert!(shown.lines().all(|line| line.len() < 5000), "{shown}");
        }
    }
}

/// Content of an experiment.
fn summary(experiment: &Experiment) -> impl PartialEq + std::fmt::Debug {
    let plan = experiment.plan();
    let play = vec![None; plan.players.len()];
    let keys: Vec<String> = (0..plan.lineups.len()).map(|lineup| plan.key(lineup, &play)).collect();
    let names: Vec<String> = plan.players.iter().map(|player| player.name.to_owned()).collect();
    let questions = format!("{:?} {:?}", &experiment.sections().claims, experiment.sections().stop);
    (
        experiment.name().to_owned(),
        names,
        keys,
        plan.games(),
        questions,
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

    let peeked = Journal::peek(&path).map(|journal| content(&journal)).ok();
    let Ok(mut journal) = Journal::open(&path) else {
        assert!(fs::read(&path).expect("a file") == bytes, "what is refused is not changed");
        return;
    };
    let before = content(&journal);
    assert_eq!(Some(&before), peeked.as_ref());
    if let Some(right) = right_lines(&bytes) {
        // A number that is none in a part that is not looked at here damages a line, too.
        let mut others = right.iter();
        assert!(before.lines.iter().all(|line| others.any(|right| right == line)), "{before:?}\n{right:?}");
        assert!(right.len() <= before.lines.len() + before.damaged, "{before:?}\n{right:?}");
    }
    for (place, line) in journal.lines().iter().enumerate() {
        // A line may pass the checksum and hold columns that are none.
        let Some(records) = journal.read(place).ok().and_then(|games| games.records()) else { continue };
        assert_eq!(records.len(), line.games as usize);
    }
    let plan = EXPERIMENT.plan();
    let plan = KeyedPlan::with_keys(plan, vec!["a".to_owned(), "b".to_owned()]);
    if let Ok(coverage) = Coverage::from_journal(&plan, &journal) {
        for stretch in coverage.stretches.iter().flatten() {
            assert!(stretch.blocks > 0 && stretch.first + stretch.blocks <= plan.blocks.len(), "{stretch:?}");
        }
    }

    let mut more = GamesEntry::new("more", &[], 1);
    more.first = Some(0);
    journal.append_games(more.to_line()).expect("a journal is written to");
    drop(journal);
    let after = content(&Journal::open(&path).expect("a journal is opened again"));
    let mut expected = before;
    expected.lines.push(("more".to_owned(), Some(0), 0));
    assert_eq!(after, expected);
}

/// Content of a journal, but for the times of its sessions.
#[derive(Debug, PartialEq)]
struct Content {
    lines: Vec<(String, Option<u64>, u32)>,
    sessions: usize,
    panics: usize,
    damaged: usize,
}

fn content(journal: &Journal) -> Content {
    let lines = journal.lines().iter().map(|line| (line.key.to_string(), line.first, line.games));
    Content {
        lines: lines.collect(),
        sessions: journal.sessions().len(),
        panics: journal.panics().count(),
        damaged: journal.damaged_lines(),
    }
}

/// The lines of games in a journal, read in a second and plain way: whole lines with a right
/// checksum before the JSON of some games. None if some of them is no JSON as this way reads it,
/// with a number beyond all numbers, perhaps.
fn right_lines(bytes: &[u8]) -> Option<Vec<(String, Option<u64>, u32)>> {
    let mut found = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let Some((sum, json)) = line.strip_suffix(b"\n").and_then(|line| line.split_at_checked(17)) else {
            continue;
        };
        if sum != format!("{} ", checksum(json)).as_bytes() {
            continue;
        }
        let entry: Value = serde_json::from_slice(json).ok()?;
        let Some(games) = entry.get("games").filter(|games| games.is_object()) else { continue };
        let count = u32::try_from(games["games"].as_u64()?).ok()?;
        let first = if games["first"].is_null() { None } else { Some(games["first"].as_u64()?) };
        found.push((games["key"].as_str()?.to_owned(), first, count));
    }
    Some(found)
}

fn checksum(json: &[u8]) -> String {
    blake3::hash(json).to_hex()[..16].to_owned()
}

/// The bytes of `games.csv`. What is accepted adds up to what a second and plain reading finds.
pub fn games(data: &[u8]) {
    let plan: Plan = EXPERIMENT.plan();
    let mut heard = 0;
    let Ok((tallies, blocks)) = tally_rows(&plan, &mut &*data, &mut |_, _, _| heard += 1) else { return };
    let mut reader = csv::Reader::from_reader(data);
    let names = reader.headers().expect("what is accepted has heads").clone();
    let rows: Vec<BTreeMap<&str, String>> = reader
        .records()
        .map(|row| names.iter().zip(row.expect("a row").iter().map(str::to_owned)).collect())
        .collect();
    assert_eq!(heard, rows.len());
    assert_eq!(rows.len() as u64, blocks * plan.players.len() as u64);
    for (player, tally) in plan.players.iter().zip(&tallies) {
        let rows: Vec<_> = rows.iter().filter(|row| row["player"] == player.name).collect();
        let is_broken = |row: &&&BTreeMap<&str, String>| {
            Ending::ALL.iter().any(|ending| ending.is_panic() && ending.name() == row["ending"])
        };
        let whole: Vec<_> = rows.iter().filter(|row| !is_broken(row)).collect();
        let sum =
            |column| whole.iter().map(|row| row[column].parse::<u128>().expect("a number")).sum::<u128>();
        assert_eq!(rows.len() - whole.len(), tally.broken as usize);
        assert_eq!(whole.len() as u64, tally.games);
        assert_eq!(whole.iter().filter(|row| row["won"] == "true").count() as u64, tally.wins);
        assert_eq!(sum("moves"), u128::from(tally.moves));
        assert_eq!(sum("score"), tally.scores.sum());
        let forfeit = |ending: &str| {
            Ending::ALL
                .iter()
                .any(|known| known.name() == ending && known.seat_at_fault() == Some(Seat::First))
        };
        assert_eq!(whole.iter().filter(|row| forfeit(&row["ending"])).count() as u64, tally.forfeits());
        for (fact, counts) in plan.arena.facts.iter().zip(&tally.facts) {
            let mut plain: BTreeMap<i64, u64> = BTreeMap::new();
            for row in &whole {
                *plain
                    .entry(row.get(fact.column).map_or(0, |text| text.parse().expect("a number")))
                    .or_default() += 1;
            }
            assert_eq!(plain, *counts);
        }
    }
    assert!(matches!(&*plan.blocks, BlockSeeds::Derived { .. }));
}

/// Questions to `gauntlet probe`. Each line up to the first mistake is answered by one line, with
/// its own `id`, and each player names a move that the rules allow.
pub fn probe(data: &[u8]) {
    let mut out = Vec::new();
    let done = answer_all(&gauntlet::GAMES, Some(&EXPERIMENT), data, "boards", &mut out);
    let answers = String::from_utf8(out).expect("answers are text");
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').collect();
    let is_blank = |line: &[u8]| str::from_utf8(line).is_ok_and(|line| line.trim().is_empty());
    let asked = match &done {
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
    let asked: Vec<&[u8]> = lines[..asked].iter().filter(|line| !is_blank(line)).copied().collect();
    assert_eq!(answers.lines().count(), asked.len(), "{answers}");
    for (question, answer) in asked.iter().zip(answers.lines()) {
        let question = question.strip_prefix("\u{feff}".as_bytes()).unwrap_or(question);
        let [asked, told] = [question, answer.as_bytes()].map(|line| {
            serde_json::from_slice::<Named>(line).expect("a line of JSON").id.map(|id| id.get().to_owned())
        });
        // An invisible character comes back by its number, or between words as a blank.
        let asked = asked.map(|id| escape::json(&id));
        assert_eq!(asked.as_deref().unwrap_or("null"), told.as_deref().unwrap_or("null"));
        // The rest of an answer; an `id` may hold what JSON knows and Rust does not, as half a
        // letter.
        let answer = answer.split_once(",\"over\":").expect("whether the game is over").1;
        let answer: Value = serde_json::from_str(&format!("{{\"over\":{answer}")).expect("an answer is JSON");
        let moves = answer["moves"].as_object().expect("moves");
        assert_eq!(moves.len(), 4);
        let movable = moves.values().any(|after| !after.is_null());
        assert!(!(answer["over"] == true && movable), "{answer}");
        let players = answer["players"].as_object().expect("players");
        assert_eq!(players.len(), EXPERIMENT.entries().len());
        for player in players.values() {
            assert!(player.get("panic").is_none(), "{answer}");
            match player["move"].as_str() {
                Some(chosen) => assert!(!moves[chosen].is_null(), "{answer}"),
                None => assert!(!movable || player.get("gave_up").is_some(), "{answer}"),
            }
        }
    }
}

/// The `id` of a question or of an answer, to the letter.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    id: Option<Box<RawValue>>,
}

/// The folder of this package, from which corpora and dictionaries are read.
pub fn package() -> &'static Path {
    // This file is a part of two programs: of the package itself, and of the library's tests.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    if folder.ends_with("fuzz") { folder } else { Box::leak(folder.join("fuzz").into_boxed_path()) }
}
