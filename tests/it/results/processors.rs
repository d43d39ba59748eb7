//! Times of a run whose games were played on several processors.

use std::collections::BTreeMap;

use crate::bench::{Folder, add_checksum, classics_with_games, parse_entry, read_rows};

/// A name that needs quotes in CSV and escapes on a page.
const OTHER: &str = "Other <b>, 2 GHz";

/// Two shards; the second one's journal names another processor.
pub(crate) fn shards() -> Folder {
    let folder = Folder::with_file("a.toml", classics_with_games(40));
    for shard in ["1/2", "2/2"] {
        folder.run(&format!("run a.toml --quiet --shard {shard}")).assert_status(0);
    }
    let path = "results/classics/journal-2-of-2.jsonl";
    let line = |line: &str| {
        let mut entry = parse_entry(line);
        if let Some(session) = entry.get_mut("session") {
            session["cpu"] = OTHER.into();
        }
        add_checksum(&entry.to_string())
    };
    folder.write(path, folder.read(path).lines().map(line).collect::<String>());
    folder
}

#[test]
fn a_move_has_a_time_on_each_processor() {
    let folder = shards();
    // The same for merged and unmerged journals.
    folder.run("report results/classics --table times-by-processor").assert_status(0).assert_says(OTHER);
    folder.run("merge a.toml").assert_status(0);
    let manifest: toml::Table = folder.read("results/classics/manifest.toml").parse().unwrap();
    let sessions = manifest["session"].as_array().unwrap().iter();
    let processors: Vec<&str> = sessions.map(|session| session["cpu"].as_str().unwrap()).collect();
    assert!(processors.len() == 2 && processors[1] == OTHER && processors[0] != OTHER, "{processors:?}");

    // Number of timed moves, and milliseconds.
    let mut timed: BTreeMap<(String, &str), (u64, f64)> = BTreeMap::new();
    for part in read_rows(&folder, "results/classics/times.csv") {
        let session: usize = part["session"].parse().unwrap();
        let sum = timed.entry((part["player"].clone(), processors[session - 1])).or_default();
        sum.0 += part["thoughts"].parse::<u64>().unwrap();
        sum.1 += part["cpu_ms"].parse::<f64>().unwrap();
    }
    // The first shard has the first half of the blocks. Only one of many moves of a fast player is
    // timed.
    let mut moves: BTreeMap<(String, &str), u64> = BTreeMap::new();
    for game in read_rows(&folder, "results/classics/games.csv") {
        let shard = usize::from(game["block"].parse::<u64>().unwrap() >= 20);
        *moves.entry((game["player"].clone(), processors[shard])).or_default() +=
            game["moves"].parse::<u64>().unwrap();
    }
    let table = read_rows(&folder, "results/classics/times-by-processor.csv");
    let found: Vec<_> = table.iter().map(|row| [&*row["player"], &*row["processor"]]).collect();
    let players = read_rows(&folder, "results/classics/win-rate.csv");
    let expected = players.iter().flat_map(|row| processors.iter().map(|&it| [&*row["player"], it]));
    assert_eq!(found, expected.collect::<Vec<_>>());
    for row in &table {
        let of = (row["player"].clone(), processors[usize::from(row["processor"] == OTHER)]);
        let (thoughts, ms) = timed[&of];
        assert_eq!(row["thoughts"], thoughts.to_string(), "{of:?}");
        assert!(
            thoughts.abs_diff(moves[&of]) < moves[&of] / 4,
            "{of:?}: {thoughts}, and {} moves",
            moves[&of]
        );
        let (mean, told) = (ms / thoughts as f64, row["cpu_ms_per_move"].parse::<f64>().unwrap());
        assert!((mean - told).abs() < 1e-6, "{of:?}: {told}, and {mean}");
    }

    folder.run("report results/classics").assert_status(0).assert_says("times-by-processor");
    folder.run("report results/classics --out page.html").assert_status(0);
    let page = folder.read("page.html");
    assert!(page.contains("Time per move by processor") && !page.contains(OTHER));
}

/// If all games were played on one processor there is no such table, and an existing one is
/// removed.
#[test]
fn one_processor_has_no_table_of_its_own() {
    let folder = shards();
    folder.run("merge a.toml").assert_status(0);
    let path = folder.path("results/classics/times-by-processor.csv");
    assert!(path.exists());
    folder.play("a.toml", classics_with_games(20));
    assert!(!path.exists(), "the first half of the blocks is of the first processor");
    let said = folder.run("report results/classics").assert_status(0);
    assert!(!said.out.contains("times-by-processor"), "{}", said.out);
    folder.run("report results/classics --table times-by-processor").assert_status(1);
}
