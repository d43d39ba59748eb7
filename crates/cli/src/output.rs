//! Messages of commands on standard output and standard error.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use gauntlet_analysis::results::store::write::RunReport;
use gauntlet_core::diagnostic::Mistakes;
use gauntlet_core::table::Table;
use gauntlet_core::text::{
    display_path, escape, format_count, format_duration, format_games, quote, quote_path, wrap_line,
    wrap_lines,
};
use gauntlet_run::bar::ProgressMode;
use gauntlet_run::failing_players::{self, FailingPlayers};
use gauntlet_run::journal::Journal;
use gauntlet_run::missing_blocks::BlockFailure;
use gauntlet_run::plan::Plan;
use gauntlet_run::progress::Progress;
use gauntlet_run::{OverlongBlock, RunEnd};
use serde_json::error::Category;

use crate::format::Format;
use crate::permission::STDERR_FOLDER;
use crate::picture::Picture;
use crate::terminal::{format_tables, width, width_of_messages};

/// Printed only if games are missing.
pub const NO_TABLES: &str = "no tables written";

/// Prints a message on standard error. A closed standard error is ignored.
pub fn print_message(message: fmt::Arguments) {
    let message = message.to_string();
    let _ = writeln!(io::stderr(), "{}", wrap_lines(&escape::lines(&message), width_of_messages()));
}

/// Formats an error in a line of JSON without serde's line number, which counts within the line.
pub fn format_json_error(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let location = format!(" at line {} column {}", error.line(), error.column());
    let description = match error.classify() {
        Category::Syntax => "not valid JSON",
        _ => text.strip_suffix(&location).unwrap_or(&text),
    };
    format!("{description} (column {})", error.column())
}

/// Prints an error. Mistakes in a file contain their location.
pub fn print_error(error: &anyhow::Error) {
    let prefix = if error.is::<Mistakes>() { "" } else { "gauntlet: " };
    print_message(format_args!("{prefix}{error:#}"));
}

/// Returns how progress is shown.
pub fn progress_mode(is_quiet: bool) -> ProgressMode {
    match (is_quiet, io::stderr().is_terminal()) {
        (true, _) => ProgressMode::Quiet,
        (false, true) => ProgressMode::Bar,
        (false, false) => ProgressMode::Lines,
    }
}

/// Prints what the command waits for, if standard input is a terminal.
pub fn print_waiting(input_name: &str, hint: &str) {
    if io::stdin().is_terminal() {
        print_message(format_args!("reading {input_name} from the terminal{hint}; press Ctrl-D to end"));
    }
}

/// Returns standard output for people: invisible characters are escaped.
pub fn screen() -> Screen {
    Screen(io::stdout())
}

/// Standard output for people.
pub struct Screen(io::Stdout);

impl Screen {
    /// Prints a picture, with its colours or without.
    pub fn paint(&mut self, picture: &Picture, is_coloured: bool) -> io::Result<()> {
        self.0.write_all(picture.to_text(is_coloured).as_bytes())
    }
}

