//! Messages of commands to a person, on standard output and on standard error.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use gauntlet_analysis::results::store::write::Report;
use gauntlet_core::diagnostic::Mistakes;
use gauntlet_core::table::Table;
use gauntlet_core::text::{
    counted, duration, escape, games, lines_wrapped, quoted, quoted_path, shown, wrapped,
};
use gauntlet_run::bar::ProgressView;
use gauntlet_run::broken::BrokenGame;
use gauntlet_run::journal::Journal;
use gauntlet_run::plan::Plan;
use gauntlet_run::{RunEnd, TooLong};

use super::format::Format;
use super::paint::Picture;
use super::terminal::{tables, width, width_of_messages};

/// Prints a message on standard error. That the error output is closed is no reason to stop.
pub(super) fn complain(message: fmt::Arguments) {
    let message = message.to_string();
    let _ = writeln!(io::stderr(), "{}", lines_wrapped(&escape::lines(&message), width_of_messages()));
}

/// A mistake in a line of JSON, without serde's own counting of lines, which starts anew with each
/// of ours.
pub(super) fn in_a_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let (what, _) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
    format!("{what} (column {})", error.column())
}

/// Tells of a failure. Mistakes in a file say themselves where they are.
pub(super) fn tell(error: &anyhow::Error) {
    let before = if error.is::<Mistakes>() { "" } else { "gauntlet: " };
    complain(format_args!("{before}{error:#}"));
}

/// The progress of games to be shown.
pub(super) fn progress(is_quiet: bool) -> ProgressView {
    match (is_quiet, io::stderr().is_terminal()) {
        (true, _) => ProgressView::Quiet,
        (false, true) => ProgressView::Bar,
        (false, false) => ProgressView::Lines,
    }
}

/// Tells a person what the command waits for, where standard input is a terminal.
pub(super) fn tell_of_waiting(what: &str, form: &str) {
    if io::stdin().is_terminal() {
        complain(format_args!("reading {what} from the terminal{form}; Ctrl-D ends"));
    }
}

/// Standard output for people: what cannot be seen is written by its number.
pub(super) fn screen() -> Screen {
    Screen(io::stdout())
}

/// Standard output that a person may read.
pub(super) struct Screen(io::Stdout);

impl Screen {
    /// Prints a picture, with its colours or without.
    pub(super) fn paint(&mut self, picture: &Picture, is_coloured: bool) -> io::Result<()> {
        self.0.write_all(picture.text(is_coloured).as_bytes())
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

/// Standard output for text: on a terminal its lines break between words. What is to be copied from
/// there, as TOML, goes to [`screen`].
pub(super) fn prose() -> Prose {
    Prose { out: screen(), width: width(), line: Vec::new() }
}

/// Standard output for text. A line is printed when it is whole.
pub(super) struct Prose {
    out: Screen,
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
            self.out.write_all(lines_wrapped(&escape::lines(&lines), self.width).as_bytes())?;
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&std::mem::take(&mut self.line))?;
        self.out.flush()
    }
}

