//! Re-evaluation of verdicts from `games.csv`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use gauntlet::results::store::manifest::ReevaluationKeys;

use crate::bench::{Folder, play_in_new_folder, read_rows};

/// A run that stops early, with claims and published numbers of every kind. One player's name needs
/// quotes in a table.
const EXPERIMENT: &str = r#"
name = "old"
game = "2048"
seed = 3
games = 2000
win = 256
player = [
    { name = "gain", algorithm = "greedy" },
    { name = "any, at all", algorithm = "random" },
]

[[claim]]
better = "gain"
than = "any, at all"

[[claim]]
better = "any, at all"
than = "gain"
by = "reach 128"
margin = 0.1

[[published]]
player = "gain"
what = "win"
value = 0.6
games = 50
source = "a paper"

[[published]]
player = "gain"
what = "reach 512"
value = [0.1, 0.2]
source = "a paper"

[[published]]
player = "any, at all"
what = "score"
value = 1100
source = "a paper"

[[published]]
player = "any, at all"
what = "ms-per-move"
value = [0, 1]
source = "a paper"

[stop]
better = "gain"
than = "any, at all"
"#;

const VERDICTS: [&str; 3] = ["published.csv", "claims.csv", "stop.csv"];

/// Returns results without their journal.
fn without_journal(text: &str) -> Folder {
    let folder = play_in_new_folder("old.toml", text);
    fs::remove_file(folder.path("results/old/journal.jsonl")).unwrap();
    folder
}

/// Returns all files of the results.
fn files(folder: &Folder) -> BTreeMap<String, String> {
    let files = folder.files("results/old").into_iter();
    files.map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap())).collect()
}

/// Returns the names of files that differ or are missing in one of two.
fn changed_files(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> BTreeSet<String> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names.into_iter().filter(|&name| before.get(name) != after.get(name)).cloned().collect()
}

fn name_set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn manifest(folder: &Folder) -> toml::Table {
    folder.read("results/old/manifest.toml").parse().unwrap()
}

/// Asserts that the digests in a manifest match the files next to it.
#[track_caller]
fn check_digests(folder: &Folder) {
    let manifest = manifest(folder);
    let mut digests = manifest["digests"].as_table().expect("a table").clone();
    digests.insert("experiment.toml".to_owned(), manifest["experiment_digest"].clone());
    for (name, digest) in &digests {
        let actual = blake3::hash(folder.read(&format!("results/old/{name}")).as_bytes()).to_hex();
        assert_eq!(digest.as_str(), Some(&*actual), "{name}");
    }
    let tables: BTreeSet<String> = files(folder).into_keys().filter(|name| name != "manifest.toml").collect();
    assert_eq!(digests.keys().cloned().collect::<BTreeSet<_>>(), tables);
}

#[test]
fn the_same_games_have_the_same_verdicts() {
    let folder = without_journal(EXPERIMENT);
    let before = files(&folder);
    let old_manifest = manifest(&folder);
    // As if another version had written them with other verdicts, or none.
    for name in &VERDICTS[..2] {
        folder.write(&format!("results/old/{name}"), "player\nother\n");
    }
    fs::remove_file(folder.path("results/old/stop.csv")).unwrap();
    let output = folder.run("judge old.toml").assert_status(0).assert_says("no games played");
    assert!(
        output.stdout.contains(" of at most ") && !output.stdout.contains("win-rate"),
        "{}",
        output.stdout
    );
    assert_eq!(changed_files(&before, &files(&folder)), name_set(&["manifest.toml"]));
    check_digests(&folder);

    let mut new_manifest = manifest(&folder);
    let reevaluation = new_manifest.remove("judged").expect("who judged");
    assert_eq!(new_manifest, old_manifest);
    assert_eq!(reevaluation["command"].as_str(), Some("gauntlet judge old.toml"));
    assert_eq!(reevaluation["gauntlet"], old_manifest["gauntlet"]);
    assert_eq!(reevaluation.get("added_claims"), None);
    // A folder contains its experiment, and the page names the judging version.
    let files_before = files(&folder);
    folder.run("judge results/old").assert_status(0);
    assert_eq!(changed_files(&files_before, &files(&folder)), name_set(&["manifest.toml"]));
    folder.run("report results/old --out -").assert_status(0).assert_says("<dt>verdicts re-evaluated</dt>");
}

