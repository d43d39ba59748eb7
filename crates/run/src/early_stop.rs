//! Rules that may end a run before all games are played.

use std::fmt;

use gauntlet_core::measure::Measure;
use gauntlet_core::num::{Level, Points, Risk};
use gauntlet_stats::{EloScale, EloTest};

/// A rule that may end a run before its last block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EarlyStop {
    /// Ends when a comparison of two players is decided.
    Pair(ComparisonStop),
    /// Ends when a rate of every player is known well enough.
    Precision(PrecisionStop),
    /// Ends when the test of two players against each other is decided.
    Duel(DuelStop),
}

impl EarlyStop {
    /// Returns the two players that it compares, if it compares players.
    pub fn players(&self) -> Option<[usize; 2]> {
        match self {
            EarlyStop::Pair(stop) => Some([stop.better, stop.than]),
            EarlyStop::Duel(stop) => Some([stop.better, stop.than]),
            EarlyStop::Precision(_) => None,
        }
    }
}

/// A sequential test of two players by their games against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuelStop {
    /// Index of the player that is claimed to be stronger.
    pub better: usize,
    /// Index of the other player.
    pub than: usize,
    pub test: EloTest,
}

impl fmt::Display for DuelStop {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let EloTest { elo: [from, to], model, alpha, beta } = self.test;
        write!(f, "sprt between {from} and {to} {} (alpha {alpha}, beta {beta})", scale(model))
    }
}

/// Returns the name of an Elo scale.
pub const fn scale(model: EloScale) -> &'static str {
    match model {
        EloScale::Logistic => "Elo",
        EloScale::Normalized => "normalised Elo",
    }
}

/// A precision required for a rate of every player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrecisionStop {
    pub by: Measure,
    /// Largest distance of the bounds from the rate.
    pub points: Points,
    /// Level at which the bounds of all players hold together, at every look.
    pub level: Level,
}

/// A comparison of two players that may end a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparisonStop {
    /// Index of the player that is claimed to be better.
    pub better: usize,
    /// Index of the other player.
    pub than: usize,
    /// A rate, or the score, of which only the order of both players counts.
    pub by: Measure,
    /// Rule that ends the comparison.
    pub rule: SequentialTest,
}

/// A sequential probability ratio test between two differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// Difference if the player is not better.
    pub from: f64,
    /// Difference if it is better.
    pub to: f64,
    /// Risk of calling it better if it is not.
    pub alpha: Risk,
    /// Risk of accepting `from` if `to` is the true difference.
    pub beta: Risk,
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Sprt { from, to, alpha, beta } = self;
        write!(f, "sprt between {from} and {to} (alpha {}, beta {})", alpha.get(), beta.get())
    }
}

/// Rule that ends a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SequentialTest {
    /// A sequential probability ratio test.
    Sprt(Sprt),
    /// A confidence sequence, valid at every look: the run ends when it excludes a difference of 0.
    Confidence(Level),
}

impl fmt::Display for SequentialTest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            SequentialTest::Sprt(sprt) => sprt.fmt(f),
            SequentialTest::Confidence(level) => write!(f, "confidence {level}"),
        }
    }
}
