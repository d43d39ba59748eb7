//! Rules that may end a run before all games are played.

use std::fmt;

use gauntlet_core::measure::Measure;
use gauntlet_core::num::{Level, Points, Risk};
use gauntlet_stats::{EloTest, Model};

/// Rules that may end a run before its last block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EarlyStop {
    /// A comparison of two players.
    Pair(PairStop),
    /// That a rate of every player is known well enough.
    Precision(Precision),
    /// The games of two players against each other.
    Duel(DuelStop),
}

impl EarlyStop {
    /// The players that it compares, if it is about two.
    pub fn players(&self) -> Option<[usize; 2]> {
        match self {
            EarlyStop::Pair(stop) => Some([stop.better, stop.than]),
            EarlyStop::Duel(stop) => Some([stop.better, stop.than]),
            EarlyStop::Precision(_) => None,
        }
    }
}

/// The sequential test of two players, by their games against each other, that may end a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuelStop {
    /// The player said to be stronger, by its place among the players of the experiment.
    pub better: usize,
    /// The other player, likewise.
    pub than: usize,
    /// The test.
    pub test: EloTest,
}

impl fmt::Display for DuelStop {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let EloTest { elo: [from, to], model, alpha, beta } = self.test;
        write!(f, "sprt between {from} and {to} {} (alpha {alpha}, beta {beta})", scale(model))
    }
}

/// Name of the scale of a difference.
pub const fn scale(model: Model) -> &'static str {
    match model {
        Model::Logistic => "Elo",
        Model::Normalized => "normalised Elo",
    }
}

/// A rate that is to be known of every player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The rate.
    pub by: Measure,
    /// Greatest distance of its bounds.
    pub points: Points,
    /// Level of the bounds of all players together, at every look.
    pub level: Level,
}

/// The comparison of two players that may end a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairStop {
    /// The player said to be better, by its place among the players of the experiment.
    pub better: usize,
    /// The other player, likewise.
    pub than: usize,
    /// The measure: a rate, or the score, of which only counts whose is higher.
    pub by: Measure,
    /// The rule that ends it.
    pub rule: StopRule,
}

/// A sequential ratio test between two differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The difference if the player is not better.
    pub from: f64,
    /// The difference if it is.
    pub to: f64,
    /// The risk of calling it better if it is not.
    pub alpha: Risk,
    /// The risk of calling it not better if it is.
    pub beta: Risk,
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Sprt { from, to, alpha, beta } = self;
        write!(f, "sprt between {from} and {to} (alpha {}, beta {})", alpha.get(), beta.get())
    }
}

/// The rule that ends a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopRule {
    /// A sequential ratio test.
    Sprt(Sprt),
    /// A confidence sequence, valid at every look: the run ends when it excludes that there is no
    /// difference.
    Confidence(Level),
}

impl fmt::Display for StopRule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StopRule::Sprt(sprt) => sprt.fmt(f),
            StopRule::Confidence(level) => write!(f, "confidence {level}"),
        }
    }
}