/// Without a `[stop]`, with claims by score and time, and with games that broke their player's
/// program.
#[test]
fn broken_games_and_times_count_as_in_a_run() {
    let (header, _) = EXPERIMENT.split_once("[stop]").unwrap();
    let header = header.replace("games = 2000", "games = 60");
    let claims = ["score", "ms-per-move"]
        .map(|measure| format!("[[claim]]\nbetter = \"gain\"\nthan = \"any, at all\"\nby = {measure:?}\n"));
    let folder = without_journal(&(header + &claims.concat()));
    let before = files(&folder);
    folder.run("judge old.toml").assert_status(0);
    let after = files(&folder);
    // Times in a table have six decimals, so bounds may differ from those of the run in the last
    // digit.
    assert!(changed_files(&before, &after).is_subset(&name_set(&["manifest.toml", "claims.csv"])));
    let columns = |files: &BTreeMap<String, String>| -> Vec<Vec<String>> {
        let mut reader = csv::Reader::from_reader(files["claims.csv"].as_bytes());
        let verdict = reader.headers().unwrap().iter().position(|column| column == "verdict").unwrap();
        let rows = reader.records().map(|row| row.unwrap());
        rows.map(|row| [1, 2, 6, 7, verdict].map(|column| row[column].to_owned()).to_vec()).collect()
    };
    assert_eq!(columns(&before), columns(&after));
    assert_eq!(columns(&after).len(), 4);
    assert_eq!(before["claims.csv"].lines().nth(3), after["claims.csv"].lines().nth(3), "the claim by score");

    // A game that broke its player's program is a row, and counts in no number.
    let games = &before["games.csv"];
    let row = games.lines().find(|row| row.starts_with("gain,7,")).unwrap();
    let seed = row.split(',').nth(2).unwrap();
    forge_games(&folder, &games.replace(row, &format!("gain,7,{seed},0,0,0,false,panic")));
    folder.run("judge old.toml").assert_status(0).assert_says("1 game of gain failed");
    let claim = &read_rows(&folder, "results/old/claims.csv")[0];
    assert_eq!(["games", "than_games"].map(|column| &*claim[column]), ["59", "59"]);
    let published = read_rows(&folder, "results/old/published.csv");
    assert_eq!(published.iter().map(|row| &*row["games"]).collect::<Vec<_>>(), ["59", "59", "60", "60"]);
}

/// Writes other games, with their digest in the manifest.
fn forge_games(folder: &Folder, text: &str) {
    let digest = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    let manifest = folder.read("results/old/manifest.toml");
    let old_digest = digest(&folder.read("results/old/games.csv"));
    assert!(manifest.contains(&old_digest));
    folder.write("results/old/manifest.toml", manifest.replace(&old_digest, &digest(text)));
    folder.write("results/old/games.csv", text);
}

const STOP: &str = "[stop]\nbetter = \"gain\"\nthan = \"any, at all\"\n";

#[test]
fn what_is_added_is_judged_and_named() {
    let folder = without_journal(EXPERIMENT);
    let before = files(&folder);
    let added_tables = "\n[[published]]\nplayer = \"gain\"\nwhat = \"score\"\nvalue = 9_000\nsource = \"a later paper\"\n\
                 \n[[claim]]\nbetter = \"gain\"\nthan = \"any, at all\"\nby = \"reach 512\"\n";
    folder.write("old.toml", EXPERIMENT.to_owned() + added_tables);
    folder.run("judge old.toml").assert_status(0).assert_says(
        "warning: claimed after the games were played: by reach 512, gain is better than any, at all, at level 0.95",
    );
    let after = files(&folder);
    assert_eq!(
        changed_files(&before, &after),
        name_set(&["manifest.toml", "experiment.toml", "published.csv", "claims.csv"])
    );
    assert_eq!(after["experiment.toml"], EXPERIMENT.to_owned() + added_tables);
    assert!(after["published.csv"].contains("would differ,1,a later paper"), "{}", after["published.csv"]);
    check_digests(&folder);
    // The warning stays as long as the claim is in the file.
    folder.run("judge results/old").assert_status(0).assert_says("warning: claimed after");
    let reevaluation = &manifest(&folder)["judged"];
    assert_eq!(reevaluation["added_claims"].as_array().map(Vec::len), Some(1));
    assert_eq!(reevaluation["revision"].as_str(), manifest(&folder)["revision"].as_str());

    // A removed claim causes a warning too. A restored claim does not, because it was announced.
    folder.write("old.toml", EXPERIMENT.split_once("[[claim]]").unwrap().0.to_owned() + STOP);
    folder
        .run("judge old.toml")
        .assert_status(0)
        .assert_says("warning: a claim was removed after the games were played: by ");
    let reevaluation = &manifest(&folder)["judged"];
    assert_eq!(
        reevaluation["removed_claims"].as_array().map(Vec::len),
        Some(EXPERIMENT.matches("[[claim]]").count())
    );
    assert_eq!(reevaluation.get("added_claims"), None);
    folder.write("old.toml", EXPERIMENT);
    folder.run("judge old.toml").assert_status(0);
    let reevaluation = &manifest(&folder)["judged"];
    assert_eq!((reevaluation.get("removed_claims"), reevaluation.get("added_claims")), (None, None));

    // The table of removed claims disappears.
    let without_claims = EXPERIMENT.split_once("[[claim]]").unwrap().0;
    folder.write("old.toml", without_claims.to_owned() + STOP);
    folder.run("judge old.toml").assert_status(0);
    assert_eq!(
        changed_files(&before, &files(&folder)),
        name_set(&["manifest.toml", "experiment.toml", "published.csv", "claims.csv"])
    );
    assert!(
        !folder.path("results/old/claims.csv").exists() && !folder.path("results/old/published.csv").exists()
    );
    check_digests(&folder);
}

