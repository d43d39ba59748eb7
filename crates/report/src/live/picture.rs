//! What the page shows: one JSON document, of which each number has one source.

use std::sync::Arc;

use gauntlet_run::judge::Between;
use gauntlet_run::machine::VERSION;
use gauntlet_run::progress::Progress;
use gauntlet_stats::Estimate;
use serde::Serialize;

use crate::page::drawn::Drawn;

/// The state of what is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PictureState {
    /// Nothing was played yet.
    #[default]
    Begins,
    /// It plays.
    Plays,
    /// It ended before its last game, and can go on.
    Stopped,
    /// It came to its end.
    Finished,
    /// It ended by a failure.
    Failed,
}

/// All that the page shows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Picture {
    /// What is shown: `run`, `tuning`, `training`.
    pub kind: &'static str,
    /// The name of the experiment.
    pub title: String,
    /// The name of the game.
    pub game: String,
    /// The version of the program, by which a page knows that it is of an older one.
    pub version: String,
    /// How far it is.
    pub state: PictureState,
    /// What it does while it plays, as `searches`; empty where that is to play.
    pub doing: &'static str,
    /// What that means for the numbers, in sentences.
    pub said: String,
    /// What a reader must know first.
    pub warnings: Vec<String>,
    /// Games that are played, of all.
    pub progress: PictureBar,
    /// By what players are shown: `win rate` or `Elo`; empty where there are none to be shown.
    pub scale: &'static str,
    /// The players, the best first.
    pub players: Vec<PicturePlayer>,
    /// Players that are not among them.
    pub others: usize,
    /// What may end the run, if anything may.
    pub stop: Option<Stop>,
    /// The games that were finished last.
    pub finished: Vec<Finished>,
    /// Of a tuning: its parts, as search and validation, that have begun.
    pub parts: Vec<PicturePart>,
    /// The settings that it found, in words.
    pub answer: Vec<String>,
    /// The settings that it tunes.
    pub settings: Vec<Setting>,
    /// The candidates that it plays now.
    pub candidates: Candidates,
    /// Figures: of a tuning its path, of a training its curve. They are large, and sent apart, when
    /// they have changed.
    #[serde(skip)]
    pub drawings: Arc<Vec<Drawn>>,
    /// The command that makes a report, where there is one to be made.
    pub report: String,
}

/// The most players that are shown: the first of them.
const MOST_PLAYERS: usize = 100;

impl Picture {
    /// Some work of this kind, of which nothing is known yet.
    pub fn of(kind: &'static str, title: &str, game: &str) -> Picture {
        let (title, game, version) = (title.to_owned(), game.to_owned(), VERSION.to_owned());
        Picture { kind, title, game, version, ..Picture::default() }
    }

    /// A run within this frame: its state, its progress, its players and its games are shown, and
    /// the warnings of both.
    pub(super) fn around(self, run: Picture) -> Picture {
        let Picture { state, progress, players, others, stop, finished, .. } = run;
        let warnings = self.warnings.into_iter().chain(run.warnings).collect();
        Picture { warnings, state, progress, players, others, stop, finished, ..self }
    }

    /// The same with these players, the strongest first; those whose strength is not known come
    /// last.
    pub(super) fn with_players(self, mut players: Vec<PicturePlayer>) -> Picture {
        let value =
            |player: &PicturePlayer| player.strength.map_or(f64::NEG_INFINITY, |strength| strength.value);
        players.sort_by(|one, other| value(other).total_cmp(&value(one)));
        let others = players.len().saturating_sub(MOST_PLAYERS);
        players.truncate(MOST_PLAYERS);
        Picture { players, others, ..self }
    }
}

/// Games that are played, of all.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PictureBar {
    /// Games played, or moves.
    pub done: u64,
    /// Games in all; 0 where that is not known.
    pub all: u64,
    /// The same in words, and behind them what else there is to say of it.
    pub words: Vec<String>,
    /// How fast that goes, and the time that is left, in words.
    pub pace: Vec<String>,
}

impl PictureBar {
    /// The progress of some work.
    pub(super) fn of(of: &Progress) -> PictureBar {
        PictureBar { done: of.done, all: of.all, words: vec![of.words()], pace: of.pace_words() }
    }
}

/// A part of a tuning.
#[derive(Clone, Debug, Serialize)]
pub struct PicturePart {
    /// Its name.
    pub name: String,
    /// Games of it that are played.
    pub done: u64,
    /// All of its games, or the most that it may have.
    pub all: u64,
    /// How far it is, in words.
    pub words: String,
}

impl PicturePart {
    /// A part with games of its own.
    pub(super) fn of(name: String, bar: &PictureBar, more: &str) -> PicturePart {
        let words = bar.words.first().cloned().unwrap_or_default() + more;
        PicturePart { name, done: bar.done, all: bar.all, words }
    }
}

/// A setting that is tuned.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// Its key.
    pub key: String,
    /// Its value at the start, at the best point so far, and where the search stands.
    pub values: [String; 3],
    /// The same as places between its bounds, from 0 to 1; none of words.
    pub places: Option<[f64; 3]>,
    /// Its bounds.
    pub bounds: [String; 2],
}

/// The candidates that a search plays, a row for each; empty at its end.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Candidates {
    /// What they are played for.
    pub step: String,
    /// The settings.
    pub keys: Vec<String>,
    /// A value for each setting.
    pub rows: Vec<Vec<String>>,
}

/// A number and its interval. Where a bound is open, it is none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Within {
    /// The number.
    pub value: f64,
    /// The lower bound.
    pub low: Option<f64>,
    /// The upper bound.
    pub high: Option<f64>,
}

impl From<Estimate> for Within {
    fn from(of: Estimate) -> Within {
        let known = |bound: f64| bound.is_finite().then_some(bound);
        Within { value: of.value, low: known(of.low), high: known(of.high) }
    }
}

/// A player.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PicturePlayer {
    /// Its name.
    pub name: String,
    /// Games that it has played, and all of its games.
    pub done: u64,
    /// All of its games.
    pub all: u64,
    /// By the scale of the picture.
    pub strength: Option<Within>,
    /// What a move of it costs.
    pub cost: String,
}

/// What may end a run, between its bounds.
#[derive(Clone, Debug, Serialize)]
pub struct Stop {
    /// In words.
    pub words: String,
    /// The state between its bounds.
    #[serde(flatten)]
    pub between: Between,
}

/// A game that is over.
#[derive(Clone, Debug, Serialize)]
pub struct Finished {
    /// Who played.
    pub who: String,
    /// Which game, as `gauntlet show` is told.
    pub which: String,
    /// How it ended.
    pub how: String,
}

/// Which game of a line-up it is.
pub(super) fn which(block: u64, leg: usize) -> String {
    if leg == 0 { format!("block {block}") } else { format!("block {block}, second game") }
}
