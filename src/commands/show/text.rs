//! Prints a game, a picture for each step.

use std::io::Write;

use gauntlet_core::arena::ReplayStep;

use super::board::{View, draw_step};
use super::observers::GameObserver;
use gauntlet_cli::output::Screen;
use gauntlet_cli::picture::Picture;

/// Prints each step.
pub(super) struct TextPrinter {
    pub(super) is_last_only: bool,
    pub(super) view: View,
    /// The last step, in case the player breaks or only the last step is requested.
    pub(super) last_picture: Option<Picture>,
}

impl GameObserver for TextPrinter {
    fn on_step(&mut self, step: &ReplayStep, out: &mut Screen) -> anyhow::Result<()> {
        let mut picture = draw_step(step, &self.view);
        picture.begin_line();
        if self.is_last_only {
            self.last_picture = Some(picture);
        } else {
            out.paint(&picture, self.view.is_coloured)?;
        }
        Ok(())
    }

    fn on_end(&mut self, end: Option<&str>, out: &mut Screen) -> anyhow::Result<()> {
        self.last_picture.iter().try_for_each(|picture| out.paint(picture, self.view.is_coloured))?;
        Ok(end.map_or(Ok(()), |end| writeln!(out, "{end}"))?)
    }
}
