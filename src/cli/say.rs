//! What a command tells a person: on standard output and on standard error.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use crate::plan::Plan;
use crate::results::write::Report;
use crate::run::Finish;
use crate::run::broken::Broken;
use crate::run::journal::Journal;
use crate::text::{games, quoted, quoted_path};

/// Prints a message on standard error. That the error output is closed is no reason to stop.
pub(super) fn complain(message: fmt::Arguments) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// The end of a command that only prints. That its reader, `head` perhaps, has closed the pipe is a good end too.
pub(super) fn printed(done: anyhow::Result<ExitCode>) -> anyhow::Result<ExitCode> {
    // What is still in the buffer may meet a closed pipe or a full disk as well.
    let done = done.and_then(|code| Ok(io::stdout().flush().map(|()| code)?));
    // Whatever else may fail says what it was about; only printing leaves the bare error.
    let bare = done.as_ref().err().and_then(|error| error.chain().next()?.downcast_ref::<io::Error>());
    match bare {
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Some(_) => done.context("cannot write to standard output"),
        None => done,
    }
}

/// Writes to standard output. That its reader, `head` perhaps, has closed the pipe is no reason to stop.
pub(super) fn say(text: &str) -> anyhow::Result<()> {
    say_bytes(text.as_bytes())
}

pub(super) fn say_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.context("cannot write to standard output"),
    }
}

/// The tables and what there is to say about them; `how` they came to be.
pub(super) fn said(report: &Report, folder: &Path, how: &str) -> String {
    let mut text = String::new();
    for table in &report.tables {
        text += &format!("{}\n{}\n", table.name, table.to_text());
    }
    for doubt in &report.doubts {
        text += &format!("warning: {doubt}\n");
    }
    text + &format!("{how}; tables and manifest are in {}\n", folder.display())
}

/// How many lines of a journal could not be understood, in words that can go on.
pub(super) fn damaged_lines(journal: &Journal) -> String {
    let (noun, verb) = if journal.damaged() == 1 { ("line", "is") } else { ("lines", "are") };
    format!("{} damaged {noun} of {} {verb}", journal.damaged(), journal.path().display())
}

/// Says which games broke their player's program, the first few of them in full.
pub(super) fn tell_broken(broken: &[Broken], plan: &Plan, folder: &Path) {
    for game in broken.iter().take(10) {
        let name = plan.title(game.lineup);
        let members: Vec<_> = plan.members(game.lineup).map(|player| quoted(player.name)).collect();
        complain(format_args!(
            "gauntlet: {name} broke in block {} (seed {}): {}\n  see: gauntlet show {} --player {} --block {}{}",
            game.block,
            game.seed,
            game.message,
            quoted_path(folder),
            members.join(" --against "),
            game.block,
            if game.leg > 0 { format!(" --leg {}", game.leg) } else { String::new() }
        ));
    }
    if broken.len() > 10 {
        complain(format_args!("gauntlet: … and {} more", games(broken.len() as u64 - 10)));
    }
}

/// Tells why players ended games by their own fault. That is data, but the author of the player will want to know.
pub(super) fn tell_forfeits(forfeits: &[Broken], plan: &Plan) {
    for game in forfeits.iter().take(10) {
        let name = plan.title(game.lineup);
        complain(format_args!("gauntlet: {name} forfeited block {}: {}", game.block, game.message));
    }
}

pub(super) fn tell_how_to_resume(finish: &Finish) {
    let typed: Option<Vec<String>> = std::env::args_os().map(|word| word.to_str().map(quoted)).collect();
    // Some names of files are no text, and cannot be shown so that they could be typed.
    let again = typed.map_or_else(|| "the same command again".to_owned(), |words| words.join(" "));
    complain(format_args!(
        "stopped after {}, all in the journal; to go on:\n  {again}",
        games(finish.played)
    ));
}
