//! The picture of a training, made from its checkpoints.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use gauntlet_core::text::{format_count, group_decimal, group_digits, quote_path};
use gauntlet_run::progress::ProgressUnit;
use gauntlet_train::curve::TrainingTest;
use gauntlet_train::section::TrainingLength;
use gauntlet_train::snapshot::{self, TrainingSnapshot, read_snapshot};
use gauntlet_train::{CURVE_FILE, NETWORK};

use crate::file_stamps::FileStamps;
use crate::picture::{LiveProgress, LiveSnapshot, WorkState};
use gauntlet_report::page::drawn_plot;

/// Watches the folder of a training.
pub(crate) struct TrainingWatch {
    initial_picture: LiveSnapshot,
    folder: PathBuf,
    /// Length of the training, if it is known.
    length: Option<TrainingLength>,
    /// Stamps of the files at the last look; `None` before the first look.
    last_stamps: Option<(FileStamps, bool)>,
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
    fn update(&mut self, written_at: SystemTime, counts: [u64; 2]) -> [Option<f64>; 2] {
        if let Some((last_time, last_counts)) = self.last
            && last_counts != counts
        {
            let seconds =
                written_at.duration_since(last_time).map_or(0.0, |time| time.as_secs_f64()).max(1e-3);
            let rate = |current: u64, previous: u64| {
                (current > previous).then(|| (current - previous) as f64 / seconds)
            };
            self.rates = [rate(counts[0], last_counts[0]), rate(counts[1], last_counts[1])];
        }
        if self.last.is_none_or(|(_, last_counts)| last_counts != counts) {
            self.last = Some((written_at, counts));
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
        let initial_picture = LiveSnapshot {
            doing: "learns",
            said: "Scores of training games are from a player that is still learning. For its strength, see the test games."
                .to_owned(),
            ..LiveSnapshot::new("training", title, game)
        };
        TrainingWatch { initial_picture, folder, length, last_stamps: None, pace: Pace::default() }
    }

    /// Returns a new picture, or `None` if nothing has changed.
    pub(crate) fn poll(&mut self) -> anyhow::Result<Option<LiveSnapshot>> {
        let is_training = snapshot::is_in_use(&self.folder);
        let stamps = (FileStamps::new(snapshot::files(&self.folder), []), is_training);
        if self.last_stamps.as_ref() == Some(&stamps) {
            return Ok(None);
        }
        self.last_stamps = None;
        let mut picture = self.initial_picture.clone();
        let snapshot = read_snapshot(&self.folder)?;
        if !is_training && snapshot.as_ref().is_none_or(|snapshot| !snapshot.has_ended) {
            picture.warnings.push(NO_PROCESS.to_owned());
        }
        match &snapshot {
            Some(snapshot) => self.fill(&mut picture, snapshot),
            None => picture.warnings.push(
                "no checkpoint yet: they are written every two minutes, or as set by --every".to_owned(),
            ),
        }
        self.last_stamps = Some(stamps);
        Ok(Some(picture))
    }

    /// Fills a picture with the last checkpoint.
    fn fill(&mut self, picture: &mut LiveSnapshot, snapshot: &TrainingSnapshot) {
        let [games, moves] = self.pace.update(snapshot.written_at, [snapshot.games, snapshot.moves]);
        let progress = snapshot.progress(self.length);
        let pace = if progress.unit == ProgressUnit::Move { moves } else { games };
        let progress = progress.with_pace(pace);
        picture.progress = LiveProgress::new(&progress);
        // A checkpoint has millions of moves; the time left follows their pace.
        let move_pace = moves.map(|moves| format!("{} M moves/s", group_decimal(moves / 1e6, 2)));
        let time_left = picture.progress.pace.pop();
        picture.progress.pace = move_pace.into_iter().chain(time_left).collect();
        picture.progress.words.extend(snapshot.mean.map(|(last, mean)| {
            format!("mean of the last {}: {}", format_count(last, "training game"), group_digits(mean))
        }));
        picture.progress.words.extend(snapshot.curve.last().map(TrainingTest::describe));
        let tests: Vec<_> =
            snapshot.curve.iter().filter_map(|test| Some((test.games, test.mean()?))).collect();
        picture.drawings = Arc::new(drawn_plot::draw_training(&tests).into_iter().collect());
        picture.state = WorkState::Plays;
        if snapshot.has_ended {
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
        let (mut pace, start) = (Pace::default(), SystemTime::UNIX_EPOCH);
        let mut update =
            |seconds, games| pace.update(start + Duration::from_secs(seconds), [games, 100 * games]);
        assert_eq!(update(0, 5000), [None, None]);
        assert_eq!(update(1, 5000), [None, None], "it is the same checkpoint");
        assert_eq!(update(120, 6200), [Some(10.0), Some(1000.0)]);
        assert_eq!(update(130, 6200), [Some(10.0), Some(1000.0)], "a test without learning");
        assert_eq!(update(220, 7200), [Some(10.0), Some(1000.0)]);
    }
}