impl Drop for Prose {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

/// Standard output for data, to the letter; on a terminal a person reads it all the same.
pub(super) fn data() -> Box<dyn Write> {
    if io::stdout().is_terminal() { Box::new(screen()) } else { Box::new(io::stdout().lock()) }
}

/// Prints what is in this form.
pub(super) fn say_in(format: Format, text: &str) -> anyhow::Result<()> {
    let written = match format {
        // The other forms hold nothing that cannot be seen.
        Format::Csv => data().write_all(text.as_bytes()),
        Format::Text | Format::Json | Format::Markdown => screen().write_all(text.as_bytes()),
    };
    Ok(written?)
}

/// The end of a command that only prints. That its reader, `head` perhaps, has closed the pipe is a
/// good end too.
pub(super) fn printed(done: anyhow::Result<ExitCode>) -> anyhow::Result<ExitCode> {
    // What is still in the buffer may meet a closed pipe or a full disk as well.
    let done = done.and_then(|code| Ok(io::stdout().flush().map(|()| code)?));
    // Whatever else may fail says what it was about; only printing leaves the bare error.
    let bare = done.as_ref().err().and_then(|error| error.chain().next()?.downcast_ref::<io::Error>());
    match bare {
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        // An error with words of its own is told by these.
        Some(error) if error.get_ref().is_none() => done.context("cannot write to standard output"),
        _ => done,
    }
}

/// Writes to standard output. That its reader, `head` perhaps, has closed the pipe is no reason to
/// stop.
pub(super) fn say(text: &str) -> anyhow::Result<()> {
    say_to(&mut screen(), text.as_bytes())
}

/// The same of data.
pub(super) fn say_data(bytes: &[u8]) -> anyhow::Result<()> {
    say_to(&mut *data(), bytes)
}

fn say_to(out: &mut dyn Write, bytes: &[u8]) -> anyhow::Result<()> {
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.context("cannot write to standard output"),
    }
}

/// The tables and what there is to say about them; `how` they came to be.
pub(super) fn said(report: &Report, folder: &Path, how: &str) -> String {
    let text = with_warnings(&report.tables, &report.doubts, folder);
    text + &wrapped(&are_in(how, folder), width()) + "\n"
}

/// How tables came to be, and where they are.
pub(super) fn are_in(how: &str, folder: &Path) -> String {
    format!("{how}; tables and manifest are in {}", shown(folder))
}

/// Tables, and what a reader of them must know.
fn with_warnings(of: &[Table], warnings: &[String], folder: &Path) -> String {
    let mut text = tables(of, folder, false);
    for warning in warnings {
        text += &(wrapped(&format!("warning: {warning}"), width()) + "\n");
    }
    text
}

/// Number of lines of a journal that could not be understood, in words that can go on.
pub(super) fn damaged_lines(journal: &Journal) -> String {
    let (noun, verb) = if journal.damaged() == 1 { ("line", "is") } else { ("lines", "are") };
    format!("{} damaged {noun} of {} {verb}", journal.damaged(), shown(journal.path()))
}

/// Says which games broke their player's program, the first few of them in full.
pub(super) fn tell_broken(broken: &[BrokenGame], plan: &Plan, folder: &Path) {
    for game in broken.iter().take(10) {
        complain(format_args!("{}", broken_game(game, plan, folder)));
    }
    if broken.len() > 10 {
        complain(format_args!("gauntlet: … and {} more", games(broken.len() as u64 - 10)));
    }
}

/// Game that broke its player's program, and the command that shows it.
fn broken_game(game: &BrokenGame, plan: &Plan, folder: &Path) -> String {
    let name = plan.title(game.lineup);
    let members: Vec<_> = plan.members(game.lineup).map(|player| quoted(player.name)).collect();
    format!(
        "gauntlet: {name} broke in block {} (seed {}): {}\n  see: gauntlet show {} --player {} --block {}{}",
        game.block,
        game.seed,
        escape::line(&game.message),
        quoted_path(folder),
        members.join(" --against "),
        game.block,
        if game.leg > 0 { format!(" --leg {}", game.leg) } else { String::new() }
    )
}

/// Tells why players ended games by their own fault. That is data, but the author of the player
/// will want to know.
pub(super) fn tell_forfeits(forfeits: &[BrokenGame], plan: &Plan) {
    for game in forfeits.iter().take(10) {
        complain(format_args!("{}", forfeit(game, plan)));
    }
}

fn forfeit(game: &BrokenGame, plan: &Plan) -> String {
    let message = escape::line(&game.message);
    let (title, block) = (plan.title(game.lineup), game.block);
    // Of two players the message names the one at fault.
    match plan.members(game.lineup).count() {
        1 => format!("gauntlet: {title} forfeited block {block}: {message}"),
        _ => format!("gauntlet: {title}: a game of block {block} was forfeited: {message}"),
    }
}

