//! Games in an exchange format (SGF): written after a replay, or shown from a file.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use gauntlet_analysis::config::Experiment;
use gauntlet_core::arena::{Arenas, ExportedGame, ImportedGame, ReplayStep};
use gauntlet_core::disk::{open_regular, read_all};
use gauntlet_core::text::{display_path, escape, quote_path};
use gauntlet_report::page::game::GameReplay;

use super::board::View;
use super::game_page::GamePage;
use super::observers::GameObserver;
use super::text::TextPrinter;
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::screen;
use gauntlet_cli::target::refuse_missing;
use gauntlet_cli::terminal::has_colours;

/// Formats a replayed game. An unfinished game has no result.
pub(super) fn format_game(experiment: &Experiment, game: &ExportedGame) -> anyhow::Result<String> {
    let arena = experiment.arena();
    arena
        .export_game(experiment.rules(), game)
        .ok_or_else(|| Usage(format!("SGF is not available for {}", arena.name)).into())
}

/// Writes games as text. An existing file is not replaced.
pub(super) fn write_games(path: &Path, text: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    if path == Path::new("-") {
        return Ok(out.write_all(text.as_bytes())?);
    }
    let file = fs::File::options().write(true).create_new(true).open(path);
    let mut file = file.with_context(|| format!("cannot write {}", display_path(path)))?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", display_path(path)))
}

/// The most bytes of a file of games, enough for some ten thousand.
const MAX_FILE_BYTES: usize = 16 << 20;

/// How to show a game from a file.
#[derive(Clone, Copy)]
pub(super) struct ShowOptions<'a> {
    /// File to write it to as a page.
    pub(super) html: Option<&'a Path>,
    /// True if only its end is shown.
    pub(super) last: bool,
    /// Number of the game in the file, from 1.
    pub(super) number: usize,
}

/// Shows a game from a file.
pub(super) fn show_file(arenas: Arenas, path: &Path, options: ShowOptions) -> anyhow::Result<ExitCode> {
    refuse_missing(path)?;
    let file_name = display_path(path);
    let file = open_regular(path, fs::File::options().read(true));
    let bytes = file
        .and_then(|file| read_all(file, MAX_FILE_BYTES))
        .with_context(|| format!("cannot read {file_name}"))?;
    let text = String::from_utf8_lossy(&bytes);
    let imported = arenas.iter().find_map(|arena| Some((arena, arena.import_game(&text, options.number)?)));
    let (arena, result) = imported.ok_or_else(|| Usage(format!("{file_name}: not a game in this format")))?;
    let ImportedGame { names, positions } =
        result.map_err(|message| Usage(format!("{file_name}: {message}")))?;
    let title = format!("{} against {}", names[0], names[1]);
    let mut out = screen();
    let stones = arena.has_stones.then(|| names.clone());
    let view = View { stones: stones.clone(), is_coloured: has_colours() };
    let mut observer: Box<dyn GameObserver> = match options.html {
        Some(page) => {
            let game_option =
                if options.number > 1 { format!(" --game {}", options.number) } else { String::new() };
            let command = format!("gauntlet show {}{game_option}", quote_path(path));
            let game = GameReplay { title: title.clone(), command, stones, ..GameReplay::default() };
            Box::new(GamePage::new(page, game)?)
        }
        None => Box::new(TextPrinter { is_last_only: options.last, view, last_picture: None }),
    };
    for (moves, position) in positions.iter().enumerate() {
        observer.on_step(
            &ReplayStep {
                moves: moves as u32,
                mv: position.mv.as_deref(),
                depth: None,
                value: None,
                is_from_table: false,
                table: None,
                move_values: &[],
                outcome: position.outcome,
                position: &position.position,
            },
            &mut out,
        )?;
    }
    observer.on_end(Some(&escape::line(&title)), &mut out)?;
    Ok(ExitCode::SUCCESS)
}
