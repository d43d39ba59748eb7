//! A game as a page for a browser.

use std::io::Write;
use std::path::Path;

use gauntlet_core::arena::ReplayStep;
use gauntlet_core::text::display_path;
use gauntlet_report::page::game::{self, GameReplay, ReplayPosition};

use super::observers::{GameObserver, describe_origin, describe_state};
use gauntlet_cli::output::Screen;
use gauntlet_cli::report_pages::{refuse_overwrite, write_to};

/// Collects the positions of a game, and writes them as a page.
pub(super) struct GamePage<'a> {
    path: &'a Path,
    game: GameReplay,
}

impl<'a> GamePage<'a> {
    /// Prepares the page of a game. Fails if the file exists and is not a page of gauntlet.
    pub(super) fn new(path: &'a Path, game: GameReplay) -> anyhow::Result<GamePage<'a>> {
        if path != Path::new("-") {
            refuse_overwrite(path)?;
        }
        Ok(GamePage { path, game })
    }
}

impl GameObserver for GamePage<'_> {
    fn on_step(&mut self, step: &ReplayStep, _out: &mut Screen) -> anyhow::Result<()> {
        self.game.positions.push(ReplayPosition {
            mv: step.mv.map(str::to_owned),
            origin: describe_origin(step),
            move_values: step.move_values.to_vec(),
            state: describe_state(step.outcome),
            rows: ReplayPosition::split_rows(step.position),
        });
        Ok(())
    }

    fn on_end(&mut self, end: Option<&str>, out: &mut Screen) -> anyhow::Result<()> {
        let end = end.unwrap_or("a player failed here");
        self.game.outcome = end.to_owned();
        let html = game::render_page(&self.game);
        if self.path == Path::new("-") {
            return Ok(out.write_all(html.as_bytes())?);
        }
        write_to(self.path, &html)?;
        Ok(writeln!(out, "created {}: {end}", display_path(self.path))?)
    }
}
