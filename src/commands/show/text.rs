//! Prints a game, a picture for each step.

use std::io::Write;

use gauntlet_core::arena::ReplayStep;

use super::audience::GameObserver;
use super::board::{View, draw_step};
use gauntlet_cli::paint::Picture;
use gauntlet_cli::say::Screen;

/// Prints each step.
pub(super) struct TextPrinter {
    pub(super) only_last: bool,
    pub(super) view: View,
    /// The last step, in case the player breaks or only the last step is requested.
    pub(super) last: Option<Picture>,
}

impl GameObserver for TextPrinter {
    fn on_step(&mut self, step: &ReplayStep, out: &mut Screen) -> anyhow::Result<()> {
        let mut picture = draw_step(step, &self.view);
        picture.begin_line();
        if self.only_last {
            self.last = Some(picture);
        } else {
            out.paint(&picture, self.view.is_coloured)?;
        }
        Ok(())
    }

    fn on_end(&mut self, end: Option<&str>, out: &mut Screen) -> anyhow::Result<()> {
        self.last.iter().try_for_each(|last| out.paint(last, self.view.is_coloured))?;
        Ok(end.map_or(Ok(()), |end| writeln!(out, "{end}"))?)
    }
}
