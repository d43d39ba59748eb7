//! A game played in the terminal, each position in the place of the last.

use std::io::Write;
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::audience::{Audience, step_as_text};
use crate::arena::Step;
use crate::text::escape;

/// Draws each position where the last one stood.
pub(super) struct Watch {
    place: ProgressBar,
    pause: Duration,
    values: bool,
}

impl Watch {
    /// Draws this number of moves in a second.
    pub(super) fn at(speed: u32, values: bool) -> Watch {
        // Each position is drawn, however fast they come.
        let target = ProgressDrawTarget::stdout_with_hz(255);
        let style = ProgressStyle::with_template("{msg}").expect("a fixed, valid template");
        let place = ProgressBar::with_draw_target(None, target).with_style(style);
        Watch { place, pause: Duration::from_secs(1) / speed, values }
    }
}

impl Audience for Watch {
    fn asks(&self) -> bool {
        self.values
    }

    fn see(&mut self, step: &Step, _out: &mut dyn Write) -> anyhow::Result<()> {
        self.place.set_message(escape::lines(&step_as_text(step)).into_owned());
        self.place.tick();
        thread::sleep(self.pause);
        Ok(())
    }

    fn end(&mut self, end: Option<&str>, out: &mut dyn Write) -> anyhow::Result<()> {
        self.place.abandon();
        Ok(end.map_or(Ok(()), |end| writeln!(out, "\n{end}"))?)
    }
}
