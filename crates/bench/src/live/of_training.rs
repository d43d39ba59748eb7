//! The picture of a training: made of its checkpoints.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::picture::{Bar, Picture, State};
use super::traces::Traces;
use crate::config::train::Length;
use crate::page::drawn;
use crate::text::{counted, grouped, grouped_real, quoted_path};
use crate::train::curve::Tested;
use crate::train::seen::{self, Seen, seen};
use crate::train::{CURVE_FILE, NETWORK};

/// Looks at the folder of a training.
pub struct Watch {
    frame: Picture,
    folder: PathBuf,
    /// Length of the training, where that is known.
    length: Option<Length>,
    /// What lay there at the last look; none before the first one.
    traces: Option<(Traces, bool)>,
    /// The first checkpoint that was seen: when, its games and its moves.
    first: Option<(Instant, [u64; 2])>,
}

const NO_PROCESS: &str = "no process of this machine trains into this folder now";

impl Watch {
    /// Looks at a folder.
    pub fn of(title: &str, game: &str, length: Option<Length>, folder: PathBuf) -> Watch {
        let frame = Picture {
            doing: "learns",
            said: "Scores of training games are of a player that still learns; what it is worth, the tests without learning say."
                .to_owned(),
            ..Picture::of("training", title, game)
        };
        Watch { frame, folder, length, traces: None, first: None }
    }

    /// Looks again; none if nothing has changed.
    pub fn look(&mut self) -> anyhow::Result<Option<Picture>> {
        let is_training = seen::is_in_use(&self.folder);
        let now = (Traces::of(seen::files(&self.folder), []), is_training);
        if self.traces.as_ref() == Some(&now) {
            return Ok(None);
        }
        self.traces = None;
        let mut picture = self.frame.clone();
        let seen = seen(&self.folder)?;
        if !is_training && seen.as_ref().is_none_or(|seen| !seen.has_ended) {
            picture.warnings.push(NO_PROCESS.to_owned());
        }
        match &seen {
            Some(seen) => self.fill(&mut picture, seen),
            None => picture.warnings.push(
                "the training has kept no state yet: it does so every two minutes, or as --every says"
                    .to_owned(),
            ),
        }
        self.traces = Some(now);
        Ok(Some(picture))
    }

    /// Shows the last checkpoint.
    fn fill(&mut self, picture: &mut Picture, seen: &Seen) {
        let (then, [games_then, moves_then]) =
            *self.first.get_or_insert((Instant::now(), [seen.games, seen.moves]));
        let seconds = then.elapsed().as_secs_f64().max(1e-3);
        let rate = |now: u64, then: u64| (now > then).then(|| (now - then) as f64 / seconds);
        let moves = rate(seen.moves, moves_then);
        let mut progress = seen.progress(self.length);
        let pace = if progress.is_of_moves { moves } else { rate(seen.games, games_then) };
        progress = progress.at_pace(pace);
        picture.progress = Bar::of(&progress);
        // A checkpoint has moves by the million; behind them stands the time that is left.
        let fast = moves.map(|moves| format!("{} M moves/s", grouped_real(moves / 1e6, 2)));
        let left = picture.progress.pace.pop();
        picture.progress.pace = fast.into_iter().chain(left).collect();
        picture.progress.words.extend(seen.mean.map(|(last, mean)| {
            format!("mean of the last {}: {}", counted(last, "training game"), grouped(mean))
        }));
        picture.progress.words.extend(seen.curve.last().map(Tested::words));
        let tests: Vec<_> =
            seen.curve.iter().filter_map(|tested| Some((tested.games, tested.mean()?))).collect();
        picture.drawings = Arc::new(drawn::of_training(&tests).into_iter().collect());
        picture.state = State::Plays;
        if seen.has_ended {
            picture.state = State::Finished;
            let network = quoted_path(&self.folder.join(NETWORK));
            picture.said = format!("What was learned is in {network}, the curve in {CURVE_FILE} beside it.");
        }
    }
}
