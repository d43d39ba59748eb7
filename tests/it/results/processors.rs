//! Times of a run whose games were played on several processors.

use std::collections::BTreeMap;

use crate::bench::{Folder, add_checksum, classics_with_games, parse_entry, read_rows};

/// A name that needs quotes in CSV and escapes on a page.
const OTHER: &str = "Other <b>, 2 GHz";

/// Two shards; the second one's journal names another processor.
pub(crate) fn play_shards() -> Folder {
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
    let folder = play_shards();
    // The same for merged and unmerged journals.
    folder.run("report results/classics --table times-by-processor").assert_status(0).assert_says(OTHER);
    folder.run("merge a.toml").assert_status(0);
    let manifest: toml::Table = folder.read("results/classics/manifest.toml").parse().unwrap();
    let sessions = manifest["session"].as_array().unwrap().iter();
    let processors: Vec<&str> = sessions.map(|session| session["cpu"].as_str().unwrap()).collect();
    assert!(processors.len() == 2 && processors[1] == OTHER && processors[0] != OTHER, "{processors:?}");

    // Number of timed moves, and milliseconds.
    let mut time_sums: BTreeMap<(String, &str), (u64, f64)> = BTreeMap::new();
    for row in read_rows(&folder, "results/classics/times.csv") {
        let session: usize = row["session"].parse().unwrap();
        let sum = time_sums.entry((row["player"].clone(), processors[session - 1])).or_default();
        sum.0 += row["thoughts"].parse::<u64>().unwrap();
        sum.1 += row["cpu_ms"].parse::<f64>().unwrap();
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
    let actual: Vec<_> = table.iter().map(|row| [&*row["player"], &*row["processor"]]).collect();
    let players = read_rows(&folder, "results/classics/win-rate.csv");
    let expected =
        players.iter().flat_map(|row| processors.iter().map(|&processor| [&*row["player"], processor]));
    assert_eq!(actual, expected.collect::<Vec<_>>());
    for row in &table {
        let key = (row["player"].clone(), processors[usize::from(row["processor"] == OTHER)]);
        let (thoughts, ms) = time_sums[&key];
        assert_eq!(row["thoughts"], thoughts.to_string(), "{key:?}");
        assert!(
            thoughts.abs_diff(moves[&key]) < moves[&key] / 4,
            "{key:?}: {thoughts}, and {} moves",
            moves[&key]
        );
        let (mean, reported) = (ms / thoughts as f64, row["cpu_ms_per_move"].parse::<f64>().unwrap());
        assert!((mean - reported).abs() < 1e-6, "{key:?}: {reported}, and {mean}");
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
    let folder = play_shards();
    folder.run("merge a.toml").assert_status(0);
    let path = folder.path("results/classics/times-by-processor.csv");
    assert!(path.exists());
    folder.play("a.toml", classics_with_games(20));
    assert!(!path.exists(), "the first half of the blocks is of the first processor");
    let output = folder.run("report results/classics").assert_status(0);
    assert!(!output.stdout.contains("times-by-processor"), "{}", output.stdout);
    folder.run("report results/classics --table times-by-processor").assert_status(1);
}