/// Says which games need more time than the run had. The same command would stop them again.
pub(super) fn tell_too_long(finish: &RunEnd, plan: &Plan) {
    let before = if finish.played == 0 { "no game finished: " } else { "" };
    for game in &finish.too_long {
        complain(format_args!("{before}{}", game_too_long(game, &plan.title(game.lineup), plan.legs())));
    }
}

/// Game that was stopped because it needs more time than the run or the tuning had.
pub(super) fn game_too_long(
    TooLong { dropped_after, moves, .. }: &TooLong,
    title: &str,
    legs: u64,
) -> String {
    let games = if legs == 1 { "a game" } else { "a pair of games" };
    format!(
        "{games} of {title} was stopped after {} and {}. Run without --for, or with a much longer time.",
        duration(1e3 * dropped_after.as_secs_f64()),
        counted(*moves, "move")
    )
}

/// Tells how to go on with a run that was stopped: by `command`, or by what was typed; and what
/// shows its games in this folder.
pub(super) fn tell_how_to_resume(finish: &RunEnd, command: Option<String>, folder: &Path) {
    let typed: Option<Vec<String>> = std::env::args_os().map(|word| word.to_str().map(quoted)).collect();
    let typed = command.or_else(|| Some(typed?.join(" ")));
    // Some names of files are no text, and cannot be shown so that they could be typed.
    let again = typed.unwrap_or_else(|| "the same command again".to_owned());
    let (stopped, on) = if finish.is_out_of_time {
        ("the time is over after", " for as long again")
    } else {
        ("stopped after", "")
    };
    if finish.is_out_of_time && finish.played == 0 && !finish.too_long.is_empty() {
        return;
    }
    if finish.played == 0 && !finish.is_out_of_time {
        return complain(format_args!("stopped before the first game; to go on:\n  {again}"));
    }
    // Of a run whose time was over the tables are there already.
    let shows = match finish.is_out_of_time {
        true => String::new(),
        false => format!(" what they show so far:\n  gauntlet report {}\n", quoted_path(folder)),
    };
    complain(format_args!(
        "{stopped} {}, all in the journal;{shows}{}to go on{on}:\n  {again}",
        games(finish.played),
        if shows.is_empty() { " " } else { "" }
    ));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_printing_is_told_as_printing() {
        let told = |error: io::Error| format!("{:#}", printed(Err(error.into())).expect_err("an error"));
        let full = told(io::Error::from_raw_os_error(28));
        assert!(full.starts_with("cannot write to standard output: "), "{full}");
        assert_eq!(told(io::Error::other("no folder for temporary files")), "no folder for temporary files");
    }
    use gauntlet_analysis::config;
    use gauntlet_games::GAMES;

    #[test]
    fn what_players_say_stays_on_its_line() {
        let text = "name = 'x'\ngame = '2048'\nseeds = [7]\n[[player]]\nname = 'p'\nalgorithm = 'random'";
        let experiment = config::parse(&GAMES, "x", text).unwrap();
        let plan = experiment.plan();
        let message = "lost\r\n\u{1b}[2Jgauntlet: all is well\u{202e}".to_owned();
        let game = BrokenGame { lineup: 0, block: 0, leg: 0, seed: 7, message };
        let said = r"lost\r\n\u{1b}[2Jgauntlet: all is well\u{202e}";
        assert_eq!(forfeit(&game, &plan), format!("gauntlet: p forfeited block 0: {said}"));
        let broken = broken_game(&game, &plan, Path::new("a\n\u{1b}b"));
        let see = r"  see: gauntlet show $'a\x0a\x1bb' --player p --block 0";
        assert_eq!(broken, format!("gauntlet: p broke in block 0 (seed 7): {said}\n{see}"));
        let too_long = TooLong { lineup: 0, dropped_after: Duration::from_millis(2_000), moves: 32 };
        assert_eq!(
            game_too_long(&too_long, "p", plan.legs()),
            "a game of p was stopped after 2 s and 32 moves. Run without --for, or with a much longer time."
        );
    }
}