#[test]
fn games_that_are_not_those_of_the_experiment_are_refused() {
    let folder = without_journal(EXPERIMENT);
    let before = files(&folder);
    let games = "results/old/games.csv";
    let assert_refused = |code: i32, message: &str| {
        let files_before = files(&folder);
        let output = folder.run("judge old.toml").assert_status(code).assert_says(message);
        assert_eq!(output.stderr.trim_end().lines().count(), 1, "{}", output.stderr);
        assert_eq!(changed_files(&files_before, &files(&folder)), name_set(&[]), "{message}");
    };

    for (original, replacement, message) in [
        ("seed = 3\n", "seed = 4\n", "block 0 of gain has the seed"),
        (
            "algorithm = \"greedy\"",
            "algorithm = \"greedy\", ties = \"last\"",
            "played with other settings of gain;",
        ),
        ("win = 256", "win = 512", "played with other rules;"),
        ("\"gain\"", "\"greed\"", "played with the players gain, any, at all;"),
        ("[stop]\n", "[stop]\nmethod = \"confidence\"\n", "played with another `[stop]`;"),
        ("games = 2000", "games = 20", "gain has more games than the experiment (20)"),
        ("[stop]\nbetter = \"gain\"\nthan = \"any, at all\"\n", "", "played with another `[stop]`;"),
    ] {
        folder.write("old.toml", EXPERIMENT.replace(original, replacement));
        assert_refused(1, message);
        assert_refused(1, "play the experiment with `gauntlet run`");
    }
    folder.write("old.toml", "name = \"old\"");
    folder.run("judge old.toml").assert_status(2);
    folder.write("old.toml", EXPERIMENT);

    // Forged games are refused, first by the digest in the manifest, then even if their digest
    // matches.
    let cut_games: String = before["games.csv"].lines().take(40).map(|line| format!("{line}\n")).collect();
    let assert_forged = |text: &str, message: &str| {
        folder.write(games, text);
        folder.write("results/old/manifest.toml", &before["manifest.toml"]);
        assert_refused(1, "does not match its digest in the manifest");
        folder.write(games, &before["games.csv"]);
        forge_games(&folder, text);
        assert_refused(1, message);
    };
    assert_forged(&cut_games, "no games of any, at all");
    let blocks = before["games.csv"].lines().filter(|row| row.starts_with("gain,")).count();
    let shortened = before["games.csv"].trim_end().rsplit_once('\n').unwrap().0.to_owned() + "\n";
    assert_forged(&shortened, &format!("any, at all has {} games, but gain has {blocks}", blocks - 1));
    let row = |player: &str, block: usize| {
        let mut rows = before["games.csv"].lines();
        rows.find(|row| row.starts_with(&format!("{player},{block},"))).unwrap().to_owned() + "\n"
    };
    assert_forged(
        &before["games.csv"].replace(&row("gain", 7), ""),
        "found block 8 of gain, expected block 7",
    );
    let last_block = blocks - 1;
    let shorter = before["games.csv"]
        .replace(&row("gain", last_block), "")
        .replace(&row("\"any, at all\"", last_block), "");
    assert_forged(&shorter, &format!("has {last_block} games per player, but the experiment needs 2,000"));
    assert_forged(
        &before["games.csv"].replace("gain,", "other,"),
        "expected games of gain, found games of other",
    );
    assert_forged(&before["games.csv"].replace(",game-over\n", ",won\n"), "invalid ending: line 2");

    fs::remove_file(folder.path(games)).unwrap();
    assert_refused(1, "games.csv is missing; recreate it with `gauntlet run old.toml`");
    // Games can only be judged by an experiment that plays the same games. That is the copy next to
    // the tables if it is unchanged, or else the given file.
    for (name, text) in &before {
        folder.write(&format!("results/old/{name}"), text);
    }
    folder.write(
        "results/old/experiment.toml",
        EXPERIMENT.replace("\"greedy\"", "\"greedy\", ties = \"last\""),
    );
    folder.write("old.toml", EXPERIMENT.replace("margin = 0.1", "margin = 0.2"));
    assert_refused(1, "experiment.toml does not match its digest in the manifest");
    folder.write("old.toml", EXPERIMENT);
    folder.run("judge old.toml").assert_status(0);
    assert_eq!(changed_files(&before, &files(&folder)), name_set(&["manifest.toml"]));
    fs::remove_dir_all(folder.path("results")).unwrap();
    folder
        .run("judge old.toml")
        .assert_status(1)
        .assert_says("no such folder: results/old; `gauntlet run old.toml` creates it");
}

#[test]
fn the_keys_of_verdicts_made_anew_are_described() {
    let folder = without_journal(EXPERIMENT);
    folder.write("old.toml", EXPERIMENT.replace("margin = 0.1", "margin = 0.2"));
    folder.run("judge old.toml").assert_status(0);
    let reevaluation = manifest(&folder)["judged"].as_table().expect("a table").clone();
    for key in reevaluation.keys() {
        assert!(ReevaluationKeys::KEYS.iter().any(|known_key| known_key.name == key), "{key}");
    }
    assert_eq!(reevaluation.len(), 6);
}
