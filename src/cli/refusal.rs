//! Message for an invalid command line, with a suggestion.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use gauntlet_core::diagnostic::nearest;
use gauntlet_core::text::escape::is_hidden;
use gauntlet_core::text::quoted;

use super::exit::MISTAKE;
use super::say::complain;

/// Names in other programs for commands and options of this one.
const SYNONYMS: &[(&[&str], &[&str])] = &[
    (&["list", "algorithms", "bots", "engines", "ais"], &["players"]),
    (&["ls", "ps", "progress", "jobs"], &["status"]),
    (&["play", "start", "exec", "bench", "benchmark", "match", "tournament", "simulate"], &["run"]),
    (&["resume", "continue", "restart"], &["run", "tune", "train"]),
    (&["plot", "plots", "graph", "chart", "html", "page", "results", "table", "tables"], &["report"]),
    (&["leaderboard", "ranking", "ratings", "elo", "standings"], &["rank"]),
    (&["diff", "vs", "versus"], &["compare"]),
    (&["replay", "watch", "view", "game"], &["show"]),
    (&["validate", "lint", "verify", "dry-run"], &["check"]),
    (&["new", "create", "template"], &["init", "new-player"]),
    (&["optimize", "optimise", "search"], &["tune"]),
    (&["learn"], &["train"]),
    (&["slurm", "parallel", "submit", "shard"], &["cluster"]),
    (&["join", "combine", "collect"], &["merge"]),
    (&["dashboard", "web", "monitor", "ui"], &["live"]),
    (&["doc", "docs", "manual", "keys"], &["format"]),
    (&["version"], &["--version"]),
    (&["usage", "commands"], &["--help"]),
];

/// Prints the error of a command line, or the requested help. Hidden characters in arguments are
/// escaped, without colours.
pub(super) fn refused(mut error: Error, program: Command) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if error.kind() == ErrorKind::InvalidSubcommand {
        suggest(&mut error, &program, &words);
    }
    if let Some(tried) = separated(&words).filter(|_| error.exit_code() != 0) {
        complain(format_args!("error: `--` must precede the program to test:\n  {tried}"));
        return ExitCode::from(MISTAKE);
    }
    let example = match error.kind() {
        ErrorKind::MissingRequiredArgument => example(&program, &words),
        _ => None,
    };
    let is_visible = |word: &OsString| word.to_str().is_some_and(|word| !word.contains(is_hidden));
    if words.iter().all(is_visible) {
        let _ = error.print();
    } else {
        complain(format_args!("{}", error.render().to_string().trim_end()));
    }
    if let Some(example) = example {
        complain(format_args!("\n{example}"));
    }
    if error.exit_code() == 0 { ExitCode::SUCCESS } else { ExitCode::from(MISTAKE) }
}

/// Suggests the command that has this name in other programs, or the most similar name. Clap's own
/// suggestion has another measure, and none below `help`.
fn suggest(error: &mut Error, program: &Command, words: &[OsString]) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let typed = typed.to_lowercase();
    let command = innermost(program, words);
    error.remove(ContextKind::SuggestedSubcommand);
    // Subcommands of a command have other names.
    let is_outermost = command.get_name() == program.get_name();
    let synonym = SYNONYMS.iter().find(|(words, _)| is_outermost && words.contains(&&*typed));
    if let Some((_, meant)) = synonym {
        let meant: Vec<String> = meant.iter().map(|word| format!("'{word}'")).collect();
        let tip = format!("use {}", meant.join(", "));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    } else if let Some(near) = nearest(&typed, command.get_subcommands().map(Command::get_name)) {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near.to_owned()]));
    }
}

/// Returns the command that these words name last.
fn innermost<'p>(program: &'p Command, words: &[OsString]) -> &'p Command {
    words.iter().fold(program, |command, word| command.find_subcommand(word).unwrap_or(command))
}

/// Returns the command `players --try` with `--` before the program, if `--` is missing.
fn separated(words: &[OsString]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(|word| word.to_str()).collect::<Option<_>>()?;
    let attempt = words.iter().position(|&word| word == "--try").filter(|_| words[0] == "players")?;
    let has_value = |option: &str| ["--game", "--option", "--move-millis"].contains(&option);
    let is_program = |&place: &usize| !words[place].starts_with('-') && !has_value(words[place - 1]);
    let program = (attempt + 1..words.len()).find(is_program).filter(|_| !words.contains(&"--"))?;
    let quoted = |words: &[&str]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    Some(format!("gauntlet {} -- {}", quoted(&words[..program]), quoted(&words[program..])))
}

/// Returns the example at the end of the help of the command in these words.
fn example(program: &Command, words: &[OsString]) -> Option<String> {
    let help = innermost(program, words).get_after_long_help()?.to_string();
    Some(help[help.rfind("Example:\n")?..].trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use gauntlet_games::GAMES;

    use super::*;
    use crate::cli::command_line;

    #[test]
    fn synonyms_lead_to_what_there_is() {
        let program = command_line(&GAMES);
        let commands: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        let mut seen = std::collections::BTreeSet::new();
        for (words, meant) in SYNONYMS {
            assert!(
                meant.iter().all(|meant| meant.starts_with("--") || commands.contains(meant)),
                "{meant:?}"
            );
            for word in *words {
                assert!(!commands.contains(word) && seen.insert(*word), "{word}");
            }
        }
    }
}
