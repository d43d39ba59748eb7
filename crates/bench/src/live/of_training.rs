//! The picture of a training: made of what it tells those who look on, or of the checkpoints that another process leaves.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::hub::Hub;
use super::picture::{Picture, Progress, State};
use super::rate::Rate;
use super::traces::Traces;
use crate::config::train::Length;
use crate::page::drawn::{self, Drawn};
use crate::run::machine;
use crate::run::screen::clock;
use crate::stats::Estimate;
use crate::text::{counted, games, grouped, grouped_real};
use crate::train::News;
use crate::train::curve::Tested;
use crate::train::recent::Recent;
use crate::train::seen::{self, seen};

/// Time between two pictures.
const LOOK: Duration = Duration::from_millis(500);

/// Looks at a training of ours.
pub struct Watch<'a> {
    frame: Picture,
    hub: &'a Hub,
    curve: Curve,
    shown: Instant,
}

/// The tests so far, and their drawing.
#[derive(Default)]
struct Curve {
    tests: Vec<(u64, Estimate)>,
    drawings: Arc<Vec<Drawn>>,
}

impl Curve {
    fn of(tests: &[Tested]) -> Curve {
        let mut curve = Curve::default();
        tests.iter().for_each(|tested| curve.add(tested));
        curve.draw();
        curve
    }

    fn add(&mut self, tested: &Tested) {
        self.tests.extend(tested.mean().map(|mean| (tested.games, mean)));
    }

    fn draw(&mut self) {
        self.drawings = Arc::new(drawn::of_training(&self.tests).into_iter().collect());
    }

    /// The last test in words.
    fn last(&self) -> Option<String> {
        let (after, mean) = self.tests.last()?;
        let [value, low, high] = [mean.value, mean.low, mean.high].map(|number| grouped_real(number, 0));
        Some(format!("mean score {value} ({low} to {high}) without learning, after {}", games(*after)))
    }
}

fn frame(title: &str, game: &str) -> Picture {
    Picture {
        kind: "training",
        title: title.to_owned(),
        game: game.to_owned(),
        version: machine::VERSION.to_owned(),
        doing: "learns",
        said: "Scores of training games are of a player that still learns; what it is worth, the tests without learning say."
            .to_owned(),
        ..Picture::default()
    }
}

impl<'a> Watch<'a> {
    /// Looks at a training of this length, and shows it in the hub.
    pub fn of(title: &str, game: &str, length: Length, hub: &'a Hub) -> Watch<'a> {
        let mut frame = frame(title, game);
        frame.progress.all = length.all();
        hub.show(frame.clone());
        Watch { frame, hub, curve: Curve::default(), shown: Instant::now() }
    }

    /// Hears what the training tells.
    pub fn hear(&mut self, news: &News) {
        match *news {
            News::GoesOn(recent, curve) => {
                self.curve = Curve::of(curve);
                (self.frame.progress.done, _) = recent.progress();
                self.show(None);
            }
            News::Learned(recent) => {
                // A game may take less time than to read the clock is worth.
                if recent.is_last() || (recent.games().is_multiple_of(16) && self.shown.elapsed() > LOOK) {
                    self.show(Some(recent));
                }
            }
            News::Tested(tested) => {
                self.curve.add(tested);
                self.curve.draw();
                self.show(None);
            }
        }
    }

    fn show(&mut self, recent: Option<Recent>) {
        self.shown = Instant::now();
        if let Some(recent) = recent {
            let (done, all) = recent.progress();
            let mut words = vec![recent.words()];
            words.extend(recent.mean().map(|(last, mean)| {
                format!("mean of the last {}: {}", counted(last, "training game"), grouped(mean))
            }));
            let moves = format!("{} M moves/s", grouped_real(recent.moves_per_second() / 1e6, 2));
            let pace = vec![moves, format!("{} left", clock(recent.left()))];
            self.frame.progress = Progress { done, all, words, pace };
        }
        let mut picture =
            Picture { state: State::Plays, drawings: Arc::clone(&self.curve.drawings), ..self.frame.clone() };
        picture.progress.words.extend(self.curve.last());
        self.hub.show(picture);
    }
}

/// Looks at the folder of a training that another process may be at.
pub struct FolderWatch<'a> {
    frame: Picture,
    folder: &'a Path,
    /// Length of the training, where that is known.
    length: Option<Length>,
    /// What lay there at the last look; none before the first one.
    traces: Option<(Traces, bool)>,
    rate: Rate,
    /// Moves at an earlier checkpoint, and when it was seen.
    moves: Option<(Instant, u64)>,
}

const NO_PROCESS: &str = "no process of this machine trains into this folder now";

impl<'a> FolderWatch<'a> {
    /// Looks at a folder.
    pub fn of(title: &str, game: &str, length: Option<Length>, folder: &'a Path) -> FolderWatch<'a> {
        FolderWatch {
            frame: frame(title, game),
            folder,
            length,
            traces: None,
            rate: Rate::default(),
            moves: None,
        }
    }

    /// Looks again; none if nothing has changed.
    pub fn look(&mut self) -> anyhow::Result<Option<Picture>> {
        let is_training = seen::is_in_use(self.folder);
        let now = (Traces::of(seen::files(self.folder)), is_training);
        if self.traces.as_ref() == Some(&now) {
            return Ok(None);
        }
        self.traces = None;
        let picture = self.picture(is_training)?;
        self.traces = Some(now);
        Ok(Some(picture))
    }

    fn picture(&mut self, is_training: bool) -> anyhow::Result<Picture> {
        let mut picture = self.frame.clone();
        let Some(seen) = seen(self.folder)? else {
            picture.warnings.extend((!is_training).then(|| NO_PROCESS.to_owned()));
            picture.warnings.push(
                "the training has kept no state yet: it does so every two minutes, or as --every says"
                    .to_owned(),
            );
            return Ok(picture);
        };
        // A bar of which no end is known is none.
        let (done, all) = self.length.map_or((seen.games, 0), |length| {
            let (done, all) = length.progress(seen.games, seen.moves);
            (done, all.max(done))
        });
        picture.progress = self.rate.progress(done, all);
        let now = Instant::now();
        picture.progress.words = match self.length {
            None => vec![format!("{} by the last checkpoint", games(seen.games))],
            Some(length) => vec![format!("{} of {}", grouped(done), counted(all, length.unit()))],
        };
        // What is counted are moves, whose rate stands there anyway; the time that is left holds for them too.
        if matches!(self.length, Some(Length::Moves(_))) {
            picture.progress.pace.drain(..picture.progress.pace.len().min(1));
        }
        if let Some((then, moves)) = self.moves.filter(|(_, moves)| *moves < seen.moves) {
            let rate = (seen.moves - moves) as f64 / (now - then).as_secs_f64().max(1e-3);
            picture.progress.pace.insert(0, format!("{} M moves/s", grouped_real(rate / 1e6, 2)));
        }
        self.moves = Some((now, seen.moves));
        let curve = Curve::of(&seen.curve);
        picture.progress.words.extend(curve.last());
        picture.drawings = curve.drawings;
        picture.state = if seen.has_ended { State::Finished } else { State::Plays };
        if !seen.is_training && !seen.has_ended {
            picture.warnings.push(NO_PROCESS.to_owned());
        }
        Ok(picture)
    }
}
