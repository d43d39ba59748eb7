//! State of the rule that ends a run when a rate of every player is known.

use gauntlet_core::text::round_up;
use gauntlet_stats::{Estimate, PrecisionGoal, bisect_integer};

/// State of a rule that ends a run when every rate is known.
#[derive(Clone, Debug, PartialEq)]
pub struct PrecisionStopResult {
    /// Number of blocks judged. If the rates are known, the run ends after these.
    pub blocks: u64,
    /// Counts of each player in these blocks, in the order of the experiment.
    pub counts: Vec<SuccessCount>,
    pub is_over: bool,
    /// Precision required of each rate: all rates together have the level of the `[stop]`.
    pub(super) goal: PrecisionGoal,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuccessCount {
    /// Blocks, except those in which its program broke.
    pub games: u64,
    /// Blocks that count as a success.
    pub successes: u64,
}

impl SuccessCount {
    /// Returns the variance of the rate, which orders players by the width of their intervals.
    /// Without games it is larger than any other.
    fn variance(self) -> f64 {
        let [games, successes] = [self.games, self.successes].map(|count| count as f64);
        // Among rates of 0 and 1 the one with fewer games is known less well.
        (successes + 0.5) * (games - successes + 0.5) / (games + 1e-9).powi(3)
    }
}

impl PrecisionStopResult {
    /// Returns the rate of a player with bounds that hold at every look; `None` without games.
    pub fn interval(&self, player: usize) -> Option<Estimate> {
        let SuccessCount { games, successes } = self.counts[player];
        self.goal.interval(successes, games)
    }

    /// Returns true if the rate of a player is known to the required precision.
    pub fn is_known(&self, player: usize) -> bool {
        let SuccessCount { games, successes } = self.counts[player];
        self.goal.is_reached(successes, games)
    }

    /// Returns the player whose rate is known least.
    pub fn widest(&self) -> usize {
        let variances = self.counts.iter().map(|count| count.variance()).enumerate();
        let widest = variances.reduce(|widest, other| if other.1 > widest.1 { other } else { widest });
        widest.expect("an experiment has a player").0
    }
}

/// Returns the number of games of each player until its rate is known to `points`, if the rate
/// stays as in `counts`. The bounds of all players hold together at the confidence level `level`.
/// `None` if an experiment cannot have that many.
pub fn games_needed(points: f64, level: f64, players: usize, counts: SuccessCount) -> Option<u64> {
    let goal = player_goal(points, level, players);
    let rate = counts.successes as f64 / counts.games.max(1) as f64;
    let is_enough = |games: u64| goal.is_reached((rate * games as f64).round() as u64, games);
    let mut upper = counts.games.max(1);
    while !is_enough(upper) {
        upper = upper.checked_mul(2).filter(|&games| games <= MAX_GAMES)?;
    }
    Some(round_up(bisect_integer(upper / 2, upper, is_enough).1))
}

/// Largest number of games of an experiment.
const MAX_GAMES: u64 = 1_000_000_000;

/// Divides the risk among players (Bonferroni).
pub(super) fn player_goal(points: f64, level: f64, players: usize) -> PrecisionGoal {
    PrecisionGoal::new(points, 1.0 - (1.0 - level) / players as f64)
}

/// Returns the larger distance of a rate from its bounds.
pub fn half_width(rate: Estimate) -> f64 {
    (rate.high - rate.value).max(rate.value - rate.low)
}
