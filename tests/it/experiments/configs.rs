//! Every file in `configs/` loads; every experiment in `bad/` is refused with exactly the messages
//! below it.

use std::fs;
use std::path::{Path, PathBuf};

use gauntlet::config::{self, LoadError};
use gauntlet::settings::tree;
use gauntlet::tune::section::TuneSection;
use gauntlet::{GAMES, catalog};

use crate::bench::Folder;
use crate::golden;

/// Returns the files of a folder with one extension, sorted by name.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            paths.extend(files(path.to_str().unwrap(), extension));
        } else if path.extension().is_some_and(|actual| actual == extension) {
            paths.push(path);
        }
    }
    paths.sort();
    paths
}

#[test]
fn every_configuration_loads() {
    let files = files("configs", "toml");
    assert!(!files.is_empty());
    for path in files {
        // Trained networks and endgame tables are too large to be committed.
        let needs_files = path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            ["leaderboard-networks", "endgames", "strongest", "c12-macroxue"]
                .iter()
                .any(|start| name.starts_with(start))
        });
        let asset_folder = path.parent().filter(|folder| !folder.ends_with("train") && !needs_files);
        let bytes = fs::read(&path).unwrap();
        let experiment = config::from_bytes(catalog(&GAMES), &path, bytes, asset_folder)
            .unwrap_or_else(|error| panic!("{error}"));
        // An experiment written again has the same meaning.
        let text = tree::write_document(&experiment.table());
        let reparsed = config::from_bytes(catalog(&GAMES), &path, text.clone().into_bytes(), asset_folder);
        let reparsed = reparsed.unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(reparsed.table() == experiment.table(), "{text}");
        assert!(
            reparsed.is_equivalent(&experiment)
                && TuneSection::from_experiment(&reparsed) == TuneSection::from_experiment(&experiment),
            "{text}"
        );
    }
}

/// A case has a name, an experiment, and the messages. Messages do not depend on line ends.
#[test]
fn every_bad_file_is_refused_in_its_own_words() {
    const NAME: &str = "=== ";
    const LINE: &str = "-----\n";
    let check = |case: &str| {
        let (name, rest) = case.split_once('\n').expect("the name of a case");
        let text = rest.split(LINE).next().unwrap();
        let refusal = |text: &str| match config::parse(catalog(&GAMES), &format!("{name}.toml"), text) {
            Ok(_) => panic!("{name} is not bad"),
            Err(mistakes) => format!("{mistakes}\n"),
        };
        let message = refusal(text);
        // The end of an unclosed string is after the carriage return.
        if name != "syntax" {
            assert_eq!(refusal(text.replace('\n', "\r\n").trim_end()), message);
        }
        format!("{NAME}{name}\n{text}{LINE}{message}")
    };
    let files = files("tests/it/experiments/bad", "txt");
    assert!(!files.is_empty());
    golden::assert_all_golden(files.iter().map(|path| {
        let cases = fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().display();
        (format!("it/experiments/bad/{name}"), cases.split(NAME).skip(1).map(check).collect())
    }));
}

/// Returns the paragraphs of comments, without commands and tables, which are indented.
fn paragraphs(text: &str) -> Vec<String> {
    let mut texts = vec![String::new()];
    for line in text.lines() {
        match line.strip_prefix("# ") {
            Some(words) if !words.starts_with("   ") && !words.starts_with("- ") => {
                let last = texts.last_mut().expect("a paragraph");
                *last += words.trim();
                last.push(' ');
            }
            Some(words) if words.starts_with("- ") => texts.push(words[2..].to_owned() + " "),
            _ => texts.push(String::new()),
        }
    }
    texts
}

/// Splits a paragraph after full stops, question marks and colons.
fn sentences_in(paragraph: &str) -> Vec<&str> {
    let ends = paragraph.match_indices(' ').map(|(end, _)| end);
    let mut start = 0;
    let mut sentences = Vec::new();
    for end in ends.filter(|&end| paragraph[..end].ends_with(['.', '?', ':'])) {
        sentences.push(&paragraph[start..end]);
        start = end;
    }
    sentences.push(&paragraph[start..]);
    sentences
}

/// Comments of experiments are in lines of at most 100 columns and in sentences of at most 25
/// words, and the files that they name exist.
#[test]
fn comments_of_experiments_are_short_and_name_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut flaws, mut sentences, mut named_files) = (Vec::new(), 0, 0);
    for path in ["configs", "examples"].into_iter().flat_map(|folder| files(folder, "toml")) {
        let text = fs::read_to_string(&path).unwrap();
        let display_path = path.strip_prefix(root).unwrap().display();
        let comments = text.lines().filter(|line| line.starts_with('#') || line.contains("   # "));
        let is_package = path.file_name().is_some_and(|name| name == "Cargo.toml");
        for line in
            comments.filter(|line| line.chars().count() > 100 && (!is_package || line.starts_with('#')))
        {
            flaws.push(format!("{display_path}: {} columns: {line}", line.chars().count()));
        }
        for paragraph in paragraphs(&text) {
            for sentence in sentences_in(&paragraph) {
                sentences += 1;
                let words = sentence.split_whitespace().count();
                if words > 25 {
                    flaws.push(format!("{display_path}: {words} words: {sentence}"));
                }
            }
            // Files in backticks are not part of the repository.
            for word in paragraph.split_whitespace() {
                let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"`./".contains(c));
                let file = word.trim_end_matches(['.', ',']);
                let is_file = [".toml", ".csv", ".md"].iter().any(|extension| file.ends_with(extension));
                // A table is in the results of its experiment.
                if is_file && !file.contains('`') && (!file.ends_with(".csv") || file.contains('/')) {
                    named_files += 1;
                    if !root.join(file).exists() && !path.with_file_name(file).exists() {
                        flaws.push(format!("{display_path}: no such file: {file}"));
                    }
                }
            }
        }
    }
    assert_eq!(flaws, [""; 0], "{flaws:#?}");
    assert!(sentences > 300 && named_files > 30, "{sentences} {named_files}");
}

/// The samples in the description of the format load. Partial samples are completed.
#[test]
fn every_sample_in_the_format_loads() {
    let format = golden::read("../docs/EXPERIMENT.md");
    let samples = format.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut names = Vec::new();
    for sample in samples {
        let header = if sample.contains("game = ") { "" } else { "name = 'x'\ngame = '2048'\nseeds = [1]\n" };
        let experiment = config::parse(catalog(&GAMES), "EXPERIMENT.md", &format!("{header}{sample}"));
        let experiment = experiment.unwrap_or_else(|mistakes| panic!("{mistakes}"));
        names.extend(experiment.players().iter().map(|entry| entry.name.clone()));
    }
    let listed_names = format.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(names.join("\n").contains(listed_names.trim()), "{names:?}");
}

#[test]
fn a_file_that_cannot_be_read_is_no_mistake_of_its_author() {
    let folder = Folder::new();
    let path = folder.path("x.toml");
    assert!(matches!(config::load(catalog(&GAMES), &path), Err(LoadError::Unreadable(_))));
    folder.write("x.toml", b"# good\nname = '\xff'");
    let Err(LoadError::Mistaken(mistakes)) = config::load(catalog(&GAMES), &path) else {
        panic!("must be refused")
    };
    assert_eq!(mistakes.list()[0].message, "is not UTF-8, from line 2, column 9");
}
