//! The content of the live page: one JSON document, in which each number has one source.

use std::sync::Arc;

use gauntlet_run::judge::BoundsPosition;
use gauntlet_run::machine::VERSION;
use gauntlet_run::progress::Progress;
use gauntlet_stats::Estimate;
use serde::Serialize;

use gauntlet_report::page::drawn_plot::DrawnPlot;

/// State of the work that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkState {
    /// Nothing was played yet.
    #[default]
    Begins,
    /// Games are being played.
    Plays,
    /// It ended before its last game and can be resumed.
    Stopped,
    /// It is complete.
    Finished,
    /// It failed.
    Failed,
}

/// Everything that the page shows.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct LiveSnapshot {
    /// Kind of work: `run`, `tuning`, `training`.
    pub kind: &'static str,
    /// The name of the experiment.
    pub title: String,
    /// The name of the game.
    pub game: String,
    /// The version of the program, by which a page detects that it is outdated.
    pub version: String,
    /// State of the work.
    pub state: WorkState,
    /// The activity while it is running, such as `searches`; empty if it plays.
    pub doing: &'static str,
    /// What this activity means for the numbers, in sentences.
    pub said: String,
    /// Warnings, shown first.
    pub warnings: Vec<String>,
    /// Progress: games played, out of all games.
    pub progress: LiveProgress,
    /// Scale of the players' strength: `win rate` or `Elo`; empty if no players are shown.
    pub scale: &'static str,
    /// The players, the best first.
    pub players: Vec<LivePlayer>,
    /// Number of players that are not shown.
    pub others: usize,
    /// The early stopping rule, if there is one.
    pub stop: Option<LiveStop>,
    /// The games that finished last.
    pub finished: Vec<FinishedGame>,
    /// Parts of a tuning that have begun, such as search and validation.
    pub parts: Vec<TuningPartProgress>,
    /// The settings that a tuning found, in words; the verdicts on the claims of a run.
    pub answer: Vec<String>,
    /// The settings that a tuning changes.
    pub settings: Vec<LiveTunedSetting>,
    /// The candidates that are being played.
    pub candidates: LiveCandidates,
    /// Figures: the path of a tuning, or the curve of a training. They are large, so they are sent
    /// separately when they have changed.
    #[serde(skip)]
    pub drawings: Arc<Vec<DrawnPlot>>,
    /// The command that makes a report, if a report can be made.
    pub report: String,
}

/// The most players that are shown; the best are kept.
const MAX_PLAYERS: usize = 100;

impl LiveSnapshot {
    /// Returns a picture of work about which nothing else is known yet.
    pub(crate) fn new(kind: &'static str, title: &str, game: &str) -> LiveSnapshot {
        let (title, game, version) = (title.to_owned(), game.to_owned(), VERSION.to_owned());
        LiveSnapshot { kind, title, game, version, ..LiveSnapshot::default() }
    }

    /// Embeds a run in this picture: shows its state, progress, players and games, and the warnings
    /// of both.
    pub(super) fn embed(self, run: LiveSnapshot) -> LiveSnapshot {
        let LiveSnapshot { state, progress, players, others, stop, finished, .. } = run;
        let warnings = self.warnings.into_iter().chain(run.warnings).collect();
        LiveSnapshot { warnings, state, progress, players, others, stop, finished, ..self }
    }

    /// Adds players, the strongest first; players of unknown strength come last.
    pub(super) fn with_players(self, mut players: Vec<LivePlayer>) -> LiveSnapshot {
        let value =
            |player: &LivePlayer| player.strength.map_or(f64::NEG_INFINITY, |strength| strength.value);
        players.sort_by(|one, other| value(other).total_cmp(&value(one)));
        let others = players.len().saturating_sub(MAX_PLAYERS);
        players.truncate(MAX_PLAYERS);
        LiveSnapshot { players, others, ..self }
    }
}

/// A progress bar with its texts.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct LiveProgress {
    /// Games or moves done.
    pub done: u64,
    /// All games or moves; 0 if unknown.
    pub all: u64,
    /// The progress in words, followed by further remarks.
    pub words: Vec<String>,
    /// Pace and time left, in words.
    pub pace: Vec<String>,
}

impl LiveProgress {
    /// Returns the bar of some progress.
    pub(super) fn new(progress: &Progress) -> LiveProgress {
        LiveProgress {
            done: progress.done,
            all: progress.total,
            words: vec![progress.words()],
            pace: progress.pace_words(),
        }
    }
}

/// A part of a tuning.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TuningPartProgress {
    pub name: String,
    /// Its games that are played.
    pub done: u64,
    /// All of its games, or the most that it may have.
    pub all: u64,
    /// Its progress, in words.
    pub words: String,
}

impl TuningPartProgress {
    /// Returns a part with the progress of `bar`.
    pub(super) fn new(name: String, bar: &LiveProgress, suffix: &str) -> TuningPartProgress {
        let words = bar.words.first().cloned().unwrap_or_default() + suffix;
        TuningPartProgress { name, done: bar.done, all: bar.all, words }
    }
}

/// A setting that a tuning changes.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LiveTunedSetting {
    pub key: String,
    /// Its values at the start, at the best point so far, and at the current point.
    pub values: [String; 3],
    /// These values as positions between the bounds, from 0 to 1; `None` for words.
    pub places: Option<[f64; 3]>,
    pub bounds: [String; 2],
}

/// The candidates that a search plays, a row for each; empty at its end.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct LiveCandidates {
    /// Purpose of the step.
    pub step: String,
    /// Keys of the settings.
    pub keys: Vec<String>,
    /// A value for each setting.
    pub rows: Vec<Vec<String>>,
}

/// A number with its interval. An open bound is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct IntervalValue {
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl From<Estimate> for IntervalValue {
    fn from(estimate: Estimate) -> IntervalValue {
        let finite = |bound: f64| bound.is_finite().then_some(bound);
        IntervalValue { value: estimate.value, low: finite(estimate.low), high: finite(estimate.high) }
    }
}

/// A player with its games, strength and cost.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct LivePlayer {
    pub name: String,
    /// Games that it has played.
    pub done: u64,
    /// All of its games.
    pub all: u64,
    /// Its strength on the scale of the picture.
    pub strength: Option<IntervalValue>,
    /// Cost of a move, in words.
    pub cost: String,
}

/// State of an early stopping rule.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LiveStop {
    /// The state in words.
    pub words: String,
    /// Position between the bounds of the rule.
    #[serde(flatten)]
    pub between: BoundsPosition,
}

/// A finished game.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FinishedGame {
    /// The players.
    pub who: String,
    /// The game, in the words of `gauntlet show`.
    pub which: String,
    /// How it ended.
    pub how: String,
}

/// Names a game of a line-up by its block and leg.
pub(super) fn game_name(block: u64, leg: usize) -> String {
    if leg == 0 { format!("block {block}") } else { format!("block {block}, second game") }
}
