//! Settings as data: `settings.csv`, and its columns next to those of other tables.

use std::fs;
use std::path::Path;

use gauntlet::config;
use gauntlet::{GAMES, catalog};
use serde_json::{Value, json};

use crate::bench::{Folder, play_in_new_folder, read_rows};

const SWEEP: &str = r#"
name = "swept"
game = "2048"
seed = 5
games = 6
win = 64

[[player]]
name = "e"
algorithm = "swift-expectimax"
depth = 1

[player.weights]
merges = 2.0

[player.sweep]
weights.empty = [20.0, 0.25]

[[player]]
name = "gain, first"
algorithm = "greedy"
order = ["down", "up", "right", "left"]

[[player]]
name = "o"
algorithm = "ovolve"
depth = 1
"#;

const SETTINGS: &str = r#"player,algorithm,family,depth,adaptive,weights.empty,weights.merges,order,ties,millis,win_tile
e weights.empty=20.0,swift-expectimax,repository,1,true,20,2,,,,
e weights.empty=0.25,swift-expectimax,repository,1,true,0.25,2,,,,
"gain, first",greedy,,,,,,down-up-right-left,first,,
o,ovolve,,1,,,,,,,2048
"#;

fn json_of(folder: &Folder, line: &str) -> Value {
    serde_json::from_str(&folder.run(line).assert_status(0).stdout).expect("is JSON")
}

#[test]
fn settings_are_a_table() {
    let folder = play_in_new_folder("swept.toml", SWEEP);
    assert_eq!(folder.read("results/swept/settings.csv"), SETTINGS);
    let csv = "report results/swept --table settings --format csv";
    assert_eq!(folder.run(csv).assert_status(0).stdout, SETTINGS);
    // A person sees only settings that differ.
    let text = folder.run("report results/swept --table settings").assert_status(0).stdout;
    let header = text.lines().nth(1).expect("a head");
    let expected_header =
        "player algorithm family depth adaptive weights.empty weights.merges order ties win_tile";
    assert_eq!(header.split_whitespace().collect::<Vec<_>>().join(" "), expected_header);
    // It is only printed on request.
    assert!(!folder.run("report results/swept").assert_status(0).stdout.contains("settings"));
    // A changed table is refused, like every table.
    folder.write("results/swept/settings.csv", SETTINGS.replace("0.25,2", "0.5,2"));
    folder.run(csv).assert_status(1).assert_says("results/swept/settings.csv does not match");
    folder.run("merge swept.toml").assert_status(0);
    assert_eq!(folder.run(csv).assert_status(0).stdout, SETTINGS);
    // If all settings are equal, none differ.
    folder.play("one.toml", SWEEP.split("[player.sweep]").next().unwrap().replace("swept", "one"));
    let text = folder.run("report results/one --table settings").assert_status(0).stdout;
    assert_eq!(text.split_whitespace().filter(|word| word.contains("merges")).count(), 1, "{text}");
}

#[test]
fn settings_stand_beside_numbers() {
    let folder = play_in_new_folder("swept.toml", SWEEP);
    let results = json_of(&folder, "report results/swept --format json");
    for table in results["results"][0]["tables"].as_array().expect("tables") {
        for row in table["rows"].as_array().expect("rows") {
            let is_o = row["player"] == "o";
            assert_eq!(row["settings.depth"].is_null(), row["player"] == "gain, first", "{row}");
            assert_eq!(row["settings.win_tile"], if is_o { json!(2048) } else { Value::Null }, "{row}");
        }
    }
    let win_rate = &results["results"][0]["tables"][0]["rows"];
    assert_eq!(
        (&win_rate[0]["settings.weights.empty"], &win_rate[0]["settings.adaptive"]),
        (&json!(20), &json!(true))
    );
    assert_eq!(win_rate[1]["settings.weights.empty"], json!(0.25));
    assert_eq!(win_rate[2]["settings.algorithm"], "greedy");

    // In CSV they appear on request.
    let without_settings =
        folder.run("report results/swept --table win-rate --format csv").assert_status(0).stdout;
    assert_eq!(without_settings, folder.read("results/swept/win-rate.csv"));
    let with_settings = folder
        .run("report results/swept --table win-rate --format csv --with-settings")
        .assert_status(0)
        .stdout;
    folder.write("with.csv", &with_settings);
    for (line, longer) in without_settings.lines().zip(with_settings.lines()) {
        assert!(longer.starts_with(line), "{longer}");
    }
    let rows = read_rows(&folder, "with.csv");
    assert_eq!(
        (&*rows[1]["settings.weights.empty"], &*rows[2]["settings.order"]),
        ("0.25", "down-up-right-left")
    );
    let text = folder.run("report results/swept --table win-rate --with-settings").assert_status(0).stdout;
    assert!(text.contains(" weights.empty ") && !text.contains("millis"), "{text}");
}

