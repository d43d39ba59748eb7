//! Rules that may end a run before all games are played.

use std::fmt;

use gauntlet_core::measure::Measure;
use gauntlet_core::num::{Level, Points, Risk};
use gauntlet_stats::{EloScale, EloTest};

/// A rule that may end a run before its last block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EarlyStop {
    /// Ends when a comparison of two players is decided.
    Comparison(ComparisonStop),
    /// Ends when a rate of every player is known well enough.
    Precision(PrecisionStop),
}

impl EarlyStop {
    /// Returns the comparison, if the rule compares two players.
    pub fn comparison(&self) -> Option<&ComparisonStop> {
        if let EarlyStop::Comparison(stop) = self { Some(stop) } else { None }
    }
}

/// A precision required for a rate of every player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrecisionStop {
    pub measure: Measure,
    /// Largest distance of the bounds from the rate.
    pub points: Points,
    /// Level at which the bounds of all players hold together, at every look.
    pub level: Level,
}

/// A comparison of two players that may end a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparisonStop {
    /// Index of the player that is claimed to be better.
    pub better_player: usize,
    /// Index of the other player.
    pub other_player: usize,
    /// A rate, or the score, of which only the order of both players counts. In a game of two, the
    /// points of their games against each other.
    pub measure: Measure,
    /// Test that ends the comparison.
    pub test: SequentialTest,
}

/// Test that ends a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SequentialTest {
    /// A sequential probability ratio test.
    Sprt(Sprt),
    /// A confidence sequence, valid at every look: the run ends when it excludes a difference of 0.
    Confidence(Level),
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
    /// Scale of differences in Elo. `None` if they are shares of blocks won minus shares of blocks
    /// lost.
    pub elo: Option<EloScale>,
}

impl SequentialTest {
    /// Returns the test of pairs of games, if its differences are in Elo.
    pub fn elo_test(&self) -> Option<EloTest> {
        let SequentialTest::Sprt(Sprt { from: null_difference, to: true_difference, alpha, beta, elo }) =
            *self
        else {
            return None;
        };
        Some(EloTest {
            elo: [null_difference, true_difference],
            model: elo?,
            alpha: alpha.get(),
            beta: beta.get(),
        })
    }

    /// Returns the scale of its differences, if they are in Elo.
    pub fn elo(&self) -> Option<EloScale> {
        self.elo_test().map(|test| test.model)
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Sprt { from: null_difference, to: true_difference, alpha, beta, elo } = self;
        let unit = elo.map_or_else(String::new, |elo| format!(" {}", scale_name(elo)));
        write!(
            f,
            "sprt between {null_difference} and {true_difference}{unit} (alpha {}, beta {})",
            alpha.get(),
            beta.get()
        )
    }
}

impl fmt::Display for SequentialTest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            SequentialTest::Sprt(sprt) => sprt.fmt(f),
            SequentialTest::Confidence(level) => write!(f, "confidence {level}"),
        }
    }
}

/// Returns the name of an Elo scale.
pub const fn scale_name(elo: EloScale) -> &'static str {
    match elo {
        EloScale::Logistic => "Elo",
        EloScale::Normalized => "normalised Elo",
    }
}
