//! Committed results: they belong to committed experiments, and documents show their numbers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::bench::Folder;

/// Returns the names of the folders of committed results.
fn committed_results() -> Vec<String> {
    let results = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/results")).unwrap();
    // A run that is active or was stopped has a folder but no tables yet.
    let results = results.map(Result::unwrap).filter(|folder| folder.path().join("manifest.toml").exists());
    results.map(|folder| folder.file_name().into_string().unwrap()).collect()
}

#[test]
fn committed_results_are_those_of_the_committed_experiments() {
    let folder = Folder::new();
    let configs = ["configs", "configs/reproduce", "configs/train", "configs/tune", "examples/engines"];
    configs.iter().for_each(|path| folder.copy_from_repository(path));
    let entries = configs.map(|path| fs::read_dir(folder.path(path)).unwrap());
    let files: Vec<_> = entries.into_iter().flatten().map(|file| file.unwrap().path()).collect();
    let names = committed_results();
    assert!(names.iter().any(|name| name == "quick-published") && names.len() > 1, "{names:?}");
    let mut judged = 0;
    for name in names {
        folder.copy_from_repository(&format!("results/{name}"));
        let experiment = folder.read(&format!("results/{name}/experiment.toml"));
        let is_committed =
            files.iter().any(|file| fs::read(file).is_ok_and(|text| text == experiment.as_bytes()));
        assert!(is_committed, "no experiment equals results/{name}/experiment.toml");
        let manifest: toml::Table = folder.read(&format!("results/{name}/manifest.toml")).parse().unwrap();
        let digest = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
        assert_eq!(manifest["experiment_digest"].as_str().unwrap(), digest(&experiment), "{name}");
        for (table, expected) in manifest["digests"].as_table().unwrap() {
            // A table of a million games is not committed, but its digest is.
            if table != "games.csv" || folder.path(&format!("results/{name}/{table}")).exists() {
                let actual = digest(&folder.read(&format!("results/{name}/{table}")));
                assert_eq!(expected.as_str().unwrap(), actual, "{name}/{table}");
            }
        }
        if folder.path(&format!("results/{name}/games.csv")).exists() {
            // `judge` refuses games if a default that they were played with has changed.
            folder.run(&format!("judge results/{name}")).assert_status(0);
            judged += 1;
        }
    }
    assert!(judged > 50, "{judged}");
    // The small experiment is replayed.
    folder.run("run configs/quick.toml --quiet --results again").assert_status(0);
    for table in ["games", "win-rate", "max-tile"] {
        assert!(
            folder.read(&format!("again/quick/{table}.csv"))
                == folder.read(&format!("results/quick-published/{table}.csv"))
        );
    }
}

#[test]
fn documents_agree_with_the_results() {
    let folder = Folder::new();
    for results in committed_results() {
        folder.copy_from_repository(&format!("results/{results}"));
    }
    for tuning in ["from-ones", "ovolve-weights", "expectimax-weights", "swift-empty"] {
        for part in ["tune", "tune/validation-1"] {
            folder.copy_from_repository(&format!("results/{tuning}/{part}"));
        }
    }
    let documents = [
        ("README.md", "300"),
        ("docs/ENDGAMES.md", "1000"),
        ("docs/LEADERBOARD.md", "300"),
        ("docs/METHOD.md", "500"),
        ("docs/REPRODUCED.md", "0."),
        ("docs/TUNING.md", "1.5584"),
    ];
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.write("docs/leaderboard.svg", fs::read(repository.join("docs/leaderboard.svg")).unwrap());
    for (document, number) in documents {
        let check = format!("report --splice {document} --check");
        folder.write(document, fs::read(repository.join(document)).unwrap());
        folder.run(&check).assert_status(0);
        let text = folder.read(document);
        let marker_start = text.find("<!-- gauntlet ").unwrap();
        let table_start = marker_start + text[marker_start..].find('\n').unwrap();
        folder
            .write(document, text[..table_start].to_owned() + &text[table_start..].replacen(number, "1.", 1));
        folder.run(&check).assert_status(1).assert_says("out of date");
    }
}

/// A table counts the verdicts of each experiment with published numbers.
#[test]
fn the_reproductions_sum_up_every_verdict() {
    let folder = Folder::new();
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/REPRODUCED.md")).unwrap();
    let mut experiments = 0;
    for results in committed_results() {
        folder.copy_from_repository(&format!("results/{results}"));
        let path = format!("results/{results}/published.csv");
        if !folder.path(&path).exists() {
            continue;
        }
        experiments += 1;
        let table = folder
            .run(&format!("report results/{results} --table published --format csv"))
            .assert_status(0)
            .stdout;
        let mut table = csv::Reader::from_reader(table.as_bytes());
        let verdict = table.headers().unwrap().iter().position(|column| column == "verdict").unwrap();
        let mut counts = BTreeMap::<String, usize>::new();
        for row in table.records() {
            *counts.entry(row.unwrap()[verdict].to_owned()).or_default() += 1;
        }
        let (before_link, _) =
            document.split_once(&format!("](../{path})")).unwrap_or_else(|| panic!("no summary of {path}"));
        let summary = before_link.rsplit_once('[').unwrap().1;
        let stated_counts = summary.split(", ").map(|entry| {
            let (count, verdict) = entry.split_once(' ').unwrap();
            (verdict.to_owned(), count.parse().unwrap())
        });
        assert_eq!(stated_counts.collect::<BTreeMap<_, usize>>(), counts, "{path}");
    }
    assert!(experiments > 5);
}

/// The scores in the first table of LEADERBOARD are rounded means of the tables below it.
#[test]
fn the_first_table_of_the_leaderboard_has_means_of_the_others() {
    let page = include_str!("../../../docs/LEADERBOARD.md");
    let (answer, tables) = page.split_once("\n## ").expect("sections");
    let cells = answer.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('|'));
    let scores: Vec<u64> =
        cells.filter_map(|cell| cell.trim().rsplit_once(": ")?.1.replace(',', "").parse().ok()).collect();
    assert!(scores.len() > 10, "{scores:?}");
    let means: Vec<u64> = tables
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").nth(2)?.split(" [").next()?.parse().ok())
        .collect();
    let missing: Vec<_> =
        scores.iter().filter(|&&score| !means.iter().any(|mean| mean.abs_diff(score) <= 500)).collect();
    assert!(missing.is_empty(), "{missing:?} are not means of {means:?}");
}