impl Write for Screen {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.write_all(escape::lines(&String::from_utf8_lossy(text)).as_bytes())?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns standard output for prose, wrapped between words on a terminal. Text to copy, such as
/// TOML, goes to [`screen`].
pub fn prose() -> Prose {
    Prose { screen: screen(), width: width(), line: Vec::new() }
}

/// Standard output for prose. A line is printed when it is complete.
pub struct Prose {
    screen: Screen,
    width: Option<usize>,
    line: Vec<u8>,
}

impl Write for Prose {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.line.extend(text);
        if let Some(end) = self.line.iter().rposition(|&byte| byte == b'\n') {
            let rest = self.line.split_off(end + 1);
            let lines = std::mem::replace(&mut self.line, rest);
            let lines = String::from_utf8_lossy(&lines);
            self.screen.write_all(wrap_lines(&escape::lines(&lines), self.width).as_bytes())?;
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.screen.write_all(&std::mem::take(&mut self.line))?;
        self.screen.flush()
    }
}

impl Drop for Prose {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

/// Returns standard output for data, which is unchanged except on a terminal.
pub fn data() -> Box<dyn Write> {
    if io::stdout().is_terminal() { Box::new(screen()) } else { Box::new(io::stdout().lock()) }
}

/// Prints text of this form.
pub fn print_as(format: Format, text: &str) -> anyhow::Result<()> {
    let result = match format {
        // The other forms contain only visible characters, or are escaped.
        Format::Csv => data().write_all(text.as_bytes()),
        Format::Text | Format::Json | Format::Markdown | Format::Latex => screen().write_all(text.as_bytes()),
    };
    Ok(result?)
}

/// Returns the exit status of a command that only prints. A closed pipe, for example by `head`, is
/// a success.
pub fn accept_closed_pipe(result: anyhow::Result<ExitCode>) -> anyhow::Result<ExitCode> {
    // Flushing the buffer may also hit a closed pipe or a full disk.
    let result = result.and_then(|code| Ok(io::stdout().flush().map(|()| code)?));
    // All other errors have context; only printing returns a bare I/O error.
    let io_error = result.as_ref().err().and_then(|error| error.chain().next()?.downcast_ref::<io::Error>());
    match io_error {
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        // An error with its own message is printed as it is.
        Some(error) if error.get_ref().is_none() => result.context("cannot write to standard output"),
        _ => result,
    }
}

/// Writes to standard output. A closed pipe, for example by `head`, is ignored.
pub fn print(text: &str) -> anyhow::Result<()> {
    print_to(&mut screen(), text.as_bytes())
}

/// Writes data to standard output. A closed pipe is ignored.
pub fn print_data(bytes: &[u8]) -> anyhow::Result<()> {
    print_to(&mut *data(), bytes)
}

fn print_to(out: &mut dyn Write, bytes: &[u8]) -> anyhow::Result<()> {
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// Formats tables with their warnings; `summary` is how the tables were made.
pub fn format_report(report: &RunReport, folder: &Path, summary: &str) -> String {
    let text = format_with_warnings(&report.tables, &report.warnings, folder);
    text + &wrap_line(&describe_location(summary, folder), width()) + "\n"
}

/// Describes how tables were made, and where they are.
pub fn describe_location(summary: &str, folder: &Path) -> String {
    format!("{summary}; results in {}", display_path(folder))
}

/// Formats tables with their warnings.
fn format_with_warnings(tables: &[Table], warnings: &[String], folder: &Path) -> String {
    let mut text = format_tables(tables, folder, false);
    for warning in warnings {
        text += &(wrap_line(&format!("warning: {warning}"), width()) + "\n");
    }
    text
}

/// Describes the number of damaged lines in a journal, as a clause.
pub fn describe_damaged_lines(journal: &Journal) -> String {
    let (noun, verb) = if journal.damaged_lines() == 1 { ("line", "is") } else { ("lines", "are") };
    format!("{} damaged {noun} of {} {verb}", journal.damaged_lines(), display_path(journal.path()))
}

/// Prints games that failed, the first few of them in full.
pub fn print_failures(failures: &[BlockFailure], plan: &Plan, folder: &Path) {
    for game in failures.iter().take(10) {
        print_message(format_args!("{}", describe_failure(game, plan, folder)));
    }
    if failures.len() > 10 {
        print_message(format_args!("gauntlet: … and {} more", format_games(failures.len() as u64 - 10)));
    }
}

/// Describes a game that broke its player's program, and the command that shows it.
fn describe_failure(game: &BlockFailure, plan: &Plan, folder: &Path) -> String {
    let name = plan.title(game.lineup);
    let members: Vec<_> = plan.members(game.lineup).map(|player| quote(player.name)).collect();
    format!(
        "gauntlet: {name} failed in block {} (seed {}): {}\n  see: gauntlet show {} --player {} --block {}{}",
        game.block,
        game.seed,
        escape::line(&game.message),
        quote_path(folder),
        members.join(" --against "),
        game.block,
        if game.leg > 0 { format!(" --leg {}", game.leg) } else { String::new() }
    )
}

/// Prints which players a run skipped, and how to play their games.
pub fn print_skipped(skipped: &FailingPlayers, plan: &Plan, folder: &Path) {
    for (&player, reason) in skipped {
        print_message(format_args!(
            "gauntlet: {}",
            failing_players::skip_message(plan.players[player].name, reason)
        ));
    }
    let Some((&first, _)) = skipped.first_key_value() else { return };
    let player_names =
        if skipped.len() == 1 { quote(plan.players[first].name) } else { "these players".to_owned() };
    print_message(format_args!(
        "gauntlet: standard error is in {}; to play the other games, repair {player_names} and repeat the command",
        display_path(&folder.join(STDERR_FOLDER))
    ));
}

/// Prints why players forfeited games. A forfeit is data, but the author of the player needs to
/// know.
pub fn print_forfeits(forfeits: &[BlockFailure], plan: &Plan) {
    for game in forfeits.iter().take(10) {
        print_message(format_args!("{}", game.forfeit_message(plan)));
    }
}

/// Prints games that need more time than the run had. The same command would drop them again.
pub fn print_too_long(run_end: &RunEnd, plan: &Plan) {
    let prefix = if run_end.games_played == 0 { "no game finished: " } else { "" };
    for game in &run_end.overlong_blocks {
        print_message(format_args!(
            "{prefix}{}",
            describe_overlong_game(game, &plan.title(game.lineup), plan.legs())
        ));
    }
}

/// Describes a game that was dropped because it needs more time than the run or the tuning had.
pub fn describe_overlong_game(
    OverlongBlock { dropped_after, moves, .. }: &OverlongBlock,
    title: &str,
    legs: u64,
) -> String {
    let games = if legs == 1 { "a game" } else { "a pair of games" };
    format!(
        "{games} of {title} was stopped after {} and {}; use a longer --for, or omit --for",
        format_duration(1e3 * dropped_after.as_secs_f64()),
        format_count(*moves, "move")
    )
}

/// Returns the typed command.
pub fn typed_command() -> String {
    let words: Option<Vec<String>> = std::env::args_os().map(|word| word.to_str().map(quote)).collect();
    // File names that are not valid text cannot be printed for typing.
    words.map_or_else(|| "the same command".to_owned(), |words| words.join(" "))
}

/// Prints how to resume a run that was stopped, by `command` or by the typed command, and which
/// command shows its games so far. `progress` counts the games of all sessions.
pub fn print_how_to_resume(run_end: &RunEnd, progress: &Progress, command: Option<String>, folder: &Path) {
    let resume_command = command.unwrap_or_else(typed_command);
    let (reason, suffix) = if run_end.is_out_of_time {
        ("stopped by --for after", " for the same time")
    } else {
        ("stopped after", "")
    };
    if run_end.is_out_of_time && run_end.games_played == 0 && !run_end.overlong_blocks.is_empty() {
        return;
    }
    if run_end.games_played == 0 && !run_end.is_out_of_time {
        return print_message(format_args!("stopped before the first game; to resume:\n  {resume_command}"));
    }
    // If the time was over, the tables were already printed.
    let report_hint = match run_end.is_out_of_time {
        true => String::new(),
        false => format!(" results so far:\n  gauntlet report {}\n", quote_path(folder)),
    };
    print_message(format_args!(
        "{reason} {}, saved in the journal;{report_hint}{}to resume{suffix}:\n  {resume_command}",
        progress.words(),
        if report_hint.is_empty() { " " } else { "" }
    ));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_printing_is_told_as_printing() {
        let to_message =
            |error: io::Error| format!("{:#}", accept_closed_pipe(Err(error.into())).expect_err("an error"));
        let full = to_message(io::Error::from_raw_os_error(28));
        assert!(full.starts_with("cannot write to standard output: "), "{full}");
        assert_eq!(
            to_message(io::Error::other("no folder for temporary files")),
            "no folder for temporary files"
        );
    }
    use gauntlet_analysis::config::{self, Catalog};
    use gauntlet_games::GAMES;

    #[test]
    fn what_players_say_stays_on_its_line() {
        let text = "name = 'x'\ngame = '2048'\nseeds = [7]\n[[player]]\nname = 'p'\nalgorithm = 'random'";
        let experiment = config::parse(Catalog::new(&GAMES), "x", text).unwrap();
        let plan = experiment.plan();
        let message = "lost\r\n\u{1b}[2Jgauntlet: all is well\u{202e}".to_owned();
        let game = BlockFailure { lineup: 0, block: 0, leg: 0, seed: 7, message, position: None };
        let escaped_message = r"lost\r\n\u{1b}[2Jgauntlet: all is well\u{202e}";
        assert_eq!(
            game.forfeit_message(&plan),
            format!("gauntlet: p forfeited a game (block 0): {escaped_message}")
        );
        let failure_text = describe_failure(&game, &plan, Path::new("a\n\u{1b}b"));
        let hint = r"  see: gauntlet show $'a\x0a\x1bb' --player p --block 0";
        assert_eq!(
            failure_text,
            format!("gauntlet: p failed in block 0 (seed 7): {escaped_message}\n{hint}")
        );
        let too_long = OverlongBlock { lineup: 0, dropped_after: Duration::from_millis(2_000), moves: 32 };
        assert_eq!(
            describe_overlong_game(&too_long, "p", plan.legs()),
            "a game of p was stopped after 2 s and 32 moves; use a longer --for, or omit --for"
        );
    }
}
