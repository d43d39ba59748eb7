//! `win-rate.csv`: wins and scores of the players of a solo game.

use gauntlet_core::table::{TableEstimate, table};
use gauntlet_run::tally::{LEVEL, Tally};
use gauntlet_stats::wilson;

/// Name of the table of win rates and scores.
pub(crate) const WIN_RATE: &str = "win-rate";

table! {
    /// Wins and scores of a player.
    pub struct WinRateRow(WIN_RATE, Some(LEVEL)) of
        (name, it, is_limited, skip_reason): (&str, &Tally, bool, Option<&str>)
    {
        /// Name of the player.
        player: String, words() = name;
        /// Number of games that did not end with `panic`.
        games: u64, count() = it.games;
        /// Games won.
        wins: u64, count() = it.wins;
        /// Wins divided by games, with Wilson's 95 % interval.
        win_rate: TableEstimate, share().as_first().with_decimals(6) = wilson(it.wins, it.games, LEVEL);
        /// Mean score, with Student's 95 % interval; no interval for a single game.
        mean_score: TableEstimate, number().as_first().with_decimals(2) = it.scores.mean(LEVEL);
        /// Median score.
        median_score: Option<f64>, number().with_decimals(1) = it.scores.median();
        /// Highest score.
        max_score: Option<u64>, count() = it.scores.max();
        /// Mean number of moves per game.
        mean_moves: Option<f64>, number().with_decimals(2) = it.mean_moves();
        /// Games that ended by a fault of the player or with `panic`.
        forfeits: u64, count().as_exception() = it.forfeits() + it.failed_games;
        /// Games that ended with `max-seconds`; only in experiments with this limit.
        out_of_time: Option<u64>, count().as_exception().as_optional() = is_limited.then_some(it.out_of_time);
        /// Reason why the player was skipped; only if a player was skipped.
        skipped: Option<String>, words().as_optional() = skip_reason.map(str::to_owned);
    }
}
