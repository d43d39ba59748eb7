//! The picture of a run, made of what it tells those who look on.

use super::heard::Heard;
use super::hub::Hub;
use super::picture::Picture;
use super::words;
use crate::config::Experiment;
use crate::run::keyed::Keyed;
use crate::run::machine;
use crate::run::news::News;

/// Looks at a run.
pub struct Watch<'a> {
    /// All of the picture that stays as it is; its warnings are of before the first game.
    frame: Picture,
    hub: &'a Hub,
    heard: Heard,
}

impl<'a> Watch<'a> {
    /// Looks at a run of a plan, and shows it in the hub, with warnings of before its first game.
    pub fn of(experiment: &Experiment, plan: &Keyed, hub: &'a Hub, warnings: Vec<String>) -> Watch<'a> {
        let frame = Picture {
            kind: "run",
            title: experiment.name().to_owned(),
            game: plan.arena.name.to_owned(),
            version: machine::VERSION.to_owned(),
            said: words::unfinished(experiment),
            scale: words::scale(plan.arena.shape),
            warnings,
            ..Picture::default()
        };
        hub.show(frame.clone());
        Watch { frame, hub, heard: Heard::of(plan) }
    }

    /// Hears what the run tells.
    pub fn hear(&self, plan: &Keyed, news: &News) {
        match news {
            News::Begins(coverage) => self.heard.begins(plan, coverage),
            News::Played { lineup, first, slice } => self.heard.played(plan, *lineup, *first, slice),
            News::Now { moment, sights, is_last } => {
                self.heard.saw(sights);
                let run = self.heard.picture(plan, moment, *is_last, self.hub.is_watched());
                self.hub.show(self.frame.clone().around(run));
            }
        }
    }
}
