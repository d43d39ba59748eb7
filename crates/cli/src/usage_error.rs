//! Message for an invalid command line, with a suggestion.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use gauntlet_core::diagnostic::nearest;
use gauntlet_core::text::escape::is_hidden;
use gauntlet_core::text::quote;

use crate::command::Program;
use crate::exit::MISTAKE;
use crate::output::print_message;

/// Names in other programs for options of this one.
const OPTIONS: &[(&[&str], &str)] = &[(&["version"], "--version"), (&["usage", "commands"], "--help")];

/// Prints the error of a command line, or the requested help. Hidden characters in arguments are
/// escaped, without colours.
pub(crate) fn print_usage_error(mut error: Error, program: Program, words: &[OsString]) -> ExitCode {
    let definition = program.definition();
    if error.kind() == ErrorKind::InvalidSubcommand {
        suggest(&mut error, program, &definition, words);
    }
    if let Some(suggested_command) = suggest_separator(words).filter(|_| error.exit_code() != 0) {
        print_message(format_args!("error: `--` must precede the program to test:\n  {suggested_command}"));
        return ExitCode::from(MISTAKE);
    }
    let example = match error.kind() {
        ErrorKind::MissingRequiredArgument => find_example(&definition, words),
        _ => None,
    };
    let is_visible = |word: &OsString| word.to_str().is_some_and(|word| !word.contains(is_hidden));
    if words.iter().all(is_visible) {
        let _ = error.print();
    } else {
        print_message(format_args!("{}", error.render().to_string().trim_end()));
    }
    if let Some(example) = example {
        print_message(format_args!("\n{example}"));
    }
    if error.exit_code() == 0 { ExitCode::SUCCESS } else { ExitCode::from(MISTAKE) }
}

/// Suggests the command that has this name in other programs, or the most similar name. Replaces
/// Clap's suggestion, which measures similarity differently and is missing below `help`.
fn suggest(error: &mut Error, program: Program, definition: &Command, words: &[OsString]) {
    let Some(ContextValue::String(unknown_command)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let unknown_command = unknown_command.to_lowercase();
    let command = find_innermost(definition, words);
    error.remove(ContextKind::SuggestedSubcommand);
    // Synonyms are names of commands, not of their subcommands.
    let is_outermost = command.get_name() == definition.get_name();
    let commands = program.commands().filter(|command| command.synonyms.contains(&&*unknown_command));
    let options = OPTIONS.iter().filter(|(words, _)| words.contains(&&*unknown_command));
    let suggestions = commands.map(|command| command.name).chain(options.map(|&(_, option)| option));
    let suggestions: Vec<String> =
        suggestions.filter(|_| is_outermost).map(|word| format!("'{word}'")).collect();
    if !suggestions.is_empty() {
        let tip = format!("use {}", suggestions.join(", "));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    } else if let Some(similar) = nearest(&unknown_command, command.get_subcommands().map(Command::get_name))
    {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![similar.to_owned()]));
    }
}

/// Returns the command that these words name last.
fn find_innermost<'p>(program: &'p Command, words: &[OsString]) -> &'p Command {
    words.iter().fold(program, |command, word| command.find_subcommand(word).unwrap_or(command))
}

/// Returns the command `players --try` with `--` before the program, if `--` is missing.
fn suggest_separator(words: &[OsString]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(|word| word.to_str()).collect::<Option<_>>()?;
    let option_index = words.iter().position(|&word| word == "--try").filter(|_| words[0] == "players")?;
    let has_value = |option: &str| ["--game", "--option", "--move-millis"].contains(&option);
    let is_program = |&index: &usize| !words[index].starts_with('-') && !has_value(words[index - 1]);
    let program_index =
        (option_index + 1..words.len()).find(is_program).filter(|_| !words.contains(&"--"))?;
    let quote_words = |words: &[&str]| words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
    Some(format!(
        "gauntlet {} -- {}",
        quote_words(&words[..program_index]),
        quote_words(&words[program_index..])
    ))
}

/// Returns the example at the end of the help of the command in these words.
fn find_example(program: &Command, words: &[OsString]) -> Option<String> {
    let help = find_innermost(program, words).get_after_long_help()?.to_string();
    Some(help[help.rfind("Example:\n")?..].trim_end().to_owned())
}