/// Players of one name in two experiments, with settings of different algorithms.
#[test]
fn players_of_several_results_have_their_own_settings() {
    let folder = play_in_new_folder("swept.toml", SWEEP);
    let other = "name = 'other'\ngame = '2048'\nseed = 5\ngames = 6\nwin = 64\n[[player]]\nname = 'o'\n\
                 algorithm = 'lazuxd'\ndepth = 2\n";
    folder.play("other.toml", other);
    let ranking = json_of(&folder, "rank results/swept results/other --by score --format json");
    let rows = ranking["table"]["rows"].as_array().expect("rows");
    let settings = |player: &str| {
        let row = rows.iter().find(|row| row["player"] == player).expect("a row");
        (row["settings.algorithm"].clone(), row["settings.depth"].clone(), row["settings.win_tile"].clone())
    };
    assert_eq!(settings("o (swept)"), (json!("ovolve"), json!(1), json!(2048)));
    assert_eq!(settings("o (other)"), (json!("lazuxd"), json!(2), Value::Null));
    let comparison = json_of(&folder, "compare results/swept results/other --by score --format json");
    let row = &comparison["table"]["rows"][0];
    assert_eq!((&row["settings.depth"], &row["than_settings.depth"]), (&json!(2), &json!(1)));
    let csv = folder.run("compare results/swept --format csv").assert_status(0).stdout;
    assert!(!csv.contains("settings."), "{csv}");
    let csv = folder.run("compare results/swept --format csv --with-settings").assert_status(0).stdout;
    assert!(csv.lines().next().is_some_and(|head| head.contains(",than_settings.depth")), "{csv}");
}

/// Tables, claims and published numbers refer to the names that players had when they were played.
#[test]
fn players_of_committed_results_are_called_as_they_were() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let mut folders = 0;
    for entry in fs::read_dir(results).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(mut table) = csv::Reader::from_path(folder.join("win-rate.csv")) else { continue };
        let path = folder.join("experiment.toml");
        let experiment = config::from_bytes(catalog(&GAMES), &path, fs::read(&path).unwrap(), None).unwrap();
        let names: Vec<&str> = experiment.players().iter().map(|entry| entry.name.as_str()).collect();
        let played_names: Vec<String> = table.records().map(|row| row.unwrap()[0].to_owned()).collect();
        assert_eq!(names, played_names);
        folders += 1;
    }
    assert!(folders > 5, "{folders}");
}

/// A player is found by its settings among thousands, and its settings are shown.
#[test]
fn players_are_found_by_their_settings() {
    let folder = Folder::new();
    let runs: Vec<String> = (1..=5_000).map(|runs| runs.to_string()).collect();
    let header = "name = 'many'\ngame = '2048'\nseeds = [1]\n";
    let sweep = format!(
        "[[player]]\nname = 'r {{runs}}'\nalgorithm = 'ronzil'\nsweep.runs = [{}]\n",
        runs.join(", ")
    );
    let selector = |runs: u64| format!("{{ name = 'r {{runs}}', runs = {runs} }}");
    let claim = |i: u64| format!("[[claim]]\nbetter = {}\nthan = {}\n", selector(i), selector(i + 1));
    let claims: String = (1..=300).map(claim).collect();
    let experiment = config::parse(catalog(&GAMES), "x", &format!("{header}{sweep}{claims}")).unwrap();
    assert_eq!(
        (experiment.sections().claims[299].player, experiment.sections().claims[299].rival),
        (299, 300)
    );

    folder.write("swept.toml", SWEEP);
    let output = folder
        .run("players swept.toml")
        .assert_status(0)
        .assert_says("weights.empty")
        .assert_says("gain, first");
    assert!(!output.stdout.contains("millis"), "{}", output.stdout);
    let player_text = "[[player]]\nname = \"e weights.empty=0.25\"\nalgorithm = \"swift-expectimax\"\nfamily = \"repository\"\n\
               depth = 1\nadaptive = true\nweights = { empty = 0.25, merges = 2.0 }\n";
    assert_eq!(
        folder.shell("gauntlet players swept.toml 'e weights.empty=0.25'").assert_status(0).stdout,
        player_text
    );
    folder
        .shell("gauntlet players swept.toml 'e weights.emty=0.25'")
        .assert_status(2)
        .assert_says("did you mean \"e weights.empty=");
    folder.run("players greedy swept.toml").assert_status(2).assert_says("`greedy` is an algorithm");
    folder.run("players nowhere/x").assert_status(2).assert_says("nowhere/x");
    folder.copy_from_repository("results/quick-published");
    folder
        .shell("gauntlet players results/quick-published 'expectimax nodes=30'")
        .assert_status(0)
        .assert_says("nodes = 30");
}
