//! `win-rate.csv`: wins and scores of the players of a solo game.

use gauntlet_core::table::{TableEstimate, table};
use gauntlet_run::tally::{LEVEL, Tally};
use gauntlet_stats::wilson;

/// Name of the table of win rates and scores.
pub(crate) const WIN_RATE: &str = "win-rate";

table! {
    /// Wins and scores of a player.
    pub struct WinRateRow(WIN_RATE, Some(LEVEL)) of (name, it, is_limited): (&str, &Tally, bool) {
        /// The player's name.
        player: String, words() = name;
        /// Games but those that ended by `panic`.
        games: u64, count() = it.games;
        /// Games won.
        wins: u64, count() = it.wins;
        /// Their part of all games, with Wilson's 95 % interval.
        win_rate: TableEstimate, share().first().to(6) = wilson(it.wins, it.games, LEVEL);
        /// Mean of the scores, with Student's 95 % interval; no interval for one game.
        mean_score: TableEstimate, number().first().to(2) = it.scores.mean(LEVEL);
        /// Median and largest of the scores.
        median_score: Option<f64>, number().to(1) = it.scores.median();
        max_score: Option<u64>, count() = it.scores.max();
        /// Moves of a game, in the mean.
        mean_moves: Option<f64>, number().to(2) = it.mean_moves();
        /// Games that ended by `illegal-move`, `gave-up`, `panic`, `crashed`, `timed-out` or
        /// `nonsense`.
        forfeits: u64, count().exception() = it.forfeits + it.broken;
        /// Games that ended by `max-seconds`. Only experiments with this limit have the column.
        out_of_time: Option<u64>, count().exception().optional() = is_limited.then_some(it.out_of_time);
    }
}
