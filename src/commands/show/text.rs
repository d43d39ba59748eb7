//! Prints a game, a picture for each step.

use std::io::Write;

use gauntlet_core::arena::ReplayStep;

use super::audience::Audience;
use super::board::{View, picture};
use gauntlet_cli::paint::Picture;
use gauntlet_cli::say::Screen;

/// Prints each step.
pub(super) struct Text {
    pub(super) only_last: bool,
    pub(super) view: View,
    /// The last step, in case the player breaks or only the last step is requested.
    pub(super) last: Option<Picture>,
}

impl Audience for Text {
    fn see(&mut self, step: &ReplayStep, out: &mut Screen) -> anyhow::Result<()> {
        let mut picture = picture(step, &self.view);
        picture.line();
        if self.only_last {
            self.last = Some(picture);
        } else {
            out.paint(&picture, self.view.is_coloured)?;
        }
        Ok(())
    }

    fn end(&mut self, end: Option<&str>, out: &mut Screen) -> anyhow::Result<()> {
        self.last.iter().try_for_each(|last| out.paint(last, self.view.is_coloured))?;
        Ok(end.map_or(Ok(()), |end| writeln!(out, "{end}"))?)
    }
}
