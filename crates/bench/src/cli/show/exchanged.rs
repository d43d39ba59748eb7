//! Games as other programs exchange them: written after a replay, and shown from a file.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use super::audience::{Audience, Text};
use super::game_page::GamePage;
use super::watch::Watch;
use crate::arena::{Arenas, Exchange, Read, Step};
use crate::cli::exit::Usage;
use crate::cli::say::screen;
use crate::config::Experiment;
use crate::disk::{open_regular, read_all};
use crate::game::{Block, Outcome};
use crate::page::game::Game;
use crate::text::{escape, quoted_path, shown};

/// Writes a game that was replayed. A file that is there already is not replaced.
pub(super) fn write(
    path: &Path,
    experiment: &Experiment,
    block: Block,
    moves: &[String],
    names: [&str; 2],
    outcome: Option<Outcome>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let arena = experiment.arena();
    let exchange = Exchange { block, moves, names, outcome };
    let Some(text) = arena.exchanged(experiment.rules(), &exchange) else {
        return Err(Usage(format!("games of {} are not written in the Smart Game Format", arena.name)).into());
    };
    if path == Path::new("-") {
        return Ok(out.write_all(text.as_bytes())?);
    }
    let file = fs::File::options().write(true).create_new(true).open(path);
    let mut file = file.with_context(|| format!("cannot write {}", shown(path)))?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", shown(path)))?;
    Ok(writeln!(out, "{} is written", shown(path))?)
}

/// The most bytes of a file with a game.
const MOST: usize = 1 << 20;

/// View of a game from a file.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    /// As a page in this file.
    pub(super) html: Option<&'a Path>,
    /// In the terminal, with this number of moves in a second.
    pub(super) watch: Option<u32>,
    /// Only where it ended.
    pub(super) last: bool,
}

/// Shows a game from a file.
pub(super) fn show(arenas: Arenas, path: &Path, look: Look) -> anyhow::Result<ExitCode> {
    let place = shown(path);
    let file = open_regular(path, fs::File::options().read(true));
    let bytes = file.and_then(|file| read_all(file, MOST)).with_context(|| format!("cannot read {place}"))?;
    let text = String::from_utf8_lossy(&bytes);
    let read = arenas.iter().find_map(|arena| arena.read_exchanged(&text));
    let Read { names, positions } = read
        .unwrap_or_else(|| Err("no game has this form".to_owned()))
        .map_err(|flaw| Usage(format!("{place}: {flaw}")))?;
    let title = format!("{} against {}", names[0], names[1]);
    let mut out = screen();
    let mut audience: Box<dyn Audience> = match look.html {
        Some(page) => {
            let command = format!("gauntlet show {}", quoted_path(path));
            Box::new(GamePage::at(page, Game { title: title.clone(), command, ..Game::default() })?)
        }
        None => match look.watch {
            Some(speed) => Box::new(Watch::at(speed, false)),
            None => Box::new(Text { only_last: look.last, values: false, last: String::new() }),
        },
    };
    for (moves, told) in positions.iter().enumerate() {
        audience.see(
            &Step {
                moves: moves as u32,
                mv: told.mv.as_deref(),
                depth: None,
                value: None,
                weighed: &[],
                outcome: told.outcome,
                position: &told.position,
            },
            &mut out,
        )?;
    }
    audience.end(Some(&escape::line(&title)), &mut out)?;
    Ok(ExitCode::SUCCESS)
}
