//! From a blank file to a verdict on four players: the commands of `walk/walk.sh` run on a terminal
//! of 80 columns and 24 rows. They are typed by a user who has read only the program's output. The
//! screens are in `walk/seen.txt`, without times, which depend on the machine.

#![cfg(target_os = "linux")]

use std::fmt::Write;

use super::help::without_extras;
use crate::bench::Folder;
use crate::golden;

const SCRIPT: &str = include_str!("walk/walk.sh");

/// Returns the commands of a script. A here document belongs to its command.
fn commands(script: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut is_within = false;
    for line in script.lines().filter(|line| !line.starts_with('#')) {
        match commands.last_mut() {
            Some(command) if is_within => {
                *command += &format!("\n{line}");
                is_within = line != "END";
            }
            _ => {
                is_within = line.ends_with("<<'END'");
                commands.push(line.to_owned());
            }
        }
    }
    commands
}

/// Returns the lines on a terminal after this output, including cursor movement.
pub(crate) fn screen_lines(output: &str) -> Vec<String> {
    let mut lines: Vec<Vec<char>> = vec![Vec::new()];
    let (mut row, mut column) = (0_usize, 0_usize);
    let mut characters = output.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' => (row, column) = (row + 1, 0),
            '\r' => column = 0,
            '\u{1b}' if characters.next_if_eq(&'[').is_some() => {
                let mut number = String::new();
                while let Some(digit) =
                    characters.next_if(|next| next.is_ascii_digit() || ";?".contains(*next))
                {
                    number.push(digit);
                }
                let count = number.parse::<usize>().unwrap_or(1);
                match characters.next() {
                    Some('A') => row = row.saturating_sub(count),
                    Some('B') => row += count,
                    Some('K') if number == "2" => lines[row].clear(),
                    Some('K') => lines[row].truncate(column),
                    Some('J') => {
                        lines.truncate(row + 1);
                        lines[row].truncate(column);
                    }
                    Some('m' | 'h' | 'l') => {}
                    other => panic!("the terminal of this test does not know {number}{other:?}"),
                }
            }
            character => {
                // Text longer than the terminal is wide continues below; a full line alone does not
                // move to the next.
                if column == 80 {
                    (row, column) = (row + 1, 0);
                    lines.resize(lines.len().max(row + 1), Vec::new());
                }
                let line = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = character;
                column += 1;
            }
        }
        lines.resize(lines.len().max(row + 1), Vec::new());
    }
    let text = lines.into_iter().map(|line| line.into_iter().collect::<String>().trim_end().to_owned());
    let mut text: Vec<String> = text.collect();
    while text.last().is_some_and(String::is_empty) {
        text.pop();
    }
    text
}

const UNITS: [&str; 8] = ["ns", "µs", "ms", "s", "min", "h", "days", "games/s"];

/// Removes the times from a line, and returns true if there were any.
pub(crate) fn without_times(line: &str) -> (String, bool) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let trim_punctuation =
        |word: &str| word.trim_matches(|letter: char| ".,;:()[]".contains(letter)).to_owned();
    let is_number = |word: &str| trim_punctuation(word).replace(',', "").parse::<f64>().is_ok();
    let (mut masked_words, mut index, mut has_times) = (Vec::new(), 0, false);
    while let Some(word) = words.get(index) {
        let is_time = is_number(word)
            && words.get(index + 1).is_some_and(|unit| UNITS.contains(&&*trim_punctuation(unit)));
        if !is_time {
            masked_words.push((*word).to_owned());
            index += 1;
            continue;
        }
        has_times = true;
        let unit = words[index + 1];
        masked_words.push(format!("TIME{}", &unit[unit.trim_end_matches(['.', ',', ';', ':', ')']).len()..]));
        index += 2;
        // The bounds of that time.
        if words.get(index).is_some_and(|low| low.starts_with('[')) {
            index += 2;
        }
    }
    let margin = line.len() - line.trim_start().len();
    if has_times { (" ".repeat(margin) + &masked_words.join(" "), true) } else { (line.to_owned(), false) }
}

