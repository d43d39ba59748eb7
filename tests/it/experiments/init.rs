//! `gauntlet init --external`: starter players in several languages, and experiments that play
//! them.

#![cfg(unix)]

use std::path::Path;

use crate::bench::{Folder, read_rows};
use crate::source::read_repository;
use crate::tools::is_installed;

/// Each language, its program, the ending of its files, and the command that compiles a starter.
const LANGUAGES: &[(&str, &str, &str, Option<&str>)] = &[
    ("python", "python3", "py", None),
    ("javascript", "node", "js", None),
    ("c", "cc", "c", Some("cc -O2 -o my_player my_player.c")),
    ("c++", "c++", "cpp", Some("c++ -O2 -o my_player my_player.cpp")),
    ("lua", "lua", "lua", None),
    ("rust", "rustc", "rs", Some("rustc -O -o my_player my_player.rs")),
];

/// The steps that `init` prints work, in the folder of the experiment and above it. The starter
/// plays the same games as the built-in player in its experiment.
#[test]
fn a_starter_in_each_language_plays_after_the_printed_steps() {
    let help = Folder::new().run("init -h").assert_status(0).stdout;
    let names: Vec<&str> = LANGUAGES.iter().map(|(language, ..)| *language).collect();
    assert!(help.contains(&format!("[possible values: {}]", names.join(", "))), "{help}");
    for (index, (language, program, extension, compile)) in LANGUAGES.iter().enumerate() {
        let folder = Folder::with_file("my games/.keep", "");
        let file = if index % 2 == 0 { "mine.toml" } else { "my games/mine.toml" };
        let stdout =
            folder.shell(&format!("gauntlet init --external {language} '{file}'")).assert_status(0).stdout;
        let steps: Vec<&str> = stdout.lines().skip(1).map(str::trim).collect();
        assert_eq!(steps.len(), if compile.is_some() { 3 } else { 2 }, "{stdout}");
        let (experiment, source) =
            (folder.read(file), folder.read(&file.replace("mine.toml", &format!("my_player.{extension}"))));
        assert!(compile.is_none_or(|compile| source.contains(compile)), "{source}");
        assert!(!source.contains("first."), "{source}");
        let is_in_head = |step: &&&str| experiment.contains(&format!("#     {step}\n"));
        assert_eq!(steps.iter().filter(is_in_head).count(), steps.len() - 1, "{steps:?} in {experiment}");
        assert_eq!(experiment.contains(" in Python,"), *language == "python", "{experiment}");
        if !is_installed(program) {
            continue;
        }
        for step in steps {
            let is_run = step.starts_with("gauntlet run ");
            folder
                .shell(&format!("{step}{}", if is_run { " --games 12 --quiet" } else { "" }))
                .assert_status(0);
        }
        let games = read_rows(&folder, "results/mine+games=12/games.csv");
        let games_of = |name: &str| -> Vec<_> {
            let rows = games.iter().filter(|row| row["player"] == name);
            rows.map(|row| ["seed", "score", "moves", "ending"].map(|column| row[column].clone())).collect()
        };
        assert_eq!(
            (games_of("my player").len(), games_of("my player")),
            (12, games_of("corner")),
            "{language}"
        );
    }
}

/// A starter wins games, so that its summary compares wins.
#[test]
fn starters_win_some_games() {
    if !is_installed("python3") {
        return;
    }
    let folder = Folder::new();
    folder.run("init --external python mine.toml").assert_status(0);
    folder
        .run("run mine.toml --allow-commands")
        .assert_status(0)
        .assert_says("my player and corner won equally often: 4.67 %");
}

/// An existing file stays, and nothing is written next to it.
#[test]
fn no_file_is_replaced() {
    for existing in ["mine.toml", "my_player.c", "my_player"] {
        let folder = Folder::with_file(existing, "mine");
        folder
            .run("init --external c mine.toml")
            .assert_status(2)
            .assert_says(&format!("{existing} already exists"));
        assert_eq!(folder.files(".").len(), 1, "{existing}");
        assert_eq!(folder.read(existing), "mine");
    }
    let folder = Folder::new();
    folder.run("init --external python -").assert_status(2).assert_says("writes two files");
    folder
        .run("init --external python absent/mine.toml")
        .assert_status(1)
        .assert_says("cannot write absent/my_player.py");
}

/// The published package has the files that the source includes.
#[test]
fn the_package_has_the_texts_of_starters() {
    let manifest: toml::Table = include_str!("../../../Cargo.toml").parse().expect("TOML");
    let patterns = manifest["package"]["include"].as_array().expect("a list").iter();
    let folders: Vec<&str> = patterns.filter_map(|pattern| pattern.as_str()?.strip_suffix("/**")).collect();
    let mut count = 0;
    for file in read_repository().iter().filter(|file| file.path.starts_with("src/")) {
        let folder = Path::new(&file.path).parent().expect("a folder");
        for included in file.text.split("\"../../").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert_eq!(folder, Path::new("src/commands"), "{included} in {}", file.path);
            assert!(folders.iter().any(|folder| Path::new(included).starts_with(folder)), "{included}");
            count += 1;
        }
    }
    assert!(count > 2, "{count}");
}
