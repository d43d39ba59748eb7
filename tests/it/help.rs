//! Help of the program, word by word, and documents with the same texts.

use gauntlet::config;
use gauntlet::tune::section::TuneSection;
use gauntlet::{GAMES, catalog};

use crate::bench::{Folder, Said};
use crate::golden;

const README: &str = include_str!("../../README.md");
const TUNING: &str = include_str!("../../docs/TUNING.md");

/// Returns the help for a line. Help is wrapped at COLUMNS. Trailing spaces are invisible, and on
/// Windows the program has a file extension; both are removed.
fn told(folder: &Folder, line: &str) -> String {
    let output = folder.command(line).env("COLUMNS", "100").output().unwrap();
    let said = Said::of(line, &output).ends(0);
    assert_eq!(said.err, "", "{line}");
    let lines = said.out.lines().map(|line| line.trim_end().replace("gauntlet.exe", "gauntlet") + "\n");
    lines.collect()
}

/// Returns the commands listed in the help.
fn commands(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.map_while(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.filter(|&name| name != "help").collect();
    assert!(names.contains(&"run") && names.contains(&"completions"), "{names:?}");
    names
}

#[test]
fn help_is_what_it_was() {
    let folder = Folder::new();
    let help = told(&folder, "--help");
    let mut files = vec![("gauntlet-h".to_owned(), told(&folder, "-h"))];
    for command in commands(&help) {
        files.push((format!("{command}-h"), told(&folder, &format!("{command} -h"))));
        let long = told(&folder, &format!("{command} --help"));
        // The words of `format` are help themselves.
        if command != "format" {
            assert_eq!(told(&folder, &format!("help {command}")), long);
        }
        files.push((command.to_owned(), long));
    }
    files.push(("gauntlet".to_owned(), help));
    for (name, text) in &files {
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest <= 100), "{name} has a line of {longest:?}");
    }
    golden::check_all(files.into_iter().map(|(name, text)| (format!("it/help/{name}.txt"), text)));
}

/// Users without documents look for the format below `help`.
#[test]
fn help_format_says_what_format_says() {
    let folder = Folder::new();
    for words in ["", " tuning", " exit status"] {
        let said = told(&folder, &format!("help format{words}"));
        assert_eq!(said, told(&folder, &format!("format{words}")));
        assert!(!said.contains("Usage:"), "{said}");
    }
}

#[test]
fn the_readme_names_every_command() {
    for command in commands(&told(&Folder::new(), "--help")) {
        let shown = format!("gauntlet {command}");
        let mut after = README.split(&shown).skip(1);
        let whole = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-');
        assert!(after.any(whole), "README.md does not say `{shown}`");
    }
}

/// Returns the only TOML sample in a document.
fn sample(document: &str) -> &str {
    let mut samples = document.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let sample = samples.next().expect("a sample");
    assert_eq!(samples.next(), None, "a second sample must be tested too");
    sample
}

#[test]
fn the_samples_in_the_documents_load() {
    let experiment = config::parse(catalog(&GAMES), "README.md", sample(README))
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(experiment.sections().claims.len(), 1);
    assert_eq!(experiment.name(), "mine");
    let player = "name = 'x'\ngame = '2048'\nseed = 1\ngames = 1\n[[player]]\nname = 'one ply'\nalgorithm = 'ovolve'\n\
                  depth = 0\nweights = {}\n";
    let tuned = config::parse(catalog(&GAMES), "docs/TUNING.md", &format!("{player}{}", sample(TUNING)));
    assert!(TuneSection::of(&tuned.unwrap_or_else(|mistakes| panic!("{mistakes}"))).is_some());
}