/// The tables at the end of a run, which are cut if a warning needs their lines.
const CUT_TABLES: [&str; 3] = ["win-rate", "max-tile", "ms-per-move"];

/// Returns the lines that are equal on any machine. A table with times loses its spacing and the
/// columns that did not fit, because they depend on the lengths of times. A warning about a busy
/// machine is removed. So are the tables of a run that it may displace.
fn machine_independent_lines(lines: &[String], is_run: bool) -> Vec<String> {
    let mut kept_lines = Vec::new();
    for part in lines.split(String::is_empty) {
        if is_run && part.first().is_some_and(|title| CUT_TABLES.iter().any(|name| title.starts_with(name))) {
            continue;
        }
        let masked: Vec<(String, bool)> = part.iter().map(|line| without_times(line)).collect();
        let is_table = masked.iter().filter(|(_, has_times)| *has_times).count() > 1;
        let mut is_left_out = false;
        for (line, _) in masked {
            let is_continuation = line.starts_with("  ");
            is_left_out = (is_left_out && is_continuation)
                || line.contains("overloaded")
                || ((is_table || is_run) && line.starts_with("no room for"));
            if !is_left_out {
                kept_lines.push(if is_table {
                    line.split_whitespace().collect::<Vec<_>>().join(" ")
                } else {
                    line
                });
            }
        }
        kept_lines.push(String::new());
    }
    while kept_lines.last().is_some_and(String::is_empty) {
        kept_lines.pop();
    }
    kept_lines
}

/// Returns the words of a command that a user has to know: its subcommand and options; for a file,
/// its keys and algorithms.
fn required_words(command: &str) -> Vec<String> {
    match command.split_once('\n') {
        Some((_, document)) => document
            .lines()
            .filter_map(|line| match line.split_once(" = ") {
                Some(("algorithm", name)) => Some(name.trim_matches('"').to_owned()),
                Some((key, _)) => Some(key.to_owned()),
                None => line.starts_with('[').then(|| line.to_owned()),
            })
            .collect(),
        None => {
            let words = command.split(' ').skip(1);
            words
                .enumerate()
                .filter(|(index, word)| *index == 0 || word.starts_with("--"))
                .map(|(_, word)| word.to_owned())
                .collect()
        }
    }
}

#[test]
fn from_a_blank_file_to_a_verdict_with_the_help_alone() {
    let folder = Folder::new();
    let (mut transcript, mut shown_text) = (String::new(), "-h\n".to_owned());
    for command in commands(SCRIPT) {
        if !command.starts_with(':') {
            for word in required_words(&command) {
                assert!(shown_text.contains(&word), "nothing above `{command}` has told of `{word}`");
            }
        }
        let _ = writeln!(transcript, "$ {command}");
        let Some(line) = command.strip_prefix("gauntlet ") else {
            folder.shell(&command).assert_status(0);
            continue;
        };
        let lines = screen_lines(&folder.terminal_output("exec", line, 80));
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{command}: {lines:#?}");
        // Help may be longer than a screen. An answer fits on one screen.
        let is_manual =
            command.ends_with(" -h") || ["players", "format"].iter().any(|word| line.starts_with(word));
        assert!(is_manual || lines.len() < 24, "{command}: {lines:#?}");
        shown_text += &lines.join("\n");
        for line in machine_independent_lines(&lines, line.starts_with("run ")) {
            let _ = writeln!(transcript, "{line}");
        }
        transcript.push('\n');
    }
    assert!(transcript.contains("confirmed  search vs gain: "), "{transcript}");
    assert!(folder.read("four.html").contains("<!doctype html>"));
    golden::assert_golden("it/docs/walk/seen.txt", &without_extras(&transcript));
}
