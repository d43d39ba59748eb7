//! The picture of a training, made from its checkpoints.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use gauntlet_core::text::{format_count, group_decimal, group_digits, quote_path};
use gauntlet_run::progress::ProgressUnit;
use gauntlet_train::curve::TrainingTest;
use gauntlet_train::section::TrainingLength;
use gauntlet_train::seen::{self, TrainingSnapshot, read_snapshot};
use gauntlet_train::{CURVE_FILE, NETWORK};

use crate::file_stamps::FileStamps;
use crate::picture::{LiveProgress, LiveSnapshot, WorkState};
use gauntlet_report::page::drawn;

/// Watches the folder of a training.
pub(crate) struct TrainingWatch {
    frame: LiveSnapshot,
    folder: PathBuf,
    /// Length of the training, if it is known.
    length: Option<TrainingLength>,
    /// Stamps of the files at the last look; `None` before the first look.
    traces: Option<(FileStamps, bool)>,
    pace: Pace,
}

/// The pace between two checkpoints. Games before the first look are not counted.
#[derive(Default)]
struct Pace {
    /// The last checkpoint: its time, games and moves.
    last: Option<(SystemTime, [u64; 2])>,
    /// Games and moves per second between the last two checkpoints.
    rates: [Option<f64>; 2],
}

impl Pace {
    /// Adds a checkpoint and returns games and moves per second.
    fn update(&mut self, written: SystemTime, now: [u64; 2]) -> [Option<f64>; 2] {
        if let Some((before, then)) = self.last
            && then != now
        {
            let seconds = written.duration_since(before).map_or(0.0, |time| time.as_secs_f64()).max(1e-3);
            let rate = |now: u64, then: u64| (now > then).then(|| (now - then) as f64 / seconds);
            self.rates = [rate(now[0], then[0]), rate(now[1], then[1])];
        }
        if self.last.is_none_or(|(_, then)| then != now) {
            self.last = Some((written, now));
        }
        self.rates
    }
}

const NO_PROCESS: &str = "no training run is active on this machine";

impl TrainingWatch {
    /// Watches a folder.
    pub(crate) fn new(
        title: &str,
        game: &str,
        length: Option<TrainingLength>,
        folder: PathBuf,
    ) -> TrainingWatch {
        let frame = LiveSnapshot {
            doing: "learns",
            said: "Scores of training games are from a player that is still learning. For its strength, see the test games."
                .to_owned(),
            ..LiveSnapshot::new("training", title, game)
        };
        TrainingWatch { frame, folder, length, traces: None, pace: Pace::default() }
    }

    /// Returns a new picture, or `None` if nothing has changed.
    pub(crate) fn poll(&mut self) -> anyhow::Result<Option<LiveSnapshot>> {
        let is_training = seen::is_in_use(&self.folder);
        let now = (FileStamps::new(seen::files(&self.folder), []), is_training);
        if self.traces.as_ref() == Some(&now) {
            return Ok(None);
        }
        self.traces = None;
        let mut picture = self.frame.clone();
        let seen = read_snapshot(&self.folder)?;
        if !is_training && seen.as_ref().is_none_or(|seen| !seen.has_ended) {
            picture.warnings.push(NO_PROCESS.to_owned());
        }
        match &seen {
            Some(seen) => self.fill(&mut picture, seen),
            None => picture.warnings.push(
                "no checkpoint yet: they are written every two minutes, or as set by --every".to_owned(),
            ),
        }
        self.traces = Some(now);
        Ok(Some(picture))
    }

    /// Fills a picture with the last checkpoint.
    fn fill(&mut self, picture: &mut LiveSnapshot, seen: &TrainingSnapshot) {
        let [games, moves] = self.pace.update(seen.written, [seen.games, seen.moves]);
        let progress = seen.progress(self.length);
        let pace = if progress.unit == ProgressUnit::Move { moves } else { games };
        let progress = progress.with_pace(pace);
        picture.progress = LiveProgress::new(&progress);
        // A checkpoint has millions of moves; the time left follows their pace.
        let fast = moves.map(|moves| format!("{} M moves/s", group_decimal(moves / 1e6, 2)));
        let left = picture.progress.pace.pop();
        picture.progress.pace = fast.into_iter().chain(left).collect();
        picture.progress.words.extend(seen.mean.map(|(last, mean)| {
            format!("mean of the last {}: {}", format_count(last, "training game"), group_digits(mean))
        }));
        picture.progress.words.extend(seen.curve.last().map(TrainingTest::describe));
        let tests: Vec<_> =
            seen.curve.iter().filter_map(|tested| Some((tested.games, tested.mean()?))).collect();
        picture.drawings = Arc::new(drawn::draw_training(&tests).into_iter().collect());
        picture.state = WorkState::Plays;
        if seen.has_ended {
            picture.state = WorkState::Finished;
            let network = quote_path(&self.folder.join(NETWORK));
            picture.said =
                format!("The network is {network}; the learning curve is in {CURVE_FILE} next to it.");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn pace_is_of_what_was_learned_between_checkpoints() {
        let (mut pace, begun) = (Pace::default(), SystemTime::UNIX_EPOCH);
        let mut at = |seconds, games| pace.update(begun + Duration::from_secs(seconds), [games, 100 * games]);
        assert_eq!(at(0, 5000), [None, None]);
        assert_eq!(at(1, 5000), [None, None], "it is the same checkpoint");
        assert_eq!(at(120, 6200), [Some(10.0), Some(1000.0)]);
        assert_eq!(at(130, 6200), [Some(10.0), Some(1000.0)], "a test without learning");
        assert_eq!(at(220, 7200), [Some(10.0), Some(1000.0)]);
    }
}
