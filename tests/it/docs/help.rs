//! Help of the program, word by word, and documents with the same texts.

use gauntlet::cli::command::Command;
use gauntlet::config;
use gauntlet::tune::section::TuneSection;
use gauntlet::{GAMES, catalog, program};

use crate::bench::{Folder, ProgramOutput};
use crate::golden;

const README: &str = include_str!("../../../README.md");
const EXTRAS: &str = include_str!("../../../extras/README.md");
const TUNING: &str = include_str!("../../../docs/TUNING.md");

/// Returns the help for a line. Help is wrapped at COLUMNS. Trailing spaces are invisible, and on
/// Windows the program has a file extension; both are removed.
fn help_text(folder: &Folder, line: &str) -> String {
    let output = folder.command(line).env("COLUMNS", "100").output().unwrap();
    let program_output = ProgramOutput::new(line, &output).assert_status(0);
    assert_eq!(program_output.stderr, "", "{line}");
    let lines =
        program_output.stdout.lines().map(|line| line.trim_end().replace("gauntlet.exe", "gauntlet") + "\n");
    lines.collect()
}

/// Returns the actions listed in the help of a command, if there are any.
fn listed_actions(help: &str) -> impl Iterator<Item = &str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    lines.map_while(|line| line.split_whitespace().next()).filter(|&name| name != "help")
}

/// Returns `-h` and `--help` of a command, or of the program.
fn short_and_long_help(command: &str) -> String {
    let folder = Folder::new();
    let texts = ["-h", "--help"].map(|option| {
        let line = format!("{command} {option}");
        let text = help_text(&folder, &line);
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest <= 100), "{line} has a line of {longest:?}");
        // `help format` prints the manual, like `format`, instead of the help about `format`.
        if option == "--help" && command != "format" {
            assert_eq!(help_text(&folder, &format!("help {command}")), text);
        }
        format!("$ gauntlet {}\n{text}", line.trim_start())
    });
    texts.join("\n")
}

/// Compares the help of an extra's commands with a file in its folder.
#[track_caller]
pub(crate) fn check_extra(extra: &str, commands: &[Command]) {
    let texts: Vec<String> = commands.iter().map(|command| short_and_long_help(command.name)).collect();
    golden::assert_golden(&format!("../extras/{extra}/tests/help.txt"), &texts.join("\n"));
}

#[test]
fn help_is_what_it_was() {
    // These commands have the option `--live`, which is an extra.
    let are_complete = cfg!(feature = "live");
    let commands = program(&GAMES, &[]).core.iter();
    let commands = commands
        .filter(|command| are_complete || !["run", "versus", "tune", "train"].contains(&command.name));
    golden::assert_all_golden(
        commands
            .map(|command| (format!("it/docs/help/{}.txt", command.name), short_and_long_help(command.name))),
    );
    golden::assert_golden("it/docs/help/gauntlet.txt", &without_extras(&short_and_long_help("")));
}

/// Removes the list of extras, which depends on the features of this build.
pub(crate) fn without_extras(help: &str) -> String {
    let mut is_extra = false;
    let lines = help.lines().filter(|line| {
        is_extra = *line == "Extras:" || is_extra && !line.is_empty();
        !is_extra
    });
    lines.map(|line| format!("{line}\n")).collect::<String>().replace("\n\n\n", "\n\n")
}

/// Users without documents look for the format below `help`.
#[test]
fn help_format_says_what_format_says() {
    let folder = Folder::new();
    for words in ["", " tuning", " exit status"] {
        let help = help_text(&folder, &format!("help format{words}"));
        assert_eq!(help, help_text(&folder, &format!("format{words}")));
        assert!(!help.contains("Usage:"), "{help}");
    }
}

#[test]
fn documents_name_every_command() {
    let program = program(&GAMES, &[]);
    let core = program.core.iter().map(|command| (README, command));
    let extras = program.extras.iter().copied().flatten().map(|command| (EXTRAS, command));
    for (document, command) in core.chain(extras) {
        let invocation = format!("gauntlet {}", command.name);
        let mut rests = document.split(&invocation).skip(1);
        let is_whole_word =
            |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-');
        assert!(rests.any(is_whole_word), "no document says `{invocation}`");
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
    let tuning = config::parse(catalog(&GAMES), "docs/TUNING.md", &format!("{player}{}", sample(TUNING)));
    assert!(TuneSection::from_experiment(&tuning.unwrap_or_else(|mistakes| panic!("{mistakes}"))).is_some());
}

/// Returns the commands in a text, from the name of the program to the end of the line or of the
/// code.
fn shown_commands(text: &str) -> Vec<&str> {
    let starts = text.match_indices("gauntlet ").filter(|&(start, _)| {
        let before = text[..start].chars().next_back();
        before.is_none_or(|character| character.is_whitespace() || character == '`')
    });
    starts.map(|(start, _)| text[start..].split(['`', '\n', '|', ';', '&', '"']).next().unwrap()).collect()
}

/// Every option in a command of the documents and of the heads of experiments exists.
#[test]
fn options_in_documents_exist() {
    let folder = Folder::new();
    let mut help_by_command = std::collections::BTreeMap::new();
    for name in program(&GAMES, &[]).commands().map(|command| command.name) {
        let mut help = help_text(&folder, &format!("{name} --help"));
        let actions: Vec<String> = listed_actions(&help).map(str::to_owned).collect();
        help.extend(actions.iter().map(|action| help_text(&folder, &format!("{name} {action} --help"))));
        help_by_command.insert(name.to_owned(), help);
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders =
        ["docs", "configs", "results", "examples", "extras"].map(|folder| root.join(folder)).to_vec();
    let mut texts = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match entry.extension().and_then(|extension| extension.to_str()) {
                Some("md") => texts.push(entry),
                // The copies in results keep the text that was current when they were run.
                Some("toml") if !entry.starts_with(root.join("results")) => texts.push(entry),
                None if entry.is_dir() => folders.push(entry),
                _ => {}
            }
        }
    }
    let (mut option_count, mut unknown_options) = (0, Vec::new());
    for path in texts {
        let text = std::fs::read_to_string(&path).unwrap().replace("\\\n", "");
        for command in shown_commands(&text) {
            let Some(help) = command.split_whitespace().nth(1).and_then(|name| help_by_command.get(name))
            else {
                continue;
            };
            for option in command.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2) {
                let name = option.split(['=', ']', ')', ',', '.']).next().unwrap();
                let is_known =
                    help.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == name);
                option_count += 1;
                if !is_known && (name != "--live" || cfg!(feature = "live")) {
                    unknown_options.push(format!("{}: {command}: {name}", path.display()));
                }
            }
        }
    }
    assert!(option_count > 50, "{option_count}");
    assert_eq!(unknown_options, [""; 0], "{unknown_options:#?}");
}
