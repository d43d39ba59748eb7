//! README and TUTORIAL. The files in them are written, and their commands run on a terminal of 80
//! columns. The output that they show is compared, without times.

#![cfg(target_os = "linux")]

use super::walk::{screen_lines, without_times};
use crate::bench::Folder;
use crate::tools::is_installed;

/// A line of shown output that stands for any lines.
const ELLIPSIS: &str = "...";

/// Returns the fenced blocks of a document: the words after the fence, and the content.
fn fenced_blocks(document: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let content = lines.by_ref().take_while(|line| *line != "```");
            blocks.push((info, content.map(|line| line.to_owned() + "\n").collect()));
        }
    }
    blocks
}

/// Returns the commands of a console block, each with the output below it.
fn commands(block: &str) -> Vec<(String, Vec<&str>)> {
    let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
            (None, Some((_, output))) => output.push(line),
            (None, None) => panic!("output without a command: {line}"),
        }
    }
    commands
}

/// Returns a line as it is on any machine. A line with times also loses its spacing.
fn mask_times(line: &str) -> String {
    match without_times(line) {
        (masked, true) => masked.split_whitespace().collect::<Vec<_>>().join(" "),
        (line, false) => line,
    }
}

/// Returns the first line shown that is not in this output, in order.
fn find_missing_line<'a>(shown_lines: &[&'a str], output: &[String]) -> Option<&'a str> {
    let mut rest = output.iter();
    let mut may_skip = false;
    for &line in shown_lines {
        if line == ELLIPSIS {
            may_skip = true;
            continue;
        }
        let expected = mask_times(line);
        let is_found =
            if may_skip { rest.any(|line| *line == expected) } else { rest.next() == Some(&expected) };
        if !is_found {
            return Some(line);
        }
        may_skip = false;
    }
    (!may_skip && rest.next().is_some()).then_some("the end of the output")
}

/// Runs a command as a reader does, and returns what is on the terminal. A taller terminal than
/// most leaves no table out.
fn run_command(folder: &Folder, command: &str) -> Vec<String> {
    let Some(line) = command.strip_prefix("gauntlet ") else {
        let output = folder.shell(command).assert_status(0);
        return output.stdout.lines().map(str::to_owned).collect();
    };
    let mut lines = screen_lines(&folder.terminal_output("stty rows 200; exec", line, 80));
    let mut is_warning = false;
    lines.retain(|line| {
        is_warning = line.contains("overloaded") || (is_warning && line.starts_with("  "));
        !is_warning
    });
    lines
}

/// Writes the files and runs the commands of a document. Returns the number of commands.
fn follow(folder: &Folder, document: &str) -> usize {
    let mut count = 0;
    for (info, content) in fenced_blocks(document) {
        match info.split_once(' ') {
            Some((_, file)) => folder.write(file, content),
            None if info == "console" => {
                for (command, shown_lines) in commands(&content) {
                    let command = command.replace("cargo run --release --locked --", "gauntlet");
                    let output: Vec<String> =
                        run_command(folder, &command).iter().map(|line| mask_times(line)).collect();
                    if let Some(line) = find_missing_line(&shown_lines, &output) {
                        panic!("{command} does not print: {line}\n{}", output.join("\n"));
                    }
                    count += 1;
                }
            }
            None => {}
        }
    }
    count
}

#[test]
fn the_readme_shows_what_its_commands_print() {
    let readme = include_str!("../../../README.md");
    if is_installed("python3") {
        let folder = Folder::new();
        for name in ["configs", "examples/players"] {
            folder.copy_from_repository(name);
        }
        assert_eq!(follow(&folder, readme), 3);
    }
}

#[test]
fn the_tutorial_can_be_followed() {
    if is_installed("python3") {
        assert!(follow(&Folder::new(), include_str!("../../../docs/TUTORIAL.md")) > 9);
    }
}
